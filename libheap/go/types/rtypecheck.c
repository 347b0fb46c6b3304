// rtypecheck.c: see rtypecheck.h.
#include "libheap/go/types/rtypecheck.h"

enum { KIND_BITS = 31, KIND_LAST = 26, KIND_GCPROG = 64, TFLAG_ON_DEMAND = 16,
       NAME_FLAGS = 15, NAME_MAX = 1 << 16, ALIGN_MAX = 64 };

// has_name says whether a type's name is at an address: flags of which only
// some exist, a length that is not 0, text.
static bool has_name(const struct go_process *p, taddr at)
{
	struct core_window w;
	uint64_t len;
	uint8_t flags;
	if (core_window(p->core, at, &w))
		return false;
	struct bytes text, b = { w.bytes + (at - w.base),
				 w.len - (at - w.base), at };
	if (bytes_u8(&b, &flags, NULL) || flags > NAME_FLAGS ||
	    bytes_uleb(&b, &len, NULL) || !len || len > NAME_MAX ||
	    bytes_take(&b, len, &text, NULL))
		return false;
	return memchr(text.at, 0, text.len) == NULL;
}

static bool is_align(uint64_t n)
{
	return n && n <= ALIGN_MAX && !(n & (n - 1));
}

bool rtype_check(const struct go_process *p, taddr type, uint64_t *ret_size)
{
	const struct go_layout *l = &p->layout;
	const struct go_module *m = go_module_of_type(p, type);
	const uint8_t *v;
	// Source: as rtype_check; hash, tflag, align, fieldAlign, kind, equal,
	// gcdata, str, ptrToThis: the same 48 bytes in all versions.
	if (type % 8 || l->size[S_type] != 48 ||
	    core_view(p->core, type, 48, &v, NULL))
		return false;
	uint64_t size = get_u64(v), pointers = get_u64(v + 8);
	uint8_t kind = v[23] & KIND_BITS;
	if (pointers > size || pointers % 8)
		return false;
	if (m && (!kind || kind > KIND_LAST || !is_align(v[21]) ||
		  !is_align(v[22]) || size % v[21] ||
		  get_u32(v + 40) >= m->etypes - m->types ||
		  !has_name(p, m->types + get_u32(v + 40))))
		return false;
	*ret_size = size;
	return true;
}

bool rtype_mask(const struct go_process *p, taddr type, uint64_t *ret)
{
	const uint8_t *v, *bits;
	uint64_t mask = 0;
	if (core_view(p->core, type, 48, &v, NULL))
		return false;
	uint64_t n = get_u64(v + 8) / 8;
	if (n > 64 || (v[20] & TFLAG_ON_DEMAND) ||
	    (p->version.minor < 24 && (v[23] & KIND_GCPROG)))
		return false;
	if (core_view(p->core, get_u64(v + 32), (n + 7) / 8, &bits, NULL))
		return false;
	memcpy(&mask, bits, (n + 7) / 8);
	*ret = n == 64 ? mask : mask & ((UINT64_C(1) << n) - 1);
	return true;
}
