// debuginfod.h: files of an executable from a debuginfod server.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// debuginfod_wanted says whether DEBUGINFOD_URLS names a server and its client
// library is installed.
bool debuginfod_wanted(void);

// debuginfod_fetch is core_input.fetch: it asks the servers for the debug file,
// or the executable, of a GNU build id, and returns its path in the client's
// cache, or NULL. Owns: the path, until it is called again.
const char *debuginfod_fetch(void *ctx, const uint8_t *id, uint64_t len,
			     bool debug);
