// outfile.c: see outfile.h.
#include "cli/outfile.h"

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

// The one file being written, where a signal handler finds it.
static struct {
	const char *path;
	bool force;
	int fd;
	volatile sig_atomic_t is_there;
	char temporary[PATH_MAX];
} file;

static enum hc cannot(const char *what, struct hc_err *err)
{
	return hc_fail(err, HC_IO, 0, "%s: %s", what, strerror(errno));
}

// open_temporary makes an empty file beside path, with the permissions that a
// new file would have.
static enum hc open_temporary(const char *path, struct hc_err *err)
{
	int n = snprintf(file.temporary, sizeof(file.temporary), "%s.XXXXXX",
			 path);
	if (n < 0 || (size_t)n >= sizeof(file.temporary))
		return hc_fail(err, HC_IO, 0, "the name is too long");
	mode_t mask = umask(0);
	umask(mask);
	file.fd = mkostemp(file.temporary, O_CLOEXEC);
	if (file.fd < 0)
		return cannot("cannot make a file there", err);
	file.is_there = 1;
	if (fchmod(file.fd, 0666 & ~mask) < 0)
		return cannot("cannot set its permissions", err);
	return HC_OK;
}

enum hc outfile_open(const char *path, bool force, int *ret_fd,
		     struct hc_err *err)
{
	struct stat st;
	file.path = path;
	file.force = force;
	if (strcmp(path, "-") == 0) {
		*ret_fd = STDOUT_FILENO;
		return HC_OK;
	}
	if (stat(path, &st) < 0) {
		HC_TRY(open_temporary(path, err));
	} else if (S_ISDIR(st.st_mode)) {
		return hc_fail(err, HC_IO, 0, "it is a directory");
	} else if (!S_ISREG(st.st_mode)) {
		file.fd = open(path, O_WRONLY | O_CLOEXEC);
		if (file.fd < 0)
			return cannot("cannot write to it", err);
	} else if (!force) {
		return hc_fail(err, HC_IO, 0,
			       "it exists already; -f replaces it");
	} else {
		HC_TRY(open_temporary(path, err));
	}
	*ret_fd = file.fd;
	return HC_OK;
}

enum hc outfile_commit(struct hc_err *err)
{
	if (!file.is_there)
		return HC_OK;
	if (close(file.fd) < 0) {
		enum hc bad = cannot("cannot write it", err);
		outfile_discard();
		return bad;
	}
	// link refuses what came into being meanwhile, rename replaces it.
	int bad = file.force ? rename(file.temporary, file.path) :
			       link(file.temporary, file.path);
	if (bad && !file.force && errno != EEXIST)
		bad = rename(file.temporary, file.path); // no hard links here
	else if (!bad && !file.force)
		unlink(file.temporary);
	if (bad) {
		enum hc failed = cannot("cannot give it its name", err);
		outfile_discard();
		return failed;
	}
	file.is_there = 0;
	return HC_OK;
}

void outfile_discard(void)
{
	if (file.is_there)
		unlink(file.temporary);
	file.is_there = 0;
}

static void on_end(int number)
{
	outfile_discard();
	outdir_discard();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_bus_error(int number)
{
	static const char line[] =
		"heapcore: a file was cut short or could not be read any more "
		"while it was being read (bus error)\n";
	(void)number;
	outfile_discard();
	outdir_discard();
	ssize_t ignored = write(STDERR_FILENO, line, sizeof(line) - 1);
	(void)ignored;
	_exit(3);
}

void outfile_catch_signals(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGXCPU,
				    SIGXFSZ, SIGALRM };
	struct sigaction old, sa = { .sa_handler = on_end };
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		// What the caller ignores (nohup) stays ignored.
		if (sigaction(ends[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(ends[i], &sa, NULL);
	}
	sa.sa_handler = on_bus_error;
	sigaction(SIGBUS, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}
