// proto.c: see proto.h.
#include "libheap/dump/proto.h"

#include <string.h>

enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
       PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
       PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_COMMENT = 13,
       PROFILE_DEFAULT_TYPE = 14 };

enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3,
       LOCATION_LINE = 4 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
       FUNCTION_FILE = 4 };
enum { MAPPING_ID = 1, MAPPING_LOW = 2, MAPPING_HIGH = 3, MAPPING_OFFSET = 4,
       MAPPING_FILE = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
       MAPPING_HAS_INLINED = 10 };

static enum hc to_gzip(void *ctx, const void *bytes, uint64_t len,
		       struct hc_err *err)
{
	struct proto *p = ctx;
	return gzip_more(&p->gzip, bytes, len, err);
}

enum hc proto_open(struct proto *p, struct strings *strings,
		   const struct dump_sink *sink, struct pool *pool,
		   struct hc_err *err)
{
	struct dump_sink to = { to_gzip, p };
	*p = (struct proto){ .pool = pool, .strings = strings };
	HC_TRY(wire_open(&to, pool, &p->w, err));
	p->gzip.write = sink->write;
	p->gzip.ctx = sink->ctx;
	return gzip_begin(&p->gzip, pool, err);
}

// ---- messages ----------------------------------------------------------------

static void put_byte(struct proto *p, struct proto_part *to, uint8_t byte)
{
	uint8_t *at = vec_push(p->pool, to);
	if (at)
		*at = byte;
	else
		p->failed = true;
}

static void put(struct proto *p, struct proto_part *to, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		put_byte(p, to, (uint8_t)(v | 128));
	put_byte(p, to, (uint8_t)v);
}

// field puts a number; 0 is what a field has that is not there.
static void field(struct proto *p, struct proto_part *to, unsigned number,
		  uint64_t v)
{
	if (v == 0)
		return;
	put(p, to, number << 3);
	put(p, to, v);
}

static unsigned varint_len(uint64_t v)
{
	unsigned n = 1;
	for (; v >= 128; v >>= 7)
		n++;
	return n;
}

// field_len returns how many bytes field puts; a number is below 16.
static unsigned field_len(uint64_t v)
{
	return v ? 1 + varint_len(v) : 0;
}

// move appends a part to another and empties it.
static void move(struct proto *p, struct proto_part *to,
		 struct proto_part *part)
{
	for (uint64_t i = 0; i < part->n; i++)
		put_byte(p, to, part->at[i]);
	part->n = 0;
}

// nested puts a part as a field of a message and empties it.
static void nested(struct proto *p, struct proto_part *to, unsigned number,
		   struct proto_part *part)
{
	put(p, to, number << 3 | 2);
	put(p, to, part->n);
	move(p, to, part);
}

static void put_number(struct proto *p, unsigned number, uint64_t v)
{
	wire_uleb(p->w, number << 3);
	wire_uleb(p->w, v);
}

static void put_whole(struct proto *p, unsigned number)
{
	wire_uleb(p->w, number << 3 | 2);
	wire_uleb(p->w, p->whole.n);
	wire_bytes(p->w, p->whole.at, p->whole.n);
	p->whole.n = 0;
}

static void put_type(struct proto *p, unsigned number, const char *type,
		     const char *unit)
{
	field(p, &p->whole, 1, strings_number(p->strings, type));
	field(p, &p->whole, 2, strings_number(p->strings, unit));
	put_whole(p, number);
}

// ---- the profile's own fields ------------------------------------------------

void proto_sample_type(struct proto *p, const char *type, const char *unit)
{
	put_type(p, PROFILE_SAMPLE_TYPE, type, unit);
}

void proto_period(struct proto *p, const char *type, const char *unit,
		  uint64_t period)
{
	put_type(p, PROFILE_PERIOD_TYPE, type, unit);
	put_number(p, PROFILE_PERIOD, period);
}

void proto_default_type(struct proto *p, const char *type)
{
	put_number(p, PROFILE_DEFAULT_TYPE, strings_number(p->strings, type));
}

void proto_comment(struct proto *p, const char *text)
{
	put_number(p, PROFILE_COMMENT, strings_number(p->strings, text));
}

// ---- samples and what they lead to -------------------------------------------

void proto_at(struct proto *p, uint64_t location)
{
	put(p, &p->locations, location);
}

void proto_label(struct proto *p, uint64_t key, uint64_t text, uint64_t number)
{
	put(p, &p->labels, SAMPLE_LABEL << 3 | 2);
	put(p, &p->labels,
	    field_len(key) + field_len(text) + field_len(number));
	field(p, &p->labels, LABEL_KEY, key);
	field(p, &p->labels, LABEL_TEXT, text);
	field(p, &p->labels, LABEL_NUMBER, number);
}

