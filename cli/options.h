// options.h: what the command line says, checked.
#pragma once

#include "libcore/core.h"

// OPTIONS lists every option once: identifier, long name, letter or 0, name
// of its value or NULL, kind, member of struct options, help.
#define OPTIONS(X)                                                            \
	X(CORE, "core", 'c', "FILE", TEXT, core, "the core file")             \
	X(EXE, "exe", 'e', "FILE", TEXT, exe,                                 \
	  "its executable; diff and series: or one each")                       \
	X(SYSROOT, "sysroot", 0, "DIR", TEXT, sysroot,                        \
	  "look for executable and libraries below DIR")                      \
	X(ALLOW_MISMATCH, "allow-mismatch", 0, NULL, FLAG, allow_mismatch,    \
	  "go on with an executable of another build")                        \
	X(SNAPSHOT, "snapshot", 0, "N", COUNT, snapshot,                      \
	  "which one of a heap-dump file's (default: the last)")              \
	X(JSON, "json", 0, NULL, FLAG, json, "answer in JSON")                \
	X(TOP, "top", 'n', "N", COUNT, top,                                   \
	  "at most N items (all: every one)")                                 \
	X(BYTES, "bytes", 0, NULL, FLAG, bytes, "sizes as plain bytes")       \
	X(OUTPUT, "output", 'o', "FILE", TEXT, output,                        \
	  "write the answer to FILE")                                         \
	X(FORCE, "force", 'f', NULL, FLAG, force,                             \
	  "let -o and --pprof replace an existing file")                      \
	X(THREADS, "threads", 'j', "N", COUNT, threads, "use N threads")      \
	X(MEMORY_LIMIT, "memory-limit", 0, "SIZE", SIZE, memory_limit,        \
	  "use at most SIZE of memory beside the mapped files")               \
	X(NO_COLOR, "no-color", 0, NULL, FLAG, no_color, "no bold text")      \
	X(QUIET, "quiet", 'q', NULL, FLAG, quiet,                             \
	  "no notes and no progress on standard error")                       \
	X(VERBOSE, "verbose", 'v', NULL, FLAG, verbose,                       \
	  "say how long each phase took")                                     \
	X(DEBUG, "debug", 0, NULL, FLAG, debug,                               \
	  "name the source line of an error")                                 \
	X(NO_SANDBOX, "no-sandbox", 0, NULL, FLAG, no_sandbox,                \
	  "do not give up system calls before reading")                       \
	X(HELP, "help", 'h', NULL, FLAG, help, "show help")                   \
	X(VERSION, "version", 0, NULL, FLAG, version, "show the version")     \
	X(MIN_SIZE, "min-size", 0, "SIZE", SIZE, min_size,                    \
	  "only objects of at least SIZE")                                    \
	X(TYPE, "type", 0, "REGEX", TEXT, type,                               \
	  "only what is of a type that matches")                              \
	X(BY, "by", 0, "WHAT", TEXT, by,                                      \
	  "type or package; size (types); goroutine or global (retained)")    \
	X(OF, "of", 0, "ADDR", ADDR, of,                                      \
	  "what this object or variable retains, and who retains it")         \
	X(THRESHOLD, "threshold", 0, "N", COUNT, threshold,                   \
	  "from N percent of live memory on (default 10)")                    \
	X(RETAINED, "retained", 0, NULL, FLAG, retained,                      \
	  "what would be free without it, too")                               \
	X(TYPES, "types", 0, NULL, FLAG, types, "the largest types too")      \
	X(LIVE, "live", 0, NULL, FLAG, live, "only reachable objects")        \
	X(GARBAGE, "garbage", 0, NULL, FLAG, garbage,                         \
	  "only objects that nothing reaches")                                \
	X(LEN, "len", 0, "SIZE", SIZE, len, "how many bytes to show")         \
	X(GROUP, "group", 0, NULL, FLAG, group,                               \
	  "merge equal stacks into a tree with counts")                       \
	X(FOLDED, "folded", 0, NULL, FLAG, folded,                            \
	  "one line a stack, as flame graphs are drawn from")                 \
	X(PPROF, "pprof", 0, "FILE", TEXT, pprof,                             \
	  "write a profile for `go tool pprof` to FILE")                      \
	X(HELD, "held", 0, NULL, FLAG, held,                                  \
	  "allocated where, and held by what")                                \
	X(WITH, "with", 0, "REGEX", TEXT, with,                               \
	  "only where function, file, state, creator or label matches")       \
	X(ALL_ROOTS, "all-roots", 0, NULL, FLAG, all_roots,                   \
	  "one path from every root that reaches it")                         \
	X(FROM, "from", 0, "ADDR", ADDR, from, "what this object leads to")   \
	X(TO, "to", 0, "ADDR", ADDR, to, "what leads to this object")         \
	X(DEPTH, "depth", 0, "N", COUNT, depth, "at most N steps away")       \
	X(FORMAT, "format", 0, "FORMAT", TEXT, format,                        \
	  "the format of the file")                                             \
	X(FULL, "full", 0, NULL, FLAG, full,                                  \
	  "every object, however many")                                       \
	X(VALUES, "values", 0, NULL, FLAG, values,                            \
	  "keep panic text, labels, command line and build settings")         \
	X(APPEND, "append", 0, NULL, FLAG, append,                            \
	  "add a snapshot to a heap-dump file that is there")

