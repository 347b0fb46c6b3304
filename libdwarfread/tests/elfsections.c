// elfsections.c: the debug sections of an ELF file in memory, for the tests.
#include "libdwarfread/tests/elfsections.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum hc elf_map(const char *path, struct bytes *ret, struct hc_err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return hc_fail(err, HC_IO, 0, "%s: %s", path, strerror(errno));
	void *at = MAP_FAILED;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			  0);
	close(fd);
	if (at == MAP_FAILED)
		return hc_fail(err, HC_IO, 0, "%s: cannot be mapped", path);
	*ret = (struct bytes){ at, (uint64_t)st.st_size, 0 };
	return HC_OK;
}

static enum hc header_at(struct bytes file, const Elf64_Ehdr *eh, uint64_t i,
			 Elf64_Shdr *ret, struct hc_err *err)
{
	struct bytes at;
	HC_TRY(bytes_sub(file, eh->e_shoff + i * sizeof(*ret), sizeof(*ret),
			 &at, err));
	memcpy(ret, at.at, sizeof(*ret));
	return HC_OK;
}

static enum hc take_section(struct bytes file, struct bytes names,
			    const Elf64_Shdr *sh, struct dwarf_sections *ret,
			    struct hc_err *err)
{
	const char *name;
	if (sh->sh_type == SHT_NOBITS)
		return HC_OK;
	HC_TRY(bytes_sub(names, sh->sh_name, names.len - sh->sh_name, &names,
			 err));
	HC_TRY(bytes_cstr(&names, &name, err));
	struct dwarf_section *to = dwarf_section_of(ret, name);
	if (!to)
		return HC_OK;
	HC_TRY(bytes_sub(file, sh->sh_offset, sh->sh_size, &to->bytes, err));
	if (sh->sh_flags & SHF_COMPRESSED)
		to->kind = INFLATE_CHDR64;
	else if (name[1] == 'z')
		to->kind = INFLATE_ZDEBUG;
	return HC_OK;
}

enum hc elf_sections(struct bytes file, struct dwarf_sections *ret,
		     struct hc_err *err)
{
	Elf64_Ehdr eh;
	Elf64_Shdr sh;
	struct bytes names;
	if (file.len < sizeof(eh) || memcmp(file.at, ELFMAG, SELFMAG) != 0 ||
	    file.at[EI_CLASS] != ELFCLASS64)
		return hc_fail(err, HC_CORRUPT, 0, "not a 64-bit ELF file");
	memcpy(&eh, file.at, sizeof(eh));
	HC_TRY(header_at(file, &eh, eh.e_shstrndx, &sh, err));
	HC_TRY(bytes_sub(file, sh.sh_offset, sh.sh_size, &names, err));
	*ret = (struct dwarf_sections){ 0 };
	for (uint64_t i = 1; i < eh.e_shnum; i++) {
		HC_TRY(header_at(file, &eh, i, &sh, err));
		HC_TRY(take_section(file, names, &sh, ret, err));
	}
	return HC_OK;
}
