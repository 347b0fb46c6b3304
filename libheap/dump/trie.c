// trie.c: see trie.h.
#include "libheap/dump/trie.h"

#include <string.h>

#define DEPTH_MAX 128u

#define NOT_YET UINT32_MAX

// struct building puts every keeper into the trie.
// Shape: node_of[k] is the trie's node of keeper k; way is the way up from
//        one that has none yet.
struct building {
	struct trie *t;
	struct export *e;
	struct heap_retained *retained;
	uint32_t *node_of;
	struct { VEC(struct heap_keeper); } way;
	enum hc failed;
};

static uint64_t hash_of(uint32_t parent, uint64_t name)
{
	uint64_t h = (name << 32 ^ parent) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static bool grow(struct trie *t)
{
	uint64_t n = t->n_table ? 2 * t->n_table : 1024;
	uint32_t *table = pool_new(t->e->pool, uint32_t, n);
	if (!table)
		return false;
	for (uint32_t i = 1; i < t->n; i++) {
		uint64_t k = hash_of(t->at[i].parent, t->at[i].name) & (n - 1);
		while (table[k])
			k = (k + 1) & (n - 1);
		table[k] = i + 1;
	}
	t->table = table;
	t->n_table = n;
	return true;
}

// child_of finds or makes the node of a name below another.
static enum hc child_of(struct trie *t, uint32_t parent, uint64_t name,
			uint64_t kind, uint32_t *ret)
{
	if (2 * t->n >= t->n_table && !grow(t))
		return hc_nomem(t->e->err);
	uint64_t k = hash_of(parent, name) & (t->n_table - 1);
	for (; t->table[k]; k = (k + 1) & (t->n_table - 1)) {
		const struct trie_node *n = &t->at[t->table[k] - 1];
		if (n->parent == parent && n->name == name) {
			*ret = t->table[k] - 1;
			return HC_OK;
		}
	}
	struct trie_node *n = vec_push(t->e->pool, t);
	if (!n || t->n >= UINT32_MAX)
		return hc_nomem(t->e->err);
	n->parent = parent;
	n->depth = t->at[parent].depth + 1;
	n->name = name;
	n->kind = kind;
	*ret = (uint32_t)(t->n - 1);
	t->table[k] = *ret + 1;
	return HC_OK;
}

// struct outermost remembers the last frame of a stack.
struct outermost {
	struct export *e;
	uint64_t name;
	bool found;
};

static bool on_frame(void *ctx, const struct heap_frame *f)
{
	struct outermost *o = ctx;
	if (!f->function)
		return true;
	o->name = strings_number(o->e->strings, f->function);
	o->found = true;
	return true;
}

// holder_name names what holds roots, without addresses or numbers, so that
// two processes can be compared.
static enum hc holder_name(struct export *e, const struct heap_root *root,
			   uint64_t *ret_name, uint64_t *ret_kind)
{
	char text[512];
	struct outermost o = { .e = e };
	struct heap_root_text words = { 0 };
	char *mark = pool_mark(e->names);
	if (root->owner != HEAP_NO_OWNER && e->reader->frames) {
		*ret_kind = strings_number(e->strings, "goroutine");
		e->reader->frames(e->self, root->owner, on_frame, &o);
		*ret_name = o.found ? o.name : *ret_kind;
		return HC_OK;
	}
	HC_TRY(e->reader->root_text(e->self, root, e->names, &words, e->err));
	size_t len = strnlen(words.name, sizeof(text) - 1);
	memcpy(text, words.name, len);
	text[len] = '\0';
	char *at = strstr(text, " of 0x");
	if (at)
		*at = '\0';
	*ret_name = strings_number(e->strings, text);
	*ret_kind = strings_number(e->strings,
				   heap_root_kind_name(
					   (enum heap_root_kind)root->kind));
	pool_rewind(e->names, mark);
	return HC_OK;
}

// node_for finds the node of a keeper right below one that is at `parent`.
static enum hc node_for(struct building *b, const struct heap_keeper *k,
			uint32_t parent, uint32_t *ret)
{
	uint64_t name, kind;
	struct trie *t = b->t;
	if (k->kind == HEAP_KEEPER_HOLDER) {
		HC_TRY(holder_name(b->e, &k->root, &name, &kind));
		return child_of(t, parent, name, kind, ret);
	}
	name = export_type_string(b->e, heap_type_of(b->e->heap, k->object));
	for (uint32_t up = parent; t->at[up].depth > 1; up = t->at[up].parent) {
		if (t->at[up].name == name) {
			*ret = up;
			return HC_OK;
		}
	}
	kind = parent ? t->at[parent].kind :
			strings_number(b->e->strings, "several roots");
	if (t->at[parent].depth >= DEPTH_MAX) {
		*ret = parent;
		return HC_OK;
	}
	return child_of(t, parent, name, kind, ret);
}

// place finds the trie's node of a keeper, and of all above it on the way.
static enum hc place(struct building *b, const struct heap_keeper *keeper,
		     uint32_t *ret)
{
	struct heap_keeper k = *keeper;
	b->way.n = 0;
	while (b->node_of[k.node] == NOT_YET) {
		struct heap_keeper *one = vec_push(b->e->pool, &b->way);
		if (!one)
			return hc_nomem(b->e->err);
		*one = k;
		HC_TRY(heap_keeper_above(b->retained, one, &k, b->e->err));
	}
	uint32_t node = b->node_of[k.node];
	while (b->way.n > 0) {
		const struct heap_keeper *one = &b->way.at[--b->way.n];
		HC_TRY(node_for(b, one, node, &node));
		b->node_of[one->node] = node;
	}
	*ret = node;
	return HC_OK;
}

static void count(struct building *b, uint32_t node, uint64_t bytes)
{
	b->t->at[node].objects++;
	b->t->at[node].bytes += bytes;
}

static void on_object(void *ctx, uint64_t number, struct heap_ref ref)
{
	struct building *b = ctx;
	struct heap_keeper k;
	uint32_t node;
	(void)number;
	if (b->failed || heap_keeper_of(b->retained, ref, &k) ||
	    k.node == UINT32_MAX)
		return;
	b->failed = place(b, &k, &node);
	if (!b->failed)
		count(b, node, k.own_bytes);
}

// on_edge counts the objects that are below the one that points to them.
static void on_edge(void *ctx, const struct export_edge *edge)
{
	struct building *b = ctx;
	struct heap_keeper k, above;
	uint32_t node;
	if (b->failed || heap_keeper_of(b->retained, edge->target, &k) ||
	    k.node != UINT32_MAX ||
	    heap_keeper_of(b->retained, edge->source, &above) ||
	    above.node == UINT32_MAX)
		return;
	b->failed = place(b, &above, &node);
	if (!b->failed)
		b->failed = node_for(b, &k, node, &node);
	if (!b->failed)
		count(b, node, k.own_bytes);
}

// fold sums up from below and hands what is too small to the node above.
static void fold(struct trie *t, uint64_t least)
{
	for (uint64_t i = t->n; i-- > 0;)
		t->at[i].sum = t->at[i].bytes;
	for (uint64_t i = t->n; i-- > 1;)
		t->at[t->at[i].parent].sum += t->at[i].sum;
	for (uint64_t i = t->n; i-- > 1;) {
		struct trie_node *n = &t->at[i], *up = &t->at[n->parent];
		if (n->sum >= least)
			continue;
		t->small += n->objects || n->other_objects;
		up->other_objects += n->objects + n->other_objects;
		up->other_bytes += n->bytes + n->other_bytes;
		n->objects = n->bytes = n->other_objects = n->other_bytes = 0;
	}
}

enum hc trie_build(struct export *e, uint64_t share, struct trie *ret)
{
	struct trie t = { .e = e };
	struct building b = { .t = &t, .e = e };
	struct trie_node *top = vec_push(e->pool, &t);
	if (!top)
		return hc_nomem(e->err);
	top->kind = strings_number(e->strings, "");
	HC_TRY(heap_retain(e->heap, false, &b.retained, e->err));
	struct heap_keeper all = heap_keeper_all(b.retained);
	b.node_of = pool_new(e->pool, uint32_t, all.node + UINT64_C(1));
	if (!b.node_of)
		return hc_nomem(e->err);
	memset(b.node_of, 0xff, sizeof(*b.node_of) * (all.node + UINT64_C(1)));
	b.node_of[all.node] = 0;
	export_objects(e, on_object, &b);
	export_edges(e, on_edge, &b);
	HC_TRY(b.failed);
	if (e->strings->failed)
		return hc_nomem(e->err);
	fold(&t, e->n_bytes / share);
	*ret = t;
	return HC_OK;
}
