// input.c: from the name of a core to the bytes of an ELF core.
#include "libcore/process.h"
#include "libcore/unpack.h"
#include "libcore/what.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// not_a_core says what it is instead, and what to do.
static enum hc not_a_core(const struct core *core, struct hc_err *err)
{
	struct bytes b = core->file.bytes;
	const char *packed = core->info.compressed ? ", unpacked," : "";
	struct what what = what_is(b);
	if (!b.len)
		return hc_fail(err, HC_UNSUPPORTED, 0, "is empty");
	return hc_fail(err, HC_UNSUPPORTED, 0, "is%s %s, not a core%s%s",
		       packed, what.noun, what.todo ? ": " : "",
		       what.todo ? what.todo : "");
}

enum hc core_check_input(const struct core *core, struct hc_err *err)
{
	struct elf_head head;
	if (!elf_is(core->file.bytes))
		return not_a_core(core, err);
	HC_TRY(elf_read_head(core->file.bytes, &head, err));
	if (head.type == ELF_EXEC || head.type == ELF_DYN)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is an executable, not a core: name the core "
			       "first, then the executable");
	if (head.type != ELF_CORE)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is an ELF file of type %u, not a core",
			       head.type);
	return HC_OK;
}

// input_read_first reads the first bytes of a regular file.
static struct bytes input_read_first(int fd, uint8_t *buf, size_t len)
{
	ssize_t n = pread(fd, buf, len, 0);
	return (struct bytes){ buf, n > 0 ? (uint64_t)n : 0, 0 };
}

// input_map maps fd, unpacked first when it is compressed or no file.
static enum hc input_map(struct core *core, int fd, struct hc_err *err)
{
	struct stat st;
	uint8_t first[16];
	if (fstat(fd, &st))
		return hc_fail(err, HC_IO, 0, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode) ||
	    (S_ISCHR(st.st_mode) && isatty(fd)))
		return hc_fail(err, HC_UNSUPPORTED, 0, "is %s, not a core",
			       mode_name(st.st_mode));
	if (S_ISREG(st.st_mode) && st.st_mtime > 0)
		core->info.written = (uint64_t)st.st_mtime;
	// A file on standard input may have been read from already.
	if (S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0 &&
	    !codec_find(input_read_first(fd, first, sizeof(first))))
		return mapped_fd(fd, (uint64_t)st.st_size, &core->file, err);
	uint64_t total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return unpack_core(core, fd, total, err);
}

enum hc core_map_input(struct core *core, struct hc_err *err)
{
	const char *path = core->in->core;
	int fd = STDIN_FILENO;
	if (strcmp(path, "-")) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (fd < 0)
			return hc_fail(err, HC_IO, 0, "%s", strerror(errno));
	}
	enum hc rc = input_map(core, fd, err);
	if (fd != STDIN_FILENO)
		close(fd);
	return rc;
}
