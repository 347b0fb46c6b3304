// lines.c: the functions, files and lines that a pc stands for.
//
// Inlined calls are a tree: the table PCDATA_InlTreeIndex names the innermost
// call at a pc, and parentPc is a pc in whatever it was inlined into.
// Source: runtime/symtab.go and traceback.go (1.18 to 1.20), symtabinl.go
// (1.21 to 1.27), inlinedCall.
#include "libheap/go/process.h"

// struct inlined is one entry of the tree.
struct inlined {
	const char *name;
	uint8_t func_id;
	taddr parent_pc;
};

static bool inlined_at(const struct go_process *process,
		       const struct go_func *fn, taddr pc, struct inlined *ret)
{
	const struct go_module *m = fn->module;
	taddr tree = go_funcdata(fn, GO_FUNCDATA_INLINE);
	int32_t i;
	if (tree == 0 || go_pc_value(fn, GO_TABLE_PCDATA + GO_PCDATA_INLINE, pc,
				     &i) || i < 0)
		return false;
	// 1.20 dropped parent, file and line, and added startLine.
	bool old = m->func_len < 44;
	uint64_t len = old ? 20 : 16;
	const uint8_t *e;
	if (core_view(process->core, tree + (uint64_t)i * len, len, &e, NULL))
		return false;
	uint32_t name = get_u32(e + (old ? 12 : 4));
	uint32_t parent = get_u32(e + (old ? 16 : 8));
	if (name >= m->funcnametab.len || parent >= fn->end - fn->entry)
		return false;
	*ret = (struct inlined){
		.name = (const char *)m->funcnametab.at + name,
		.func_id = e[old ? 2 : 0],
		.parent_pc = fn->entry + parent,
	};
	return true;
}

static void file_line(const struct go_func *fn, taddr pc, struct go_line *ret)
{
	const struct go_module *m = fn->module;
	int32_t v;
	if (!go_pc_value(fn, GO_TABLE_LINE, pc, &v) && v > 0)
		ret->line = (uint32_t)v;
	if (go_pc_value(fn, GO_TABLE_FILE, pc, &v) || v < 0)
		return;
	uint64_t cu = get_u32(fn->record + 32) + (uint64_t)(uint32_t)v;
	if (cu >= m->cutab.len / 4)
		return;
	uint32_t off = get_u32(m->cutab.at + 4 * cu);
	if (off < m->filetab.len)
		ret->file = (const char *)m->filetab.at + off;
}

unsigned go_lines(const struct go_process *process, const struct go_func *fn,
		  taddr pc, struct go_line *ret, unsigned max)
{
	for (unsigned n = 0; n < max; n++) {
		struct inlined in;
		ret[n] = (struct go_line){ .function = fn->name,
					   .func_id = fn->id };
		file_line(fn, pc, &ret[n]);
		if (!inlined_at(process, fn, pc, &in))
			return n + 1;
		ret[n].function = in.name;
		ret[n].func_id = in.func_id;
		ret[n].inlined = true;
		pc = in.parent_pc;
	}
	return max;
}
