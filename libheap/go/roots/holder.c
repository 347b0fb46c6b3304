// holder.c: see holder.h.
#include "libheap/go/roots/holder.h"

#include "libheap/go/roots/rootplace.h"
#include "libheap/go/values/variables.h"

// Numbers of goroutines and of objects begin where no address of a variable is.
#define GOROUTINES (UINT64_C(1) << 62)
#define FINALIZERS (UINT64_C(2) << 62)

// The roots of one goroutine are a frame's word or two out of many: its holder
// is the goroutine as such, at no address.
static uint64_t of_goroutine(struct heap_root *root)
{
	root->at = 0;
	root->kind = HEAP_ROOT_FRAME;
	root->detail = go_detail(GO_IN_COPY, 0, 0);
	return GOROUTINES + root->owner;
}

uint64_t go_holder(struct go_process *process, struct heap_root *root)
{
	unsigned word = core_info(process->core)->word;
	struct go_variable variable;
	struct heap_ref ref;
	if (root->owner != HEAP_NO_OWNER)
		return of_goroutine(root);
	switch (go_place_of(root->detail)) {
	case GO_IN_DATA:
	case GO_IN_BSS:
		if (go_variable_at(process, root->at, &variable) == HC_OK)
			root->at = variable.at;
		return root->at;
	case GO_IN_FINALIZED:
		if (heap_find(process->heap, root->at, &ref) == HC_OK)
			root->at = heap_ref_at(process->heap, ref);
		return FINALIZERS | root->at;
	case GO_IN_CLEANUP: // its words follow each other
		root->at -= (uint64_t)go_place_number(root->detail) * word;
		root->detail = go_detail(GO_IN_CLEANUP, 0, 0);
		return root->at;
	default:
		return root->at ? root->at : ~root->target;
	}
}
