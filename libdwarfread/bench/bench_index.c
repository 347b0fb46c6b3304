// bench_index.c: how long the bulk pass over an executable's DWARF takes.
//
// usage: bench_index FILE [REPEATS]
// Prints the least CPU time of the repeats beside the time to read each byte
// of .debug_info once, and the private memory of one.
#include "libdwarfread/tests/elfsections.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// private_kb returns our anonymous memory in use.
static long private_kb(void)
{
	char line[256];
	long ret = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %ld", &ret) == 1)
			break;
	if (f)
		fclose(f);
	return ret;
}

static double time_of_sum(struct bytes info)
{
	double from = now();
	uint64_t sum = 0;
	for (uint64_t i = 0; i + 8 <= info.len; i += 8)
		sum += get_u64(info.at + i);
	__asm__ volatile("" : : "r"(sum));
	return now() - from;
}

// one_pass opens, indexes and closes. *ret_kb is the memory it took.
static enum hc one_pass(const struct dwarf_sections *in, double *ret,
			long *ret_kb, uint64_t *ret_types, struct hc_err *err)
{
	struct pool pool;
	struct dwarf *d;
	long kb = private_kb();
	HC_TRY(pool_open(UINT64_C(1) << 32, &pool, err));
	double from = now();
	HC_TRY(dwarf_open(in, &pool, &d, err));
	HC_TRY(dwarf_type_count(d, ret_types, err));
	*ret = now() - from;
	*ret_kb = private_kb() - kb;
	if (dwarf_trouble(d)->first.src)
		fprintf(stderr, "trouble: %s\n", dwarf_trouble(d)->first.msg);
	dwarf_close(d);
	pool_close(&pool);
	return HC_OK;
}

int main(int argc, char **argv)
{
	struct bytes file;
	struct dwarf_sections in;
	struct hc_err err;
	uint64_t types;
	long kb = 0, first_kb = 0;
	if (argc < 2 || elf_map(argv[1], &file, &err) ||
	    elf_sections(file, &in, &err)) {
		fprintf(stderr, "usage: bench_index FILE [REPEATS]\n");
		return 2;
	}
	double best = 1e9, took, sum = time_of_sum(in.info.bytes);
	int repeats = argc > 2 ? atoi(argv[2]) : 5;
	for (int i = 0; i < repeats; i++) {
		if (one_pass(&in, &took, &kb, &types, &err)) {
			fprintf(stderr, "%s\n", err.msg);
			return 3;
		}
		first_kb = i ? first_kb : kb;
		best = took < best ? took : best;
	}
	took = time_of_sum(in.info.bytes);
	sum = took < sum ? took : sum;
	printf("index %.4f s, %.1f MB of .debug_info as stored, %" PRIu64
	       " types, %ld KB private, %.2f x reading it once\n",
	       best, (double)in.info.bytes.len / 1e6, types, first_kb,
	       best / sum);
	return 0;
}
