// snapshots.h: the heaps of the file that a question is about, one by one.
#pragma once

#include "cli/session.h"
#include "libheap/dump/dump.h"

// struct snapshots is what a walk over them holds.
// Owns: pool has the one that is open, unless that is the session's own.
struct snapshots {
	struct session *s;
	struct pool pool;
	struct core *core;
	struct heap *heap;
};

// snapshots_of returns all snapshots of a heap-dump file, in order, if
// --snapshot picks none; else the one heap that is open. Why one cannot be
// opened is in s->err, too. Owns: k keeps what is open, for its close.
struct dump_heaps snapshots_of(struct session *s, struct snapshots *k);
