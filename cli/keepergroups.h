// keepergroups.h: what is retained, by type, package, goroutine or variable.
#pragma once

#include "cli/session.h"

// keepers_groups answers `retained --by`. Fails: as types_open; NOMEM.
HC_MUST enum hc keepers_groups(struct session *s, struct heap_retained *r);

// struct type_groups is every type's group: its name, or its package.
// Shape: of[type] is below n, name[group] is what it is called.
struct type_groups {
	uint32_t *of, n;
	const char **name;
};

// type_groups_make puts types of one name (or package) into a group.
// Owns: the session's pool. Fails: NOMEM.
HC_MUST enum hc type_groups_make(struct session *s, bool by_package,
				 struct type_groups *ret);
