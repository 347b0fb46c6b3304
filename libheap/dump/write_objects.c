// write_objects.c: the type of every object, and the types in words.
#include "libheap/dump/write.h"

// struct layout is what objects of one type in slots of one size share.
struct layout {
	uint64_t slot;
	uint32_t type, flags; // type: its number in the file
	struct heap_ref ref;  // the first such object
};

// struct objects is the pass. Shape: number[t] is the file's number of type t
// plus 1; table is a hash table of layouts, number plus 1.
struct objects {
	struct writer *w;
	uint32_t *number, *table;
	uint64_t n_table;
	struct { VEC(uint32_t); } used; // types in the order of their numbers
	struct { VEC(struct layout); } layouts;
};

static uint64_t hash_of(uint64_t slot, uint32_t type, uint32_t flags)
{
	uint64_t h = (slot ^ (uint64_t)type << 32 ^ flags) *
		     UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static enum hc table_grow(struct objects *o)
{
	uint64_t n = o->n_table ? 2 * o->n_table : 4096;
	uint32_t *table = pool_new(o->w->pool, uint32_t, n);
	if (!table)
		return hc_nomem(o->w->err);
	for (uint64_t i = 0; i < o->layouts.n; i++) {
		const struct layout *l = &o->layouts.at[i];
		uint64_t k = hash_of(l->slot, l->type, l->flags) & (n - 1);
		while (table[k])
			k = (k + 1) & (n - 1);
		table[k] = (uint32_t)i + 1;
	}
	o->table = table;
	o->n_table = n;
	return HC_OK;
}

// note_layout remembers the object when it is the first of its kind.
static enum hc note_layout(struct objects *o, struct heap_ref ref,
			   uint32_t type)
{
	const struct heap_region *r = &o->w->regions[ref.region];
	uint32_t flags = r->flags & HEAP_NOSCAN;
	if (2 * o->layouts.n >= o->n_table)
		HC_TRY(table_grow(o));
	uint64_t k = hash_of(r->slot, type, flags) & (o->n_table - 1);
	for (; o->table[k]; k = (k + 1) & (o->n_table - 1)) {
		const struct layout *l = &o->layouts.at[o->table[k] - 1];
		if (l->slot == r->slot && l->type == type && l->flags == flags)
			return HC_OK;
	}
	struct layout *l = vec_push(o->w->pool, &o->layouts);
	if (!l)
		return hc_nomem(o->w->err);
	*l = (struct layout){ r->slot, type, flags, ref };
	o->table[k] = (uint32_t)o->layouts.n;
	return HC_OK;
}

// number_of gives a type its number in the file.
static enum hc number_of(struct objects *o, uint32_t type, uint32_t *ret)
{
	if (!o->number[type]) {
		uint32_t *one = vec_push(o->w->pool, &o->used);
		if (!one)
			return hc_nomem(o->w->err);
		*one = type;
		o->number[type] = (uint32_t)o->used.n;
	}
	*ret = o->number[type] - 1;
	return HC_OK;
}

static enum hc write_region(struct objects *o, uint32_t region, uint32_t max)
{
	struct writer *w = o->w;
	const struct heap_region *r = &w->regions[region];
	const uint64_t *map = heap_allocated(w->heap) + r->first_word;
	uint32_t last = UINT32_MAX, number = 0;
	for (uint32_t word = 0; word < region_slots64(r); word++) {
		for (uint64_t bits = map[word]; bits; bits &= bits - 1) {
			struct heap_ref ref = {
				region,
				64 * word + (uint32_t)__builtin_ctzll(bits)
			};
			uint32_t type = heap_type_of(w->heap, ref);
			type = type < max ? type : 0;
			if (type != last) {
				HC_TRY(number_of(o, type, &number));
				HC_TRY(note_layout(o, ref, number));
				last = type;
			}
			pack_u(w->pack, number);
		}
	}
	return HC_OK;
}

static enum hc write_types(struct objects *o, uint32_t max)
{
	struct writer *w = o->w;
	struct pack *p = w->pack;
	pack_section(p, DUMP_TYPES);
	pack_u(p, max);
	pack_u(p, o->used.n);
	for (uint64_t i = 0; i < o->used.n; i++) {
		struct heap_type_text text = { "unknown", "" };
		char *mark = pool_mark(w->names);
		if (w->reader->type_text)
			HC_TRY(w->reader->type_text(w->self, o->used.at[i],
						    w->names, &text, w->err));
		pack_u(p, o->used.at[i]);
		pack_text(p, text.name);
		pack_text(p, text.package);
		pool_rewind(w->names, mark);
	}
	return HC_OK;
}

static void write_layouts(struct objects *o)
{
	struct writer *w = o->w;
	struct pack *p = w->pack;
	pack_section(p, DUMP_LAYOUTS);
	pack_u(p, o->layouts.n);
	for (uint64_t i = 0; i < o->layouts.n; i++) {
		const struct layout *l = &o->layouts.at[i];
		char *mark = pool_mark(w->names);
		pack_u(p, l->slot);
		pack_u(p, l->type);
		pack_u(p, l->flags);
		pack_text(p, w->reader->object_type ?
				     w->reader->object_type(w->self, l->ref,
							    w->names) :
				     NULL);
		pool_rewind(w->names, mark);
		if (w->reader->label && !l->flags)
			write_labels(w, l->ref);
		pack_u(p, 0);
	}
}

enum hc write_objects(struct writer *w)
{
	struct objects o = { .w = w };
	uint32_t max = w->reader->type_count ? w->reader->type_count(w->self) :
					       0;
	max = max ? max : 1;
	o.number = pool_new(w->pool, uint32_t, max);
	if (!o.number)
		return hc_nomem(w->err);
	pack_section(w->pack, DUMP_OBJECTS);
	for (size_t i = 0; i < w->n_regions && !pack_failed(w->pack); i++)
		HC_TRY(write_region(&o, (uint32_t)i, max));
	HC_TRY(write_types(&o, max));
	write_layouts(&o);
	return HC_OK;
}
