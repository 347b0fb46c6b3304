// record.h: a structure of the runtime as bytes that we hold.
#pragma once

#include "libheap/go/process.h"

// struct go_record is one structure of the dead process, all of it readable.
// Owns: nothing; bytes is a view of the core.
struct go_record {
	taddr at;
	const uint8_t *bytes;
	uint32_t len;
};

// go_record_view sets *ret to the structure of the given size at address at.
// Fails: UNSAVED; NONE when this version has no such structure.
static inline HC_MUST enum hc go_record_view(const struct go_process *process,
					     taddr at, enum go_size size,
					     struct go_record *ret,
					     struct hc_err *err)
{
	const uint8_t *bytes;

	if (process->layout.size[size] == 0)
		return HC_NONE;
	HC_TRY(core_view(process->core, at, process->layout.size[size], &bytes,
			 err));
	*ret = (struct go_record){ at, bytes, process->layout.size[size] };
	return HC_OK;
}

// go_rec returns a field of a record as an unsigned number of the field's own
// size, 0 when this version has no such field (or one outside the structure).
static inline uint64_t go_rec(const struct go_process *process,
			      struct go_record record, enum go_field f)
{
	const struct go_field_at *at = &process->layout.field[f];
	uint32_t n = at->size == 1 || at->size == 2 || at->size == 4 ?
			     at->size : 8;

	if (at->off < 0 || n > record.len ||
	    (uint32_t)at->off > record.len - n)
		return 0;
	return go_get(&process->layout, record.bytes, f);
}

// go_word reads one pointer-sized word at p, which the caller has checked.
static inline uint64_t go_word(const uint8_t *p, unsigned word)
{
	return word == 8 ? get_u64(p) : get_u32(p);
}
