// sparse.c: see sparse.h.
#include "libcore/sparse.h"

#include "libcore/base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, CHECK_EVERY = 1 << 25 };

enum hc sparse_open(const char *dir, struct sparse *ret, struct hc_err *err)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		char path[4096];
		int n = snprintf(path, sizeof(path), "%s/heapcore-XXXXXX",
				 dir);
		if (n > 0 && (size_t)n < sizeof(path))
			fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		return hc_fail(err, HC_IO, 0,
			       "cannot make a temporary file in %s: %s", dir,
			       strerror(errno));
	*ret = (struct sparse){ .fd = fd };
	return HC_OK;
}

// block_is_zero reads 8 words a turn.
static bool block_is_zero(const uint8_t *at, uint64_t len)
{
	uint64_t i = 0;
	for (; i + 64 <= len; i += 64) {
		uint64_t w[8], any = 0;
		memcpy(w, at + i, sizeof(w));
		for (int k = 0; k < 8; k++)
			any |= w[k];
		if (any)
			return false;
	}
	for (; i < len; i++) {
		if (at[i])
			return false;
	}
	return true;
}

// space_check stops before the disk is full.
static enum hc space_check(struct sparse *s, struct hc_err *err)
{
	struct statvfs fs;
	if (s->stored - s->checked < CHECK_EVERY && s->checked)
		return HC_OK;
	s->checked = s->stored ? s->stored : 1;
	if (fstatvfs(s->fd, &fs) || !fs.f_blocks)
		return HC_OK;
	if ((uint64_t)fs.f_bavail * fs.f_frsize < LIMIT_TMP_LEFT)
		return hc_fail(err, HC_LIMIT, 0,
			       "only %" PRIu64 " MB are left in the temporary "
			       "directory after %" PRIu64 " MB of the core",
			       (uint64_t)fs.f_bavail * fs.f_frsize >> 20,
			       s->stored >> 20);
	return HC_OK;
}

static enum hc write_all(struct sparse *s, const uint8_t *at, uint64_t len,
			 uint64_t off, struct hc_err *err)
{
	HC_TRY(space_check(s, err));
	s->stored += len;
	while (len) {
		ssize_t n = pwrite(s->fd, at, len, (off_t)off);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return hc_fail(err, HC_IO, off,
				       "cannot write the unpacked core: %s",
				       strerror(n ? errno : ENOSPC));
		at += n;
		off += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return HC_OK;
}

enum hc sparse_append(struct sparse *s, const uint8_t *at, uint64_t len,
		      struct hc_err *err)
{
	for (uint64_t i = 0; i < len;) {
		uint64_t from = i;
		while (i < len) {
			uint64_t n = len - i < BLOCK ? len - i : BLOCK;
			if (block_is_zero(at + i, n))
				break;
			i += n;
		}
		if (i > from)
			HC_TRY(write_all(s, at + from, i - from, s->len + from,
					 err));
		if (i < len)
			i += len - i < BLOCK ? len - i : BLOCK;
	}
	s->len += len;
	return HC_OK;
}

enum hc sparse_map(struct sparse *s, struct mapped *ret, struct hc_err *err)
{
	if (ftruncate(s->fd, (off_t)s->len))
		return hc_fail(err, HC_IO, 0, "%s", strerror(errno));
	return mapped_fd(s->fd, s->len, ret, err);
}

void sparse_close(struct sparse *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