void proto_sample(struct proto *p, const uint64_t *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put(p, &p->values, values[i]);
	if (p->locations.n)
		nested(p, &p->whole, SAMPLE_LOCATION, &p->locations);
	nested(p, &p->whole, SAMPLE_VALUE, &p->values);
	move(p, &p->whole, &p->labels);
	put_whole(p, PROFILE_SAMPLE);
}

void proto_line(struct proto *p, uint64_t function, uint64_t line)
{
	put(p, &p->lines, LOCATION_LINE << 3 | 2);
	put(p, &p->lines, field_len(function) + field_len(line));
	field(p, &p->lines, 1, function);
	field(p, &p->lines, 2, line);
}

void proto_location(struct proto *p, uint64_t id, bool mapped, taddr address)
{
	field(p, &p->whole, LOCATION_ID, id);
	field(p, &p->whole, LOCATION_MAPPING, mapped);
	field(p, &p->whole, LOCATION_ADDRESS, address);
	move(p, &p->whole, &p->lines);
	put_whole(p, PROFILE_LOCATION);
}

void proto_function(struct proto *p, uint64_t id, uint64_t name,
		    uint64_t system, uint64_t file)
{
	field(p, &p->whole, FUNCTION_ID, id);
	field(p, &p->whole, FUNCTION_NAME, name);
	field(p, &p->whole, FUNCTION_SYSTEM_NAME, system);
	field(p, &p->whole, FUNCTION_FILE, file);
	put_whole(p, PROFILE_FUNCTION);
}

// ---- the executable ----------------------------------------------------------

// find_text sets the range of the first executable segment of the module.
static void find_text(const struct core *core, const struct core_module *m,
		      struct proto_map *map)
{
	size_t n;
	const struct core_segment *s = core_segments(core, &n);
	for (size_t i = 0; i < n; i++) {
		if (!(s[i].perm & CORE_X) || !s[i].file ||
		    s[i].base < m->low || s[i].base >= m->high)
			continue;
		map->low = s[i].base;
		map->high = s[i].base + s[i].len;
		map->offset = s[i].file_off;
		return;
	}
}

enum hc proto_map_of(const struct core *core, struct pool *pool,
		     struct proto_map *ret, struct hc_err *err)
{
	static const char digits[] = "0123456789abcdef";
	static const char deleted[] = " (deleted)";
	size_t n, cut = sizeof(deleted) - 1;
	const struct core_module *m = core_modules(core, &n);
	const char *exe = core_info(core)->exe_path;
	struct proto_map map = { .file = exe ? exe : "core", .build_id = "" };
	if (n && m->is_exe) {
		uint64_t len = m->build_id ? m->build_id_len : 0;
		char *id = pool_new(pool, char, 2 * len + 1);
		if (!id)
			return hc_nomem(err);
		for (uint64_t i = 0; i < len; i++) {
			id[2 * i] = digits[m->build_id[i] >> 4];
			id[2 * i + 1] = digits[m->build_id[i] & 15];
		}
		map.build_id = id;
		if (m->path && *m->path)
			map.file = m->path;
		find_text(core, m, &map);
	}
	size_t len = strlen(map.file);
	if (len > cut && strcmp(map.file + len - cut, deleted) == 0)
		map.file = pool_copy(pool, map.file, len - cut);
	if (!map.file)
		return hc_nomem(err);
	*ret = map;
	return HC_OK;
}

void proto_mapping(struct proto *p, const struct proto_map *map)
{
	struct strings *s = p->strings;
	field(p, &p->whole, MAPPING_ID, 1);
	field(p, &p->whole, MAPPING_LOW, map->low);
	field(p, &p->whole, MAPPING_HIGH, map->high);
	field(p, &p->whole, MAPPING_OFFSET, map->offset);
	field(p, &p->whole, MAPPING_FILE, strings_number(s, map->file));
	field(p, &p->whole, MAPPING_BUILD_ID,
	      strings_number(s, map->build_id));
	for (unsigned i = MAPPING_HAS_FUNCTIONS; i <= MAPPING_HAS_INLINED; i++)
		field(p, &p->whole, i, 1);
	put_whole(p, PROFILE_MAPPING);
}

static void put_strings(struct proto *p)
{
	const struct strings *s = p->strings;
	for (uint64_t at = 1; at < s->n;) {
		uint64_t len = strlen(s->at + at);
		wire_uleb(p->w, PROFILE_STRING << 3 | 2);
		wire_uleb(p->w, len);
		wire_bytes(p->w, s->at + at, len);
		at += len + 1;
	}
}

enum hc proto_close(struct proto *p, struct hc_err *err)
{
	put_strings(p);
	enum hc got = wire_close(p->w, err);
	if (got == HC_OK && (p->failed || p->strings->failed))
		got = hc_nomem(err);
	enum hc ended = gzip_end(&p->gzip, got == HC_OK, err);
	return got ? got : ended;
}
