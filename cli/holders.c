// holders.c: see holders.h: walking and merging.
#include "cli/holders.h"

#include "cli/graph.h"
#include "cli/intern.h"
#include "cli/types.h"

#include <stdlib.h>
#include <string.h>

#define UP_MAX 32         // ancestors looked at for the same type
#define HOLDERS_MAX 65536 // nodes; what would be more stays with its parent

enum { WANTED = 1, LEADS = 2 };

// struct finder is the work under way.
// Shape: met, need and node go together: what an object is needed for, and its
//        node + 1 once it has one. index_of is per slot, + 1. table has cap
//        places, a power of two, of node numbers.
struct finder {
	struct session *s;
	struct holders *h;
	struct interned texts;
	const struct heap_region *regions;
	struct heap_met *met;
	size_t n, n_first;
	uint8_t *need;
	uint32_t *node, *index_of;
	uint64_t *single; // all zero between scans
	uint32_t *table;
	uint64_t cap;
	uint32_t at;      // of the object being scanned
	uint64_t roots;   // seen
	size_t next_first;
	enum hc failed;
};

static uint64_t slot_index(const struct finder *f, struct heap_ref ref)
{
	return UINT64_C(64) * f->regions[ref.region].first_word + ref.slot;
}

// general writes a name without what tells one of many apart: what is between
// brackets, and addresses.
static const char *general(struct finder *f, const char *name)
{
	char text[512];
	size_t n = 0;
	unsigned depth = 0;
	bool quoted = false;
	for (const char *c = name; *c && n + 8 < sizeof(text); c++) {
		if (depth && *c == '"')
			quoted = !quoted;
		if (quoted && *c == '\\' && c[1]) {
			c++;
			continue;
		}
		if (!quoted && *c == ']' && depth)
			depth--;
		if (!depth && strncmp(c, "0x", 2) == 0) {
			c += 1 + strspn(c + 2, "0123456789abcdef");
			n += (size_t)(stpcpy(text + n, "0x…") - (text + n));
		} else if (!depth) {
			text[n++] = *c;
		}
		if (!quoted && *c == '[') {
			if (!depth++)
				n += (size_t)(stpcpy(text + n, "…") -
					      (text + n));
		}
	}
	text[n] = '\0';
	return intern(&f->texts, text);
}

static bool same_holder(const struct holder *a, const struct holder *b)
{
	return a->parent == b->parent && a->name == b->name &&
	       a->field == b->field && a->function == b->function;
}

static uint32_t *place(const struct finder *f, const struct holder *holder)
{
	uint64_t hash = hash_mix(holder->parent, (uintptr_t)holder->name);
	hash = hash_mix(hash, (uintptr_t)holder->field);
	uint64_t i = hash_mix(hash, (uintptr_t)holder->function) & (f->cap - 1);
	while (f->table[i] &&
	       !same_holder(&f->h->at[f->table[i]], holder))
		i = (i + 1) & (f->cap - 1);
	return &f->table[i];
}

// holder_of finds or makes a node and returns its number.
static uint32_t holder_of(struct finder *f, const struct holder *like)
{
	uint32_t *at = place(f, like);
	if (*at)
		return *at;
	if (f->h->n >= HOLDERS_MAX)
		return like->parent;
	struct holder *one = vec_push(&f->s->pool, f->h);
	if (!one || !like->name || !like->field) {
		f->failed = hc_nomem(&f->s->err);
		return 0;
	}
	*one = *like;
	*at = (uint32_t)(f->h->n - 1);
	return *at;
}

// child_of returns the node for objects of a type below a node: the nearest
// one further up of that type, if there is one.
static uint32_t child_of(struct finder *f, uint32_t parent, const char *field,
			 uint32_t type)
{
	const char *name = types_name(f->s, type);
	uint32_t up = parent;
	for (unsigned i = 0; i < UP_MAX && up && up != HOLDER_NONE; i++) {
		const struct holder *h = &f->h->at[up];
		if (!h->function && h->name == name && h->parent)
			return up;
		up = h->parent;
	}
	struct holder like = { .name = name, .field = field,
			       .parent = parent, .type = type };
	return holder_of(f, &like);
}

// settle gives object i its node, and counts it there if it is asked for.
static void settle(struct finder *f, size_t i, uint32_t node)
{
	f->node[i] = node + 1;
	if (f->need[i] & WANTED) {
		f->h->at[node].objects++;
		f->h->at[node].count.objects++;
		f->h->at[node].count.bytes +=
			heap_ref_size(f->s->heap, f->met[i].object);
	}
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct finder *f = ctx;
	struct session *s = f->s;
	uint64_t number = f->roots++;
	struct heap_root_text text = { 0 };
	char *mark = pool_mark(&s->scratch);
	for (; f->next_first < f->n_first && !f->failed &&
	       f->met[f->next_first].from == number; f->next_first++) {
		size_t i = f->next_first;
		if (!f->need[i])
			continue;
		f->failed = s->reader->root_text(s->self, root, &s->scratch,
						 &text, &s->err);
		if (f->failed)
			break;
		const char *name = pool_printf(
			&s->scratch, "%s %s",
			heap_root_kind_name((enum heap_root_kind)root->kind),
			text.name);
		struct holder like = {
			.name = general(f, name ? name : ""),
			.field = intern(&f->texts, ""),
			.function = intern(&f->texts, text.function)
		};
		uint32_t above = holder_of(f, &like);
		if (f->failed)
			break;
		settle(f, i, child_of(f, above, like.field,
				      heap_type_of(s->heap,
						   f->met[i].object)));
		pool_rewind(&s->scratch, mark);
	}
}

