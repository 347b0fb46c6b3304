// pprof.c: who retains what as a profile for `go tool pprof`: a stack is a
// type, what keeps it, …, what holds the root; cumulated bytes are retained.
//
// Source: google/pprof, proto/profile.proto, as vendored in Go 1.24. Fields
// may come in any order, so strings come last.
#include "libheap/dump/trie.h"
#include "libheap/dump/wire.h"

#include "libcore/base/codec.h"

#include <string.h>

#define SHARE 100000u // of the heap; what is less is not shown by itself
#define MESSAGE 4096u

enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
       PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
       PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14 };

// struct message is a part of the profile being put together.
struct message {
	uint8_t at[MESSAGE];
	size_t n;
};

struct pprof {
	struct export *e;
	struct trie *trie;
	struct wire *w; // which goes to gzip
	struct packer gzip;
	uint64_t other; // string "(other)"
	uint64_t named; // strings up to here are functions
};

static enum hc to_gzip(void *ctx, const void *bytes, uint64_t len,
		       struct hc_err *err)
{
	struct pprof *p = ctx;
	return gzip_more(&p->gzip, bytes, len, err);
}

static void varint(struct message *m, uint64_t v)
{
	while (v >= 128 && m->n + 10 < MESSAGE) {
		m->at[m->n++] = (uint8_t)(v | 128);
		v >>= 7;
	}
	m->at[m->n++] = (uint8_t)v;
}

static void field(struct message *m, unsigned number, uint64_t v)
{
	if (v == 0)
		return;
	varint(m, number << 3);
	varint(m, v);
}

static void nested(struct message *m, unsigned number,
		   const struct message *in)
{
	varint(m, number << 3 | 2);
	varint(m, in->n);
	if (in->n <= MESSAGE - m->n - 16) {
		memcpy(m->at + m->n, in->at, in->n);
		m->n += in->n;
	}
}

static void put(struct pprof *p, unsigned number, const struct message *m)
{
	wire_uleb(p->w, number << 3 | 2);
	wire_uleb(p->w, m->n);
	wire_bytes(p->w, m->at, m->n);
}

static void sample_type(struct pprof *p, const char *type, const char *unit)
{
	struct message m = { .n = 0 };
	field(&m, 1, strings_number(&p->e->strings, type));
	field(&m, 2, strings_number(&p->e->strings, unit));
	put(p, PROFILE_SAMPLE_TYPE, &m);
}

// put_sample writes one stack, the innermost name first. Locations have the
// numbers of their names, and none has the empty name's, 0.
static void put_sample(struct pprof *p, uint32_t node, bool other,
		       uint64_t objects, uint64_t bytes)
{
	const struct trie *t = p->trie;
	struct message m = { .n = 0 }, stack = { .n = 0 }, v = { .n = 0 };
	struct message label = { .n = 0 };
	if (objects == 0)
		return;
	if (other)
		varint(&stack, p->other);
	for (uint32_t i = node; i; i = t->at[i].parent)
		varint(&stack, t->at[i].name);
	nested(&m, 1, &stack);
	varint(&v, objects);
	varint(&v, bytes);
	nested(&m, 2, &v);
	field(&label, 1, strings_number(&p->e->strings, "root"));
	field(&label, 2, t->at[node].kind);
	if (t->at[node].kind)
		nested(&m, 3, &label);
	put(p, PROFILE_SAMPLE, &m);
}

static void put_names(struct pprof *p)
{
	for (uint64_t i = 1; i < p->named; i++) {
		struct message line = { .n = 0 }, m = { .n = 0 };
		field(&line, 1, i);
		field(&m, 1, i);
		field(&m, 2, 1);
		nested(&m, 4, &line);
		put(p, PROFILE_LOCATION, &m);
		m.n = 0;
		field(&m, 1, i);
		field(&m, 2, i);
		field(&m, 3, i);
		put(p, PROFILE_FUNCTION, &m);
	}
}

static void put_mapping(struct pprof *p)
{
	struct message m = { .n = 0 };
	const char *exe = core_info(p->e->core)->exe_path;
	field(&m, 1, 1);
	field(&m, 5, strings_number(&p->e->strings, exe ? exe : "core"));
	for (unsigned i = 7; i <= 10; i++)
		field(&m, i, 1);
	put(p, PROFILE_MAPPING, &m);
}

static void put_strings(struct pprof *p)
{
	const struct strings *s = &p->e->strings;
	for (uint64_t at = 1; at < s->n;) {
		uint64_t len = strlen(s->at + at);
		wire_uleb(p->w, PROFILE_STRING << 3 | 2);
		wire_uleb(p->w, len);
		wire_bytes(p->w, s->at + at, len);
		at += len + 1;
	}
}

static void write_all(struct pprof *p)
{
	struct export *e = p->e;
	const struct trie *t = p->trie;
	p->named = e->strings.n_used;
	sample_type(p, "inuse_objects", "count");
	sample_type(p, "inuse_space", "bytes");
	for (uint32_t i = 0; i < t->n && !p->w->failed; i++) {
		const struct trie_node *n = &t->at[i];
		put_sample(p, i, false, n->objects, n->bytes);
		put_sample(p, i, true, n->other_objects, n->other_bytes);
	}
	put_names(p);
	put_mapping(p);
	wire_uleb(p->w, PROFILE_DEFAULT_TYPE << 3);
	wire_uleb(p->w, strings_number(&e->strings, "inuse_space"));
	wire_uleb(p->w, PROFILE_COMMENT << 3);
	wire_uleb(p->w, strings_number(&e->strings,
				       "(other): what is less than 1/100,000 "
				       "of the heap"));
	put_strings(p);
}

enum hc dump_pprof(struct heap *heap, const struct dump_sink *sink,
		   struct pool *pool, struct pool *names, struct hc_err *err)
{
	struct export e;
	struct trie trie;
	struct pprof p = { .e = &e, .trie = &trie };
	struct dump_sink to = { to_gzip, &p };
	HC_TRY(export_open(heap, pool, names, &e, err));
	(void)strings_number(&e.strings, ""); // must be number 0
	p.other = strings_number(&e.strings, "(other)");
	HC_TRY(trie_build(&e, SHARE, &trie));
	HC_TRY(wire_open(&to, pool, &p.w, err));
	p.gzip.write = sink->write;
	p.gzip.ctx = sink->ctx;
	HC_TRY(gzip_begin(&p.gzip, pool, err));
	write_all(&p);
	enum hc got = wire_close(p.w, err);
	if (got == HC_OK && e.strings.failed)
		got = hc_nomem(err);
	enum hc ended = gzip_end(&p.gzip, got == HC_OK, err);
	return got ? got : ended;
}
