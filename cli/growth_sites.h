// growth_sites.h: which stacks allocated what several cores have in use.
#pragma once

#include "cli/growth.h"
#include "cli/intern.h"

// growth_sites adds up what each stack of the profile of core number `core`,
// open as sub, has in use, if all cores so far have a profile; without one
// it clears g->has_sites.
// Owns: rows are in pool, which is not sub's. Fails: NOMEM.
HC_MUST enum hc growth_sites(struct growth *g, unsigned core,
			     struct session *sub, struct pool *pool,
			     struct interned *names);
