// cmd_help.c: `heapcore help`: pages made from the tables of commands and
// options.
#include "cli/commands.h"

#include <stdio.h>

// option_line prints one option: letter, name, value, what it does.
static void option_line(struct out *out, const struct option_row *row)
{
	char call[48];
	snprintf(call, sizeof(call), "--%s%s%s", row->name,
		 row->value ? " " : "", row->value ? row->value : "");
	if (row->letter)
		out_printf(out, "  -%c, %-22s %s\n", row->letter, call,
			   row->help);
	else
		out_printf(out, "      %-22s %s\n", call, row->help);
}

static void option_lines(struct out *out, uint64_t set)
{
	for (unsigned i = 0; i < N_OPTIONS; i++)
		if (set >> i & 1)
			option_line(out, &option_rows[i]);
}

void help_usage(struct out *out)
{
	size_t n;
	const struct command *table = command_table(&n);
	out_text(out, "heapcore looks into the heap of a dead Go program.\n\n"
		      "usage: heapcore COMMAND [ARGUMENT] [CORE [EXE]] "
		      "[OPTION...]\n\n");
	for (size_t i = 0; i < n; i++) {
		char call[32];
		snprintf(call, sizeof(call), "%s%s%s", table[i].name,
			 table[i].argument ? " " : "",
			 table[i].argument ? table[i].argument : "");
		out_printf(out, "  %-16s %s\n", call, table[i].help);
	}
	out_text(out, "\nCORE is a core file, also compressed (zstd, gzip, xz, "
		      "LZ4), or - for standard\ninput; left out, the newest "
		      "one in this directory. EXE left out is found\nthrough "
		      "the core. All about a command: heapcore help COMMAND\n");
}

void help_command(struct out *out, const struct command *command)
{
	const char *argument = command->argument;
	bool opens = command->need != NEED_NOTHING;
	out_printf(out, "heapcore %s: %s\n\nusage: heapcore %s%s%s%s "
		   "[OPTION...]\n", command->name, command->help,
		   command->name, argument ? " " : "",
		   argument ? argument : "", opens ? " [CORE [EXE]]" : "");
	if (command->aliases)
		out_printf(out, "also known as: %s\n", command->aliases);
	if (*command->example)
		out_printf(out, "example: heapcore %s %s\n", command->name,
			   command->example);
	if (command->options) {
		out_text(out, "\n");
		option_lines(out, command->options);
	}
	out_text(out, "\nOptions of all commands:\n");
	option_lines(out, OPTIONS_COMMON);
	out_text(out, "\nExit status: 0 answered; 1 the answer is no; 2 wrong "
		      "call; 3 could not read.\nThe manual page heapcore(1) "
		      "says more.\n");
}

static void help_json(struct out *out)
{
	struct json j;
	size_t n;
	const struct command *table = command_table(&n);
	json_begin(&j, out);
	json_open(&j, "commands", '[');
	for (size_t i = 0; i < n; i++) {
		json_open(&j, NULL, '{');
		json_text(&j, "name", table[i].name);
		json_text(&j, "aliases", table[i].aliases);
		json_text(&j, "argument", table[i].argument);
		json_text(&j, "help", table[i].help);
		json_open(&j, "options", '[');
		for (unsigned k = 0; k < N_OPTIONS; k++)
			if (table[i].options >> k & 1)
				json_text(&j, NULL, option_rows[k].name);
		json_close(&j, ']');
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "options", '[');
	for (unsigned k = 0; k <= OPT_VERSION; k++)
		json_text(&j, NULL, option_rows[k].name);
	json_close(&j, ']');
	json_end(&j);
}

enum hc cmd_help(struct session *s)
{
	const char *name = s->o.n_words > 1 ? s->o.words[1] : NULL;
	const struct command *command = name ? command_find(name) : NULL;
	if (s->o.json)
		help_json(s->out);
	else if (command)
		help_command(s->out, command);
	else
		help_usage(s->out);
	return HC_OK;
}
