// commands.h: the one table of what heapcore can be asked.
#pragma once

#include "cli/session.h"

#define HEAPCORE_VERSION "0.1.0"
#define HEAPCORE_SCHEMA 1

// DUMP_FORMATS are the formats that `dump` writes.
#define DUMP_FORMATS "heapcore, moar2, moar3, v8, pprof, go, " \
		     "parquet"

// enum need says what is opened before a command runs.
enum need {
	NEED_NOTHING,
	NEED_CORE,  // the heap too where it can be read, else heap is NULL
	NEED_TRIED, // as NEED_CORE; the command then fails with session.err
	NEED_HEAP,
};

// struct command is one row.
// Shape: run answers HC_OK (exit 0), HC_NONE (the answer is no: exit 1) or
//        HC_FAIL with session.err set (exit 3). aliases are separated by
//        blanks. options are those beside the common ones, as a set of bits.
struct command {
	const char *name, *aliases;
	const char *argument; // "ADDR", or NULL
	enum need need;
	enum hc (*run)(struct session *s);
	const char *help;    // what it answers, in one line
	const char *example; // arguments of a call that shows it
	uint64_t options;
};

// command_table returns all rows, in the order in which help shows them.
const struct command *command_table(size_t *ret_n);

// command_find returns the row of that name or alias, or NULL.
const struct command *command_find(const char *name);

enum hc cmd_stats(struct session *s);
enum hc cmd_info(struct session *s);
enum hc cmd_mappings(struct session *s);
enum hc cmd_goroutines(struct session *s);
enum hc cmd_types(struct session *s);
enum hc cmd_objects(struct session *s);
enum hc cmd_object(struct session *s);
enum hc cmd_globals(struct session *s);
enum hc cmd_reachable(struct session *s);
enum hc cmd_retained(struct session *s);
enum hc cmd_suspects(struct session *s);
enum hc cmd_allocs(struct session *s);
enum hc cmd_objgraph(struct session *s);
enum hc cmd_verify(struct session *s);
enum hc cmd_dump(struct session *s);
enum hc cmd_diff(struct session *s);
enum hc cmd_series(struct session *s);
enum hc cmd_read(struct session *s);
enum hc cmd_help(struct session *s);
enum hc cmd_version(struct session *s);

// help_usage writes the short page: how to call, and one line a command.
void help_usage(struct out *out);

// help_command writes the page of one command.
void help_command(struct out *out, const struct command *command);
