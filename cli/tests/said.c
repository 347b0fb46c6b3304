// said.c: holds what `object` and `types` say of a core against what the
// program said of itself, object by object, in one process.
//
//	said CORE EXE TRUTH [all]
//
// Every object must give valid JSON about itself. Maps must show the entries
// that TRUTH has, "object" lines the fields, sets the types: with `all` none
// of these may be unknown, else an unknown one is only counted.
#include "cli/commands.h"
#include "cli/histogram.h"
#include "cli/object.h"
#include "cli/tests/match.h"
#include "cli/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECONDS_MAX 300 // for everything
#define NAMED_MAX 256
#define EACH 16         // objects whose holders are looked for: one in so many

// struct named counts the objects of one of the program's own types that sets
// name and that are known to be of it.
struct named {
	char *type;
	uint64_t n;
};

// struct said is one run.
struct said {
	struct named named[NAMED_MAX];
	struct session s;
	struct out out;
	bool all;
	unsigned bad, objects, maps, kinds, typed, unknown;
};

// The table of commands is main's, which is not here.
static const struct command command = { .name = "said", .need = NEED_HEAP,
					.run = cmd_object };
const struct command *command_table(size_t *ret_n)
{
	*ret_n = 1;
	return &command;
}
const struct command *command_find(const char *name)
{
	return strcmp(name, command.name) == 0 ? &command : NULL;
}

static bool fails(struct said *t, taddr at, const char *why, const char *more)
{
	printf("%#" PRIx64 ": %s %s\n", at, why, more ? more : "");
	t->bad++;
	return false;
}

static uint64_t number(const struct value *v, const char *key)
{
	const struct value *n = item(v, key);
	return n && n->text ? strtoull(n->text, NULL, 0) : UINT64_MAX;
}

// object_value returns what `object --json` says, read again.
static struct value *object_value(struct said *t, const struct object *o)
{
	const char *why;
	size_t where;
	off_t len;
	int fd = memfd_create("object", 0);
	out_init(&t->out, fd);
	if (fd < 0 || object_json(&t->s, o))
		return NULL;
	out_flush(&t->out);
	len = lseek(fd, 0, SEEK_CUR);
	char *text = malloc((size_t)len + 1);
	if (!text || pread(fd, text, (size_t)len, 0) != len)
		return NULL;
	close(fd);
	struct value *v = json_read(text, (size_t)len, &why, &where);
	if (!v)
		printf("%s at byte %zu of %.*s\n", why, where, (int)len, text);
	free(text);
	return v;
}

static struct object plain_object(struct said *t, struct heap_ref ref)
{
	size_t n;
	struct object o = { .ref = ref };
	o.region = heap_regions(t->s.heap, &n)[ref.region];
	o.live = heap_bit(heap_live(t->s.heap), &o.region, ref.slot);
	return o;
}

// fields_hold checks offsets and depths of fields.
static bool fields_hold(const struct value *fields, uint64_t size)
{
	for (const struct value *f = fields->first; f; f = f->next) {
		const struct value *in = item(f, "fields");
		if (number(f, "offset") >= size || !item(f, "type") ||
		    !item(f, "name") || !item(f, "value") ||
		    (in && !fields_hold(in, size)))
			return false;
	}
	return true;
}

static void check_object(struct said *t, struct heap_ref ref)
{
	taddr at = heap_ref_at(t->s.heap, ref);
	struct object o = plain_object(t, ref);
	if (t->objects++ % EACH == 0 &&
	    object_find(&t->s, at, SIZE_MAX, &o)) {
		fails(t, at, "object fails", t->s.err.msg);
		return;
	}
	struct value *v = object_value(t, &o);
	const struct value *refs = item(v, "references");
	if (!v || number(v, "address") != at ||
	    number(v, "size") != o.region.slot || !item(v, "fields") || !refs ||
	    !item(v, "referrers") || !fields_hold(item(v, "fields"),
						  o.region.slot))
		fails(t, at, "no such object in the answer", NULL);
	else if (o.region.flags & HEAP_NOSCAN && refs->n)
		fails(t, at, "it has pointers", NULL);
	else if (o.path.n_steps && item(v, "paths")->n != 1)
		fails(t, at, "it has no path", NULL);
	json_free(v);
}

