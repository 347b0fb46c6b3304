// pcvalue.c: the tables that give a value for each pc of a function.
//
// A table is pairs of varints: how the value changes (zigzag), and for how
// many quanta of code it then holds. It begins at -1 and ends with a 0.
// Source: Go 1.18 to 1.27 runtime/symtab.go, pcvalue and step.
#include "libheap/go/program/modules.h"

// varint takes a number of at most 32 bits off [*p, end).
static inline bool varint(const uint8_t **p, const uint8_t *end, uint32_t *ret)
{
	uint32_t v = 0;
	for (unsigned shift = 0; shift < 35; shift += 7) {
		if (*p == end)
			return false;
		uint8_t b = *(*p)++;
		v |= (uint32_t)(b & 0x7f) << shift;
		if (b < 0x80) {
			*ret = v;
			return true;
		}
	}
	return false;
}

// table_offset returns where in pctab the table starts; 0 is no table.
static uint32_t table_offset(const struct go_func *fn, int which)
{
	switch (which) {
	case GO_TABLE_SP:
		return get_u32(fn->record + 16);
	case GO_TABLE_FILE:
		return get_u32(fn->record + 20);
	case GO_TABLE_LINE:
		return get_u32(fn->record + 24);
	}
	uint32_t i = (uint32_t)(which - GO_TABLE_PCDATA);
	if (which < GO_TABLE_PCDATA || i >= fn->n_pcdata)
		return 0;
	return get_u32(fn->record + fn->module->func_len + 4 * (uint64_t)i);
}

enum hc go_pc_value(const struct go_func *fn, int which, taddr pc, int32_t *ret)
{
	struct bytes table = fn->module->pctab;
	uint32_t off = table_offset(fn, which);
	if (off == 0 || off >= table.len || pc < fn->entry || pc >= fn->end)
		return HC_NONE;
	const uint8_t *p = table.at + off, *end = table.at + table.len;
	uint64_t want = pc - fn->entry, at = 0;
	uint32_t value = UINT32_MAX;
	for (bool first = true;; first = false) {
		uint32_t dv, dpc;
		if (!varint(&p, end, &dv) || (dv == 0 && !first) ||
		    !varint(&p, end, &dpc) || dpc == 0)
			return HC_NONE;
		value += (dv & 1) ? ~(dv >> 1) : dv >> 1;
		at += (uint64_t)dpc * fn->module->min_lc;
		if (want < at)
			break;
	}
	*ret = (int32_t)value;
	return HC_OK;
}

taddr go_funcdata(const struct go_func *fn, unsigned i)
{
	if (i >= fn->n_funcdata)
		return 0;
	uint64_t at = fn->module->func_len + 4 * ((uint64_t)fn->n_pcdata + i);
	uint32_t off = get_u32(fn->record + at);
	return off == UINT32_MAX ? 0 : fn->module->gofunc + off;
}
