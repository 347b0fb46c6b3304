// main.c: the table of commands, and the way from a call to its row.
#include "cli/commands.h"
#include "cli/outdir.h"
#include "cli/outfile.h"
#include "cli/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command table[] = {
	{ "stats", "breakdown", NULL, NEED_TRIED, cmd_stats,
	  "what all this memory is: start here",
	  "core.4711 ./server --types", OPTION_BIT(TYPES) },
	{ "info", "overview", NULL, NEED_CORE, cmd_info,
	  "who died and how: program, versions, signal, panic, GC state",
	  "core.4711", 0 },
	{ "mappings", NULL, NULL, NEED_CORE, cmd_mappings,
	  "every mapping: range, permissions, sizes, file, use",
	  "core.4711 -n all", 0 },
	{ "goroutines", NULL, NULL, NEED_HEAP, cmd_goroutines,
	  "what each goroutine was doing",
	  "core.4711 --group --with 'chan receive'",
	  OPTION_BIT(GROUP) | OPTION_BIT(FOLDED) | OPTION_BIT(PPROF) |
		  OPTION_BIT(WITH) | OPTION_BIT(RETAINED) },
	{ "types", "histogram histo", NULL, NEED_HEAP, cmd_types,
	  "which types the memory is: count and bytes",
	  "core.4711 --by package",
	  OPTION_BIT(BY) | OPTION_BIT(GARBAGE) | OPTION_BIT(MIN_SIZE) |
		  OPTION_BIT(TYPE) | OPTION_BIT(RETAINED) },
	{ "objects", NULL, NULL, NEED_HEAP, cmd_objects,
	  "one line per object: address, size, type, live or garbage",
	  "core.4711 --min-size 1M",
	  OPTION_BIT(MIN_SIZE) | OPTION_BIT(LIVE) | OPTION_BIT(GARBAGE) |
		  OPTION_BIT(TYPE) },
	{ "object", NULL, "ADDR", NEED_HEAP, cmd_object,
	  "all about one object: type, values, references, what holds it",
	  "0xc000012345 core.4711", 0 },
	{ "globals", NULL, NULL, NEED_HEAP, cmd_globals,
	  "the package variables: name, type, size, address",
	  "core.4711 --type Cache", OPTION_BIT(TYPE) | OPTION_BIT(RETAINED) },
	{ "reachable", NULL, "ADDR", NEED_HEAP, cmd_reachable,
	  "why an object is alive: the path from a root to it",
	  "0xc000012345 core.4711 -n 3",
	  OPTION_BIT(ALL_ROOTS) | OPTION_BIT(TYPE) },
	{ "retained", NULL, NULL, NEED_HEAP, cmd_retained,
	  "who holds the memory: what would be free without each",
	  "core.4711 --of 0xc000012345",
	  OPTION_BIT(OF) | OPTION_BIT(BY) | OPTION_BIT(GARBAGE) },
	{ "suspects", NULL, NULL, NEED_HEAP, cmd_suspects,
	  "what may hold memory by mistake, with path and evidence",
	  "core.4711 --threshold 5", OPTION_BIT(THRESHOLD) },
	{ "allocs", NULL, NULL, NEED_HEAP, cmd_allocs,
	  "where sampled memory was allocated, as a tree of calls",
	  "core.4711 --held", OPTION_BIT(FOLDED) | OPTION_BIT(PPROF) | OPTION_BIT(HELD) },
	{ "objgraph", NULL, NULL, NEED_HEAP, cmd_objgraph,
	  "the object graph as DOT, JSON or GraphML",
	  "core.4711 --from 0xc000012345 --depth 3 | dot -Tsvg >graph.svg",
	  OPTION_BIT(FROM) | OPTION_BIT(TO) | OPTION_BIT(DEPTH) |
		  OPTION_BIT(FORMAT) | OPTION_BIT(FULL) | OPTION_BIT(BY) },
	{ "verify", NULL, NULL, NEED_HEAP, cmd_verify,
	  "whether the heap itself is sound",
	  "core.4711", 0 },
	{ "dump", NULL, NULL, NEED_HEAP, cmd_dump,
	  "the analyzed heap as a file, without memory contents",
	  "core.4711 -o server.heapcore",
	  OPTION_BIT(FORMAT) | OPTION_BIT(VALUES) | OPTION_BIT(APPEND) },
	{ "diff", NULL, "A B", NEED_NOTHING, cmd_diff,
	  "what grew between two cores or dumps of one process",
	  "monday.core friday.heapcore -e ./server", OPTION_BIT(THRESHOLD) },
	{ "series", NULL, "A B C…", NEED_NOTHING, cmd_series,
	  "what grows from core to core and never shrinks",
	  "*.heapcore", 0 },
	{ "read", NULL, "ADDR", NEED_CORE, cmd_read,
	  "raw memory as hex and text, with names",
	  "0xc000012345 core.4711 --len 64", OPTION_BIT(LEN) },
	{ "help", NULL, NULL, NEED_NOTHING, cmd_help,
	  "this list, or all about one command",
	  "reachable", 0 },
	{ "version", NULL, NULL, NEED_NOTHING, cmd_version,
	  "the version of heapcore", "", 0 },
};

const struct command *command_table(size_t *ret_n)
{
	*ret_n = sizeof(table) / sizeof(table[0]);
	return table;
}

