// symbols.c: the symbol table of an ELF file.
#include "libcore/objfile.h"

// struct symbols is the table, found: entries and the text of their names.
// Shape: names ends with a NUL or is empty.
struct symbols {
	struct bytes entries, names;
	bool is64;
};

// names_clip drops what follows the last NUL, so that every name ends.
static struct bytes names_clip(struct bytes b)
{
	const uint8_t *nul = b.len ? memrchr(b.at, 0, b.len) : NULL;
	b.len = nul ? (uint64_t)(nul - b.at) + 1 : 0;
	return b;
}

static enum hc symbols_find(const struct objfile *f, uint32_t type,
			    struct symbols *ret)
{
	for (uint64_t i = 0; i < f->n_sections; i++) {
		const struct elf_shdr *sh = &f->shdrs[i];
		if (sh->type != type || !f->sections[i].bytes.len ||
		    sh->link >= f->n_sections)
			continue;
		*ret = (struct symbols){
			.entries = f->sections[i].bytes,
			.names = names_clip(f->sections[sh->link].bytes),
			.is64 = f->head.is64,
		};
		return HC_OK;
	}
	return HC_NONE;
}

// symbol_take takes one entry; *ret_name is an offset into the names.
// Source: ELF gABI chapter 4, Elf64_Sym and Elf32_Sym.
static enum hc symbol_take(struct symbols *t, uint32_t *ret_name,
			   struct objfile_symbol *s, uint16_t *ret_section)
{
	uint8_t info, other;
	HC_TRY(bytes_u32(&t->entries, ret_name, NULL));
	if (!t->is64) {
		uint32_t addr, len;
		HC_TRY(bytes_u32(&t->entries, &addr, NULL));
		HC_TRY(bytes_u32(&t->entries, &len, NULL));
		s->addr = addr;
		s->len = len;
	}
	HC_TRY(bytes_u8(&t->entries, &info, NULL));
	HC_TRY(bytes_u8(&t->entries, &other, NULL));
	HC_TRY(bytes_u16(&t->entries, ret_section, NULL));
	if (t->is64) {
		HC_TRY(bytes_u64(&t->entries, &s->addr, NULL));
		HC_TRY(bytes_u64(&t->entries, &s->len, NULL));
	}
	s->type = info & 0xf;
	return HC_OK;
}

void objfile_each_symbol(const struct objfile *file,
			 bool (*fn)(void *ctx, const struct objfile_symbol *),
			 void *ctx)
{
	struct symbols t;
	if (symbols_find(file, ELF_SHT_SYMTAB, &t) &&
	    symbols_find(file, ELF_SHT_DYNSYM, &t))
		return;
	uint32_t name;
	uint16_t section;
	struct objfile_symbol s = { 0 };
	while (symbol_take(&t, &name, &s, &section) == HC_OK) {
		// SHN_UNDEF: named here, defined elsewhere.
		if (!section || !s.addr || name >= t.names.len)
			continue;
		s.name = (const char *)t.names.at + name;
		if (s.name[0] && !fn(ctx, &s))
			return;
	}
}
