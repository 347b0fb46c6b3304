// process.h: what core_info says of the process, in words.
#pragma once

#include "cli/session.h"

// process_arch returns the architecture as Go names it.
const char *process_arch(const struct core_info *info);

// process_signal spells a signal ("SIGSEGV"); 0 and unknown ones by number.
struct word process_signal(int number);

// process_signal_cause returns what siginfo says of why it came ("address not
// mapped"), or NULL when it says nothing.
// Source: Linux include/uapi/asm-generic/siginfo.h.
const char *process_signal_cause(const struct core_info *info);

// process_has_fault says whether the signal came from an access that failed,
// so that fault_address means something; process_has_sender whether a process
// sent it.
bool process_has_fault(const struct core_info *info);
bool process_has_sender(const struct core_info *info);
