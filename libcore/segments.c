// segments.c: the program headers of a core as the mappings of the process.
#include "libcore/process.h"

#include "libcore/base/limits.h"

// struct losses adds up what the file lacks of what its headers promise.
struct losses {
	uint64_t missing, n_wrapped;
	taddr first_missing, first_wrapped;
};

// segment_of makes a segment out of one PT_LOAD, clipped to the file and to
// the end of the address space.
static struct core_segment segment_of(const struct elf_phdr *p,
				      uint64_t file_len, struct losses *lost)
{
	struct core_segment s = {
		.base = p->vaddr,
		.len = p->memsz,
		.saved = p->filesz < p->memsz ? p->filesz : p->memsz,
		.perm = p->flags & (CORE_R | CORE_W | CORE_X),
		.core_off = p->off,
	};
	if (s.len > UINT64_MAX - s.base) {
		if (!lost->n_wrapped++)
			lost->first_wrapped = s.base;
		s.len = UINT64_MAX - s.base;
		s.saved = s.saved < s.len ? s.saved : s.len;
	}
	uint64_t room = p->off < file_len ? file_len - p->off : 0;
	if (s.saved > room) {
		if (!lost->missing)
			lost->first_missing = s.base + room;
		lost->missing += s.saved - room;
		s.saved = room;
	}
	return s;
}

static void losses_note(struct core *core, const struct losses *lost)
{
	uint64_t headers = core->head.n_phdrs_said - core->head.n_phdrs;
	if (headers) {
		core->info.truncated = true;
		findings_add(&core->findings, "truncated", 0,
			     "the file ends within its program headers: "
			     "%" PRIu64 " of %" PRIu64 " are missing",
			     headers, core->head.n_phdrs_said);
	}
	if (lost->missing) {
		core->info.truncated = true;
		core->info.missing_bytes = lost->missing;
		findings_add(&core->findings, "truncated", lost->first_missing,
			     "the file ends before its segments do: %" PRIu64
			     " bytes of memory are missing",
			     lost->missing);
	}
	if (lost->n_wrapped)
		findings_add(&core->findings, "bad segment",
			     lost->first_wrapped,
			     "%" PRIu64 " segments pass the end of memory",
			     lost->n_wrapped);
}

enum hc segment_push_run(const struct core *core, struct runs *runs,
			 const struct core_segment *s, struct hc_err *err)
{
	struct bytes piece;
	if (!s->saved)
		return HC_OK;
	HC_TRY(bytes_sub(core->file.bytes, s->core_off, s->saved, &piece,
			 err));
	struct run *r = vec_push(core->pool, runs);
	if (!r)
		return hc_nomem(err);
	*r = (struct run){ s->base, s->base + s->saved, piece.at, false };
	return HC_OK;
}

enum hc core_read_segments(struct core *core, struct hc_err *err)
{
	uint64_t n_phdrs = core->head.n_phdrs;
	if (n_phdrs > LIMIT_SEGMENTS) {
		findings_add(&core->findings, "over a limit", 0,
			     "%" PRIu64 " segments; the first %u are read",
			     n_phdrs, LIMIT_SEGMENTS);
		n_phdrs = LIMIT_SEGMENTS;
	}
	struct core_segment *all =
		pool_new(core->pool, struct core_segment, n_phdrs);
	if (!all)
		return hc_nomem(err);
	struct losses lost = { 0 };
	uint64_t n = 0;
	for (uint64_t i = 0; i < n_phdrs; i++) {
		struct elf_phdr p;
		HC_TRY(elf_phdr_at(core->file.bytes, &core->head, i, &p, err));
		if (p.type == ELF_PT_LOAD)
			all[n++] = segment_of(&p, core->file.bytes.len, &lost);
	}
	losses_note(core, &lost);
	core->segments = all;
	core->n_segments = segments_sort(all, n, &core->findings);
	struct runs runs = { 0 };
	for (uint64_t i = 0; i < core->n_segments; i++)
		HC_TRY(segment_push_run(core, &runs, &all[i], err));
	return image_make(&runs, core->pool, &core->image, err);
}
