// program.c: see program.h.
#include "cli/fuzz/program.h"

#include "cli/outfile.h"
#include "libheap/go/fuzz/mutant.h"

// Whoever runs the program in a process of theirs has signals of their own:
// libFuzzer's clock is SIGALRM.
#define outfile_catch_signals() ((void)0)
#define main heapcore_main
#include "cli/main.c"
#undef main

#include <stdio.h>

// What is asked; {} stands for the address of an object.
static const char *const asked[][3] = {
	{ "stats", "--json", NULL },	 { "types", NULL, NULL },
	{ "goroutines", NULL, NULL },	 { "reachable", "{}", NULL },
	{ "retained", NULL, NULL },	 { "verify", NULL, NULL },
	{ "object", "{}", NULL },	 { "stats", NULL, NULL },
	{ "info", "--json", NULL },	 { "mappings", NULL, NULL },
	{ "objects", "--json", NULL },	 { "objgraph", NULL, NULL },
	{ "globals", NULL, NULL },	 { "goroutines", "--group", NULL },
	{ "suspects", NULL, NULL },	 { "allocs", NULL, NULL },
	{ "types", "--json", NULL },	 { "read", "{}", NULL },
};
enum { N = sizeof(asked) / sizeof(asked[0]) };

unsigned program_commands(void)
{
	return N;
}

const char *program_command(unsigned i)
{
	return asked[i % N][0];
}

// ask calls main about a core by its path.
static int ask(struct mutant *m, unsigned command, const char *core,
	       unsigned pick)
{
	struct core_input in = mutant_input(m);
	char address[32];
	const char *args[16] = { "heapcore", asked[command][0] };
	int n = 2;
	snprintf(address, sizeof(address), "0x%" PRIx64,
		 mutant_object(m, pick));
	for (int i = 1; i < 3 && asked[command][i]; i++)
		args[n++] = strcmp(asked[command][i], "{}") == 0 ?
				    address :
				    asked[command][i];
	static const char *const all[] = { "-q", "-j", "1", "--memory-limit",
					   "1G", "--allow-mismatch" };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		args[n++] = all[i];
	args[n++] = core;
	args[n++] = in.exe;
	return heapcore_main(n, (char **)(uintptr_t)args);
}

int program_ask(const uint8_t *data, size_t size)
{
	if (size < 4 || !mutant_count())
		return 0;
	struct mutant *m = mutant_get(data[0]);
	unsigned command = (data[1] & 0x7fu) % N, pick = data[size - 1];
	bool cut = data[1] & PROGRAM_CUT;
	uint64_t share = data[2] | (uint64_t)data[3] << 8;
	size_t head = cut ? 4 : 2;
	if (!m || !command_find(asked[command][0]))
		return 0;
	mutant_damage(m, MUTANT_ALL, data + head, size - head);
	char path[48];
	struct core_input in = mutant_input(m);
	snprintf(path, sizeof(path), "%s", in.core);
	int fd = -1;
	if (cut) {
		fd = mutant_cut(m, mutant_len(m) * share / 65536);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	int status = ask(m, command, path, pick);
	if (fd >= 0)
		close(fd);
	mutant_mend(m);
	return status;
}