enum option_id {
#define X(id, name, letter, value, kind, member, help) OPT_##id,
	OPTIONS(X)
#undef X
	N_OPTIONS
};

// OPTION_BIT is an option as a member of a set; options up to OPT_VERSION are
// common to all commands.
#define OPTION_BIT(id) (UINT64_C(1) << OPT_##id)
#define OPTIONS_COMMON (2 * OPTION_BIT(VERSION) - 1)

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_COUNT, OPTION_SIZE,
		   OPTION_ADDR };

struct option_row {
	const char *name;
	char letter;
	const char *value;
	enum option_kind kind;
	size_t member; // offset in struct options
	const char *help;
};

// option_rows holds N_OPTIONS rows, in the order of enum option_id.
extern const struct option_row option_rows[N_OPTIONS];

#define OPTIONS_MAX_WORDS 64

// struct options is the command line after parsing.
// Units: sizes are bytes; UINT64_MAX is "all" for counts.
// Shape: given has the bit of every option that was named; words are what is
//        left: the command, its argument, CORE, EXE; exes are all values of
//        --exe, n_exes counts those that found no room, too.
// Owns:  nothing: the strings are main's.
struct options {
	uint64_t given;
	const char *core, *exe, *sysroot, *output, *pprof, *with, *format, *type, *by;
	uint64_t top, threads, memory_limit, min_size, len, depth;
	uint64_t threshold, snapshot;
	taddr from, to, of, address;
	bool allow_mismatch, json, bytes, force, no_color, quiet, verbose;
	bool debug, no_sandbox, help, version, group, all_roots, full, live, garbage;
	bool retained, types, values, folded, held, append;
	const char *words[OPTIONS_MAX_WORDS], *exes[OPTIONS_MAX_WORDS];
	unsigned n_words, n_exes;
};

// option_given says whether the option was named.
#define option_given(o, id) (((o)->given & OPTION_BIT(id)) != 0)

// options_parse reads the arguments (without the program's name); options may
// stand anywhere, `--` ends them.
// Fails: HC_FAIL, err->msg saying what is wrong, for people.
HC_MUST enum hc options_parse(int argc, char **argv, struct options *ret,
			      struct hc_err *err);

// parse_addr reads an address: hexadecimal, with or without 0x.
// parse_size reads a number of bytes: decimal or 0x…, with an optional unit
// (k, M, G, T, with or without B or iB: powers of 1024).
HC_MUST enum hc parse_addr(const char *text, taddr *ret);
HC_MUST enum hc parse_size(const char *text, uint64_t *ret);

// nearest returns the name among n (at stride bytes) that a mistyped word most
// likely meant, or NULL when none is near.
const char *nearest(const char *word, const char *const *names, size_t stride,
		    size_t n);
