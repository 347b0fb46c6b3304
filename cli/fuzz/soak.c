// soak.c: thousands of damaged and cut cores through all commands.
//
//	soak MUTATED CUT SEED [FOLDER]
//
// MUTATED inputs of the form that fuzz_program takes, made at random from SEED,
// then CUT shares of each of three cores. Each is asked everything in a child,
// which may refuse but not fall, hang for ten seconds, take more memory than it
// was allowed, or print sums that do not add up. What does is kept in FOLDER.
#include "cli/fuzz/program.h"
#include "libheap/go/fuzz/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 10, MEMORY_MB = 3072, MOST = 4 + MUTANT_MAX_EDITS * MUTANT_EDIT,
       BAD_STATUS = 100, BAD_SUMS, BAD_MEMORY };

static uint64_t seed;

static uint64_t dice(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

// sums_are_bad says whether the program noticed that its tree does not add up.
static bool sums_are_bad(int fd)
{
	char text[1 << 16];
	ssize_t n, keep = 0;
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, text + keep, sizeof(text) - 1 - (size_t)keep)) >
	       0) {
		ssize_t all = n + keep;
		text[all] = '\0';
		if (strstr(text, "\"kind\": \"sums\""))
			return true;
		// What one piece ends with may go on in the next.
		keep = all < 32 ? all : 32;
		memmove(text, text + all - keep, (size_t)keep);
	}
	return false;
}

// ask_all asks all commands and ends the process: 0, or command * 4 + what was
// wrong is written to `to`.
static _Noreturn void ask_all(uint8_t *data, size_t size, int to)
{
	uint8_t cut = data[1] & PROGRAM_CUT;
	struct rusage usage;
	int null = open("/dev/null", O_WRONLY);
	dup2(null, STDERR_FILENO);
	for (unsigned c = 0; c < program_commands(); c++) {
		int out = memfd_create("out", 0);
		uint8_t note = (uint8_t)c;
		(void)!pwrite(to, &note, 1, 0);
		dup2(out, STDOUT_FILENO);
		alarm(SECONDS);
		data[1] = (uint8_t)c | cut;
		int status = program_ask(data, size);
		alarm(0);
		getrusage(RUSAGE_SELF, &usage);
		if (status < 0 || status > 3)
			_exit(BAD_STATUS);
		if (usage.ru_maxrss / 1024 > MEMORY_MB)
			_exit(BAD_MEMORY);
		if (strcmp(program_command(c), "stats") == 0 &&
		    sums_are_bad(out))
			_exit(BAD_SUMS);
		close(out);
	}
	_exit(0);
}

static void keep(const char *folder, const uint8_t *data, size_t size,
		 const char *name)
{
	char path[512];
	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		perror(path);
}

// try_one gives one input to a child; it returns false when that was bad.
static bool try_one(uint8_t *data, size_t size, const char *folder,
		    const char *name)
{
	int note = memfd_create("note", MFD_CLOEXEC), status;
	uint8_t command = 0;
	pid_t child = fork();
	if (child == 0)
		ask_all(data, size, note);
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("soak");
		exit(2);
	}
	(void)!pread(note, &command, 1, 0);
	close(note);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	data[1] = (uint8_t)((data[1] & PROGRAM_CUT) | command);
	keep(folder, data, size, name);
	printf("not ok - %s of %s, %s: %s %d\n", program_command(command),
	       mutant_name(mutant_get(data[0])), name,
	       WIFSIGNALED(status) ? "signal" : "ended with",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	fflush(stdout);
	return false;
}

static unsigned try_mutated(unsigned n, const char *folder)
{
	uint8_t data[MOST];
	char name[64];
	unsigned bad = 0;
	for (unsigned i = 0; i < n; i++) {
		size_t edits = 1 + dice() % (dice() % 2 ? 6 : MUTANT_MAX_EDITS);
		size_t size = 2 + edits * MUTANT_EDIT;
		for (size_t k = 0; k < size; k++)
			data[k] = (uint8_t)(dice() >> 24);
		data[1] = 0;
		snprintf(name, sizeof(name), "mutated-%u", i);
		bad += !try_one(data, size, folder, name);
	}
	return bad;
}

static unsigned try_cut(unsigned n, const char *folder)
{
	char name[64];
	unsigned bad = 0;
	for (unsigned which = 0; which < 3; which++)
		for (unsigned i = 0; i < n; i++) {
			uint64_t share = UINT64_C(65536) * i / n;
			uint8_t data[5] = { (uint8_t)which, PROGRAM_CUT,
					    (uint8_t)share,
					    (uint8_t)(share >> 8), 0 };
			snprintf(name, sizeof(name), "cut-%u-%u", which, i);
			bad += !try_one(data, sizeof(data), folder, name);
		}
	return bad;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: soak MUTATED CUT SEED [FOLDER]\n", stderr);
		return 2;
	}
	unsigned n = (unsigned)strtoul(argv[1], NULL, 10);
	unsigned cut = (unsigned)strtoul(argv[2], NULL, 10), bad;
	seed = strtoull(argv[3], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	if (!mutant_count()) {
		puts("ok - soak # SKIP no unpacked cores: run `make fixtures`");
		return 0;
	}
	for (unsigned i = 0; i < 8; i++)
		mutant_get(i);
	bad = try_mutated(n, argc > 4 ? argv[4] : NULL);
	bad += try_cut(cut, argc > 4 ? argv[4] : NULL);
	if (!bad)
		printf("ok - %u damaged and %u cut cores get answers\n", n,
		       3 * cut);
	return bad != 0;
}
