// globals_names.c: the runtime's variables by their names.
#include "libdwarfread/dwarfread.h"
#include "libheap/go/program/globals_find.h"

static const char *const qualified[GO_N_GLOBALS] = {
#define X(name) [G_##name] = "runtime." #name,
	GO_GLOBALS(X)
#undef X
};

enum { PREFIX_LEN = 8 }; // of "runtime."

const char *go_global_name(enum go_global g)
{
	return qualified[g] + PREFIX_LEN;
}

// struct search is one pass over the symbols.
struct search {
	taddr *at;
	taddr bias;
	unsigned found;
};

static bool look_at(void *ctx, const struct objfile_symbol *symbol)
{
	struct search *s = ctx;

	if (strncmp(symbol->name, qualified[0], PREFIX_LEN) != 0)
		return true;
	for (size_t i = 0; i < GO_N_GLOBALS; i++) {
		if (symbol->name[PREFIX_LEN] != qualified[i][PREFIX_LEN] ||
		    strcmp(symbol->name + PREFIX_LEN,
			   qualified[i] + PREFIX_LEN) != 0)
			continue;
		s->at[i] = symbol->addr + s->bias;
		s->found++;
		break;
	}
	return s->found < GO_N_GLOBALS;
}

unsigned go_globals_from_symbols(const struct go_process *process,
				 taddr at[GO_N_GLOBALS])
{
	const struct core_module *object = process->anchor.object;

	if (!object || !object->file)
		return 0;
	struct search s = { .at = at, .bias = object->bias };
	objfile_each_symbol(object->symbols, look_at, &s);
	return s.found;
}

unsigned go_globals_from_dwarf(struct go_process *process,
			       taddr at[GO_N_GLOBALS])
{
	struct dwarf_global found[GO_N_GLOBALS];
	struct dwarf *dwarf;
	unsigned n = 0;

	if (go_dwarf(process, &dwarf) ||
	    dwarf_find_globals(dwarf, qualified, GO_N_GLOBALS, found, NULL))
		return 0;
	for (size_t i = 0; i < GO_N_GLOBALS; i++) {
		if (!found[i].name)
			continue;
		at[i] = found[i].addr + process->anchor.object->bias;
		n++;
	}
	return n;
}