static void on_edge(void *ctx, struct heap_ref from, uint64_t offset,
		    struct heap_ref to)
{
	struct finder *f = ctx;
	uint32_t i = f->index_of[slot_index(f, to)];
	if (!i || f->node[i - 1] || !f->need[i - 1] || i - 1 < f->n_first ||
	    f->met[i - 1].from != f->at || f->failed)
		return;
	char *mark = pool_mark(&f->s->scratch);
	const char *field = general(f, label_of(f->s, from, offset));
	pool_rewind(&f->s->scratch, mark);
	settle(f, i - 1, child_of(f, f->node[f->at] - 1, field,
				  heap_type_of(f->s->heap, to)));
}

// choose marks what is asked for and what leads there, from the end back.
static uint64_t choose(struct finder *f)
{
	uint64_t wanted = 0;
	for (size_t i = f->n; i-- > 0;) {
		struct heap_ref ref = f->met[i].object;
		if (types_wanted(f->s, heap_type_of(f->s->heap, ref))) {
			f->need[i] |= WANTED;
			wanted++;
		}
		if (f->need[i] && i >= f->n_first)
			f->need[f->met[i].from] |= LEADS;
	}
	return wanted;
}

static enum hc begin(struct finder *f)
{
	struct session *s = f->s;
	struct pool *pool = &s->pool;
	size_t n;
	uint64_t most = 1;
	HC_TRY(heap_reach(s->heap, pool, &f->met, &f->n, &f->n_first,
			  &s->err));
	f->regions = heap_regions(s->heap, &n);
	for (size_t i = 0; i < n; i++)
		if (f->regions[i].n_slots / 64 + 1 > most)
			most = f->regions[i].n_slots / 64 + 1;
	f->need = pool_new(pool, uint8_t, f->n + 1);
	f->node = pool_new(pool, uint32_t, f->n + 1);
	f->index_of = pool_new(pool, uint32_t, 64 * graph_words(s->heap) + 64);
	f->single = pool_new(pool, uint64_t, most);
	f->cap = 4 * HOLDERS_MAX;
	f->table = pool_new(pool, uint32_t, f->cap);
	f->texts.pool = pool;
	struct holder *top = vec_push(pool, f->h);
	if (!f->need || !f->node || !f->index_of || !f->single || !f->table ||
	    !top)
		return hc_nomem(&s->err);
	*top = (struct holder){ .name = "", .field = "",
				.parent = HOLDER_NONE };
	for (size_t i = 0; i < f->n; i++)
		f->index_of[slot_index(f, f->met[i].object)] =
			(uint32_t)(i + 1);
	return HC_OK;
}

// merge gives every object that is needed its node, parents first.
static enum hc merge(struct finder *f)
{
	struct session *s = f->s;
	struct graph_scan scan = { .heap = s->heap, .edge = on_edge,
				   .ctx = f };
	s->reader->roots(s->self, on_root, f);
	for (size_t i = 0; i < f->n && !f->failed; i++) {
		struct heap_ref ref = f->met[i].object;
		if (!(f->need[i] & LEADS) || !f->node[i])
			continue;
		f->at = (uint32_t)i;
		f->single[ref.slot / 64] = UINT64_C(1) << (ref.slot % 64);
		graph_scan_region(&scan, ref.region, f->single);
		f->single[ref.slot / 64] = 0;
	}
	return f->failed;
}

static int by_bytes(const void *a, const void *b, void *ctx)
{
	const struct holder *nodes = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	if (nodes[i].count.bytes != nodes[k].count.bytes)
		return nodes[i].count.bytes > nodes[k].count.bytes ? -1 : 1;
	return i < k ? -1 : i > k;
}

// add_up adds counts up to the root and links children, largest first.
static enum hc add_up(struct finder *f)
{
	struct holders *h = f->h;
	uint32_t *order = pool_new(&f->s->pool, uint32_t, h->n);
	if (!order)
		return hc_nomem(&f->s->err);
	for (uint64_t i = h->n; i-- > 1;) {
		struct holder *up = &h->at[h->at[i].parent];
		up->count.objects += h->at[i].count.objects;
		up->count.bytes += h->at[i].count.bytes;
	}
	for (uint64_t i = 0; i < h->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, h->n, sizeof(*order), by_bytes, h->at);
	for (uint64_t i = 0; i < h->n; i++) {
		uint32_t k = order[i];
		if (!k)
			continue;
		struct holder *up = &h->at[h->at[k].parent];
		*(up->last ? &h->at[up->last].next : &up->first) = k;
		up->last = k;
	}
	return HC_OK;
}

enum hc holders_find(struct session *s, struct holders *ret)
{
	*ret = (struct holders){ 0 };
	struct finder f = { .s = s, .h = ret };
	HC_TRY(begin(&f));
	uint64_t wanted = choose(&f);
	HC_TRY(merge(&f));
	HC_TRY(add_up(&f));
	session_phase(s, "merge paths", wanted, "objects");
	return HC_OK;
}
