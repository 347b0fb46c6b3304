// sandbox.h: from here on, no new files, no network, no programs.
#pragma once

#include <stdbool.h>

// sandbox_enter gives up what reading a hostile core never needs, for this
// thread and those that it starts: what is open stays usable. With names,
// new files may be made, and what was written be given its name or removed. It returns
// false where the system has no such filter, or a sanitizer needs more.
// Source: seccomp(2); Linux include/uapi/linux/seccomp.h.
bool sandbox_enter(bool names);
