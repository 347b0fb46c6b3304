// rtypes.c: all type descriptors of the modules; see typetable.h.
#include "libheap/go/types/typetable.h"

#define TYPE_ALIGN 8u

// plausible says whether what lies at an address looks like a descriptor: a
// cheap look before a record is made for it.
static bool plausible(const uint8_t *v)
{
	uint64_t size = get_u64(v), ptr_bytes = get_u64(v + 8);
	uint8_t align = v[21], kind = v[23] & 31;
	return kind && kind <= GO_KIND_UNSAFE_POINTER && align &&
	       align <= 16 && !(align & (align - 1)) && v[22] == align &&
	       size % align == 0 && ptr_bytes <= size && ptr_bytes % 8 == 0 &&
	       size < UINT64_C(1) << 40 && (!ptr_bytes || get_u64(v + 32));
}

// has_name says whether the descriptor at an address has a printable name that
// agrees with its kind.
static bool has_name(struct go_types *t, taddr at)
{
	struct bytes s, path;
	if (!rtype_string(t, at, &s, &path) || !s.len)
		return false;
	for (uint64_t i = 0; i < s.len; i++)
		if (s.at[i] < 0x20 || s.at[i] == 0x7f)
			return false;
	return true;
}

// by_looks tries every aligned address.
static bool by_looks(struct go_types *t, const struct go_module *m,
		     bool (*fn)(void *ctx, go_typeid id), void *ctx)
{
	struct core_window w;
	for (taddr at = m->types; at < m->etypes;) {
		if (core_next_window(t->process->core, at, &w))
			return true;
		at = at < w.base ? w.base : at;
		at = (at + TYPE_ALIGN - 1) & ~(taddr)(TYPE_ALIGN - 1);
		for (; at < m->etypes && at - w.base + 48 <= w.len;
		     at += TYPE_ALIGN) {
			if (!plausible(w.bytes + (at - w.base)) ||
			    !has_name(t, at))
				continue;
			go_typeid id = go_type_by_rtype(t, at);
			if (id && !fn(ctx, id))
				return false;
		}
		at = w.base + w.len;
	}
	return true;
}

void go_rtypes_each(struct go_types *t, bool (*fn)(void *ctx, go_typeid id),
		    void *ctx)
{
	for (size_t i = 0; i < t->process->n_modules; i++) {
		const struct go_module *m = &t->process->modules[i];
		if (!by_looks(t, m, fn, ctx))
			return;
	}
}
