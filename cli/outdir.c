// outdir.c: see outdir.h.
#include "cli/outdir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 4096
#define NAME_LEN 32

// The one folder being written, where a signal handler finds it: all that is
// needed to remove it is a list of names.
static struct {
	const char *path;
	bool force;
	int fd;
	volatile sig_atomic_t is_there;
	char temporary[PATH_MAX];
	volatile sig_atomic_t n;
	char name[FILES_MAX][NAME_LEN];
} dir;

static enum hc cannot(const char *what, struct hc_err *err)
{
	return hc_fail(err, HC_IO, 0, "%s: %s", what, strerror(errno));
}

enum hc outdir_open(const char *path, bool force, struct hc_err *err)
{
	struct stat st;
	size_t len = strlen(path);
	dir.path = path;
	dir.force = force;
	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return hc_fail(err, HC_IO, 0,
			       "it is no folder, and this format is one");
	if (!force && stat(path, &st) == 0)
		return hc_fail(err, HC_IO, 0,
			       "it exists already; -f replaces it");
	while (len > 1 && path[len - 1] == '/')
		len--;
	int n = snprintf(dir.temporary, sizeof(dir.temporary), "%.*s.XXXXXX",
			 (int)len, path);
	if (n < 0 || (size_t)n >= sizeof(dir.temporary))
		return hc_fail(err, HC_IO, 0, "the name is too long");
	mode_t mask = umask(0);
	umask(mask);
	if (!mkdtemp(dir.temporary))
		return cannot("cannot make a folder there", err);
	dir.is_there = 1;
	dir.fd = open(dir.temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir.fd < 0 || fchmod(dir.fd, 0777 & ~mask) < 0)
		return cannot("cannot make a folder there", err);
	return HC_OK;
}

enum hc outdir_create(const char *name, int *ret_fd, struct hc_err *err)
{
	if (dir.n == FILES_MAX || strlen(name) >= NAME_LEN)
		return hc_fail(err, HC_LIMIT, 0, "more than %d files",
			       FILES_MAX);
	memcpy(dir.name[dir.n], name, strlen(name) + 1);
	dir.n++;
	int fd = openat(dir.fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0666);
	if (fd < 0)
		return cannot("cannot make a file in it", err);
	*ret_fd = fd;
	return HC_OK;
}

// remove_old removes a folder of ours that was replaced: it now has the
// temporary name. Files that are not ours stay, and the folder with them.
static enum hc remove_old(struct hc_err *err)
{
	for (int i = 0; i < dir.n; i++) {
		char path[PATH_MAX + NAME_LEN + 2];
		snprintf(path, sizeof(path), "%s/%s", dir.temporary,
			 dir.name[i]);
		unlink(path);
	}
	if (rmdir(dir.temporary) == 0)
		return HC_OK;
	return hc_fail(err, HC_IO, 0, "the old folder had other files in it: "
		       "it is now %s", dir.temporary);
}

enum hc outdir_commit(struct hc_err *err)
{
	struct stat st;
	if (!dir.is_there)
		return HC_OK;
	bool replace = dir.force && stat(dir.path, &st) == 0;
	if (replace ? renameat2(AT_FDCWD, dir.temporary, AT_FDCWD, dir.path,
				RENAME_EXCHANGE) :
		      rename(dir.temporary, dir.path)) {
		enum hc bad = cannot("cannot give it its name", err);
		outdir_discard();
		return bad;
	}
	dir.is_there = 0;
	return replace ? remove_old(err) : HC_OK;
}

void outdir_discard(void)
{
	if (!dir.is_there)
		return;
	for (int i = 0; i < dir.n; i++)
		unlinkat(dir.fd, dir.name[i], 0);
	rmdir(dir.temporary);
	dir.is_there = 0;
}
