// pcs.c: see pcs.h.
#include "libheap/go/stacks/pcs.h"

#include "libheap/go/stacks/threads.h"

#define N_PCS 16384u // of about 250 bytes each; only touched ones cost memory

struct go_pcs {
	struct go_pc at[N_PCS];
};

enum hc go_pcs_make(struct pool *pool, struct go_pcs **ret,
		    struct hc_err *err)
{
	struct go_pcs *pcs = pool_new(pool, struct go_pcs, 1);

	if (!pcs)
		return hc_nomem(err);
	*ret = pcs;
	return HC_OK;
}

// Source: runtime/stkframe.go, argMapInternal (1.21–1.27); traceback.go,
// getArgInfo (1.18–1.20).
static bool is_reflect(const struct go_func *fn)
{
	return fn->args == INT32_MIN &&
	       (strcmp(fn->name, "reflect.makeFuncStub") == 0 ||
		strcmp(fn->name, "reflect.methodValueCall") == 0);
}

#define PCSP_OFF 16 // of _func: entry, name, args, deferreturn come first

struct go_pc *go_pc_at(const struct go_process *process, taddr pc)
{
	uint32_t k = (uint32_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 40) %
		     N_PCS;
	struct go_pc *at = &process->threads->pcs->at[k];

	if (at->pc == pc && pc != 0)
		return at;
	*at = (struct go_pc){ .pc = pc, .sp_delta = GO_NO_DELTA };
	if (go_func_at(process, pc, &at->fn)) {
		at->fn.record = NULL;
		return at;
	}
	at->has_table = get_u32(at->fn.record + PCSP_OFF) != 0;
	if (go_pc_value(&at->fn, GO_TABLE_SP, pc, &at->sp_delta))
		at->sp_delta = GO_NO_DELTA;
	at->is_reflect = is_reflect(&at->fn);
	return at;
}
