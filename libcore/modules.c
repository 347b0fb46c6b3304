// modules.c: from the file mappings to the ELF files behind them.
#include "libcore/debugfile.h"
#include "libcore/exe.h"

#include "libcore/base/limits.h"

uint64_t module_mappings(const struct core *core, uint64_t first)
{
	const struct file_mapping *at = core->mappings.at;
	uint64_t i = first + 1;
	while (i < core->mappings.n && !strcmp(at[i].path, at[first].path))
		i++;
	return i - first;
}

// header_view is what the core saved from low on, where an ELF header is.
static struct bytes header_view(const struct core *core, taddr low)
{
	struct core_window w;
	if (core_window(core, low, &w))
		return (struct bytes){ 0 };
	uint64_t off = low - w.base;
	return (struct bytes){ w.bytes + off, w.len - off, 0 };
}

// ids_set copies ids into m, unless they are there.
static enum hc ids_set(struct core *core, struct core_module *m,
		       const struct build_ids *ids, struct hc_err *err)
{
	if (!m->build_id && ids->gnu.len) {
		m->build_id = ids->gnu.at;
		m->build_id_len = ids->gnu.len;
	}
	if (!m->go_build_id && ids->go.len) {
		const char *text = (const char *)ids->go.at;
		m->go_build_id = pool_copy(core->pool, text,
					   strnlen(text, ids->go.len));
		if (!m->go_build_id)
			return hc_nomem(err);
	}
	return HC_OK;
}

// module_bias is what to add to a link-time address of file.
// Source: ELF gABI chapter 5, "Base Address"; Linux fs/binfmt_elf.c sets
//         AT_ENTRY to e_entry + load_bias and AT_PHDR likewise.
static taddr module_bias(const struct core *core, const struct core_module *m,
			 const struct file_mapping *first)
{
	const struct objfile *f = m->file;
	uint64_t at_entry;
	if (f->head.type == ELF_EXEC)
		return 0;
	if (m->is_exe && core_auxv(core, CORE_AT_ENTRY, &at_entry) == HC_OK)
		return at_entry - f->head.entry;
	for (uint64_t i = 0; first && i < f->n_loads; i++) {
		const struct elf_phdr *p = &f->loads[i];
		uint64_t page_off = p->off & ~UINT64_C(0xfff);
		if (page_off <= first->off && first->off - page_off < p->filesz)
			return first->start - first->off -
			       (p->vaddr - p->off);
	}
	return m->low;
}

// module_settle fills in what the opened file tells.
static enum hc module_settle(struct core *core, struct core_module *m,
			     const struct file_mapping *first,
			     struct hc_err *err)
{
	const struct objfile *f = m->file;
	if (!f)
		return HC_OK;
	m->bias = module_bias(core, m, first);
	for (uint64_t i = 0; i < f->n_loads; i++) {
		const struct elf_phdr *p = &f->loads[i];
		taddr low = (m->bias + p->vaddr) & ~UINT64_C(0xfff);
		taddr high = m->bias + p->vaddr + p->memsz;
		if (high < low)
			continue;
		m->low = !m->high || low < m->low ? low : m->low;
		m->high = high > m->high ? high : m->high;
	}
	return ids_set(core, m, &f->ids, err);
}

// module_make describes the n mappings from first on; NONE when the core
// shows that they are no ELF file.
static enum hc module_make(struct core *core, uint64_t first, uint64_t n,
			   struct core_module *ret, struct hc_err *err)
{
	const struct file_mapping *at = &core->mappings.at[first];
	struct core_module m = {
		.path = at[0].path,
		.low = at[0].start,
		.high = at[n - 1].end,
	};
	struct bytes header = header_view(core, m.low);
	struct build_ids ids = { 0 };
	if (at[0].off == 0 && header.len) {
		if (!elf_is(header))
			return HC_NONE;
		build_ids_read(header, &ids);
	}
	HC_TRY(ids_set(core, &m, &ids, err));
	*ret = m;
	return HC_OK;
}

