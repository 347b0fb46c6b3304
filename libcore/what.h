// what.h: what a file is that is not the one we hoped for.
#pragma once

#include "libcore/base/bytes.h"

// struct what is what a file is, and what to do about it.
// Shape: noun is like "a zip archive"; todo is like "unzip it first", or NULL.
struct what {
	const char *noun, *todo;
};

// what_is names what a file of these first bytes is that is no ELF file.
struct what what_is(struct bytes first);
