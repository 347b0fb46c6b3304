// garbage.h: where dead memory begins: what nothing dead points to.
#pragma once

#include "libheap/csr.h"

// garbage_heads puts below the root of a graph of garbage every object that no
// other of it points to, and one of each ring that only itself leads to.
// seen says which objects others point to. Fails: NOMEM.
HC_MUST enum hc garbage_heads(struct csr *csr, const struct node_seen *seen,
			      struct pool *work, struct hc_err *err);
