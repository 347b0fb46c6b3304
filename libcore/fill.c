// fill.c: pages that the core left out, taken from the mapped files.
//
// The kernel saves only the first page of a file's clean mappings (core(5),
// coredump_filter 0x33), so text and read-only data come from the executable.
// Pages that the process could write never do: what the file has there is not
// what the process had.
#include "libcore/process.h"

#include "libcore/base/limits.h"

enum { HEADER_MAX = 65536 }; // the page that a core saves of a mapping

// writes_from returns the lowest address of [from, to) that f was loaded to
// be written at (.data, and .data.rel.ro that is read-only later), else to.
static taddr writes_from(const struct core_module *m, taddr from, taddr to)
{
	for (uint64_t i = 0; i < m->file->n_loads; i++) {
		const struct elf_phdr *p = &m->file->loads[i];
		taddr low = m->bias + p->vaddr;
		if ((p->flags & CORE_W) && low < to && low + p->memsz > from)
			to = low > from ? low : from;
	}
	return to;
}

// module_of returns the module of a mapping whose file can stand in for
// memory, or NULL.
static const struct core_module *module_of(const struct core *core,
					   const struct file_mapping *f)
{
	if (!f->module)
		return NULL;
	const struct core_module *m = &core->modules.at[f->module - 1];
	return m->file && !m->file->is_stub ? m : NULL;
}

static const struct file_mapping *mappings_end(const struct core *core)
{
	const struct file_mapping *at = core->mappings.at;
	return at ? at + core->mappings.n : NULL;
}

// run_push adds a run of len bytes at off of file at base.
static enum hc run_push(const struct core *core, struct runs *runs,
			taddr base, struct bytes piece, struct hc_err *err)
{
	if (!piece.len || piece.len > UINT64_MAX - base)
		return HC_OK;
	struct run *r = vec_push(core->pool, runs);
	if (!r)
		return hc_nomem(err);
	*r = (struct run){ base, base + piece.len, piece.at, true };
	return HC_OK;
}

// file_piece is what file holds of [off, off + len).
static struct bytes file_piece(const struct objfile *file, uint64_t off,
			       uint64_t len)
{
	struct bytes all = file->map.bytes, piece;
	uint64_t room = off < all.len ? all.len - off : 0;
	if (bytes_sub(all, off, len < room ? len : room, &piece, NULL))
		return (struct bytes){ 0 };
	return piece;
}

// saved_is_file says whether all that the core saved of s is what file has
// there too, so that one run can serve for both.
static bool saved_is_file(const struct core *core,
			  const struct core_segment *s,
			  const struct file_mapping *f,
			  const struct core_module *m)
{
	struct bytes saved, piece;
	if (!s->saved || s->saved > HEADER_MAX || s->base < f->start ||
	    s->saved > f->end - s->base)
		return false;
	if (bytes_sub(core->file.bytes, s->core_off, s->saved, &saved, NULL))
		return false;
	piece = file_piece(m->file, f->off + (s->base - f->start), s->saved);
	return bytes_equal(piece, saved.at, saved.len);
}

// mapping_fill adds what the mapping f has of the part of s from *pos on, and
// moves *pos behind it.
static enum hc mapping_fill(const struct core *core, struct runs *runs,
			    const struct core_segment *s,
			    const struct file_mapping *f, taddr *pos,
			    struct hc_err *err)
{
	const struct core_module *m = module_of(core, f);
	taddr from = f->start > *pos ? f->start : *pos;
	taddr to = s->base + s->len < f->end ? s->base + s->len : f->end;
	if (!m || (s->perm & CORE_W) || from >= to)
		return HC_OK;
	*pos = to;
	to = writes_from(m, from, to);
	struct bytes piece =
		file_piece(m->file, f->off + (from - f->start), to - from);
	return run_push(core, runs, from, piece, err);
}

// segment_fill adds the runs of s; f is the first mapping that ends behind its
// base.
static enum hc segment_fill(const struct core *core, struct runs *runs,
			    struct core_segment *s,
			    const struct file_mapping *f, struct hc_err *err)
{
	const struct file_mapping *end = mappings_end(core);
	const struct core_module *m = NULL;
	taddr pos = s->base + s->saved;
	if (f != end && f->start <= s->base) {
		s->file = f->path;
		s->file_off = f->off + (s->base - f->start);
		m = module_of(core, f);
	}
	if (m && !(s->perm & CORE_W) && s->saved < s->len &&
	    saved_is_file(core, s, f, m) &&
	    writes_from(m, s->base, pos) == pos)
		pos = s->base;
	else
		HC_TRY(segment_push_run(core, runs, s, err));
	for (; f != end && f->start < s->base + s->len; f++)
		HC_TRY(mapping_fill(core, runs, s, f, &pos, err));
	return HC_OK;
}

