// patch.c: see patch.h.
#include "libheap/go/tests/patch.h"

void patch_open(unsigned i, struct patch *p)
{
	struct hc_err err = { 0 };

	*p = (struct patch){ 0 };
	zoo_open(i, &p->sound);
	ck_assert_int_eq(heap_mark(p->sound.heap, &err), HC_OK);
	p->in = zoo_input(i);
	copy_open(p->in.core, &p->copy);
	p->in.core = p->copy.path;
}

void patch_close(struct patch *p)
{
	zoo_close(&p->sound);
	copy_close(&p->copy);
}

// offset_of returns where an address is in the file, UINT64_MAX for nowhere.
static uint64_t offset_of(const struct patch *p, taddr at, unsigned len)
{
	size_t n, i;
	const struct core_segment *s = core_segments(p->sound.core, &n);

	for (i = 0; i < n; i++)
		if (at >= s[i].base && at - s[i].base < s[i].saved &&
		    s[i].saved - (at - s[i].base) >= len)
			return s[i].core_off + (at - s[i].base);
	return UINT64_MAX;
}

bool patch_poke(struct patch *p, taddr at, uint64_t value, unsigned len)
{
	uint64_t off = offset_of(p, at, len);

	if (off == UINT64_MAX || p->n == 16 || off + 8 > p->copy.len)
		return false;
	p->undo[p->n].off = off;
	p->undo[p->n++].old = get_u64(p->copy.bytes + off);
	memcpy(p->copy.bytes + off, &value, len);
	return true;
}

uint64_t patch_peek(const struct patch *p, taddr at, unsigned len)
{
	uint64_t off = offset_of(p, at, len), v = 0;

	if (off != UINT64_MAX)
		memcpy(&v, p->copy.bytes + off, len);
	return v;
}

void patch_mend(struct patch *p)
{
	while (p->n > 0) {
		p->n--;
		memcpy(p->copy.bytes + p->undo[p->n].off, &p->undo[p->n].old, 8);
	}
}
