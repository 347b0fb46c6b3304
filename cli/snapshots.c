// snapshots.c: see snapshots.h.
//
// No file is opened, since that is forbidden by now: the session has the bytes,
// and its own heap is the last one.
#include "cli/snapshots.h"

static void let_go(void *ctx)
{
	struct snapshots *k = ctx;
	const struct session *s = k->s;
	if (k->heap && !s->o.quiet)
		session_findings(s, k->core);
	heap_close(k->heap);
	core_close(k->core);
	pool_close(&k->pool);
	*k = (struct snapshots){ .s = k->s };
}

static enum hc open_other(struct snapshots *k, uint32_t number)
{
	struct session *s = k->s;
	uint64_t left = (uint64_t)(s->pool.end - s->pool.next);
	HC_TRY(pool_open(left + 1, &k->pool, &s->err));
	HC_TRY(dump_open_other(s->core, number, &k->pool, &k->core, &s->err));
	return session_heap(s, k->core, &k->pool, &k->heap);
}

static enum hc open_one(void *ctx, unsigned i, struct heap **ret,
			struct hc_err *err)
{
	struct snapshots *k = ctx;
	struct session *s = k->s;
	const struct core_info *info = core_info(s->core);
	if (s->o.snapshot || i + 1 >= info->n_snapshots) {
		*ret = s->heap;
		return HC_OK;
	}
	enum hc got = open_other(k, i + 1);
	if (got == HC_OK)
		*ret = k->heap;
	else
		let_go(k);
	if (got && err != &s->err)
		*err = s->err;
	return got;
}

struct dump_heaps snapshots_of(struct session *s, struct snapshots *k)
{
	uint32_t n = core_info(s->core)->n_snapshots;
	*k = (struct snapshots){ .s = s };
	return (struct dump_heaps){ s->o.snapshot || n == 0 ? 1 : n, open_one,
				    let_go, k };
}
