// typeshape.c: see typeshape.h.
#include "libheap/go/types/typeshape.h"

#include "libheap/go/heap/sizeclass.h"
#include "libheap/go/types/typetable.h"

#define WORDS_MAX 64u       // of a mask: objects of up to 512 bytes
#define UNROLLED_MIN 1024u  // bytes: types below never have a GC program

// struct shape is a mask and the size class that it is allocated in.
struct shape {
	uint64_t mask;
	uint32_t slot;
	go_typeid type;
	uint32_t n; // types that have it; 0: free
};

struct go_shapes {
	struct go_types *types;
	struct pool *pool;
	struct shape *at; // open addressing
	uint64_t n, cap;
	struct { VEC(go_typeid); } maps, chans, large, closures;
	bool full;
};

static struct shape *find(const struct go_shapes *s, uint64_t slot,
			  uint64_t mask)
{
	uint64_t h = (mask ^ slot << 53) * UINT64_C(0x9E3779B97F4A7C15);
	for (h ^= h >> 31;; h++) {
		struct shape *e = &s->at[h & (s->cap - 1)];
		if (!e->n || (e->mask == mask && e->slot == slot))
			return e;
	}
}

// mask_of reads the pointer mask of a small type.
static bool mask_of(const struct go_shapes *s, const struct go_type *r,
		    uint64_t *ret)
{
	const uint8_t *v, *bits;
	const struct core *core = s->types->process->core;
	uint64_t n = r->ptr_bytes / 8, mask = 0;
	if (!n || n > WORDS_MAX || r->size > 8 * WORDS_MAX ||
	    core_view(core, r->rtype, 48, &v, NULL) ||
	    core_view(core, get_u64(v + 32), (n + 7) / 8, &bits, NULL))
		return false;
	memcpy(&mask, bits, (n + 7) / 8);
	*ret = n == 64 ? mask : mask & ((UINT64_C(1) << n) - 1);
	return *ret != 0;
}

// grow makes the table twice as large.
static bool grow(struct go_shapes *s)
{
	struct go_shapes bigger = *s;
	bigger.cap = 2 * s->cap;
	bigger.at = pool_new(s->pool, struct shape, bigger.cap);
	if (!bigger.at)
		return false;
	for (uint64_t i = 0; i < s->cap; i++)
		if (s->at[i].n)
			*find(&bigger, s->at[i].slot, s->at[i].mask) =
				s->at[i];
	*s = bigger;
	return true;
}

// LIST puts a type on one of the lists.
#define LIST(s, list, id)                                           \
	do {                                                        \
		go_typeid *one_ = vec_push((s)->pool, &(s)->list);  \
		if (one_)                                           \
			*one_ = (id);                               \
	} while (0)

// is_closure says whether the compiler made a struct type for closures.
// Source: cmd/compile/internal/typecheck ClosureType: ".F" (to 1.20) or "F".
static bool is_closure(const struct go_shapes *s, const struct go_type *r)
{
	if (r->kind != GO_KIND_STRUCT || r->named || r->n_fields < 2)
		return false;
	const char *name = go_type_field_at(s->types, r, 0)->name;
	return !strcmp(name, "F") || !strcmp(name, ".F");
}

static bool add(void *ctx, go_typeid id)
{
	struct go_shapes *s = ctx;
	const struct go_type *r = go_type_get(s->types, id);
	uint64_t mask;
	if (r->kind == GO_KIND_MAP)
		LIST(s, maps, id);
	if (r->kind == GO_KIND_CHAN)
		LIST(s, chans, id);
	if (r->ptr_bytes > UNROLLED_MIN)
		LIST(s, large, id);
	if (is_closure(s, r))
		LIST(s, closures, id);
	if (!mask_of(s, r, &mask))
		return true;
	if (2 * (s->n + 1) > s->cap && !grow(s)) {
		s->full = true;
		return false;
	}
	struct shape *e = find(s, go_size_class(r->size), mask);
	s->n += e->n == 0;
	*e = (struct shape){ mask, (uint32_t)go_size_class(r->size), id,
			     e->n + 1 };
	return true;
}

