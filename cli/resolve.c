// resolve.c: see resolve.h.
#include "cli/resolve.h"

#include "cli/commands.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

// mistake is a wrong call: the message is the whole line.
#define mistake(s, ...) \
	((void)hc_fail(&(s)->err, HC_UNSUPPORTED, 0, __VA_ARGS__), HC_NONE)

// take_argument reads the argument that the command needs.
static enum hc take_argument(struct session *s, unsigned *i)
{
	const struct command *c = s->command;
	if (!c->argument || (c->run == cmd_reachable && s->o.type))
		return HC_OK; // --type takes the place of the address
	if (*i == s->o.n_words)
		return mistake(s, "%s needs an argument: heapcore %s %s "
			       "[CORE [EXE]]", c->name, c->name, c->argument);
	const char *word = s->o.words[(*i)++];
	if (strcmp(c->argument, "ADDR") == 0 &&
	    parse_addr(word, &s->o.address))
		return mistake(s, "'%s' is not an address; it comes first: "
			       "heapcore %s %s [CORE [EXE]]", word, c->name,
			       c->argument);
	return HC_OK;
}

// take_file reads one more word as a file that -option may have named.
static enum hc take_file(struct session *s, unsigned *i, const char *what,
			 const char **file)
{
	if (*i == s->o.n_words)
		return HC_OK;
	const char *word = s->o.words[(*i)++];
	if (*file)
		return mistake(s, "%s is named twice: '%s' and '%s'", what,
			       *file, word);
	*file = word;
	return HC_OK;
}

// check_regex refuses a pattern that is none.
static enum hc check_regex(struct session *s, const char *option,
			   const char *pattern)
{
	regex_t regex;
	char why[128] = "";
	if (!pattern)
		return HC_OK;
	int bad = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	regerror(bad, &regex, why, sizeof(why));
	if (bad)
		return mistake(s, "--%s '%s': %s", option, pattern, why);
	regfree(&regex);
	return HC_OK;
}

// formats_of returns what --format may say to the command.
static const char *formats_of(const struct session *s)
{
	return s->command->run == cmd_dump ? DUMP_FORMATS :
					     "dot, json, graphml";
}

static bool is_format(const struct session *s, const char *word)
{
	size_t len = strlen(word);
	for (const char *f = formats_of(s); *f; f += strspn(f, ", ")) {
		size_t n = strcspn(f, ",");
		if (n == len && memcmp(f, word, n) == 0)
			return true;
		f += n;
	}
	return false;
}

// check_by refuses what the command cannot sum up by.
static enum hc check_by(struct session *s)
{
	bool retained = s->command->run == cmd_retained;
	const char *by = s->o.by;
	if (!by || strcmp(by, "type") == 0 || strcmp(by, "package") == 0 ||
	    (retained ? strcmp(by, "goroutine") == 0 ||
				strcmp(by, "global") == 0 :
			strcmp(by, "size") == 0))
		return HC_OK;
	return mistake(s, "--by '%s': it is one of type, package, %s", by,
		       retained ? "goroutine, global" : "size");
}

// check_values refuses values that no command could work with.
static enum hc check_values(struct session *s)
{
	HC_TRY(check_regex(s, "with", s->o.with));
	HC_TRY(check_regex(s, "type", s->o.type));
	HC_TRY(check_by(s));
	if (s->o.by && s->command->run == cmd_objgraph) {
		if (strcmp(s->o.by, "size") == 0)
			return mistake(s, "objgraph --by 'size': it is one of "
				       "type, package");
		if (option_given(&s->o, FROM) || option_given(&s->o, TO))
			return mistake(s, "--by draws all types: --from and "
				       "--to draw objects");
	}
	if (s->o.format && !is_format(s, s->o.format))
		return mistake(s, "--format '%s': it is one of %s",
			       s->o.format, formats_of(s));
	if (s->command->run == cmd_dump && !s->o.output)
		return mistake(s, "dump writes a file: name it with -o FILE "
			       "(-o - is standard output)");
	if (s->o.append && (strcmp(s->o.output, "-") == 0 ||
			    (s->o.format && strcmp(s->o.format, "heapcore"))))
		return mistake(s, "--append adds to a file in the format "
			       "heapcore");
	if (option_given(&s->o, SNAPSHOT) &&
	    (s->o.snapshot == 0 || s->o.snapshot > UINT32_MAX))
		return mistake(s, "--snapshot: they are counted from 1");
	if (s->o.live && s->o.garbage)
		return mistake(s, "--live and --garbage leave nothing");
	return HC_OK;
}

