// fuzz_program.c: the program with all its commands on mutants of real cores.
#include "cli/fuzz/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int quiet = -1;
	if (quiet < 0) {
		quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(quiet, STDOUT_FILENO);
	}
	int status = program_ask(data, size);
	if (status < 0 || status > 3)
		abort();
	return 0;
}
