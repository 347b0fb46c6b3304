// made.c: a core made out of what was written down of one.
#include "libcore/process.h"

enum hc core_make(const struct core_parts *parts, struct pool *pool,
		  struct core **ret, struct hc_err *err)
{
	struct core *core = pool_new(pool, struct core, 1);
	if (!core)
		return hc_nomem(err);
	core->pool = pool;
	core->findings.pool = pool;
	core->origin = parts->origin;
	core->info = parts->info;
	core->file = (struct mapped){ .borrowed = true };
	core->segments = pool_new(pool, struct core_segment,
				  parts->n_segments + 1);
	core->threads.at = pool_new(pool, struct core_thread,
				    parts->n_threads + 1);
	core->modules.at = pool_new(pool, struct core_module,
				    parts->n_modules + 1);
	if (!core->segments || !core->threads.at || !core->modules.at)
		return hc_nomem(err);
	core->n_segments = parts->n_segments;
	core->threads.n = core->threads.cap = parts->n_threads;
	core->modules.n = core->modules.cap = parts->n_modules;
	for (size_t i = 0; i < parts->n_segments; i++)
		core->segments[i] = parts->segments[i];
	for (size_t i = 0; i < parts->n_threads; i++)
		core->threads.at[i] = parts->threads[i];
	for (size_t i = 0; i < parts->n_modules; i++)
		core->modules.at[i] = parts->modules[i];
	*ret = core;
	return HC_OK;
}

const void *core_origin(const struct core *core)
{
	return core->origin;
}