static void check_objects(struct said *t)
{
	size_t n;
	const struct heap_region *r = heap_regions(t->s.heap, &n);
	const uint64_t *allocated = heap_allocated(t->s.heap);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < r[i].n_slots; k++)
			if (heap_bit(allocated, &r[i], k))
				check_object(t, (struct heap_ref){ i, k });
}

// find gives what `object` says of the object at an address in truth.
static struct value *find(struct said *t, const struct value *line)
{
	struct heap_ref ref;
	taddr at = number(line, "address");
	if (heap_find(t->s.heap, at, &ref)) {
		fails(t, at, "is no object", NULL);
		return NULL;
	}
	if (heap_type_of(t->s.heap, ref) == 0) {
		t->unknown++;
		if (t->all)
			fails(t, at, "is of unknown type", NULL);
		return NULL;
	}
	struct object o = plain_object(t, ref);
	return object_value(t, &o);
}

// entry_is says whether a field is the map entry [key, value].
static bool entry_is(const struct value *field, const struct value *entry)
{
	const char *name = item(field, "name")->text;
	size_t n = strlen(name);
	char *key = strdup(name);
	if (!key || n < 2 || name[0] != '[')
		return false;
	key[n - 1] = '\0';
	bool is = matches(entry->first, key + 1) &&
		  matches(entry->last, item(field, "value")->text);
	free(key);
	return is;
}

// rule_holds checks a map of true for each key from 0 to len - 1.
static bool rule_holds(const struct value *fields, uint64_t len)
{
	char *met = calloc(len + 1, 1);
	uint64_t n = 0;
	for (const struct value *f = fields->first->next; met && f;
	     f = f->next) {
		uint64_t key = strtoull(item(f, "name")->text + 1, NULL, 10);
		if (key >= len || met[key] ||
		    strcmp(item(f, "value")->text, "true") != 0)
			return false;
		met[key] = 1;
		n++;
	}
	free(met);
	return n == len;
}

static void check_map(struct said *t, const struct value *line)
{
	taddr at = number(line, "address");
	const char *name = item(line, "map")->text;
	uint64_t len = number(line, "len"), shown;
	const struct value *entries = item(line, "entries");
	struct value *v = at ? find(t, line) : NULL;
	if (!v)
		return;
	const struct value *fields = item(v, "fields");
	const char *want = item(line, "type")->text;
	const char *got = item(v, "type")->text;
	if (strcmp(got, want) != 0) {
		if (t->all || strncmp(got, "map[", 4) == 0)
			fails(t, at, got, want);
		else
			t->unknown++; // a map, but not which
		json_free(v);
		return;
	}
	t->maps++;
	shown = fields->n ? fields->n - 1 : 0;
	if (!fields->n || shown != len ||
	    strtoull(item(fields->first, "value")->text, NULL, 10) != len)
		fails(t, at, "has too few or many entries:", name);
	if (item(line, "rule") && !rule_holds(fields, len))
		fails(t, at, "breaks its rule:", name);
	for (const struct value *e = entries ? entries->first : NULL; e;
	     e = e->next) {
		const struct value *f = fields->first;
		while (f && !entry_is(f, e))
			f = f->next;
		if (!f)
			fails(t, at, "lacks an entry:", name);
	}
	json_free(v);
}

static void check_kinds(struct said *t, const struct value *line)
{
	struct value *v = find(t, line);
	const struct value *fields = item(v, "fields");
	if (!v)
		return;
	t->kinds++;
	for (const struct value *want = item(line, "fields")->first; want;
	     want = want->next) {
		const struct value *f = fields->first;
		while (f && strcmp(item(f, "name")->text, want->key) != 0)
			f = f->next;
		if (!f || !matches(want, item(f, "value")->text))
			fails(t, number(line, "address"), want->key,
			      f ? item(f, "value")->text : "is missing");
	}
	json_free(v);
}

