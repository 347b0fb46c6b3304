// objfile.c: an executable or shared object and its sections; see objfile.h.
#include "libcore/objfile.h"

#include "libcore/base/inflate.h"
#include "libcore/base/limits.h"
#include "libcore/what.h"

enum { NOTE_GNU_BUILD_ID = 3, NOTE_GO_BUILD_ID = 4 };
enum { IDS_BYTES = 65536 }; // of notes that are searched for ids

// ids_take is told each note of an ELF file.
// Source: binutils ld --build-id; Go cmd/internal/buildid/note.go.
static enum hc ids_take(void *ctx, const struct elf_note *note,
			struct hc_err *err)
{
	struct build_ids *ids = ctx;
	(void)err;
	if (!strcmp(note->name, "GNU") && note->type == NOTE_GNU_BUILD_ID &&
	    !ids->gnu.len && note->desc.len)
		ids->gnu = note->desc;
	if (!strcmp(note->name, "Go") && note->type == NOTE_GO_BUILD_ID &&
	    !ids->go.len && note->desc.len)
		ids->go = note->desc;
	return HC_OK;
}

void build_ids_read(struct bytes image, struct build_ids *ret)
{
	struct elf_head head;
	struct elf_phdr p;
	struct hc_err err;
	uint64_t budget = IDS_BYTES;
	*ret = (struct build_ids){ 0 };
	if (elf_read_head(image, &head, &err))
		return;
	for (uint64_t i = 0; i < head.n_phdrs && i < LIMIT_PHDRS; i++) {
		if (elf_phdr_at(image, &head, i, &p, &err))
			return;
		if (p.type != ELF_PT_NOTE)
			continue;
		if (p.filesz > budget)
			p.filesz = budget;
		budget -= p.filesz;
		if (elf_each_note(image, p.off, p.filesz, p.align, ids_take,
				  ret, &err) == HC_FAIL)
			return;
	}
}

static enum hc loads_read(struct objfile *f, struct pool *pool,
			  struct hc_err *err)
{
	uint64_t n = f->head.n_phdrs;
	if (n > LIMIT_PHDRS)
		return hc_fail(err, HC_LIMIT, 0, "%" PRIu64 " program headers",
			       n);
	f->loads = pool_new(pool, struct elf_phdr, n);
	if (!f->loads)
		return hc_nomem(err);
	for (uint64_t i = 0; i < n; i++) {
		struct elf_phdr *p = &f->loads[f->n_loads];
		HC_TRY(elf_phdr_at(f->map.bytes, &f->head, i, p, err));
		if (p->type == ELF_PT_LOAD)
			f->n_loads++;
	}
	return HC_OK;
}

// section_fill makes a section of its header; what the file lacks is empty.
static void section_fill(const struct objfile *f, const struct elf_shdr *sh,
			 struct objfile_section *s)
{
	*s = (struct objfile_section){
		.name = sh->name,
		.addr = sh->addr,
		.len = sh->len,
		.type = sh->type,
		.flags = sh->flags,
	};
	if (sh->type == 0 || sh->type == ELF_SHT_NOBITS ||
	    bytes_sub(f->map.bytes, sh->off, sh->len, &s->bytes, NULL))
		return;
	enum inflate_kind kind = INFLATE_NONE;
	if (sh->flags & ELF_SHF_COMPRESSED)
		kind = f->head.is64 ? INFLATE_CHDR64 : INFLATE_CHDR32;
	else if (!strncmp(sh->name, ".zdebug_", 8))
		kind = INFLATE_ZDEBUG;
	if (kind != INFLATE_NONE &&
	    inflate_len(s->bytes, kind, &s->inflated_len, NULL))
		s->bytes = (struct bytes){ 0 };
}