// module_add adds m, whose file has been looked for, and tells its mappings.
static enum hc module_add(struct core *core, const struct core_module *m,
			  uint64_t first, uint64_t n, struct hc_err *err)
{
	struct core_module *one = vec_push(core->pool, &core->modules);
	if (!one)
		return hc_nomem(err);
	*one = *m;
	for (uint64_t i = first; i < first + n; i++)
		core->mappings.at[i].module = (uint32_t)core->modules.n;
	return HC_OK;
}

// exe_mapping returns the index of the mapping group that holds AT_ENTRY, or
// the number of mappings.
static uint64_t exe_mapping(const struct core *core)
{
	uint64_t entry, n = core->mappings.n;
	if (core_auxv(core, CORE_AT_ENTRY, &entry))
		return n;
	for (uint64_t i = 0; i < n;) {
		uint64_t group = module_mappings(core, i);
		for (uint64_t k = i; k < i + group; k++) {
			const struct file_mapping *f = &core->mappings.at[k];
			if (f->start <= entry && entry < f->end)
				return i;
		}
		i += group;
	}
	return n;
}

// exe_from_phdr identifies an executable that no file mapping tells of, by the
// ELF header on the page of its program headers, where the core saved that.
static enum hc exe_from_phdr(struct core *core, struct core_module *m,
			     struct hc_err *err)
{
	uint64_t phdr;
	struct build_ids ids;
	if (core_auxv(core, CORE_AT_PHDR, &phdr))
		return HC_OK;
	taddr low = phdr & ~UINT64_C(0xfff);
	struct bytes header = header_view(core, low);
	if (!elf_is(header))
		return HC_OK;
	build_ids_read(header, &ids);
	m->low = low;
	m->high = low + 1;
	return ids_set(core, m, &ids, err);
}

// exe_add finds the executable, which is the first of the modules.
static enum hc exe_add(struct core *core, uint64_t first, struct hc_err *err)
{
	struct core_module m = { 0 };
	const struct file_mapping *at = NULL;
	uint64_t n = 0;
	if (first < core->mappings.n) {
		at = &core->mappings.at[first];
		n = module_mappings(core, first);
		if (module_make(core, first, n, &m, err) == HC_FAIL)
			return HC_FAIL;
	}
	m.is_exe = true;
	if (!at)
		HC_TRY(exe_from_phdr(core, &m, err));
	HC_TRY(exe_find(core, &m, err));
	if (m.file)
		HC_TRY(debug_find(core, &m, core->info.exe_path, err));
	if (!m.path)
		return HC_OK;
	HC_TRY(module_settle(core, &m, at, err));
	return module_add(core, &m, first, n, err);
}

enum hc core_find_modules(struct core *core, struct hc_err *err)
{
	uint64_t exe = exe_mapping(core);
	HC_TRY(exe_add(core, exe, err));
	for (uint64_t i = 0; i < core->mappings.n;) {
		uint64_t n = module_mappings(core, i);
		struct core_module m;
		enum hc rc = HC_NONE;
		if (core->modules.n >= LIMIT_MODULES)
			break;
		if (i != exe)
			rc = module_make(core, i, n, &m, err);
		if (rc == HC_OK)
			rc = lib_find(core, &m, err);
		if (rc == HC_OK)
			rc = module_settle(core, &m, &core->mappings.at[i],
					   err);
		if (rc == HC_OK)
			rc = module_add(core, &m, i, n, err);
		if (rc == HC_FAIL)
			return rc;
		i += n;
	}
	return HC_OK;
}

const struct core_module *core_modules(const struct core *core, size_t *ret_n)
{
	*ret_n = core->modules.n;
	return core->modules.at;
}

const struct core_module *core_exe(const struct core *core)
{
	const struct core_module *m = core->modules.at;
	return core->modules.n && m->is_exe && m->file ? m : NULL;
}
