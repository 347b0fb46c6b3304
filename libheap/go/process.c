// process.c: single fields and slices of the dead process's structures.
#include "libheap/go/process.h"

enum hc go_field(const struct go_process *process, taddr at, enum go_field f,
		 uint64_t *ret, struct hc_err *err)
{
	struct go_field_at place = process->layout.field[f];
	const uint8_t *p;

	if (place.off < 0)
		return HC_NONE;
	if (place.size != 1 && place.size != 2 && place.size != 4 &&
	    place.size != 8)
		return hc_fail(err, HC_UNSUPPORTED, at,
			       "a field of %" PRIu32 " bytes is no number",
			       place.size);
	HC_TRY(core_view(process->core, at + (uint32_t)place.off, place.size,
			 &p, err));
	switch (place.size) {
	case 1:
		*ret = *p;
		break;
	case 2:
		*ret = get_u16(p);
		break;
	case 4:
		*ret = get_u32(p);
		break;
	default:
		*ret = get_u64(p);
	}
	return HC_OK;
}

enum hc go_slice_at(const struct go_process *process, taddr at,
		    uint64_t element, struct go_slice *ret, struct hc_err *err)
{
	uint64_t word = core_info(process->core)->word;
	uint64_t max = word == 4 ? UINT32_MAX : UINT64_MAX;
	struct go_slice s;

	HC_TRY(core_ptr(process->core, at, &s.at, err));
	HC_TRY(core_ptr(process->core, at + word, &s.len, err));
	HC_TRY(core_ptr(process->core, at + 2 * word, &s.cap, err));
	if (s.len > s.cap)
		return hc_fail(err, HC_CORRUPT, at,
			       "a slice of length %" PRIu64
			       " and capacity %" PRIu64, s.len, s.cap);
	if (element > 0 && s.cap > (max - s.at) / element)
		return hc_fail(err, HC_CORRUPT, at,
			       "a slice of %" PRIu64 " elements of %" PRIu64
			       " bytes passes the end of memory",
			       s.cap, element);
	*ret = s;
	return HC_OK;
}

enum hc go_slice_field(const struct go_process *process, taddr at,
		       enum go_field f, uint64_t element, struct go_slice *ret,
		       struct hc_err *err)
{
	if (!go_has(&process->layout, f))
		return HC_NONE;
	return go_slice_at(process, at + go_off(&process->layout, f), element,
			   ret, err);
}

void go_phase(const struct go_process *process, const char *name,
	      uint64_t work, const char *unit)
{
	if (process->options && process->options->phase)
		process->options->phase(process->options->phase_ctx, name,
					work, unit);
}
