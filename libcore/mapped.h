// mapped.h: a file of ours as read-only bytes.
#pragma once

#include "libcore/base/bytes.h"

#include <sys/stat.h>

// struct mapped is a whole file, mapped. An empty file has no bytes.
// Owns: its mapping, from mapped_open to mapped_close, unless it is borrowed.
struct mapped {
	struct bytes bytes;
	bool borrowed;
};

// mapped_open maps the regular file path. Nothing else is ever opened, since
// opening a device or a pipe may block or do something.
// Fails: NONE when there is no such file; IO, also when it is no regular file.
HC_MUST enum hc mapped_open(const char *path, struct mapped *ret,
			    struct hc_err *err);

// mapped_fd maps the first len bytes of fd, which may be closed afterwards.
// Fails: IO.
HC_MUST enum hc mapped_fd(int fd, uint64_t len, struct mapped *ret,
			  struct hc_err *err);

// mapped_close unmaps it. A zeroed one is fine.
void mapped_close(struct mapped *m);

// mode_name names what a file is that is not a regular one ("a directory").
const char *mode_name(mode_t mode);
