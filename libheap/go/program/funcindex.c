// funcindex.c: any function by its name, from an index made when first asked.
#include "libheap/go/process.h"

#include "libcore/base/hash.h"

// A damaged table may have endless names, and as many alike as it likes.
enum { LOOKED_AT = 1024, HASHED = 48, PROBES = 64 };

// struct go_funcindex is a hash table of functions, numbered through all
// modules and from 1. Shape: at has mask + 1 places, less than half of them
// taken; 0 is a free one.
struct go_funcindex {
	uint32_t *at;
	uint64_t mask;
};

// hash takes the last bytes only: packages' names are long and much alike.
static uint64_t hash(const char *name)
{
	uint64_t n = strnlen(name, LOOKED_AT);
	uint64_t from = n > HASHED ? n - HASHED : 0;
	uint64_t h = hash_more(HASH_START, name + from, n - from);
	return h ^ h >> 29;
}

// numbered sets *ret to the function with a number, counted from 0.
static enum hc numbered(const struct go_process *process, uint64_t i,
			struct go_func *ret)
{
	size_t k = 0;
	while (i >= process->modules[k].n_funcs)
		i -= process->modules[k++].n_funcs;
	return go_func_nth(process, &process->modules[k], i, ret);
}

static struct go_funcindex *index_make(struct go_process *process)
{
	struct go_funcindex *index = pool_new(process->pool,
					      struct go_funcindex, 1);
	uint64_t n = 0, room = 16;
	for (size_t k = 0; k < process->n_modules; k++)
		n += process->modules[k].n_funcs;
	while (room / 2 <= n && room < UINT64_C(1) << 31)
		room *= 2;
	if (!index || room / 2 <= n)
		return NULL;
	index->at = pool_new(process->pool, uint32_t, room);
	index->mask = room - 1;
	for (uint64_t i = 0; index->at && i < n; i++) {
		struct go_func fn;
		if (numbered(process, i, &fn))
			continue;
		uint64_t h = hash(fn.name), end = h + PROBES;
		while (h < end && index->at[h & index->mask])
			h++;
		if (h < end)
			index->at[h & index->mask] = (uint32_t)i + 1;
	}
	return index->at ? index : NULL;
}

enum hc go_func_named(struct go_process *process, const char *name,
		      struct go_func *ret)
{
	if (!process->funcindex)
		process->funcindex = index_make(process);
	const struct go_funcindex *index = process->funcindex;
	if (!index)
		return HC_NONE;
	for (uint64_t h = hash(name), end = h + PROBES; h < end; h++) {
		uint32_t i = index->at[h & index->mask];
		if (!i)
			break;
		if (!numbered(process, i - 1, ret) && !strcmp(ret->name, name))
			return HC_OK;
	}
	return HC_NONE;
}
