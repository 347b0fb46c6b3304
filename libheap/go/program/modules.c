// modules.c: reads moduledata, and the chain of them.
//
// Source: Go 1.18 to 1.27 runtime/symtab.go, moduledata and pcHeader.
#include "libheap/go/program/moduledata.h"

#include "libcore/base/limits.h"

// The linker splits a text at about 16 MB on architectures that need it.
#define LIMIT_TEXT_SECTIONS 256u

// struct filling is one moduledata while it is read.
struct filling {
	const struct go_process *process;
	const uint8_t *bytes; // of the whole moduledata
	taddr at;
	unsigned word;
};

static uint64_t word_at(const struct filling *f, enum go_field field,
			unsigned i)
{
	const struct go_layout *l = &f->process->layout;
	uint64_t off = go_off(l, field) + (uint64_t)i * f->word;

	if (!go_has(l, field) || off > l->size[S_moduledata] - f->word)
		return 0;
	return f->word == 8 ? get_u64(f->bytes + off) :
			      get_u32(f->bytes + off);
}

// table views the slice in a field as bytes: what of it is readable.
static struct bytes table(const struct filling *f, enum go_field field,
			  uint64_t element)
{
	const struct core *core = f->process->core;
	taddr at = word_at(f, field, 0);
	uint64_t n = word_at(f, field, 1);
	struct core_window w;

	if (n == 0 || n > UINT64_MAX / element || core_window(core, at, &w))
		return (struct bytes){ 0 };
	uint64_t len = n * element, left = w.len - (at - w.base);
	if (left < len) {
		findings_add(f->process->findings, "cut table", at,
			     "of the %" PRIu64 " bytes of a function table of "
			     "the module at 0x%" PRIx64 " only %" PRIu64
			     " can be read", len, f->at, left);
		len = left;
	}
	return (struct bytes){ w.bytes + (at - w.base), len, at };
}

// strings cuts a table of strings behind its last NUL.
static struct bytes strings(struct bytes b)
{
	const uint8_t *end = b.len ? memrchr(b.at, 0, b.len) : NULL;

	b.len = end ? (uint64_t)(end - b.at) + 1 : 0;
	return b;
}

// pair reads two ends; false when they are the wrong way round.
static bool pair(const struct filling *f, enum go_field low, enum go_field high,
		 taddr *ret_low, taddr *ret_high)
{
	*ret_low = word_at(f, low, 0);
	*ret_high = word_at(f, high, 0);
	if (*ret_low <= *ret_high)
		return true;
	findings_add(f->process->findings, "bad module", f->at,
		     "the module's %s ends before it begins",
		     low == F_moduledata_text ? "text" : "data");
	*ret_low = *ret_high = 0;
	return false;
}

static bool fill_ranges(const struct filling *f, struct go_module *m)
{
	m->pclntab = word_at(f, F_moduledata_pcHeader, 0);
	m->rodata = word_at(f, F_moduledata_rodata, 0);
	m->gofunc = word_at(f, F_moduledata_gofunc, 0);
	pair(f, F_moduledata_noptrdata, F_moduledata_enoptrdata, &m->noptrdata,
	     &m->enoptrdata);
	pair(f, F_moduledata_data, F_moduledata_edata, &m->data, &m->edata);
	pair(f, F_moduledata_bss, F_moduledata_ebss, &m->bss, &m->ebss);
	pair(f, F_moduledata_noptrbss, F_moduledata_enoptrbss, &m->noptrbss,
	     &m->enoptrbss);
	pair(f, F_moduledata_types, F_moduledata_etypes, &m->types, &m->etypes);
	return pair(f, F_moduledata_minpc, F_moduledata_maxpc, &m->minpc,
		    &m->maxpc) &&
	       pair(f, F_moduledata_text, F_moduledata_etext, &m->text,
		    &m->etext) &&
	       m->minpc < m->maxpc;
}

static void fill_slices(const struct filling *f, struct go_module *m)
{
	m->typelinks = word_at(f, F_moduledata_typelinks, 0);
	m->n_typelinks = word_at(f, F_moduledata_typelinks, 1);
	m->itablinks = word_at(f, F_moduledata_itablinks, 0);
	m->n_itablinks = word_at(f, F_moduledata_itablinks, 1);
	m->typedesclen = word_at(f, F_moduledata_typedesclen, 0);
	m->itaboffset = word_at(f, F_moduledata_itaboffset, 0);
	m->itabsize = word_at(f, F_moduledata_itabsize, 0);
	m->textsectmap = word_at(f, F_moduledata_textsectmap, 0);
	m->n_textsectmap = word_at(f, F_moduledata_textsectmap, 1);
	if (m->n_textsectmap > LIMIT_TEXT_SECTIONS)
		m->n_textsectmap = 0;
	// bitvector: n int32, then the pointer in the next word.
	m->n_gcdatamask = (uint32_t)word_at(f, F_moduledata_gcdatamask, 0);
	m->gcdatamask = word_at(f, F_moduledata_gcdatamask, 1);
	m->n_gcbssmask = (uint32_t)word_at(f, F_moduledata_gcbssmask, 0);
	m->gcbssmask = word_at(f, F_moduledata_gcbssmask, 1);
}

