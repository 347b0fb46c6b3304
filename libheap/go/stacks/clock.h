// clock.h: what the runtime's clock last said.
#pragma once

#include "libheap/go/process.h"

// go_last_time returns the latest reading of the runtime's monotonic clock
// that the scheduler kept, 0 when there is none. Units: nanoseconds.
// Source: runtime/proc.go, sysmon and retake; netpoll (1.18–1.27).
uint64_t go_last_time(const struct go_process *process);