enum hc go_shapes_open(struct go_types *types, struct pool *pool,
		       struct go_shapes **ret, struct hc_err *err)
{
	struct go_shapes *s = pool_new(pool, struct go_shapes, 1);
	if (!s)
		return hc_nomem(err);
	s->types = types;
	s->pool = pool;
	s->cap = 4096;
	s->at = pool_new(pool, struct shape, s->cap);
	if (!s->at)
		return hc_nomem(err);
	go_rtypes_each(types, add, s);
	*ret = s;
	return s->full ? hc_nomem(err) : HC_OK;
}

// repeats says whether a mask of n words could be that of an array: the same
// few words at least twice, and then nothing.
static bool repeats(uint64_t mask, unsigned n)
{
	for (unsigned p = 1; 2 * p <= n; p++) {
		uint64_t unit = mask & ((UINT64_C(1) << p) - 1);
		uint64_t rest = mask;
		unsigned times = 0;
		while (rest && (rest & ((UINT64_C(1) << p) - 1)) == unit) {
			rest >>= p;
			times++;
		}
		if (unit && !rest && times >= 2)
			return true;
	}
	return false;
}

go_typeid go_shape_type(const struct go_shapes *s, uint64_t slot, uint64_t mask)
{
	if (!mask || slot > 8 * WORDS_MAX ||
	    repeats(mask, (unsigned)(slot / 8)))
		return 0;
	const struct shape *e = find(s, slot, mask);
	return e->n == 1 ? e->type : 0;
}

go_typeid go_shape_closure(const struct go_shapes *s, uint64_t slot,
			   uint64_t mask,
			   bool (*fits)(void *ctx, const struct go_type *type),
			   void *ctx)
{
	go_typeid found = 0;
	for (uint64_t i = 0; i < s->closures.n; i++) {
		const struct go_type *r =
			go_type_get(s->types, s->closures.at[i]);
		uint64_t own = 0;
		if (go_size_class(r->size) != slot ||
		    (r->ptr_bytes && !mask_of(s, r, &own)) || own != mask ||
		    !fits(ctx, r))
			continue;
		if (found)
			return 0;
		found = s->closures.at[i];
	}
	return found;
}

uint64_t go_shape_repeat(uint64_t one, uint64_t size, uint64_t n)
{
	uint64_t all = 0, words = size / 8;
	if (!words || n > WORDS_MAX / words)
		return 0;
	for (uint64_t i = 0; i < n; i++)
		all |= one << (i * words);
	return all;
}

go_typeid go_shape_map(const struct go_shapes *s, uint64_t slot, uint64_t n,
		       uint64_t mask)
{
	go_typeid found = 0;
	for (uint64_t i = 0; i < s->maps.n; i++) {
		struct go_map_layout l;
		const struct go_type *map =
			go_type_get(s->types, s->maps.at[i]);
		const struct go_type *group =
			go_type_get(s->types, map->group);
		uint64_t one = 0;
		if (!group->ptr_bytes != !mask ||
		    !go_map_layout_of(s->types, s->maps.at[i], &l) ||
		    n > slot / l.group_size ||
		    go_size_class(n * l.group_size) != slot ||
		    (mask && (!mask_of(s, group, &one) ||
			      go_shape_repeat(one, l.group_size,
				      n) != mask)))
			continue;
		if (found)
			return 0;
		found = s->maps.at[i];
	}
	return found;
}

go_typeid go_shape_chan(const struct go_shapes *s, go_typeid elem)
{
	for (uint64_t i = 0; i < s->chans.n; i++)
		if (go_type_get(s->types, s->chans.at[i])->elem == elem)
			return s->chans.at[i];
	return 0;
}

go_typeid go_shape_large(const struct go_shapes *s, taddr unrolled)
{
	go_typeid found = 0;
	const uint8_t *v;
	if (!unrolled ||
	    core_view(s->types->process->core, unrolled, 48, &v, NULL))
		return 0;
	for (uint64_t i = 0; i < s->large.n; i++) {
		const struct go_type *r =
			go_type_get(s->types, s->large.at[i]);
		if (r->size != get_u64(v) || r->ptr_bytes != get_u64(v + 8))
			continue;
		if (found)
			return 0;
		found = s->large.at[i];
	}
	return found;
}