// count_named counts one more object of a type, if that is the program's own:
// of others there are more than sets tell.
static void count_named(struct said *t, const char *type)
{
	unsigned i = 0;
	if (strncmp(type, "main.", 5) != 0)
		return;
	while (i < NAMED_MAX && t->named[i].type &&
	       strcmp(t->named[i].type, type) != 0)
		i++;
	if (i == NAMED_MAX)
		return;
	if (!t->named[i].type)
		t->named[i].type = strdup(type);
	t->named[i].n++;
}

// check_counts compares with what `types` counts. Two goroutines that note
// their objects at the same time can lose one (as in heap of 1.24-amd64).
static void check_counts(struct said *t)
{
	struct histogram h;
	if (histogram_count(&t->s, BY_TYPE, false, &h)) {
		fails(t, 0, "types fails:", t->s.err.msg);
		return;
	}
	for (const struct named *n = t->named; n->type; n++) {
		uint64_t got = 0;
		for (uint64_t i = 0; i < h.rows.n; i++)
			if (strcmp(h.rows.at[i].name, n->type) == 0)
				got = h.rows.at[i].count.objects;
		if (got < n->n || got > n->n + 1)
			fails(t, got, "objects too many or few:", n->type);
	}
}

static void check_set(struct said *t, const struct value *line)
{
	const char *want = item(line, "type")->text;
	bool live = item(line, "live")->kind == V_TRUE;
	for (const struct value *a = item(line, "addresses")->first; a;
	     a = a->next) {
		struct heap_ref ref;
		taddr at = strtoull(a->text, NULL, 0);
		if (heap_find(t->s.heap, at, &ref)) {
			if (live)
				fails(t, at, "is no object", want);
			continue;
		}
		char *mark = pool_mark(&t->s.scratch);
		const char *got = type_of_object(&t->s, ref);
		bool known = strcmp(got, "unknown") != 0;
		if (live && !known && t->all)
			fails(t, at, "is of unknown type, not", want);
		else if (known && strcmp(got, want) != 0 && live)
			fails(t, at, got, want);
		t->typed += known;
		if (known && live)
			count_named(t, want);
		t->unknown += !known && live;
		pool_rewind(&t->s.scratch, mark);
	}
}

static void check_line(struct said *t, const char *text, size_t len)
{
	const char *why;
	size_t where;
	struct value *v = json_read(text, len, &why, &where);
	if (!v)
		fails(t, where, "truth:", why);
	else if (item(v, "map"))
		check_map(t, v);
	else if (item(v, "object"))
		check_kinds(t, v);
	else if (item(v, "set"))
		check_set(t, v);
	json_free(v);
}

static void check_truth(struct said *t, const char *path)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	FILE *f = fopen(path, "r");
	if (!f)
		fails(t, 0, "cannot read", path);
	while (f && (n = getline(&line, &cap, f)) > 0)
		if (line[0] == '{') // what a debugger saw is plain text
			check_line(t, line, (size_t)n);
	free(line);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	static struct said t;
	if (argc < 4)
		return 2;
	t.s = (struct session){ .out = &t.out, .command = &command };
	// Not in a sandbox: the truth is still to be opened.
	t.s.o = (struct options){ .core = argv[1], .exe = argv[2],
				 .no_sandbox = true,
				  .json = true, .quiet = true };
	t.all = argc > 4;
	alarm(SECONDS_MAX);
	if (session_open(&t.s) || types_open(&t.s)) {
		printf("%s: %s\n", argv[1], t.s.err.msg);
		return 1;
	}
	check_objects(&t);
	check_truth(&t, argv[3]);
	check_counts(&t);
	printf("%u objects, %u maps, %u kinds, %u typed, %u unknown\n",
	       t.objects, t.maps, t.kinds, t.typed, t.unknown);
	session_close(&t.s);
	return t.bad > 0 || !t.objects;
}
