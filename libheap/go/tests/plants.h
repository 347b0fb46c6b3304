// plants.h: damages to plant in a sound core, each with the words that name it.
#pragma once

#include "libheap/go/tests/patch.h"

// struct plant is one.
// Shape: plant does it, or returns false where this core has no such thing;
//        says is part of the finding, kind included. plant is NULL behind the
//        last.
struct plant {
	const char *name;
	bool (*plant)(struct patch *p);
	const char *says;
};
extern const struct plant plants[];
