// fuzz_unpack.c: any bytes as a compressed core.
#include "libcore/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_UNPACKED = 1 << 22 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct pool pool;
	struct core *core = NULL;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct core_input in = { .core = path, .tmpdir = "/dev/shm",
				 .max_unpacked = MAX_UNPACKED };
	if (write(fd, data, size) == (ssize_t)size &&
	    pool_open(UINT64_C(1) << 28, &pool, NULL) == HC_OK) {
		if (core_open(&in, &pool, &core, NULL) == HC_OK &&
		    core_info(core)->compressed &&
		    core_info(core)->file_bytes > MAX_UNPACKED)
			abort();
		core_close(core);
		pool_close(&pool);
	}
	close(fd);
	return 0;
}
