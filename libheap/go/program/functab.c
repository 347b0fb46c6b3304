// functab.c: from a pc to its function.
//
// ftab is pairs (entry, offset of the _func), sorted, with a closing entry;
// findfunctab says for each 256 bytes of code where in ftab to begin.
// Source: Go 1.18 to 1.27 runtime/symtab.go, findfunc, textOff and _func.
#include "libheap/go/process.h"

enum { BUCKET_CODE = 4096, BUCKET_LEN = 20, SUB_CODE = 256 };

static uint32_t entry_off(const struct go_module *m, uint64_t i)
{
	return get_u32(m->pclntable.at + 8 * i);
}

// struct textsect is one piece of a text that the linker had to split.
struct textsect {
	uint64_t vaddr, end;
	taddr base;
	bool last;
};

static bool textsect_at(const struct go_process *process,
			const struct go_module *m, uint64_t i,
			struct textsect *ret)
{
	unsigned word = core_info(process->core)->word;
	taddr at = m->textsectmap + i * 3 * word;
	if (core_ptr(process->core, at, &ret->vaddr, NULL) ||
	    core_ptr(process->core, at + word, &ret->end, NULL) ||
	    core_ptr(process->core, at + 2 * word, &ret->base, NULL))
		return false;
	ret->last = i + 1 == m->n_textsectmap;
	return ret->vaddr <= ret->end;
}

// text_addr turns an offset in the text into an address.
static taddr text_addr(const struct go_process *process,
		       const struct go_module *m, uint32_t off)
{
	struct textsect s;
	for (uint64_t i = 0; m->n_textsectmap > 1 && i < m->n_textsectmap; i++) {
		if (!textsect_at(process, m, i, &s))
			break;
		if ((off >= s.vaddr && off < s.end) ||
		    (s.last && off == s.end))
			return s.base + off - s.vaddr;
	}
	return m->text + off;
}

// text_off is its inverse.
static uint64_t text_off(const struct go_process *process,
			 const struct go_module *m, taddr pc)
{
	struct textsect s;
	for (uint64_t i = 0; m->n_textsectmap > 1 && i < m->n_textsectmap; i++) {
		if (!textsect_at(process, m, i, &s) || pc < s.base)
			break;
		if (pc - s.base < s.end - s.vaddr + (s.last ? 1 : 0))
			return pc - s.base + s.vaddr;
	}
	return pc - m->text;
}

// func_i fills *ret from entry i of ftab, but for its addresses.
static bool func_i(const struct go_module *m, uint64_t i, struct go_func *ret)
{
	uint32_t off = get_u32(m->pclntable.at + 8 * i + 4);
	struct bytes rec;
	if (bytes_sub(m->pclntable, off, m->func_len, &rec, NULL))
		return false;
	const uint8_t *f = rec.at, *tail = rec.at + m->func_len - 4;
	uint32_t name = get_u32(f + 4), n_pcdata = get_u32(f + 28);
	uint64_t words = (m->pclntable.len - off - m->func_len) / 4;
	if (get_u32(f) != entry_off(m, i) || name >= m->funcnametab.len ||
	    tail[3] > words || n_pcdata > words - tail[3])
		return false;
	*ret = (struct go_func){
		.module = m,
		.record = f,
		.name = (const char *)m->funcnametab.at + name,
		.args = (int32_t)get_u32(f + 8),
		.deferreturn = get_u32(f + 12),
		.id = tail[0],
		.flag = tail[1],
		.n_pcdata = n_pcdata,
		.n_funcdata = tail[3],
		.start_line = m->func_len >= 44 ? get_u32(f + 36) : 0,
	};
	return true;
}

enum hc go_func_nth(const struct go_process *process,
		    const struct go_module *m, uint64_t i, struct go_func *ret)
{
	struct go_func fn;
	if (i >= m->n_funcs || !func_i(m, i, &fn))
		return HC_NONE;
	fn.entry = text_addr(process, m, entry_off(m, i));
	fn.end = text_addr(process, m, entry_off(m, i + 1));
	if (fn.entry >= fn.end)
		return HC_NONE;
	*ret = fn;
	return HC_OK;
}

// hint returns the entry of ftab to begin at for text offset off.
static uint64_t hint(const struct go_module *m, uint64_t off)
{
	uint64_t x = off + m->text - m->minpc;
	uint64_t b = x / BUCKET_CODE, sub = x % BUCKET_CODE / SUB_CODE;
	if (b >= m->findfunctab.len / BUCKET_LEN)
		return UINT64_MAX;
	const uint8_t *bucket = m->findfunctab.at + b * BUCKET_LEN;
	return (uint64_t)get_u32(bucket) + bucket[4 + sub];
}

// find_entry sets *ret to the last entry of ftab at or before off, which is
// below the closing one.
static bool find_entry(const struct go_module *m, uint64_t off, uint64_t *ret)
{
	if (m->n_funcs == 0 || off < entry_off(m, 0) ||
	    off >= entry_off(m, m->n_funcs))
		return false;
	uint64_t low = 0, high = m->n_funcs; // the answer is in [low, high)
	uint64_t i = hint(m, off);
	if (i < m->n_funcs && entry_off(m, i) <= off) {
		// At most one function a byte of the 256; mostly one or two.
		uint64_t stop = i + SUB_CODE;
		while (i < stop && i + 1 < high && entry_off(m, i + 1) <= off)
			i++;
		if (off < entry_off(m, i + 1)) {
			*ret = i;
			return true;
		}
		low = i;
	}
	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2;
		if (entry_off(m, mid) <= off)
			low = mid;
		else
			high = mid;
	}
	*ret = low;
	return true;
}

enum hc go_func_at(const struct go_process *process, taddr pc,
		   struct go_func *ret)
{
	for (size_t k = 0; k < process->n_modules; k++) {
		const struct go_module *m = &process->modules[k];
		if (pc < m->minpc || pc >= m->maxpc)
			continue;
		uint64_t i;
		struct go_func fn;
		if (!find_entry(m, text_off(process, m, pc), &i) ||
		    go_func_nth(process, m, i, &fn) || pc < fn.entry ||
		    pc >= fn.end)
			return HC_NONE;
		*ret = fn;
		return HC_OK;
	}
	return HC_NONE;
}
