// mapped.c: see mapped.h.
//
// A file that is cut while it is mapped raises SIGBUS on a later read. A
// handler would be a global of the process, so there is none here: the
// program that uses the library installs one (README.md).
#include "libcore/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

const char *mode_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	case S_IFIFO:
		return "a pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a file";
	}
}

enum hc mapped_fd(int fd, uint64_t len, struct mapped *ret, struct hc_err *err)
{
	if (!len) {
		*ret = (struct mapped){ 0 };
		return HC_OK;
	}
	void *at = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd,
			0);
	if (at == MAP_FAILED)
		return hc_fail(err, HC_IO, 0, "cannot map it: %s",
			       strerror(errno));
	*ret = (struct mapped){ { at, len, 0 }, false };
	return HC_OK;
}

enum hc mapped_open(const char *path, struct mapped *ret, struct hc_err *err)
{
	struct stat st;
	if (stat(path, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return HC_NONE;
		return hc_fail(err, HC_IO, 0, "%s", strerror(errno));
	}
	if (!S_ISREG(st.st_mode))
		return hc_fail(err, HC_IO, 0, "is %s", mode_name(st.st_mode));
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		int why = errno;
		if (fd >= 0)
			close(fd);
		return hc_fail(err, HC_IO, 0, "%s", strerror(why));
	}
	enum hc rc = mapped_fd(fd, (uint64_t)st.st_size, ret, err);
	close(fd);
	return rc;
}

void mapped_close(struct mapped *m)
{
	if (m->bytes.len && !m->borrowed)
		munmap((void *)(uintptr_t)m->bytes.at, m->bytes.len);
	*m = (struct mapped){ 0 };
}
