// gowriter.c: see gowriter.h.
// Source of the layouts: Go 1.18 to 1.27 runtime/symtab.go, moduledata and
// pcHeader; debug/buildinfo; Linux include/linux/elfcore.h.
#include "libheap/go/tests/gowriter.h"

#include "libheap/go/program/moduledata.h"

#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void put32(uint8_t *at, uint64_t v)
{
	uint32_t low = (uint32_t)v;
	memcpy(at, &low, 4);
}

static void put_word(const struct gowriter *w, uint8_t *at, uint64_t v)
{
	memcpy(at, &v, w->word);
}

// ro appends to the read-only segment and returns where.
static uint32_t ro(struct gowriter *w, const void *bytes, uint64_t len)
{
	uint32_t at = w->rodata_len;
	ck_assert_uint_le(at + len, GW_SEGMENT);
	if (bytes)
		memcpy(w->rodata + at, bytes, len);
	w->rodata_len += (uint32_t)len;
	return at;
}

static uint32_t ro_align(struct gowriter *w, uint32_t align)
{
	w->rodata_len = (w->rodata_len + align - 1) / align * align;
	return w->rodata_len;
}

// pctable appends one pc-value table and returns its offset in pctab.
static uint32_t pctable(struct gowriter *w, uint32_t pctab, const uint8_t *t)
{
	if (!t)
		return 0;
	return ro(w, t, strlen((const char *)t + 1) + 2) - pctab;
}

// func_put writes the _func of f and returns its offset in pclntable.
static uint32_t func_put(struct gowriter *w, const struct gw_func *f,
			 uint32_t entry, const uint32_t tables[7],
			 uint32_t name)
{
	uint32_t len = w->minor < 20 ? 40 : 44;
	uint32_t at = ro(w, NULL, len + 4ul * (f->n_pcdata + f->n_funcdata));
	uint8_t *p = w->rodata + at;
	put32(p, entry);
	put32(p + 4, name);
	put32(p + 8, f->args);
	put32(p + 12, f->deferreturn);
	put32(p + 16, tables[0]);
	put32(p + 20, tables[1]);
	put32(p + 24, tables[2]);
	put32(p + 28, f->n_pcdata);
	if (w->minor >= 20)
		put32(p + 36, 100);
	p[len - 4] = f->id;
	p[len - 3] = f->flag;
	p[len - 1] = (uint8_t)f->n_funcdata;
	for (unsigned i = 0; i < f->n_pcdata; i++)
		put32(p + len + 4 * i, tables[3 + i]);
	for (unsigned i = 0; i < f->n_funcdata; i++)
		put32(p + len + 4 * (f->n_pcdata + i), f->funcdata[i]);
	return at;
}

// buckets writes findfunctab. Source: cmd/link/internal/ld/pcln.go.
static taddr buckets(struct gowriter *w, uint32_t text_len)
{
	uint32_t at = ro(w, NULL, (text_len / 4096 + 1) * 20ul);
	for (uint32_t off = 0; off < text_len; off += 256) {
		uint32_t i = 0, end = w->funcs[0].len;
		while (end <= off)
			end += w->funcs[++i].len;
		uint8_t *bucket = w->rodata + at + off / 4096 * 20;
		if (off % 4096 == 0)
			put32(bucket, i);
		bucket[4 + off % 4096 / 256] =
			(uint8_t)(i - get_u32(bucket));
	}
	return GW_RODATA + at;
}

static void slice(struct gowriter *w, unsigned i, taddr at, uint64_t len)
{
	uint8_t *p = w->data + (w->moduledata - GW_DATA) + i * w->word;
	put_word(w, p, at);
	put_word(w, p + w->word, len);
	put_word(w, p + 2 * w->word, len);
}

static void module_word(struct gowriter *w, unsigned i, uint64_t v)
{
	put_word(w, w->data + (w->moduledata - GW_DATA) + i * w->word, v);
}

static void buildinfo(struct gowriter *w)
{
	uint8_t *p = w->data + 0x800;
	if (!w->version)
		return;
	memcpy(p, "\xff Go buildinf:", 14);
	p[14] = (uint8_t)w->word;
	p[15] = 2;
	p[32] = (uint8_t)strlen(w->version);
	memcpy(p + 33, w->version, strlen(w->version));
}

