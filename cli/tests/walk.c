// walk.c: holds the paths of `reachable --json` against the core's memory.
//
//	walk CORE EXE OBJECTS < PATHS
//
// OBJECTS is what `objects --json` says; PATHS are lines "ADDRESS FILE", FILE
// being what `reachable ADDRESS --json` says. Every step must be an object
// whose word at the offset points into the next; the root's word must point
// into the first; the last must hold ADDRESS. Prints how many steps held.
#include "cli/tests/json.h"
#include "libcore/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object {
	taddr at;
	uint64_t size;
	bool live;
};

struct walk {
	struct core *core;
	struct object *objects;
	size_t n_objects, n_steps;
};

static struct value *item(const struct value *v, const char *key)
{
	for (struct value *c = v ? v->first : NULL; c; c = c->next)
		if (c->key && strcmp(c->key, key) == 0)
			return c;
	return NULL;
}

static uint64_t number(const struct value *v, const char *key)
{
	const struct value *n = item(v, key);
	return n && n->text ? strtoull(n->text, NULL, 0) : UINT64_MAX;
}

static struct value *read_json(const char *path)
{
	const char *why;
	size_t where, len;
	char *text = malloc(1 << 24);
	FILE *f = fopen(path, "rb");
	if (!f || !text)
		return NULL;
	len = fread(text, 1, 1 << 24, f);
	fclose(f);
	return json_read(text, len, &why, &where);
}

static bool read_objects(struct walk *w, const char *path)
{
	char line[256];
	size_t cap = 0;
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		const char *why;
		size_t where;
		struct value *v = json_read(line, strlen(line), &why, &where);
		if (!v)
			return false;
		if (w->n_objects == cap) {
			cap = cap ? 2 * cap : 1024;
			w->objects = realloc(w->objects,
					     cap * sizeof(*w->objects));
		}
		const struct value *live = item(v, "live");
		w->objects[w->n_objects++] =
			(struct object){ number(v, "address"),
					 number(v, "size"),
					 live && live->kind == V_TRUE };
	}
	return f && fclose(f) == 0 && w->n_objects > 0;
}

// object_of returns the listed object that holds at.
static const struct object *object_of(const struct walk *w, taddr at)
{
	size_t low = 0, high = w->n_objects;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (w->objects[mid].at <= at)
			low = mid + 1;
		else
			high = mid;
	}
	const struct object *o = low ? &w->objects[low - 1] : NULL;
	return o && at - o->at < o->size ? o : NULL;
}

static bool fails(taddr at, const char *why)
{
	printf("%#" PRIx64 ": %s\n", at, why);
	return false;
}

// points says whether the word at from points into the object at to.
static bool points(struct walk *w, taddr from, taddr to)
{
	taddr word;
	struct hc_err err;
	const struct object *o;
	if (core_u64(w->core, from, &word, &err))
		return fails(from, "no such word");
	o = object_of(w, word);
	if (!o || o->at != to)
		return fails(from, "it points elsewhere");
	w->n_steps++;
	return true;
}

static bool path_holds(struct walk *w, taddr asked, const struct value *path)
{
	const struct value *root = item(path, "root");
	const struct value *steps = item(path, "steps");
	const struct value *step = steps ? steps->first : NULL;
	const struct value *kind = item(root, "kind");
	const struct value *name = item(root, "name");
	if (!step || !kind || kind->kind != V_TEXT || !name ||
	    name->kind != V_TEXT)
		return fails(asked, "no root or no steps");
	taddr at = number(root, "address");
	if (at != UINT64_MAX && !points(w, at, number(step, "object")))
		return false;
	for (; step->next; step = step->next) {
		taddr from = number(step, "object");
		uint64_t offset = number(step, "offset");
		const struct object *o = object_of(w, from);
		if (!o || o->at != from || !o->live || offset >= o->size)
			return fails(from, "no live object");
		if (!points(w, from + offset, number(step->next, "object")))
			return false;
	}
	const struct object *o = object_of(w, asked);
	if (!o || number(step, "object") != o->at || item(step, "offset"))
		return fails(asked, "the last step is another object");
	return true;
}

static bool answer_holds(struct walk *w, taddr asked, const char *file)
{
	const struct value *v = read_json(file);
	const struct value *paths = item(v, "paths"), *live = item(v, "live");
	if (!paths || paths->n == 0 || !live || live->kind != V_TRUE ||
	    number(v, "address") != asked)
		return fails(asked, "no path");
	for (const struct value *p = paths->first; p; p = p->next)
		if (!path_holds(w, asked, p))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct walk w = { 0 };
	struct pool pool;
	struct hc_err err;
	char line[4096];
	int bad = 0;
	if (argc < 4 || pool_open(UINT64_C(1) << 30, &pool, &err))
		return 2;
	struct core_input in = { .core = argv[1], .exe = argv[2] };
	if (core_open(&in, &pool, &w.core, &err) || !read_objects(&w, argv[3]))
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		char *file = strchr(line, ' ');
		line[strcspn(line, "\n")] = '\0';
		if (file)
			bad += !answer_holds(&w, strtoull(line, NULL, 0),
					     file + 1);
	}
	printf("%zu steps\n", w.n_steps);
	return bad > 0 || w.n_steps == 0;
}
