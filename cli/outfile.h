// outfile.h: -o FILE, which appears whole or not at all.
//
// The answer goes to a temporary file beside FILE and is renamed when it is
// complete. A signal that ends the program takes the temporary file with it.
#pragma once

#include "libcore/base/err.h"

#include <stdbool.h>

// outfile_open opens what will become path for writing; an existing file is
// refused unless force. Devices and pipes are written to directly; "-" is
// standard output.
// Fails: IO.
HC_MUST enum hc outfile_open(const char *path, bool force, int *ret_fd,
			     struct hc_err *err);

// outfile_commit gives the file its name; outfile_discard removes it. After
// either, and without an open file, both do nothing.
// Fails: IO; the temporary file is gone then.
HC_MUST enum hc outfile_commit(struct hc_err *err);
void outfile_discard(void);

// outfile_catch_signals makes signals that end the program remove the
// temporary file, and SIGBUS say that a file changed while it was read.
void outfile_catch_signals(void);
