// elf.c: see elf.h. The only file that knows libelf.
//
// Each call opens its own handle: libelf keeps the chunks that it was asked
// for in a list, so one handle is quadratic over many note segments
// (elfutils 0.188, elf_getdata_rawchunk).
#include "libcore/elf.h"

#include "libcore/base/limits.h"

#include <gelf.h>
#include <stdio.h>

// struct handle is libelf at work on bytes that it does not own.
struct handle {
	Elf *elf;
};

static enum hc handle_open(struct bytes file, struct handle *ret,
			   struct hc_err *err)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return hc_fail(err, HC_UNSUPPORTED, 0, "libelf is too old");
	// libelf does not write to it: the file has our byte order.
	ret->elf = elf_memory((char *)(uintptr_t)file.at, file.len);
	if (!ret->elf || elf_kind(ret->elf) != ELF_K_ELF) {
		elf_end(ret->elf);
		return hc_fail(err, HC_CORRUPT, 0, "no ELF file: %s",
			       elf_errmsg(-1));
	}
	return HC_OK;
}

bool elf_is(struct bytes b)
{
	return b.len >= SELFMAG && !memcmp(b.at, ELFMAG, SELFMAG);
}

const char *elf_machine_name(uint16_t machine, char buf[24])
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = { { EM_386, "386" },	 { EM_X86_64, "amd64" },
		      { EM_ARM, "arm" },	 { EM_AARCH64, "arm64" },
		      { EM_RISCV, "riscv64" },	 { EM_PPC64, "ppc64le" },
		      { EM_S390, "s390x" },	 { EM_MIPS, "mips" } };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].machine == machine)
			return names[i].name;
	}
	snprintf(buf, 24, "ELF machine %u", machine);
	return buf;
}