static void gofunc(struct gowriter *w)
{
	struct go_layout l;
	uint32_t at = ro_align(w, 8);
	gw_layout(w->arch, w->minor, &l);
	ro(w, w->gofunc, w->gofunc_len);
	put_word(w, w->data + (w->moduledata - GW_DATA) +
			    go_off(&l, F_moduledata_gofunc),
		 GW_RODATA + at);
}

void gw_make(struct gowriter *w)
{
	uint32_t names[64], func_at[64], tables[64][7] = { 0 };
	uint32_t text_len = 0;
	w->rodata_len = 64; // nothing is at the very start
	w->moduledata = GW_DATA + 0x100;
	w->pclntab = GW_RODATA + ro(w, NULL, 8 + 8ul * w->word);
	uint8_t *head = w->rodata + (w->pclntab - GW_RODATA);
	put32(head, w->minor < 20 ? 0xfffffff0 : 0xfffffff1);
	head[6] = w->arch == CORE_ARM64 ? 4 : 1;
	head[7] = (uint8_t)w->word;
	uint32_t nametab = w->rodata_len;
	for (unsigned i = 0; i < w->n_funcs; i++)
		names[i] = ro(w, w->funcs[i].name,
			      strlen(w->funcs[i].name) + 1) - nametab;
	ro(w, "main.inlined", 13);
	slice(w, 1, GW_RODATA + nametab, w->rodata_len - nametab);
	static const uint32_t cu[] = { 0, 8 };
	uint32_t at = ro_align(w, 4);
	ro(w, cu, sizeof(cu));
	slice(w, 4, GW_RODATA + at, 2);
	at = ro(w, "/a/a.go\0/b/b.go", 16);
	slice(w, 7, GW_RODATA + at, 16);
	uint32_t pctab = ro(w, "", 1); // offset 0 is no table
	for (unsigned i = 0; i < w->n_funcs; i++) {
		const struct gw_func *f = &w->funcs[i];
		tables[i][0] = pctable(w, pctab, f->sp);
		tables[i][1] = pctable(w, pctab, f->file);
		tables[i][2] = pctable(w, pctab, f->line);
		for (unsigned k = 0; k < f->n_pcdata; k++)
			tables[i][3 + k] = pctable(w, pctab, f->pcdata[k]);
	}
	w->pctab_len = w->rodata_len - pctab;
	slice(w, 10, GW_RODATA + pctab, w->pctab_len);
	uint32_t functab = ro_align(w, 8);
	ro(w, NULL, 8ul * w->n_funcs + 4);
	for (unsigned i = 0; i < w->n_funcs; i++) {
		func_at[i] = func_put(w, &w->funcs[i], text_len, tables[i],
				      names[i]) - functab;
		put32(w->rodata + functab + 8 * i, text_len);
		put32(w->rodata + functab + 8 * i + 4, func_at[i]);
		text_len += w->funcs[i].len;
	}
	put32(w->rodata + functab + 8 * w->n_funcs, text_len);
	w->functab = GW_RODATA + functab;
	w->functab_len = w->rodata_len - functab;
	slice(w, 13, w->functab, w->functab_len);
	slice(w, 16, w->functab, w->n_funcs + 1);
	module_word(w, 0, w->pclntab);
	if (w->with_buckets)
		module_word(w, 19, buckets(w, text_len));
	module_word(w, 20, GW_TEXT);
	module_word(w, 21, GW_TEXT + text_len);
	module_word(w, 22, GW_TEXT);
	module_word(w, 23, GW_TEXT + text_len);
	gofunc(w);
	buildinfo(w);
}

static void note(FILE *f, unsigned type, const void *desc, unsigned len)
{
	uint32_t head[3] = { 5, len, type };
	fwrite(head, 1, 12, f);
	fwrite("CORE\0\0\0", 1, 8, f);
	fwrite(desc, 1, len, f);
}

static uint32_t phdr(FILE *f, bool is64, uint32_t type, uint32_t flags,
		     uint32_t off, taddr at, uint32_t saved, uint32_t len)
{
	if (is64) {
		Elf64_Phdr p = { type, flags, off, at, 0, saved, len, 0 };
		fwrite(&p, 1, sizeof(p), f);
	} else {
		Elf32_Phdr p = { type,	off, (uint32_t)at, 0,
				 saved,	len, flags,	   0 };
		fwrite(&p, 1, sizeof(p), f);
	}
	return off + saved;
}

