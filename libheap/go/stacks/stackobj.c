// stackobj.c: see stackobj.h.
#include "libheap/go/stacks/stackobj.h"

#include "libheap/go/heap/typemask.h"

#include "libcore/base/search.h"

#define RECORD_LEN 16
#define MAX_PROG (1u << 20) // bytes of one GC program

static bool put(const struct go_unwind *u, struct go_stackobj object,
		struct pool *pool, struct go_stackobjs *objects, bool *ret_full)
{
	const struct go_stackobj *last =
		objects->n ? &objects->at[objects->n - 1] : NULL;
	struct go_stackobj *new;

	if (object.at < u->frame.sp) // not made yet
		return true;
	if (object.len == 0)
		return true;
	if (object.at >= u->stack.hi || object.len > u->stack.hi - object.at ||
	    object.ptr_len > object.len ||
	    (last && object.at < last->at + last->len))
		return false;
	new = vec_push(pool, objects);
	if (!new)
		*ret_full = true;
	else
		*new = object;
	return true;
}

// The object of abi.RegArgs in a reflect frame: integers, floats, then the
// pointers. Source: internal/abi/abi.go and abi_amd64.go, abi_arm64.go.
static struct go_stackobj reg_args(const struct go_process *process,
				 const struct go_unwind *u, uint32_t frame)
{
	uint64_t len = process->layout.size[S_regArgs];
	uint64_t ptrs = u->lr_arch ? 48 : 33; // words up to the last pointer

	if (len < ptrs * 8)
		len = ptrs * 8;
	len = (len + 7) & ~UINT64_C(7);
	return (struct go_stackobj){ .at = u->frame.varp - len,
				   .len = (uint32_t)len,
				   .ptr_len = (uint32_t)ptrs * 8,
				   .frame = frame,
				   .fixed = true };
}

bool go_stackobjs_take(const struct go_process *process,
		     const struct go_unwind *u,
		     const struct go_frame_maps *maps, uint32_t frame,
		     struct pool *pool, struct go_stackobjs *objects,
		     bool *ret_full)
{
	const struct go_maps *m = &maps->maps;
	bool good = true;
	uint64_t i;

	if (maps->reg_args)
		return put(u, reg_args(process, u, frame), pool, objects,
			   ret_full);
	for (i = 0; i < m->n_objects && good && !*ret_full; i++) {
		const uint8_t *r = m->objects + i * RECORD_LEN;
		int32_t off = (int32_t)get_u32(r);
		int32_t len = (int32_t)get_u32(r + 4);
		int32_t ptr_len = (int32_t)get_u32(r + 8);
		taddr base = off < 0 ? u->frame.varp : u->frame.argp;
		struct go_stackobj object = {
			.at = base + (uint64_t)(int64_t)off,
			.mask = m->rodata + get_u32(r + 12),
			.len = (uint32_t)len,
			.ptr_len = (uint32_t)ptr_len,
			.frame = frame,
		};

		// Source: runtime/stack.go, stackObjectRecord (1.18–1.23):
		// a negative length marks a GC program.
		if (ptr_len < 0 && process->version.minor < 24) {
			object.ptr_len = 0u - (uint32_t)ptr_len;
			object.prog = true;
		}
		good = len >= 0 && put(u, object, pool, objects, ret_full);
	}
	return good;
}

struct go_stackobj *go_stackobjs_find(const struct go_stackobjs *objects, taddr at)
{
	uint64_t low = search_while(i, objects->n, objects->at[i].at <= at);
	if (low == 0 || at - objects->at[low - 1].at >=
				objects->at[low - 1].len)
		return NULL;
	return &objects->at[low - 1];
}

// Bits of the pointer words of abi.RegArgs: 9 + 15 before them on amd64,
// 16 + 16 on arm64.
static const uint8_t amd64_args[5] = { 0, 0, 0, 0xff, 1 };
static const uint8_t arm64_args[6] = { 0, 0, 0, 0, 0xff, 0xff };

static HC_MUST enum hc run_prog(const struct go_process *process,
				const struct go_stackobj *object, uint64_t n,
				struct pool *pool, const uint8_t **ret,
				struct hc_err *err)
{
	uint8_t *bits = pool_new(pool, uint8_t, (n + 7) / 8);
	const uint8_t *prog;
	uint32_t len;

	if (!bits)
		return hc_nomem(err);
	HC_TRY(core_u32(process->core, object->mask, &len, err));
	if (len > MAX_PROG)
		return hc_fail(err, HC_CORRUPT, object->mask,
			       "a GC program of %" PRIu32 " bytes", len);
	HC_TRY(core_view(process->core, object->mask + 4, len, &prog, err));
	HC_TRY(go_gcprog_run((struct bytes){ prog, len, object->mask + 4 },
			     bits, n, err));
	*ret = bits;
	return HC_OK;
}

enum hc go_stackobj_mask(const struct go_process *process,
		       const struct go_stackobj *object, struct pool *pool,
		       const uint8_t **ret, struct hc_err *err)
{
	const struct core_info *info = core_info(process->core);
	uint64_t n = object->ptr_len / info->word;

	if (object->fixed) {
		*ret = info->arch == CORE_ARM64 ? arm64_args : amd64_args;
		return HC_OK;
	}
	if (object->prog)
		return run_prog(process, object, n, pool, ret, err);
	return core_view(process->core, object->mask, (n + 7) / 8, ret, err);
}
