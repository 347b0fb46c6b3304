// globals.c: decides where the runtime's variables are.
#include "libheap/go/program/globals_find.h"

// judge chooses between what the code says of g and what the data does. Where
// they differ, a clear vote whose value passes its test wins.
static taddr judge(const struct go_process *process, enum go_global g,
		   struct go_vote code, taddr data)
{
	// What is no reference in this program leads anywhere, so even two
	// that agree are no accident.
	bool clear = code.votes > code.against &&
		     (code.votes >= 2 || code.of == 1);
	if (code.at == data || code.at == 0 || !clear)
		return data;
	bool valid = go_global_valid(process, g, code.at);
	taddr ret = valid ? code.at : data;
	if (data != 0)
		findings_add(process->findings, "ambiguous global", ret,
			     "runtime.%s is at 0x%" PRIx64 " for %" PRIu32
			     " of %" PRIu32 " references in the code, and at "
			     "0x%" PRIx64 " by its value; 0x%" PRIx64
			     " is used",
			     go_global_name(g), code.at, code.votes, code.of,
			     data, ret);
	return ret;
}

static void find_without_names(struct go_process *process)
{
	taddr data[GO_N_GLOBALS];
	struct go_vote code[GO_N_GLOBALS];

	go_globals_from_code(process, code);
	go_globals_from_data(process, data);
	for (int g = 0; g < GO_N_GLOBALS; g++)
		process->globals.at[g] = judge(process, (enum go_global)g,
					       code[g], data[g]);
	process->globals.source = "signatures and code";
}

enum hc go_globals_find(struct go_process *process, struct hc_err *err)
{
	static const enum go_global must[] = { G_mheap_, G_allgs, G_allm };
	struct go_globals *globals = &process->globals;

	*globals = (struct go_globals){ .source = "symbols" };
	go_globals_from_symbols(process, globals->at);
	if (!globals->at[G_mheap_] || !globals->at[G_allgs]) {
		*globals = (struct go_globals){ .source = "DWARF" };
		go_globals_from_dwarf(process, globals->at);
	}
	if (!globals->at[G_mheap_] || !globals->at[G_allgs]) {
		*globals = (struct go_globals){ 0 };
		find_without_names(process);
	}
	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++)
		if (globals->at[must[i]] == 0)
			return hc_fail(err, HC_UNSUPPORTED, 0,
				       "runtime.%s is not to be found in this "
				       "%s program",
				       go_global_name(must[i]),
				       process->version.text);
	return HC_OK;
}