static void header(FILE *f, const struct gowriter *w)
{
	bool is64 = w->word == 8;
	Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', 2, 1, 1 },
			 .e_type = ET_CORE, .e_version = 1,
			 .e_machine = w->arch == CORE_AMD64 ? EM_X86_64 :
				      w->arch == CORE_ARM64 ? EM_AARCH64 :
							      EM_386,
			 .e_phoff = sizeof(e), .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 4 };
	Elf32_Ehdr s = { .e_ident = { 0x7f, 'E', 'L', 'F', 1, 1, 1 },
			 .e_type = ET_CORE, .e_version = 1,
			 .e_machine = EM_386, .e_phoff = sizeof(s),
			 .e_ehsize = sizeof(s),
			 .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 4 };
	if (is64)
		fwrite(&e, 1, sizeof(e), f);
	else
		fwrite(&s, 1, sizeof(s), f);
}

void gw_open(const struct gowriter *w, struct gw_core *ret)
{
	char path[64];
	struct hc_err err;
	bool is64 = w->word == 8;
	uint8_t status[392] = { 0 };
	uint32_t rodata = w->rodata_saved ? w->rodata_saved : GW_SEGMENT;
	uint32_t note_len = w->arch == CORE_386 ? 144 :
			    w->arch == CORE_ARM64 ? 392 : 336;
	*ret = (struct gw_core){ .fd = memfd_create("core", 0) };
	FILE *f = fdopen(dup(ret->fd), "w");
	header(f, w);
	uint32_t off = (uint32_t)(is64 ? sizeof(Elf64_Ehdr) +
						 4 * sizeof(Elf64_Phdr) :
					 sizeof(Elf32_Ehdr) +
						 4 * sizeof(Elf32_Phdr));
	off = phdr(f, is64, PT_NOTE, 0, off, 0, note_len + 20,
		   note_len + 20);
	ret->text_off = off;
	off = phdr(f, is64, PT_LOAD, PF_R | PF_X, off, GW_TEXT, GW_SEGMENT,
		   GW_SEGMENT);
	ret->rodata_off = off;
	off = phdr(f, is64, PT_LOAD, PF_R, off, GW_RODATA, rodata, GW_SEGMENT);
	ret->data_off = off;
	phdr(f, is64, PT_LOAD, PF_R | PF_W, off, GW_DATA, GW_SEGMENT,
	     GW_SEGMENT);
	note(f, NT_PRSTATUS, status, note_len);
	fwrite(w->text, 1, GW_SEGMENT, f);
	fwrite(w->rodata, 1, rodata, f);
	fwrite(w->data, 1, GW_SEGMENT, f);
	fclose(f);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ret->fd);
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &ret->pool, NULL),
			 HC_OK);
	struct core_input in = { .core = path };
	enum hc hc = core_open(&in, &ret->pool, &ret->core, &err);
	ck_assert_msg(hc == HC_OK, "core_open: %s", err.msg);
	ret->process = (struct go_process){ .core = ret->core,
					    .pool = &ret->pool,
					    .findings =
						    core_findings(ret->core) };
}

void gw_close(struct gw_core *c)
{
	go_discover_done(&c->process);
	core_close(c->core);
	pool_close(&c->pool);
	close(c->fd);
}

void gw_layout(enum core_arch arch, unsigned minor, struct go_layout *ret)
{
	struct go_version v = { .minor = minor };
	v.experiments = (minor >= 24 ? GO_X_SWISSMAP : 0) |
			(minor >= 26 ? GO_X_GREENTEA : 0);
	ck_assert_int_eq(go_layout_from_tables(&v, arch, ret, NULL), HC_OK);
}

void gw_modules(const struct gowriter *w, struct gw_core *ret)
{
	struct hc_err err;
	gw_open(w, ret);
	gw_layout(w->arch, w->minor, &ret->process.layout);
	ck_assert_int_eq(go_anchor_find(ret->core, &ret->process.anchor),
			 HC_OK);
	enum hc hc = go_modules_find(&ret->process, &err);
	ck_assert_msg(hc == HC_OK, "go_modules_find: %s", err.msg);
}
