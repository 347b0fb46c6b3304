// corewriter.c: see corewriter.h.
// Source of the note layouts: Linux include/linux/elfcore.h.
#include "libcore/tests/corewriter.h"

#include <elf.h>

uint8_t cw_byte(taddr at)
{
	return (uint8_t)((at * 31 + (at >> 8) * 7) | 1);
}

void cw_init(struct corewriter *w, enum core_arch arch)
{
	*w = (struct corewriter){ .arch = arch, .align = 16 };
	w->out.is64 = w->notes.is64 = arch != CORE_386;
}

void cw_free(struct corewriter *w)
{
	elfbuf_free(&w->notes);
	elfbuf_free(&w->out);
}

void cw_load(struct corewriter *w, taddr base, uint64_t len, uint64_t saved,
	     uint32_t perm)
{
	w->loads[w->n_loads++] = (struct cw_load){ base, len, saved,
						  perm, NULL };
}

static void put32(uint8_t *at, uint64_t v)
{
	uint32_t low = (uint32_t)v;
	memcpy(at, &low, 4);
}

static void put64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, 8);
}

void cw_thread(struct corewriter *w, uint32_t tid, uint16_t signal, taddr pc,
	       taddr sp, taddr tls)
{
	uint8_t d[392] = { 0 };
	memcpy(d + 12, &signal, 2);
	if (w->arch == CORE_386) {
		put32(d + 24, tid);
		put32(d + 72 + 4 * 10, 0x33); // gs: entry 6
		put32(d + 72 + 4 * 12, pc);
		put32(d + 72 + 4 * 15, sp);
		elfbuf_note(&w->notes, "CORE", NT_PRSTATUS, d, 144);
		uint32_t tls_entries[8] = { 7, 0xbad, 0, 0,
					    6, (uint32_t)tls, 0, 0 };
		elfbuf_note(&w->notes, "LINUX", NT_386_TLS, tls_entries,
			    sizeof(tls_entries));
		return;
	}
	put32(d + 32, tid);
	if (w->arch == CORE_AMD64) {
		put64(d + 112 + 8 * 16, pc);
		put64(d + 112 + 8 * 19, sp);
		put64(d + 112 + 8 * 21, tls);
		elfbuf_note(&w->notes, "CORE", NT_PRSTATUS, d, 336);
		return;
	}
	put64(d + 112 + 8 * 31, sp);
	put64(d + 112 + 8 * 32, pc);
	elfbuf_note(&w->notes, "CORE", NT_PRSTATUS, d, 392);
	elfbuf_note(&w->notes, "LINUX", NT_ARM_TLS, &tls, 8);
}

void cw_psinfo(struct corewriter *w, uint32_t pid, const char *name,
	       const char *command)
{
	bool is386 = w->arch == CORE_386;
	uint8_t d[136] = { 0 };
	put32(d + (is386 ? 12 : 24), pid);
	strncpy((char *)d + (is386 ? 28 : 40), name, 16);
	memcpy(d + (is386 ? 44 : 56), command, strnlen(command, 80));
	elfbuf_note(&w->notes, "CORE", NT_PRPSINFO, d, is386 ? 124 : 136);
}

void cw_siginfo(struct corewriter *w, int signal, int code, uint64_t value)
{
	uint8_t d[128] = { 0 };
	put32(d, (uint64_t)signal);
	put32(d + 8, (uint64_t)code);
	if (w->arch == CORE_386)
		put32(d + 12, value);
	else
		put64(d + 16, value);
	elfbuf_note(&w->notes, "CORE", NT_SIGINFO, d, sizeof(d));
}

void cw_auxv(struct corewriter *w, unsigned n, const uint64_t (*pairs)[2])
{
	struct elfbuf b = { .is64 = w->out.is64 };
	for (unsigned i = 0; i < n; i++) {
		elfbuf_word(&b, pairs[i][0]);
		elfbuf_word(&b, pairs[i][1]);
	}
	elfbuf_word(&b, 0);
	elfbuf_word(&b, 0);
	elfbuf_note(&w->notes, "CORE", NT_AUXV, b.at, b.len);
	elfbuf_free(&b);
}

void cw_files(struct corewriter *w, uint64_t page, unsigned n,
	      const struct cw_file *files)
{
	struct elfbuf b = { .is64 = w->out.is64 };
	elfbuf_word(&b, n);
	elfbuf_word(&b, page);
	for (unsigned i = 0; i < n; i++) {
		elfbuf_word(&b, files[i].start);
		elfbuf_word(&b, files[i].end);
		elfbuf_word(&b, files[i].pages);
	}
	for (unsigned i = 0; i < n; i++)
		elfbuf_put(&b, files[i].path, strlen(files[i].path) + 1);
	elfbuf_note(&w->notes, "CORE", NT_FILE, b.at, b.len);
	elfbuf_free(&b);
}

