// outdir.h: -o DIR, a folder of files that appears whole or not at all.
//
// The files go into a temporary folder beside DIR, which is renamed when all
// are complete. A signal that ends the program takes it along.
#pragma once

#include "libcore/base/err.h"

#include <stdbool.h>

// outdir_open makes the temporary folder; a DIR that exists is refused unless
// force. Fails: IO.
HC_MUST enum hc outdir_open(const char *path, bool force, struct hc_err *err);

// outdir_create opens a new file of that name in it. Fails: IO.
HC_MUST enum hc outdir_create(const char *name, int *ret_fd,
			      struct hc_err *err);

// outdir_commit gives the folder its name; outdir_discard removes it. After
// either, and without an open folder, both do nothing.
// Fails: IO; the temporary folder is gone then.
HC_MUST enum hc outdir_commit(struct hc_err *err);
void outdir_discard(void);