// check_exes refuses executables that belong to no core.
static enum hc check_exes(struct session *s)
{
	unsigned n = s->o.n_exes, files = s->o.n_words - 1;
	bool several = s->command->run == cmd_diff ||
		       s->command->run == cmd_series;
	if (n < 2 || (several && n == files))
		return HC_OK;
	if (!several)
		return mistake(s, "EXE is named twice: '%s' and '%s'",
			       s->o.exes[0], s->o.exes[1]);
	return mistake(s, "%u executables for %u files: name one with -e for "
		       "all of them, or one for each", n, files);
}

enum hc resolve_words(struct session *s)
{
	unsigned i = 1;
	HC_TRY(check_values(s));
	if (s->command->run == cmd_help && s->o.n_words > 1 &&
	    !command_find(s->o.words[1]))
		return mistake(s, "unknown command '%s' (`heapcore help` "
			       "lists them)", s->o.words[1]);
	if (s->command->run == cmd_diff &&
	    (s->o.n_words < 2 || s->o.n_words > 3))
		return mistake(s, "diff needs two files: heapcore diff A B");
	if (s->command->run == cmd_series && s->o.n_words < 2)
		return mistake(s, "series needs two files or more: heapcore "
			       "series A B C…");
	HC_TRY(check_exes(s));
	if (s->command->need == NEED_NOTHING)
		return HC_OK;
	HC_TRY(take_argument(s, &i));
	HC_TRY(take_file(s, &i, "CORE", &s->o.core));
	HC_TRY(take_file(s, &i, "EXE", &s->o.exe));
	if (i < s->o.n_words)
		return mistake(s, "'%s' is one argument too many: heapcore %s "
			       "%s%s[CORE [EXE]]", s->o.words[i],
			       s->command->name,
			       s->command->argument ? s->command->argument :
						      "",
			       s->command->argument ? " " : "");
	return HC_OK;
}

enum hc resolve_core(struct session *s, const char **ret)
{
	const char *env = getenv("HEAPCORE_CORE");
	const char *found = s->o.core;
	if (!found && env && *env) {
		found = env;
		if (!s->o.quiet)
			complain("core: %s (from $HEAPCORE_CORE)", found);
	}
	if (!found) {
		enum hc none = core_find_newest(".", &s->house, &found,
						&s->err);
		if (none == HC_NONE)
			return mistake(s, "no core: give one (heapcore %s%s%s "
				       "CORE), or go where a file core, "
				       "core.* or *.core is",
				       s->command->name,
				       s->command->argument ? " " : "",
				       s->command->argument ?
					       s->command->argument :
					       "");
		HC_TRY(none);
		if (!s->o.quiet)
			complain("core: %s (the newest here)", found);
	}
	*ret = found;
	return HC_OK;
}

const char *resolve_exe(const struct session *s)
{
	const char *env = getenv("HEAPCORE_EXE");
	if (s->o.exe)
		return s->o.exe;
	if (env && *env) {
		if (!s->o.quiet)
			complain("executable: %s (from $HEAPCORE_EXE)", env);
		return env;
	}
	return NULL;
}

void resolve_tell_exe(const struct session *s)
{
	const struct core_info *info = core_info(s->core);
	if (s->o.quiet)
		return;
	if (info->exe_path)
		complain("executable: %s (found through the core)",
			 info->exe_path);
	else
		complain("no executable found: name it with -e EXE for names "
			 "and for what the core left out");
}
