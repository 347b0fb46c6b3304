// fuzz_go_modules.c: damaged module data, function tables and symbols.
#include "libheap/go/fuzz/mutant.h"
#include "libheap/go/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_lines(const struct go_process *p, const struct go_func *fn)
{
	struct go_line line[64];
	for (taddr pc = fn->entry; pc < fn->end && pc < fn->entry + 64;
	     pc += 16) {
		int32_t v;
		unsigned n = go_lines(p, fn, pc, line, 64);
		for (unsigned i = 0; i < n; i++) {
			mutant_hear(line[i].function);
			mutant_hear(line[i].file);
		}
		if (go_pc_value(fn, GO_TABLE_SP, pc, &v) ||
		    go_pc_value(fn, GO_TABLE_PCDATA + GO_PCDATA_STACKMAP, pc,
				&v))
			continue;
	}
	for (unsigned i = 0; i < 8; i++)
		(void)go_funcdata(fn, i);
}

static void ask(struct heap *heap, struct pool *pool)
{
	const struct go_process *p = heap_self(heap);
	struct go_func fn;
	for (size_t m = 0; m < p->n_modules && m < 8; m++) {
		uint64_t n = p->modules[m].n_funcs, step = n / 400 + 1;
		for (uint64_t i = 0; i < n; i += step) {
			if (go_func_nth(p, &p->modules[m], i, &fn))
				continue;
			mutant_hear(fn.name);
			ask_lines(p, &fn);
			char *mark = pool_mark(pool);
			mutant_hear(heap_reader_of(heap)->symbol(
				heap_self(heap), fn.entry + 1, pool));
			pool_rewind(pool, mark);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	mutant_ask(data, size, MUTANT_BIT(MODULE) | MUTANT_BIT(TABLE) |
		   MUTANT_BIT(DWARF) | MUTANT_BIT(VARIABLE), ask);
	return 0;
}
