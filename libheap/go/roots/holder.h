// holder.h: which roots belong together: those of a variable, of a goroutine,
// of what is set on an object.
#pragma once

#include "libheap/go/process.h"

// go_holder is heap_reader.holder: see there.
uint64_t go_holder(struct go_process *process, struct heap_root *root);
