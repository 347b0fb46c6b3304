// exewriter.c: see exewriter.h.
#include "libcore/tests/exewriter.h"

#include <elf.h>

enum { NOTES_AT = 0x300, TEXT_AT = 0x1000, DATA_AT = 0x2000, END_AT = 0x2800 };

void ew_init(struct exewriter *w, enum core_arch arch, taddr base)
{
	*w = (struct exewriter){ .arch = arch, .type = ET_EXEC, .base = base,
				 .entry = base + 0x1040 };
	w->out.is64 = w->symbols.is64 = arch != CORE_386;
	elfbuf_put(&w->names, "", 1);
	ew_section(w, "", 0, 0, 0, (struct bytes){ 0 });
}

void ew_free(struct exewriter *w)
{
	elfbuf_free(&w->symbols);
	elfbuf_free(&w->names);
	elfbuf_free(&w->out);
}

void ew_section(struct exewriter *w, const char *name, uint32_t type,
		uint64_t flags, taddr addr, struct bytes bytes)
{
	w->sections[w->n_sections++] =
		(struct ew_section){ name, type, flags, addr, bytes };
}

void ew_symbol(struct exewriter *w, const char *name, taddr addr,
	       uint64_t len, uint8_t type)
{
	uint8_t info = type, other = 0;
	struct elfbuf *s = &w->symbols;
	elfbuf_u32(s, (uint32_t)w->names.len);
	if (!s->is64) {
		elfbuf_u32(s, (uint32_t)addr);
		elfbuf_u32(s, (uint32_t)len);
	}
	elfbuf_put(s, &info, 1);
	elfbuf_put(s, &other, 1);
	elfbuf_u16(s, 1);
	if (s->is64) {
		elfbuf_word(s, addr);
		elfbuf_word(s, len);
	}
	elfbuf_put(&w->names, name, strlen(name) + 1);
}

static void heads_put(struct exewriter *w, uint64_t notes_len, uint64_t shoff)
{
	uint16_t n = (uint16_t)w->n_sections;
	uint16_t machine = w->arch == CORE_AMD64 ? EM_X86_64 :
			   w->arch == CORE_ARM64 ? EM_AARCH64 :
						   EM_386;
	elfbuf_head(&w->out, &(struct elfbuf_head){
				     .type = w->type,
				     .machine = machine,
				     .n_phdrs = 3,
				     .entry = w->entry,
				     .shoff = n ? shoff : 0,
				     .n_shdrs = n,
				     .names = n ? (uint16_t)(n - 1) : 0 });
	elfbuf_phdr(&w->out, &(struct elfbuf_phdr){
				     PT_LOAD, PF_R | PF_X, 0, w->base,
				     DATA_AT, DATA_AT, 4096 });
	elfbuf_phdr(&w->out, &(struct elfbuf_phdr){
				     PT_LOAD, PF_R | PF_W, DATA_AT,
				     w->base + DATA_AT, 0x800, 0x1000, 4096 });
	elfbuf_phdr(&w->out, &(struct elfbuf_phdr){
				     PT_NOTE, PF_R, NOTES_AT,
				     w->base + NOTES_AT, notes_len, notes_len,
				     4 });
}

static void notes_make(const struct exewriter *w, struct elfbuf *notes)
{
	if (w->gnu_id)
		elfbuf_note(notes, "GNU", NT_GNU_BUILD_ID, w->gnu_id,
			    strlen(w->gnu_id));
	if (w->go_id)
		elfbuf_note(notes, "Go", 4, w->go_id, strlen(w->go_id));
}

// sections_put writes the sections' bytes, then their headers at shoff.
static void sections_put(struct exewriter *w, uint64_t shoff)
{
	uint64_t off = END_AT;
	for (unsigned i = 0; i < w->n_sections; i++)
		elfbuf_put(&w->out, w->sections[i].bytes.at,
			   w->sections[i].bytes.len);
	elfbuf_pad(&w->out, shoff);
	uint32_t name = 0;
	for (unsigned i = 0; i < w->n_sections; i++) {
		const struct ew_section *s = &w->sections[i];
		bool table = s->type == SHT_SYMTAB || s->type == SHT_DYNSYM;
		elfbuf_shdr(&w->out, &(struct elfbuf_shdr){
					     .name = name,
					     .type = s->type,
					     .flags = s->flags,
					     .addr = s->addr,
					     .off = off,
					     .len = s->bytes.len,
					     .link = table ? i + 1 : 0,
					     .entsize = table ? 24 : 0 });
		off += s->bytes.len;
		name += (uint32_t)strlen(s->name) + 1;
	}
}

struct bytes ew_finish(struct exewriter *w)
{
	struct elfbuf notes = { 0 }, names = { 0 };
	notes_make(w, &notes);
	if (w->no_sections) {
		w->n_sections = 0;
	} else {
		ew_section(w, ".symtab", SHT_SYMTAB, 0, 0,
			   elfbuf_bytes(&w->symbols));
		ew_section(w, ".strtab", SHT_STRTAB, 0, 0,
			   elfbuf_bytes(&w->names));
		for (unsigned i = 0; i < w->n_sections; i++)
			elfbuf_put(&names, w->sections[i].name,
				   strlen(w->sections[i].name) + 1);
		elfbuf_put(&names, ".shstrtab", 10);
		ew_section(w, ".shstrtab", SHT_STRTAB, 0, 0,
			   elfbuf_bytes(&names));
	}
	uint64_t shoff = END_AT;
	for (unsigned i = 0; i < w->n_sections; i++)
		shoff += w->sections[i].bytes.len;
	shoff = (shoff + 7) / 8 * 8;
	heads_put(w, notes.len, shoff);
	elfbuf_pad(&w->out, NOTES_AT);
	elfbuf_put(&w->out, notes.at, notes.len);
	elfbuf_pad(&w->out, TEXT_AT);
	for (uint64_t at = TEXT_AT; at < END_AT; at++) {
		uint8_t byte = cw_byte(w->base + at);
		elfbuf_put(&w->out, &byte, 1);
	}
	sections_put(w, shoff);
	elfbuf_free(&notes);
	elfbuf_free(&names);
	return elfbuf_bytes(&w->out);
}
