// debuginfo.c: opens the debug information of the file with the runtime.
#include "libdwarfread/dwarfread.h"
#include "libheap/go/process.h"

#define SHF_COMPRESSED_BIT 0x800u // Source: ELF gABI chapter 4

static void gather(const struct core *core, const struct objfile *file,
		   struct dwarf_sections *ret)
{
	size_t n;
	const struct objfile_section *s = objfile_sections(file, &n);

	for (size_t i = 0; i < n; i++) {
		struct dwarf_section *to = dwarf_section_of(ret, s[i].name);
		if (!to || to->bytes.len > 0)
			continue;
		to->bytes = s[i].bytes;
		if (s[i].flags & SHF_COMPRESSED_BIT)
			to->kind = core_info(core)->word == 8 ?
					   INFLATE_CHDR64 :
					   INFLATE_CHDR32;
		else if (strncmp(s[i].name, ".zdebug_", 8) == 0)
			to->kind = INFLATE_ZDEBUG;
	}
}

enum hc go_dwarf(struct go_process *process, struct dwarf **ret)
{
	const struct core_module *object = process->anchor.object;
	struct dwarf_sections sections = { 0 };
	struct hc_err err;

	if (!process->dwarf && !process->dwarf_tried && object &&
	    object->file) {
		const struct pool *from = process->pool;
		uint64_t left = (uint64_t)(from->end - from->next) + 1;
		process->dwarf_tried = true;
		gather(process->core, object->debug ? object->debug :
						      object->file, &sections);
		if (pool_open(left, &process->dwarf_pool, &err) == HC_FAIL ||
		    dwarf_open(&sections, &process->dwarf_pool,
			       &process->dwarf, &err) == HC_FAIL)
			findings_add_err(process->findings, "debug information",
					 &err);
	}
	if (!process->dwarf)
		return HC_NONE;
	*ret = process->dwarf;
	return HC_OK;
}

void go_discover_done(struct go_process *process)
{
	dwarf_close(process->dwarf);
	process->dwarf = NULL;
	pool_close(&process->dwarf_pool);
}