static uint16_t machine_of(enum core_arch arch)
{
	return arch == CORE_AMD64 ? EM_X86_64 :
	       arch == CORE_ARM64 ? EM_AARCH64 :
				    EM_386;
}

static uint64_t up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}

// heads_put writes all that comes before the notes.
static void heads_put(struct corewriter *w, uint64_t n_phdrs, uint64_t shoff)
{
	uint64_t at = elfbuf_head_len(&w->out) +
		      n_phdrs * elfbuf_phdr_len(&w->out);
	elfbuf_head(&w->out,
		    &(struct elfbuf_head){
			    .type = ET_CORE,
			    .machine = machine_of(w->arch),
			    .n_phdrs = w->xnum ? PN_XNUM : (uint16_t)n_phdrs,
			    .n_shdrs = w->xnum && !w->lost,
			    .shoff = shoff });
	elfbuf_phdr(&w->out, &(struct elfbuf_phdr){ .type = PT_NOTE,
						    .off = at,
						    .filesz = w->notes.len });
	at += w->notes.len;
	for (unsigned i = 0; i < w->n_loads; i++) {
		const struct cw_load *l = &w->loads[i];
		at = up(at, w->align);
		elfbuf_phdr(&w->out,
			    &(struct elfbuf_phdr){ PT_LOAD, l->perm, at,
						   l->base, l->saved, l->len,
						   w->align });
		at += l->saved;
	}
	for (unsigned i = 0; i < w->n_fill; i++)
		elfbuf_phdr(&w->out,
			    &(struct elfbuf_phdr){
				    .type = PT_LOAD,
				    .vaddr = w->fill_at + i * 4096ul,
				    .memsz = 4096 });
}

struct bytes cw_finish(struct corewriter *w)
{
	uint64_t n_phdrs = 1ul + w->n_loads + w->n_fill;
	uint64_t shoff = elfbuf_head_len(&w->out) +
			 n_phdrs * elfbuf_phdr_len(&w->out) + w->notes.len;
	for (unsigned i = 0; i < w->n_loads; i++)
		shoff = up(shoff, w->align) + w->loads[i].saved;
	shoff = up(shoff, 16);
	heads_put(w, n_phdrs, w->xnum ? shoff : 0);
	elfbuf_put(&w->out, w->notes.at, w->notes.len);
	for (unsigned i = 0; i < w->n_loads; i++) {
		const struct cw_load *l = &w->loads[i];
		elfbuf_align(&w->out, w->align);
		for (uint64_t k = 0; k < l->saved; k++) {
			uint8_t byte = l->bytes ? l->bytes[k] :
						  cw_byte(l->base + k);
			elfbuf_put(&w->out, &byte, 1);
		}
	}
	if (w->xnum && !w->lost) {
		elfbuf_align(&w->out, 16);
		elfbuf_shdr(&w->out, &(struct elfbuf_shdr){
					     .info = (uint32_t)n_phdrs });
	}
	return elfbuf_bytes(&w->out);
}

void cw_sample(struct corewriter *w, enum core_arch arch)
{
	static const uint64_t auxv[][2] = { { 6, 4096 }, { 9, 0x1040 } };
	static const struct cw_file files[] = {
		{ 0x1000, 0x1400, 0, "/no/such/program" },
		{ 0x9000, 0x9400, 3, "/no/such/library.so" },
	};
	cw_init(w, arch);
	cw_thread(w, 100, 11, 0x1044, 0x7f80, 0x5008);
	cw_psinfo(w, 100, "sample", "./sample --now");
	cw_siginfo(w, 11, 1, 0xdead0);
	cw_auxv(w, 2, auxv);
	cw_files(w, 256, 2, files);
	cw_thread(w, 101, 0, 0x1048, 0x7e80, 0x5108);
	cw_load(w, 0x1000, 0x400, 0x100, CORE_R | CORE_X);
	cw_load(w, 0x5000, 0x200, 0x200, CORE_R | CORE_W);
	cw_load(w, 0x5200, 0x200, 0x200, CORE_R | CORE_W);
	cw_load(w, 0x7000, 0x1000, 0, 0);
}

void cw_pair(struct corewriter *w, enum core_arch arch, struct bytes exe,
	     const char *path, taddr base)
{
	const uint64_t auxv[][2] = { { 9, base + 0x1040 } };
	const struct cw_file files[] = {
		{ base, base + 0x2000, 0, path },
		{ base + 0x2000, base + 0x3000, 2, path },
	};
	cw_init(w, arch);
	cw_thread(w, 100, 6, base + 0x1044, 0x7f80, 0x5008);
	cw_auxv(w, 1, auxv);
	cw_files(w, 4096, 2, files);
	cw_load(w, base, 0x2000, 0x400, CORE_R | CORE_X);
	w->loads[0].bytes = exe.at;
	cw_load(w, base + 0x2000, 0x1000, 0x1000, CORE_R | CORE_W);
}
