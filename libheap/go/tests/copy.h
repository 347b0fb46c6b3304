// copy.h: a core of the zoo in a file of its own, mapped for writing.
#pragma once

#include <stdint.h>

// struct core_copy is such a file. Owns: closed with copy_close.
struct core_copy {
	char path[64];
	uint8_t *bytes;
	uint64_t len;
};

// copy_open copies the file at a path, holes kept. Fails: the test.
void copy_open(const char *core, struct core_copy *ret);

// copy_close removes the file.
void copy_close(struct core_copy *copy);
