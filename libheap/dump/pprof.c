// pprof.c: who retains what as a profile for `go tool pprof`: a stack is a
// type, what keeps it, …, what holds the root; cumulated bytes are retained.
#include "libheap/dump/proto.h"
#include "libheap/dump/trie.h"

#define SHARE 100000u // of the heap; what is less is not shown by itself

struct pprof {
	struct export *e;
	struct trie *trie;
	struct proto out;
	struct proto_map map;
	uint64_t other; // string "(other)"
	uint64_t root;  // string "root"
};

// put_sample writes one stack, the innermost name first. Locations have the
// numbers of their names, and none has the empty name's, 0.
static void put_sample(struct pprof *p, uint32_t node, bool other,
		       uint64_t objects, uint64_t bytes)
{
	const struct trie *t = p->trie;
	const uint64_t values[] = { objects, bytes };
	if (objects == 0)
		return;
	if (other)
		proto_at(&p->out, p->other);
	for (uint32_t i = node; i; i = t->at[i].parent)
		proto_at(&p->out, t->at[i].name);
	if (t->at[node].kind)
		proto_label(&p->out, p->root, t->at[node].kind, 0);
	proto_sample(&p->out, values, 2);
}

// put_names makes a location and a function of every string below named.
static void put_names(struct pprof *p, uint64_t named)
{
	for (uint64_t i = 1; i < named; i++) {
		proto_line(&p->out, i, 0);
		proto_location(&p->out, i, true, 0);
		proto_function(&p->out, i, i, 0, 0);
	}
}

static void write_all(struct pprof *p)
{
	struct strings *strings = p->e->strings;
	const struct trie *t = p->trie;
	uint64_t named = strings->n_used;
	p->root = strings_number(strings, "root");
	proto_sample_type(&p->out, "inuse_objects", "count");
	proto_sample_type(&p->out, "inuse_space", "bytes");
	for (uint32_t i = 0; i < t->n && !p->out.w->failed; i++) {
		const struct trie_node *n = &t->at[i];
		put_sample(p, i, false, n->objects, n->bytes);
		put_sample(p, i, true, n->other_objects, n->other_bytes);
	}
	put_names(p, named);
	proto_mapping(&p->out, &p->map);
	proto_default_type(&p->out, "inuse_space");
	proto_comment(&p->out, "(other): what is less than 1/100,000 of the "
			       "heap");
}

enum hc dump_pprof(struct heap *heap, const struct dump_sink *sink,
		   struct pool *pool, struct pool *names, struct hc_err *err)
{
	struct export e;
	struct trie trie;
	struct pprof p = { .e = &e, .trie = &trie };
	HC_TRY(export_open(heap, NULL, pool, names, &e, err));
	(void)strings_number(e.strings, ""); // must be number 0
	p.other = strings_number(e.strings, "(other)");
	HC_TRY(trie_build(&e, SHARE, &trie));
	HC_TRY(proto_map_of(e.core, pool, &p.map, err));
	HC_TRY(proto_open(&p.out, e.strings, sink, pool, err));
	write_all(&p);
	return proto_close(&p.out, err);
}