// fill_functions views the function tables. ftab is the start of pclntable.
static void fill_functions(const struct filling *f, struct go_module *m)
{
	const struct core *core = f->process->core;
	uint64_t n = word_at(f, F_moduledata_ftab, 1);
	uint8_t quantum;
	struct core_window w;

	m->func_len = f->process->layout.size[S_func];
	m->min_lc = core_info(core)->arch == CORE_ARM64 ? 4 : 1;
	if (!core_u8(core, m->pclntab + 6, &quantum, NULL) &&
	    (quantum == 1 || quantum == 2 || quantum == 4))
		m->min_lc = quantum;
	m->funcnametab = strings(table(f, F_moduledata_funcnametab, 1));
	m->filetab = strings(table(f, F_moduledata_filetab, 1));
	m->cutab = table(f, F_moduledata_cutab, 4);
	m->pctab = table(f, F_moduledata_pctab, 1);
	m->pclntable = table(f, F_moduledata_pclntable, 1);
	if (word_at(f, F_moduledata_ftab, 0) != m->pclntable.org || n < 2 ||
	    m->pclntable.len < 16 || m->func_len < 40)
		return;
	// n entries of 8 bytes, the closing one of 4.
	m->n_funcs = n - 1;
	if (m->n_funcs > (m->pclntable.len - 4) / 8)
		m->n_funcs = (m->pclntable.len - 4) / 8;
	if (m->n_funcs > LIMIT_GO_FUNCS)
		m->n_funcs = LIMIT_GO_FUNCS;
	taddr at = word_at(f, F_moduledata_findfunctab, 0);
	uint64_t len = ((m->maxpc - m->minpc) / 4096 + 1) * 20;
	if (!core_window(core, at, &w)) {
		uint64_t left = w.len - (at - w.base);
		m->findfunctab = (struct bytes){ w.bytes + (at - w.base),
						 len < left ? len : left, at };
	}
}

static enum hc fill(const struct go_process *process, taddr at,
		    struct go_module *ret, taddr *ret_next, bool *ret_bad,
		    struct hc_err *err)
{
	const struct go_layout *l = &process->layout;
	struct filling f = { .process = process, .at = at,
			     .word = core_info(process->core)->word };
	struct go_module m = { .at = at };

	HC_TRY(core_view(process->core, at, l->size[S_moduledata], &f.bytes,
			 err));
	if (l->size[S_moduledata] < (uint64_t)GO_MODULEDATA_WORDS * f.word ||
	    !go_moduledata_is(f.bytes, f.word) || !fill_ranges(&f, &m))
		return hc_fail(err, HC_CORRUPT, at,
			       "the module data at 0x%" PRIx64
			       " contradicts itself", at);
	fill_slices(&f, &m);
	fill_functions(&f, &m);
	*ret_bad = go_has(l, F_moduledata_bad) &&
		   go_get(l, f.bytes, F_moduledata_bad) != 0;
	*ret_next = word_at(&f, F_moduledata_next, 0);
	*ret = m;
	return HC_OK;
}

static bool has_module(const struct go_process *process, taddr at)
{
	for (size_t i = 0; i < process->n_modules; i++)
		if (process->modules[i].at == at)
			return true;
	return false;
}

enum hc go_modules_find(struct go_process *process, struct hc_err *err)
{
	struct {
		VEC(struct go_module);
	} v = { 0 };
	struct hc_err why;
	taddr at = process->anchor.moduledata, next;

	process->modules = NULL;
	process->n_modules = 0;
	for (unsigned n = 0; at != 0; at = next, n++) {
		struct go_module m;
		bool bad;
		if (n == LIMIT_GO_MODULES || has_module(process, at)) {
			findings_add(process->findings, "bad module", at,
				     "the list of modules does not end");
			break;
		}
		enum hc hc = fill(process, at, &m, &next, &bad,
				  n == 0 ? err : &why);
		if (hc && n == 0)
			return hc;
		if (hc) {
			findings_add_err(process->findings, "bad module", &why);
			break;
		}
		if (bad && n > 0)
			continue;
		struct go_module *add = vec_push(process->pool, &v);
		if (!add)
			return hc_nomem(err);
		*add = m;
		process->modules = v.at;
		process->n_modules = v.n;
	}
	return HC_OK;
}

const struct go_module *go_module_of_type(const struct go_process *process,
					  taddr at)
{
	for (size_t i = 0; i < process->n_modules; i++) {
		const struct go_module *m = &process->modules[i];
		if (at >= m->types && at < m->etypes)
			return m;
	}
	return NULL;
}
