// sink.h: the answer as the place where a file's bytes go.
#pragma once

#include "cli/session.h"
#include "libheap/dump/dump.h"

// sink_of returns what hands bytes to the answer, -o or standard output.
struct dump_sink sink_of(struct session *s);