static enum hc segments_fill(struct core *core, struct runs *runs,
			     struct hc_err *err)
{
	const struct file_mapping *f = core->mappings.at;
	const struct file_mapping *end = mappings_end(core);
	for (uint64_t i = 0; i < core->n_segments; i++) {
		struct core_segment *s = &core->segments[i];
		while (f != end && f->end <= s->base)
			f++;
		HC_TRY(segment_fill(core, runs, s, f, err));
	}
	return HC_OK;
}

// zeros_push adds len zeros at base: the bss of an executable's own segment.
static enum hc zeros_push(struct core *core, struct runs *runs, taddr base,
			  uint64_t len, struct hc_err *err)
{
	// Pages of a pool that nobody wrote to cost nothing.
	uint8_t *zeros = len <= LIMIT_BSS ?
				 pool_alloc(core->pool, 1, 4096, len) :
				 NULL;
	if (!zeros) {
		findings_add(&core->findings, "over a limit", base,
			     "%" PRIu64 " bytes of bss are left out", len);
		return HC_OK;
	}
	return run_push(core, runs, base, (struct bytes){ zeros, len, 0 },
			err);
}

// load_push adds [from, to) of the PT_LOAD p: bytes of the file, then zeros.
static enum hc load_push(struct core *core, struct runs *runs,
			 const struct core_module *exe,
			 const struct elf_phdr *p, taddr from, taddr to,
			 struct hc_err *err)
{
	taddr base = exe->bias + p->vaddr;
	uint64_t off = from - base, len = to - from;
	if (off < p->filesz) {
		uint64_t n = p->filesz - off < len ? p->filesz - off : len;
		struct bytes piece = file_piece(exe->file, p->off + off, n);
		HC_TRY(run_push(core, runs, from, piece, err));
		from += n;
	}
	return from < to ? zeros_push(core, runs, from, to - from, err) :
			   HC_OK;
}

// gap_fill fills [from, to), which no run holds, as far as the core does not
// say better: unsaved is unsaved where it has a mapping that can be written
// or that NT_FILE tells of.
static enum hc gap_fill(struct core *core, struct runs *runs,
			const struct core_module *exe,
			const struct elf_phdr *p, taddr from, taddr to,
			size_t *next, struct hc_err *err)
{
	while (from < to) {
		const struct core_segment *s = &core->segments[*next];
		bool none = *next == core->n_segments;
		if (!none && s->base + s->len <= from) {
			++*next;
			continue;
		}
		bool inside = !none && s->base <= from;
		taddr end = inside ? s->base + s->len :
			    none   ? to :
				     s->base;
		end = end < to ? end : to;
		bool fits = !inside || (!s->file && !(s->perm & CORE_W) &&
					!(p->flags & CORE_W));
		if (fits)
			HC_TRY(load_push(core, runs, exe, p, from, end, err));
		from = end;
	}
	return HC_OK;
}

// load_fill fills the gaps of one PT_LOAD of the executable.
static enum hc load_fill(struct core *core, struct runs *runs,
			 const struct core_module *exe,
			 const struct elf_phdr *p, size_t *next,
			 struct hc_err *err)
{
	const struct image *image = &core->image;
	taddr from = exe->bias + p->vaddr, to = from + p->memsz;
	for (uint32_t i = image_find(image, from); from < to; i++) {
		bool last = i == image->n_runs;
		taddr base = last ? to : image->runs[i].base;
		if (base > from)
			HC_TRY(gap_fill(core, runs, exe, p, from,
					base < to ? base : to, next, err));
		from = last ? to : image->runs[i].end;
	}
	return HC_OK;
}

// exe_fill adds what the executable's own segments have where the core has
// nothing, in runs beside those of the image.
static enum hc exe_fill(struct core *core, struct runs *runs,
			struct hc_err *err)
{
	const struct core_module *exe = core_exe(core);
	taddr end = 0;
	size_t next = 0;
	for (uint64_t i = 0; exe && i < exe->file->n_loads; i++) {
		const struct elf_phdr *p = &exe->file->loads[i];
		taddr base = exe->bias + p->vaddr;
		// Source: ELF gABI chapter 5: PT_LOADs ascend.
		if (exe->file->is_stub || base < end ||
		    p->memsz >= UINT64_MAX - base)
			continue;
		end = base + p->memsz;
		HC_TRY(load_fill(core, runs, exe, p, &next, err));
	}
	return HC_OK;
}

enum hc core_add_files(struct core *core, struct hc_err *err)
{
	struct runs runs = { 0 };
	HC_TRY(segments_fill(core, &runs, err));
	HC_TRY(image_make(&runs, core->pool, &core->image, err));
	// A list of its own: the image still reads the first one.
	struct runs all = { 0 };
	for (uint32_t i = 0; i < core->image.n_runs; i++) {
		struct run *one = vec_push(core->pool, &all);
		if (!one)
			return hc_nomem(err);
		*one = core->image.runs[i];
	}
	HC_TRY(exe_fill(core, &all, err));
	if (all.n == core->image.n_runs)
		return HC_OK;
	return image_make(&all, core->pool, &core->image, err);
}
