// memuse.c: one word for what a whole mapping is used for; see memtree.h.
#include "libheap/go/memory/memtree.h"

#include "libheap/go/heap/arenas.h"
#include "libheap/go/memory/mapuse.h"
#include "libheap/go/memory/offheap.h"

#include "libcore/base/search.h"

// struct go_memuse is made at the first question and kept.
struct go_memuse {
	struct go_mapuse *maps;
	struct go_offheap off;
};

static const struct go_memuse *memuse_of(struct go_process *process)
{
	if (process->memuse)
		return process->memuse;
	struct go_memuse *m = pool_new(process->pool, struct go_memuse, 1);
	if (!m ||
	    go_mapuse_open(process, process->pool, &m->maps, NULL) ||
	    go_offheap_find(process, process->pool, &m->off, NULL))
		return NULL;
	process->memuse = m;
	return m;
}

// layer_has says whether a layer claims any of [at, at + len).
static bool layer_has(const struct claims *layer, taddr at, uint64_t len)
{
	uint64_t low = search_while(i, layer->n,
				    layer->at[i].base + layer->at[i].len <= at);
	return low < layer->n && (layer->at[low].base <= at ||
				  layer->at[low].base - at < len);
}

// has_arena says whether [at, at + len) touches a heap arena.
static bool has_arena(const struct go_process *process, taddr at, uint64_t len)
{
	const struct go_arenas *a = process->arenas;
	for (size_t i = 0; i < a->n; i++)
		if (a->at[i].base <= at ? at - a->at[i].base < a->len :
					  a->at[i].base - at < len)
			return true;
	return false;
}

const char *go_memory_use(struct go_process *process, taddr at, uint64_t len)
{
	const struct go_memuse *m = memuse_of(process);
	size_t n, module;
	const struct core_segment *seg = core_segments(process->core, &n);
	const struct core_segment *s = NULL;

	if (has_arena(process, at, len))
		return "heap arena";
	if (!m)
		return NULL;
	if (layer_has(&m->off.runs, at, len) ||
	    layer_has(&m->off.pieces, at, len))
		return "runtime off-heap";
	size_t low = search_while(i, n, seg[i].base <= at);
	if (low)
		s = &seg[low - 1];
	if (!s || at - s->base >= s->len)
		return NULL;
	enum go_use use = go_mapuse_of(m->maps, s, false, &module);
	return module != SIZE_MAX ? "shared object" : go_use_name(use);
}
