// typemask.c: see typemask.h.
#include "libheap/go/heap/typemask.h"

#include <pthread.h>
#include <stdatomic.h>

#define MASKS_LOG 16                   // types remembered at most: 65,536
#define MASKS_POOL (UINT64_C(1) << 32) // address space for built masks
#define MASK_DEPTH 64                  // arrays and structs within each other

enum { KIND_ARRAY = 17, KIND_STRUCT = 25, KIND_MASK = 31, KIND_GCPROG = 64,
       TFLAG_ON_DEMAND = 16 };

// struct mask_entry is one remembered type; key is set last.
struct mask_entry {
	_Atomic taddr key;
	struct go_mask mask;
};

struct go_masks {
	const struct go_process *process;
	struct pool pool; // built masks
	pthread_mutex_t lock;
	struct mask_entry *entries;
	uint64_t n;
};

enum hc go_masks_open(struct go_process *process, struct go_masks **ret,
		      struct hc_err *err)
{
	struct go_masks *m = pool_new(process->pool, struct go_masks, 1);
	struct mask_entry *entries =
		pool_new(process->pool, struct mask_entry, 1u << MASKS_LOG);
	if (!m || !entries)
		return hc_nomem(err);
	HC_TRY(pool_open(MASKS_POOL, &m->pool, err));
	m->process = process;
	m->entries = entries;
	pthread_mutex_init(&m->lock, NULL);
	*ret = m;
	return HC_OK;
}

void go_masks_close(struct go_masks *masks)
{
	if (!masks)
		return;
	pthread_mutex_destroy(&masks->lock);
	pool_close(&masks->pool);
}

// struct type_head is what every descriptor starts with.
struct type_head {
	uint64_t size, ptr_bytes;
	taddr gcdata;
	uint8_t tflag, kind;
};

// type_head_read reads a descriptor and refuses what cannot be one.
static bool type_head_read(const struct go_process *process, taddr type,
			   struct type_head *ret)
{
	const struct go_layout *l = &process->layout;
	const uint8_t *view;
	if (type % 8 || !go_fits(l, F_type_GCData, S_type) ||
	    core_view(process->core, type, l->size[S_type], &view, NULL))
		return false;
	*ret = (struct type_head){
		.size = go_get(l, view, F_type_Size),
		.ptr_bytes = go_get(l, view, F_type_PtrBytes),
		.gcdata = go_get(l, view, F_type_GCData),
		.tflag = (uint8_t)go_get(l, view, F_type_TFlag),
		.kind = (uint8_t)go_get(l, view, F_type_Kind),
	};
	return ret->ptr_bytes <= ret->size &&
	       ret->ptr_bytes % 8 == 0;
}

// struct mask_frame is an array or struct that is being spread out.
struct mask_frame {
	taddr at;       // of the element type, or of the first field
	uint64_t word;  // where it starts in the mask
	uint64_t i, n;  // elements or fields
	uint64_t stride; // words of an element; 0 for a struct
};

// mask_frame_open starts on the array or struct type at `type`.
static bool mask_frame_open(const struct go_process *process, taddr type,
			    uint8_t kind, uint64_t word,
			    struct mask_frame *ret)
{
	const uint8_t *v;
	struct type_head elem;
	// abi.ArrayType {Type, Elem, Slice, Len}; StructType {Type, PkgPath,
	// Fields []StructField}: 72 and 80 bytes, the same in 1.24–1.27.
	if (core_view(process->core, type, 72, &v, NULL))
		return false;
	*ret = (struct mask_frame){ .word = word };
	if ((kind & KIND_MASK) == KIND_STRUCT) {
		ret->at = get_u64(v + 56);
		ret->n = get_u64(v + 64);
		return true;
	}
	if ((kind & KIND_MASK) != KIND_ARRAY)
		return false;
	ret->at = get_u64(v + 48);
	ret->n = get_u64(v + 64);
	if (!type_head_read(process, ret->at, &elem))
		return false;
	ret->stride = elem.size / 8;
	return ret->stride != 0;
}

// mask_frame_next sets *ret_type and *ret_word to the frame's next part.
static bool mask_frame_next(const struct go_process *process,
			    struct mask_frame *f, taddr *ret_type,
			    uint64_t *ret_word)
{
	const uint8_t *v;
	if (f->stride) {
		*ret_type = f->at;
		*ret_word = f->word + f->i * f->stride;
	} else {
		if (core_view(process->core, f->at + 24 * f->i, 24, &v, NULL))
			return false;
		*ret_type = get_u64(v + 8);
		*ret_word = f->word + get_u64(v + 16) / 8;
	}
	f->i++;
	return true;
}

// mask_copy puts a plain type's own mask at word `word` of the n_words at dst.
static bool mask_copy(const struct go_process *process,
		      const struct type_head *t, uint64_t word, uint8_t *dst,
		      uint64_t n_words)
{
	const uint8_t *bits;
	uint64_t n = t->ptr_bytes / 8;
	if (word > n_words || n > n_words - word ||
	    core_view(process->core, t->gcdata, (n + 7) / 8, &bits, NULL))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (bits[i / 8] >> (i % 8) & 1)
			dst[(word + i) / 8] |=
				(uint8_t)(1u << ((word + i) % 8));
	return true;
}