static enum hc sections_read(struct objfile *f, struct pool *pool,
			     struct hc_err *err)
{
	struct elf_shdr *sh;
	uint64_t n;
	HC_TRY(elf_shdrs(f->map.bytes, pool, &sh, &n, err));
	f->sections = pool_new(pool, struct objfile_section, n);
	if (!f->sections)
		return hc_nomem(err);
	for (uint64_t i = 0; i < n; i++) {
		section_fill(f, &sh[i], &f->sections[i]);
		if (sh[i].type == ELF_SHT_NOBITS &&
		    !strcmp(sh[i].name, ".text"))
			f->is_stub = true;
	}
	f->shdrs = sh;
	f->n_sections = n;
	return HC_OK;
}

// ids_of_sections looks for ids that no PT_NOTE covers.
// Source: Go cmd/link/internal/ld/elf.go: from 1.24 on there is a GNU build
// id, but PT_NOTE ends before it.
static void ids_of_sections(struct objfile *f)
{
	uint64_t budget = IDS_BYTES;
	for (uint64_t i = 0; i < f->n_sections && !f->ids.gnu.len; i++) {
		const struct elf_shdr *sh = &f->shdrs[i];
		if (sh->type != ELF_SHT_NOTE || sh->len > budget)
			continue;
		budget -= sh->len;
		if (elf_each_note(f->map.bytes, sh->off, sh->len, 4, ids_take,
				  &f->ids, NULL) == HC_FAIL)
			return;
	}
}

static enum hc objfile_fill(struct objfile *f, struct pool *pool,
			    struct hc_err *err)
{
	if (!elf_is(f->map.bytes))
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is %s, not an ELF executable",
			       what_is(f->map.bytes).noun);
	HC_TRY(elf_read_head(f->map.bytes, &f->head, err));
	if (f->head.type == ELF_CORE)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is a core, not an executable");
	if (f->head.type != ELF_EXEC && f->head.type != ELF_DYN)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is no executable: ELF type %u", f->head.type);
	HC_TRY(loads_read(f, pool, err));
	build_ids_read(f->map.bytes, &f->ids);
	// A file that was cut, or packed, has no sections; its segments do.
	if (sections_read(f, pool, err) == HC_FAIL && err->kind == HC_NOMEM)
		return HC_FAIL;
	ids_of_sections(f);
	return HC_OK;
}

// objfile_start makes an objfile of map, which it owns from now on.
static enum hc objfile_start(struct mapped map, struct pool *pool,
			     struct objfile **ret, struct hc_err *err)
{
	struct hc_err why;
	char *mark = pool_mark(pool);
	struct objfile *f = pool_new(pool, struct objfile, 1);
	if (!f) {
		mapped_close(&map);
		return hc_nomem(err);
	}
	f->map = map;
	enum hc rc = objfile_fill(f, pool, &why);
	if (rc == HC_OK) {
		*ret = f;
		return HC_OK;
	}
	objfile_close(f);
	pool_rewind(pool, mark);
	if (err)
		*err = why;
	return rc;
}

enum hc objfile_open(const char *path, struct pool *pool,
		     struct objfile **ret, struct hc_err *err)
{
	struct mapped map;
	HC_TRY(mapped_open(path, &map, err));
	return objfile_start(map, pool, ret, err);
}

enum hc objfile_open_bytes(struct bytes bytes, struct pool *pool,
			   struct objfile **ret, struct hc_err *err)
{
	return objfile_start((struct mapped){ bytes, true }, pool, ret, err);
}

void objfile_close(struct objfile *file)
{
	if (file)
		mapped_close(&file->map);
}

enum hc objfile_section(const struct objfile *file, const char *name,
			struct objfile_section *ret)
{
	for (uint64_t i = 0; i < file->n_sections; i++) {
		if (!strcmp(file->sections[i].name, name)) {
			*ret = file->sections[i];
			return HC_OK;
		}
	}
	return HC_NONE;
}

const struct objfile_section *objfile_sections(const struct objfile *file,
					       size_t *ret_n)
{
	*ret_n = file->n_sections;
	return file->sections;
}