static uint64_t phdr_len(bool is64)
{
	return is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

// phdr_count is how many program headers the header says there are.
// Source: ELF gABI chapter 5, PN_XNUM: the number is then in section header 0.
// Linux fs/binfmt_elf.c writes that one at the end of the core, so a
// truncated core lost it; but the notes follow the headers there.
static uint64_t phdr_count(struct bytes file, struct handle h,
			   const GElf_Ehdr *eh, const struct elf_head *head)
{
	size_t n = 0;
	if (eh->e_phnum != PN_XNUM)
		return eh->e_phnum;
	if (eh->e_shoff && eh->e_shoff < file.len &&
	    file.len - eh->e_shoff >= eh->e_shentsize &&
	    !elf_getphdrnum(h.elf, &n) && n)
		return n;
	struct elf_head first = *head;
	struct elf_phdr p;
	first.n_phdrs = 1;
	if (elf_phdr_at(file, &first, 0, &p, NULL) == HC_OK &&
	    p.type == ELF_PT_NOTE && p.off > head->phoff)
		return (p.off - head->phoff) / phdr_len(head->is64);
	return PN_XNUM;
}

static enum hc head_fill(struct bytes file, struct handle h,
			 struct elf_head *ret, struct hc_err *err)
{
	GElf_Ehdr eh;
	if (!gelf_getehdr(h.elf, &eh))
		return hc_fail(err, HC_CORRUPT, 0, "bad ELF header: %s",
			       elf_errmsg(-1));
	if (eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return hc_fail(err, HC_UNSUPPORTED, EI_DATA,
			       "a big-endian ELF file");
	struct elf_head head = {
		.is64 = eh.e_ident[EI_CLASS] == ELFCLASS64,
		.type = eh.e_type,
		.machine = eh.e_machine,
		.entry = eh.e_entry,
		.phoff = eh.e_phoff,
	};
	if (eh.e_phnum && eh.e_phentsize != phdr_len(head.is64))
		return hc_fail(err, HC_CORRUPT, 0,
			       "program headers of %u bytes", eh.e_phentsize);
	uint64_t n = phdr_count(file, h, &eh, &head);
	uint64_t room = eh.e_phoff < file.len ? file.len - eh.e_phoff : 0;
	room /= phdr_len(head.is64);
	head.n_phdrs_said = n;
	head.n_phdrs = n < room ? n : room;
	*ret = head;
	return HC_OK;
}

enum hc elf_read_head(struct bytes file, struct elf_head *ret,
		      struct hc_err *err)
{
	// libelf takes a short file for no ELF file; say what it is.
	if (elf_is(file) && file.len < sizeof(Elf32_Ehdr))
		return hc_fail(err, HC_TRUNCATED, file.len,
			       "ends within the ELF header");
	struct handle h;
	HC_TRY(handle_open(file, &h, err));
	enum hc rc = head_fill(file, h, ret, err);
	elf_end(h.elf);
	return rc;
}

// phdr64 and phdr32 read the fields in the order of the file.
static enum hc phdr64(struct bytes b, struct elf_phdr *p, struct hc_err *err)
{
	uint64_t paddr;
	HC_TRY(bytes_u32(&b, &p->type, err));
	HC_TRY(bytes_u32(&b, &p->flags, err));
	HC_TRY(bytes_u64(&b, &p->off, err));
	HC_TRY(bytes_u64(&b, &p->vaddr, err));
	HC_TRY(bytes_u64(&b, &paddr, err));
	HC_TRY(bytes_u64(&b, &p->filesz, err));
	HC_TRY(bytes_u64(&b, &p->memsz, err));
	return bytes_u64(&b, &p->align, err);
}

static enum hc phdr32(struct bytes b, struct elf_phdr *p, struct hc_err *err)
{
	uint32_t off, vaddr, paddr, filesz, memsz, align;
	HC_TRY(bytes_u32(&b, &p->type, err));
	HC_TRY(bytes_u32(&b, &off, err));
	HC_TRY(bytes_u32(&b, &vaddr, err));
	HC_TRY(bytes_u32(&b, &paddr, err));
	HC_TRY(bytes_u32(&b, &filesz, err));
	HC_TRY(bytes_u32(&b, &memsz, err));
	HC_TRY(bytes_u32(&b, &p->flags, err));
	HC_TRY(bytes_u32(&b, &align, err));
	p->off = off;
	p->vaddr = vaddr;
	p->filesz = filesz;
	p->memsz = memsz;
	p->align = align;
	return HC_OK;
}

// elf_phdr_at does without gelf_getphdr, which refuses the whole table when
// its end is missing. Source: elfutils 0.188 libelf/elf64_getphdr.c.
enum hc elf_phdr_at(struct bytes file, const struct elf_head *head,
		    uint64_t i, struct elf_phdr *ret, struct hc_err *err)
{
	struct bytes table, one;
	struct elf_phdr p;
	if (i >= head->n_phdrs || head->phoff > file.len)
		return hc_fail(err, HC_TRUNCATED, head->phoff,
			       "no program header %" PRIu64, i);
	uint64_t len = phdr_len(head->is64);
	HC_TRY(bytes_sub(file, head->phoff, file.len - head->phoff, &table,
			 err));
	HC_TRY(bytes_sub(table, i * len, len, &one, err));
	HC_TRY(head->is64 ? phdr64(one, &p, err) : phdr32(one, &p, err));
	*ret = p;
	return HC_OK;
}

// shdr_fill copies one section header; its name goes to the pool.
static enum hc shdr_fill(struct handle h, size_t names, Elf_Scn *scn,
			 struct pool *pool, struct elf_shdr *ret,
			 struct hc_err *err)
{
	GElf_Shdr sh;
	if (!gelf_getshdr(scn, &sh))
		return hc_fail(err, HC_CORRUPT, 0, "bad section header: %s",
			       elf_errmsg(-1));
	const char *name = elf_strptr(h.elf, names, sh.sh_name);
	uint64_t len = name ? strnlen(name, LIMIT_SECTION_NAME) : 0;
	char *copy = pool_copy(pool, name, len);
	if (!copy)
		return hc_nomem(err);
	*ret = (struct elf_shdr){
		.name = copy,
		.type = sh.sh_type,
		.link = sh.sh_link,
		.flags = sh.sh_flags,
		.addr = sh.sh_addr,
		.off = sh.sh_offset,
		.len = sh.sh_size,
		.entsize = sh.sh_entsize,
	};
	return HC_OK;
}

static enum hc shdrs_fill(struct handle h, struct pool *pool,
			  struct elf_shdr **ret, uint64_t *ret_n,
			  struct hc_err *err)
{
	size_t n, names;
	if (elf_getshdrnum(h.elf, &n) || elf_getshdrstrndx(h.elf, &names))
		return hc_fail(err, HC_CORRUPT, 0, "bad section table: %s",
			       elf_errmsg(-1));
	if (n > LIMIT_SECTIONS)
		return hc_fail(err, HC_LIMIT, 0, "%zu sections", n);
	struct elf_shdr *all = pool_new(pool, struct elf_shdr, n);
	if (!all)
		return hc_nomem(err);
	for (size_t i = 0; i < n; i++) {
		Elf_Scn *scn = elf_getscn(h.elf, i);
		if (!scn)
			return hc_fail(err, HC_CORRUPT, 0,
				       "bad section table: %s",
				       elf_errmsg(-1));
		HC_TRY(shdr_fill(h, names, scn, pool, &all[i], err));
	}
	*ret = all;
	*ret_n = n;
	return HC_OK;
}

enum hc elf_shdrs(struct bytes file, struct pool *pool, struct elf_shdr **ret,
		  uint64_t *ret_n, struct hc_err *err)
{
	struct handle h;
	HC_TRY(handle_open(file, &h, err));
	enum hc rc = shdrs_fill(h, pool, ret, ret_n, err);
	elf_end(h.elf);
	return rc;
}

// note_next sets *ret to the note at *pos of data and moves *pos behind it.
// chunk is data as it lies in the file, which outlives the handle.
static enum hc note_next(Elf_Data *data, struct bytes chunk, size_t *pos,
			 struct elf_note *ret)
{
	GElf_Nhdr nh;
	size_t name_at, desc_at, next;
	struct bytes name, desc;
	next = gelf_getnote(data, *pos, &nh, &name_at, &desc_at);
	if (!next || next <= *pos)
		return HC_NONE;
	HC_TRY(bytes_sub(chunk, name_at, nh.n_namesz, &name, NULL));
	HC_TRY(bytes_sub(chunk, desc_at, nh.n_descsz, &desc, NULL));
	bool ends = name.len && name.at[name.len - 1] == 0;
	*ret = (struct elf_note){
		.type = nh.n_type,
		.name = ends ? (const char *)name.at : "",
		.desc = desc,
	};
	*pos = next;
	return HC_OK;
}

enum hc elf_each_note(struct bytes file, uint64_t off, uint64_t len,
		      uint64_t align,
		      enum hc (*fn)(void *ctx, const struct elf_note *,
				    struct hc_err *err),
		      void *ctx, struct hc_err *err)
{
	if (off >= file.len)
		return len ? HC_NONE : HC_OK;
	bool cut = len > file.len - off;
	if (cut)
		len = file.len - off;
	struct bytes chunk;
	struct handle h;
	HC_TRY(bytes_sub(file, off, len, &chunk, err));
	HC_TRY(handle_open(file, &h, err));
	Elf_Data *data = elf_getdata_rawchunk(
		h.elf, (int64_t)off, len,
		align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	enum hc rc = HC_OK;
	struct elf_note note;
	size_t pos = 0;
	while (data && rc == HC_OK &&
	       note_next(data, chunk, &pos, &note) == HC_OK)
		rc = fn(ctx, &note, err);
	elf_end(h.elf);
	if (rc == HC_OK && (cut || pos < len))
		return HC_NONE;
	return rc;
}