// mask_build spreads a type that has no stored mask: arrays and structs of
// others, by an explicit stack and under a budget of steps.
static bool mask_build(const struct go_process *process, taddr type,
		       uint8_t kind, uint8_t *dst, uint64_t n_words)
{
	struct mask_frame stack[MASK_DEPTH];
	unsigned depth = 1;
	uint64_t budget = 16 * n_words + 65536;
	if (!mask_frame_open(process, type, kind, 0, &stack[0]))
		return false;
	while (depth) {
		struct mask_frame *f = &stack[depth - 1];
		struct type_head t;
		uint64_t word;
		if (f->i == f->n) {
			depth--;
			continue;
		}
		if (!budget-- || !mask_frame_next(process, f, &type, &word) ||
		    !type_head_read(process, type, &t))
			return false;
		if (!t.ptr_bytes)
			continue;
		if (!(t.tflag & TFLAG_ON_DEMAND)) {
			if (!mask_copy(process, &t, word, dst, n_words))
				return false;
			budget -= budget < t.ptr_bytes / 64 ? budget :
							      t.ptr_bytes / 64;
			continue;
		}
		if (depth == MASK_DEPTH ||
		    !mask_frame_open(process, type, t.kind, word,
				     &stack[depth++]))
			return false;
	}
	return true;
}

// mask_unroll runs the GC program at gcdata: its length, then its bytes.
static bool mask_unroll(const struct go_process *process, taddr gcdata,
			uint8_t *dst, uint64_t n_words)
{
	struct core_window w;
	uint32_t len;
	if (core_u32(process->core, gcdata, &len, NULL) ||
	    core_window(process->core, gcdata + 4, &w))
		return false;
	uint64_t off = gcdata + 4 - w.base;
	uint64_t left = w.len - off;
	struct bytes prog = { w.bytes + off, len < left ? len : left,
			      gcdata + 4 };
	return go_gcprog_run(prog, dst, n_words, NULL) == HC_OK;
}

// mask_make fills *ret for a type that is not remembered. Holds the lock.
static bool mask_make(struct go_masks *m, taddr type, uint64_t room,
		      struct go_mask *ret)
{
	const struct go_process *process = m->process;
	struct type_head t;
	if (!type_head_read(process, type, &t) || !t.size || t.size > room)
		return false;
	uint64_t n = t.ptr_bytes / 8, n_bytes = (n + 7) / 8;
	*ret = (struct go_mask){ NULL, n, t.size };
	bool build = process->version.minor >= 24 &&
		     (t.tflag & TFLAG_ON_DEMAND);
	bool unroll = process->version.minor < 24 && (t.kind & KIND_GCPROG);
	if (!n)
		return true;
	if (!build && !unroll)
		return core_view(process->core, t.gcdata, n_bytes, &ret->bits,
				 NULL) == HC_OK;
	uint8_t *bits = pool_alloc(&m->pool, 1, 8, n_bytes);
	ret->bits = bits;
	return bits && (build ? mask_build(process, type, t.kind, bits, n) :
				mask_unroll(process, t.gcdata, bits, n));
}

// masks_slot returns the entry of the type, or the free one where it belongs,
// or NULL when the table is full.
static struct mask_entry *masks_slot(struct go_masks *m, taddr type,
				     bool *ret_found)
{
	uint64_t mask = (UINT64_C(1) << MASKS_LOG) - 1;
	uint64_t h = (type >> 3) * UINT64_C(0x9E3779B97F4A7C15) >>
		     (64 - MASKS_LOG);
	for (unsigned i = 0; i < 64; i++) {
		struct mask_entry *e = &m->entries[(h + i) & mask];
		taddr key = atomic_load_explicit(&e->key, memory_order_acquire);
		if (key == type || !key) {
			*ret_found = key == type;
			return e;
		}
	}
	*ret_found = false;
	return NULL;
}

// mask_learn makes the mask of a new type and remembers it. A mask that had to
// be built but cannot be remembered is refused: nothing would bound how often
// it is built again.
static bool mask_learn(struct go_masks *m, taddr type, uint64_t room,
		       struct go_mask *ret)
{
	bool found, ok = true;
	struct go_mask mask = { 0 };
	pthread_mutex_lock(&m->lock);
	struct mask_entry *e = masks_slot(m, type, &found);
	if (found) {
		mask = e->mask;
		ok = mask.stride <= room;
	} else {
		char *mark = pool_mark(&m->pool);
		ok = mask_make(m, type, room, &mask);
		if (ok && !e)
			ok = pool_mark(&m->pool) == mark;
		if (!ok)
			pool_rewind(&m->pool, mark);
		if (ok && e) {
			e->mask = mask;
			atomic_store_explicit(&e->key, type,
					      memory_order_release);
		}
	}
	pthread_mutex_unlock(&m->lock);
	if (ok)
		*ret = mask;
	return ok;
}

bool go_mask_of(struct go_masks *masks, taddr type, uint64_t room,
		struct go_mask *ret)
{
	bool found;
	struct mask_entry *e = type ? masks_slot(masks, type, &found) : NULL;
	if (!type)
		return false;
	if (!e || !found)
		return mask_learn(masks, type, room, ret);
	if (e->mask.stride > room)
		return false;
	*ret = e->mask;
	return true;
}