// has_alias says whether name is one of the words in aliases.
static bool has_alias(const char *aliases, const char *name)
{
	size_t len = strlen(name);
	for (const char *a = aliases; a && *a;) {
		size_t n = strcspn(a, " ");
		if (n == len && strncmp(a, name, n) == 0)
			return true;
		a += n + strspn(a + n, " ");
	}
	return false;
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, name) == 0 ||
		    has_alias(table[i].aliases, name))
			return &table[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *near = nearest(name, &table[0].name, sizeof(table[0]),
				   sizeof(table) / sizeof(table[0]));
	if (near)
		complain("unknown command '%s'; did you mean '%s'?", name,
			 near);
	else if (access(name, F_OK) == 0)
		complain("unknown command '%s'; to look into that file: "
			 "heapcore stats %s", name, name);
	else
		complain("unknown command '%s' (`heapcore help` lists them)",
			 name);
	return EXIT_USAGE;
}

// check_options refuses what the command does not know.
static enum hc check_options(const struct session *s)
{
	uint64_t foreign = s->o.given &
			   ~(OPTIONS_COMMON | s->command->options);
	if (!foreign)
		return HC_OK;
	const struct option_row *row = &option_rows[__builtin_ctzll(foreign)];
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!(table[i].options & foreign & -foreign))
			continue;
		complain("%s has no option --%s (%s has)", s->command->name,
			 row->name, table[i].name);
		return HC_NONE;
	}
	complain("%s has no option --%s", s->command->name, row->name);
	return HC_NONE;
}

// check_pprof makes the profile the output, and refuses what asks for another
// one.
static enum hc check_pprof(struct options *o)
{
	static const enum option_id others[] = { OPT_OUTPUT, OPT_JSON,
						 OPT_GROUP, OPT_FOLDED,
						 OPT_HELD, OPT_RETAINED };
	if (!o->pprof)
		return HC_OK;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!(o->given >> others[i] & 1))
			continue;
		complain("--pprof FILE is all of the answer: it does not go "
			 "together with --%s", option_rows[others[i]].name);
		return HC_NONE;
	}
	o->output = o->pprof;
	return HC_OK;
}

// finish brings the answer to where it belongs and says how it went. Whoever
// stops reading early has what they wanted.
static int finish(struct session *s, enum hc answer)
{
	out_flush(s->out);
	if (answer == HC_FAIL) {
		complain_err(s->file, &s->err, s->o.debug);
		if (s->core && !s->o.quiet && !session_shows(s))
			session_findings(s, s->core);
		return EXIT_UNREAD;
	}
	session_end(s);
	const char *where = s->o.output ? s->o.output : "standard output";
	if (s->out->error && s->out->error != EPIPE) {
		complain("%s: cannot write: %s", where,
			 strerror(s->out->error));
		return EXIT_UNREAD;
	}
	if (outfile_commit(&s->err) || outdir_commit(&s->err)) {
		complain_err(where, &s->err, s->o.debug);
		return EXIT_UNREAD;
	}
	return answer == HC_NONE ? EXIT_NO : EXIT_ANSWERED;
}

// open_output opens what -o names: a file, for one format a folder.
static enum hc open_output(struct session *s, int *fd)
{
	if (!s->o.output)
		return HC_OK;
	if (session_writes_folder(s))
		return outdir_open(s->o.output, s->o.force, &s->err);
	return outfile_open(s->o.output, s->o.force || s->o.append, fd,
			    &s->err);
}

static int run(struct session *s)
{
	int fd = STDOUT_FILENO;
	if (resolve_words(s)) {
		complain("%s", s->err.msg);
		return EXIT_USAGE;
	}
	if (open_output(s, &fd)) {
		complain_err(s->o.output, &s->err, s->o.debug);
		return EXIT_UNREAD;
	}
	const char *no_color = getenv("NO_COLOR");
	out_init(s->out, fd);
	s->out->exact = s->o.bytes;
	s->out->color = isatty(fd) && !s->o.no_color &&
			!(no_color && *no_color);
	enum hc answer = session_open(s);
	if (answer == HC_NONE) {
		complain("%s", s->err.msg);
		return EXIT_USAGE;
	}
	if (!answer)
		answer = s->command->run(s);
	return finish(s, answer);
}

int main(int argc, char **argv)
{
	static struct out out;
	struct session s = { .out = &out };
	outfile_catch_signals();
	out_init(&out, STDOUT_FILENO);
	if (options_parse(argc - 1, argv + 1, &s.o, &s.err)) {
		complain("%s", s.err.msg);
		return EXIT_USAGE;
	}
	const char *name = s.o.n_words ? s.o.words[0] :
			   s.o.version ? "version" :
			   s.o.help    ? "help" :
					 NULL;
	if (!name) {
		out_init(&out, STDERR_FILENO);
		help_usage(&out);
		out_flush(&out);
		return EXIT_USAGE;
	}
	s.command = command_find(s.o.version ? "version" : name);
	if (!s.command)
		return unknown_command(name);
	if (s.o.help && s.o.n_words) {
		help_command(&out, s.command);
		return finish(&s, HC_OK);
	}
	int status = check_options(&s) || check_pprof(&s.o) ? EXIT_USAGE :
							      run(&s);
	outfile_discard();
	outdir_discard();
	session_close(&s);
	return status;
}
