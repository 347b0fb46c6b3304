// memory.c: from an address of the dead process to its bytes.
#include "libcore/process.h"
#include "libcore/base/search.h"

// run_at returns the run that holds at, or NULL.
static inline const struct run *run_at(const struct core *core, taddr at)
{
	const struct image *image = &core->image;
	uint32_t i = image_find(image, at);
	if (i == image->n_runs || image->runs[i].base > at)
		return NULL;
	return &image->runs[i];
}

static struct core_window run_window(const struct run *r)
{
	return (struct core_window){ r->base, r->end - r->base, r->bytes,
				     r->from_file };
}

enum hc core_window(const struct core *core, taddr at, struct core_window *ret)
{
	const struct run *r = run_at(core, at);
	if (!r)
		return HC_NONE;
	*ret = run_window(r);
	return HC_OK;
}

enum hc core_next_window(const struct core *core, taddr at,
			 struct core_window *ret)
{
	uint32_t i = image_find(&core->image, at);
	if (i == core->image.n_runs)
		return HC_NONE;
	*ret = run_window(&core->image.runs[i]);
	return HC_OK;
}

// unsaved is the failure of a read that misses the byte at at.
__attribute__((noinline, cold)) static enum hc
unsaved(const struct core *core, taddr at, struct hc_err *err)
{
	const char *why = core_mapped_bytes(core, at, 1) ?
				  "mapped, but not saved" :
				  "not mapped";
	return hc_fail(err, HC_UNSAVED, at, "0x%" PRIx64 " is %s", at, why);
}

enum hc core_view(const struct core *core, taddr at, uint64_t len,
		  const uint8_t **ret, struct hc_err *err)
{
	const struct run *r = run_at(core, at);
	if (!r)
		return err ? unsaved(core, at, err) : HC_FAIL;
	if (len > r->end - at)
		return err ? unsaved(core, r->end, err) : HC_FAIL;
	*ret = r->bytes + (at - r->base);
	return HC_OK;
}

enum hc core_read(const struct core *core, taddr at, void *dst, uint64_t len,
		  struct hc_err *err)
{
	const uint8_t *view;
	if (core_view(core, at, len, &view, NULL) == HC_OK) {
		memcpy(dst, view, len);
		return HC_OK;
	}
	// All of it must be there before the first byte is written.
	const struct run *first = run_at(core, at);
	const struct run *r = first;
	taddr pos = at;
	for (uint64_t left = len; left;) {
		if (!r || r == core->image.runs + core->image.n_runs ||
		    r->base > pos)
			return err ? unsaved(core, pos, err) : HC_FAIL;
		uint64_t some = r->end - pos < left ? r->end - pos : left;
		left -= some;
		pos += some;
		r++;
	}
	r = first;
	for (uint8_t *out = dst; len; r++) {
		uint64_t some = r->end - at < len ? r->end - at : len;
		memcpy(out, r->bytes + (at - r->base), some);
		out += some;
		at += some;
		len -= some;
	}
	return HC_OK;
}

#define CORE_READ_UINT(T, name)                                              \
	enum hc core_##name(const struct core *core, taddr at, T *ret,       \
			    struct hc_err *err)                              \
	{                                                                    \
		const struct run *r = run_at(core, at);                      \
		if (__builtin_expect(r && r->end - at >= sizeof(T), 1)) {    \
			memcpy(ret, r->bytes + (at - r->base), sizeof(T));   \
			return HC_OK;                                        \
		}                                                            \
		T v;                                                         \
		HC_TRY(core_read(core, at, &v, sizeof(T), err));             \
		*ret = v;                                                    \
		return HC_OK;                                                \
	}
CORE_READ_UINT(uint8_t, u8)
CORE_READ_UINT(uint16_t, u16)
CORE_READ_UINT(uint32_t, u32)
CORE_READ_UINT(uint64_t, u64)

enum hc core_ptr(const struct core *core, taddr at, taddr *ret,
		 struct hc_err *err)
{
	uint32_t low;
	if (core->info.word == 8)
		return core_u64(core, at, ret, err);
	HC_TRY(core_u32(core, at, &low, err));
	*ret = low;
	return HC_OK;
}

enum hc core_cstr(const struct core *core, taddr at, uint64_t max,
		  const char **ret, uint64_t *ret_len, struct hc_err *err)
{
	const struct run *r = run_at(core, at);
	if (!r)
		return err ? unsaved(core, at, err) : HC_FAIL;
	const uint8_t *from = r->bytes + (at - r->base);
	uint64_t room = r->end - at;
	bool all = max < room;
	const uint8_t *nul = memchr(from, 0, all ? max + 1 : room);
	if (!nul && all)
		return hc_fail(err, HC_CORRUPT, at,
			       "no string of at most %" PRIu64 " bytes", max);
	if (!nul)
		return err ? unsaved(core, r->end, err) : HC_FAIL;
	*ret = (const char *)from;
	*ret_len = (uint64_t)(nul - from);
	return HC_OK;
}

// segment_at returns the index of the first segment that ends behind at.
static size_t segment_at(const struct core *core, taddr at)
{
	const struct core_segment *s = core->segments;
	return search_while(i, core->n_segments, s[i].base + s[i].len <= at);
}

// bytes_common returns how many of the len bytes at at lie in [base, base + n).
static uint64_t bytes_common(taddr at, uint64_t len, taddr base, uint64_t n)
{
	taddr from = at > base ? at : base;
	taddr to = at + len < base + n ? at + len : base + n;
	return from < to ? to - from : 0;
}

// bytes_sum adds up the saved or the mapped bytes of [at, at + len).
static uint64_t bytes_sum(const struct core *core, taddr at, uint64_t len,
			  bool saved)
{
	uint64_t sum = 0;
	if (len > UINT64_MAX - at)
		len = UINT64_MAX - at;
	for (size_t i = segment_at(core, at); i < core->n_segments; i++) {
		const struct core_segment *s = &core->segments[i];
		if (s->base >= at + len)
			break;
		sum += bytes_common(at, len, s->base,
				    saved ? s->saved : s->len);
	}
	return sum;
}

uint64_t core_saved_bytes(const struct core *core, taddr at, uint64_t len)
{
	return bytes_sum(core, at, len, true);
}

uint64_t core_mapped_bytes(const struct core *core, taddr at, uint64_t len)
{
	return bytes_sum(core, at, len, false);
}
