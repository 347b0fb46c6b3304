// open.c: the order in which a core is opened, and the questions about the
// process as a whole.
#include "libcore/process.h"

#include "libcore/base/limits.h"

// core_machine says which architecture the core is of.
static enum hc core_machine(struct core *core, struct hc_err *err)
{
	const struct elf_head *h = &core->head;
	struct core_info *info = &core->info;
	char name[24];
	if (h->machine == ELF_MACHINE_AMD64 && h->is64)
		info->arch = CORE_AMD64;
	else if (h->machine == ELF_MACHINE_ARM64 && h->is64)
		info->arch = CORE_ARM64;
	else if (h->machine == ELF_MACHINE_386 && !h->is64)
		info->arch = CORE_386;
	else
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is a core of %s with %u-bit words; amd64, arm64 "
			       "and 386 are read",
			       elf_machine_name(h->machine, name),
			       h->is64 ? 64 : 32);
	info->word = h->is64 ? 8 : 4;
	return HC_OK;
}

static enum hc core_fill(struct core *core, struct hc_err *err)
{
	core->info.file_bytes = core->file.bytes.len;
	HC_TRY(core_check_input(core, err));
	HC_TRY(elf_read_head(core->file.bytes, &core->head, err));
	HC_TRY(core_machine(core, err));
	HC_TRY(core_read_segments(core, err));
	HC_TRY(core_read_notes(core, err));
	HC_TRY(core_find_modules(core, err));
	return core_add_files(core, err);
}

// core_start opens the core in given, or the one that in names.
static enum hc core_start(const struct core_input *in,
			  const struct bytes *given, struct pool *pool,
			  struct core **ret, struct hc_err *err)
{
	struct hc_err why; // err may be NULL
	struct core *core = pool_new(pool, struct core, 1);
	if (!core)
		return hc_nomem(err);
	core->pool = pool;
	HC_TRY(pool_open(LIMIT_FINDING_BYTES, &core->told, err));
	core->findings.pool = &core->told;
	core->in = in;
	core->info.core_path = in->core;
	core->info.name = core->info.command = "";
	enum hc rc = HC_OK;
	if (given)
		core->file = (struct mapped){ *given, true };
	else
		rc = core_map_input(core, &why);
	if (rc == HC_OK)
		rc = core_fill(core, &why);
	core->in = NULL;
	if (rc) {
		core_close(core);
		if (err)
			*err = why;
		return rc;
	}
	*ret = core;
	return HC_OK;
}

enum hc core_open(const struct core_input *in, struct pool *pool,
		  struct core **ret, struct hc_err *err)
{
	return core_start(in, NULL, pool, ret, err);
}

enum hc core_open_bytes(const struct core_input *in, struct bytes bytes,
			struct pool *pool, struct core **ret,
			struct hc_err *err)
{
	return core_start(in, &bytes, pool, ret, err);
}

void core_close(struct core *core)
{
	if (!core)
		return;
	for (uint64_t i = 0; i < core->objfiles.n; i++)
		objfile_close(core->objfiles.at[i]);
	core->objfiles.n = 0;
	mapped_close(&core->file);
	pool_close(&core->told);
	core->findings = (struct findings){ 0 };
}

const struct core_info *core_info(const struct core *core)
{
	return &core->info;
}

enum hc core_auxv(const struct core *core, uint64_t type, uint64_t *ret)
{
	for (uint64_t i = 0; i < core->auxv.n; i++) {
		if (core->auxv.at[i].type == type) {
			*ret = core->auxv.at[i].value;
			return HC_OK;
		}
	}
	return HC_NONE;
}

struct findings *core_findings(struct core *core)
{
	return &core->findings;
}

const struct core_thread *core_threads(const struct core *core, size_t *ret_n)
{
	*ret_n = core->threads.n;
	return core->threads.at;
}

const struct core_segment *core_segments(const struct core *core,
					 size_t *ret_n)
{
	*ret_n = core->n_segments;
	return core->segments;
}
