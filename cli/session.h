// session.h: one question about one core, from opening to closing.
#pragma once

#include "cli/complain.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/out.h"
#include "libheap/heap.h"

struct command;
struct dump_base;
struct types;

// Exit statuses, as cli.md and the manual page define them.
enum { EXIT_ANSWERED = 0, EXIT_NO = 1, EXIT_USAGE = 2, EXIT_UNREAD = 3 };

// struct session is what a command works with.
// Shape: core and heap are NULL as long as the command does not need them;
//        file is what an error line names.
//        house is the pool of core, heap and reader, which give and take
//        there as they like; pool is the command's own; scratch is for names
//        that are printed and forgotten.
// Owns:  the pools and all in them, from session_open to session_close.
struct session {
	struct options o;
	const struct command *command;
	struct pool house, pool, scratch;
	struct core *core;
	struct heap *heap;
	const struct heap_reader *reader; // of heap, and its state
	void *self;
	struct dump_base *base; // of --append, NULL when there is none
	struct types *types; // see types.h, NULL as long as not asked for
	struct out *out;
	struct hc_err err;
	const char *file;
	uint64_t begun, phase_begun; // now_ns
	int statm; // with -v: what the system says of our memory
	uint64_t private_peak; // most anonymous memory at the end of a phase (-v)
};

// session_open opens what the command needs; s->o, s->command and s->out are
// set. Returns HC_NONE for a mistake in the call, the line being in s->err.
HC_MUST enum hc session_open(struct session *s);

// session_writes_folder says whether -o names a folder instead of a file.
bool session_writes_folder(const struct session *s);

// session_mark runs heap_mark, once.
HC_MUST enum hc session_mark(struct session *s);

// session_heap opens the heap of a core, as session_open does of its own.
// Owns: *ret lives in pool until heap_close. Fails: as heap_open, into s->err.
HC_MUST enum hc session_heap(struct session *s, struct core *core,
			     struct pool *pool, struct heap **ret);

// session_findings says on standard error what a core contradicts itself in,
// or where that can be read.
void session_findings(const struct session *s, struct core *core);

// session_shows says whether the answer itself has the findings.
bool session_shows(const struct session *s);

// session_end says what concerns every answer: findings, and with -v the time
// and memory it took. session_close lets go of everything.
void session_end(struct session *s);
void session_close(struct session *s);

// session_phase notes with -v that a phase has ended and what it did.
void session_phase(struct session *s, const char *name, uint64_t work,
		   const char *unit);

// session_rows says how many rows a list may have: -n, else a screenful for
// people and all for a program.
uint64_t session_rows(const struct session *s);

// session_lacks fails because the reader cannot tell.
HC_MUST enum hc session_lacks(struct session *s, const char *what);
