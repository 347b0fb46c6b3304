// moduledata.c: finds the runtime's first moduledata.
//
// It is known by what its first words are: the pclntab's header, and slices of
// the tables that follow the header in the order in which the linker writes
// them. So it is found without symbols, section headers or an executable.
#include "libheap/go/program/moduledata.h"

#include "libheap/go/heap/record.h"

// Words of a moduledata. Source: Go 1.18 to 1.27 runtime/symtab.go.
enum { W_PCHEADER = 0, W_FUNCNAMETAB = 1, W_PCLNTABLE = 13, W_FTAB = 16,
       W_MINPC = 20, W_MAXPC = 21, W_TEXT = 22, W_ETEXT = 23 };

// Memory that no file backs is only searched when nothing says what is a
// file's, and then not past this.
#define LIMIT_BLIND_SCAN (UINT64_C(1) << 30)

bool go_moduledata_is(const uint8_t *p, unsigned word)
{
	uint64_t w[GO_MODULEDATA_WORDS];

	for (unsigned i = 0; i < GO_MODULEDATA_WORDS; i++)
		w[i] = go_word(p + (uint64_t)i * word, word);
	if (w[W_PCHEADER] == 0 || w[W_FUNCNAMETAB] <= w[W_PCHEADER] ||
	    w[W_FUNCNAMETAB] - w[W_PCHEADER] > 256)
		return false;
	// funcnametab, cutab, filetab, pctab, pclntable.
	for (unsigned i = W_FUNCNAMETAB; i <= W_PCLNTABLE; i += 3)
		if (w[i + 1] == 0 || w[i + 1] != w[i + 2] ||
		    (i > W_FUNCNAMETAB && w[i] <= w[i - 3]))
			return false;
	return w[W_FTAB] == w[W_PCLNTABLE] && w[W_FTAB + 1] > 1 &&
	       w[W_FTAB + 1] == w[W_FTAB + 2] &&
	       w[W_MINPC] < w[W_MAXPC] && w[W_TEXT] < w[W_ETEXT] &&
	       w[W_MINPC] >= w[W_TEXT] && w[W_MINPC] < w[W_ETEXT];
}

// scan looks for a moduledata in [low, high), of pclntab or, if that is 0, of
// any. saved_only leaves out what the core itself does not hold.
static bool scan(const struct core *core, taddr low, taddr high, taddr pclntab,
		 bool saved_only, struct go_anchor *ret)
{
	unsigned word = core_info(core)->word;
	uint64_t need = (uint64_t)GO_MODULEDATA_WORDS * word;
	struct core_window w;

	for (taddr at = low; at < high && !core_next_window(core, at, &w);
	     at = w.base + w.len) {
		taddr from = w.base > at ? w.base : at;
		if (from >= high)
			break;
		from += -from & (word - 1);
		if ((saved_only && w.from_file) || w.len < need ||
		    from - w.base > w.len - need)
			continue;
		uint64_t last = w.base + w.len - need;
		if (last >= high)
			last = high - 1;
		for (; from <= last; from += word) {
			const uint8_t *p = w.bytes + (from - w.base);
			uint64_t first = go_word(p, word);
			if (first == 0 || (pclntab && first != pclntab) ||
			    go_word(p + word, word) - first > 256 ||
			    !go_moduledata_is(p, word))
				continue;
			ret->moduledata = from;
			ret->pclntab = first;
			return true;
		}
	}
	return false;
}

static bool at_section(const struct core *core, const struct core_module *m,
		       struct go_anchor *ret)
{
	struct objfile_section s;
	unsigned word = core_info(core)->word;
	const uint8_t *p;

	if (objfile_section(m->file, ".go.module", &s))
		return false;
	taddr at = s.addr + m->bias;
	if (core_view(core, at, (uint64_t)GO_MODULEDATA_WORDS * word, &p,
		      NULL) || !go_moduledata_is(p, word))
		return false;
	*ret = (struct go_anchor){ m, at, go_word(p, word) };
	return true;
}

// in_object looks in one ELF file that has Go's sections. In a position
// independent one the file's own bytes are not relocated, so what the core
// saved comes first.
static bool in_object(const struct core *core, const struct core_module *m,
		      struct go_anchor *ret)
{
	struct objfile_section s;

	if (at_section(core, m, ret))
		return true;
	if (objfile_section(m->file, ".gopclntab", &s) &&
	    objfile_section(m->file, ".data.rel.ro.gopclntab", &s))
		return false;
	ret->object = m;
	taddr pclntab = s.addr + m->bias;
	return scan(core, m->low, m->high, pclntab, true, ret) ||
	       scan(core, m->low, m->high, pclntab, false, ret);
}

static const struct core_module *object_of(const struct core *core, taddr at)
{
	size_t n;
	const struct core_module *m = core_modules(core, &n);

	for (size_t i = 0; i < n; i++)
		if (at >= m[i].low && at < m[i].high)
			return &m[i];
	return NULL;
}

// anywhere looks through what the core saved of mapped files, without code;
// if no mapping has a file's name, through writable memory.
static bool anywhere(const struct core *core, struct go_anchor *ret)
{
	size_t n;
	const struct core_segment *s = core_segments(core, &n);
	bool named = false;

	for (size_t i = 0; i < n; i++)
		named |= s[i].file != NULL;
	uint64_t left = named ? UINT64_MAX : LIMIT_BLIND_SCAN;
	for (size_t i = 0; i < n && left > 0; i++) {
		if (s[i].saved == 0 || (s[i].perm & CORE_X) ||
		    (named ? s[i].file == NULL : !(s[i].perm & CORE_W)))
			continue;
		uint64_t len = s[i].saved < left ? s[i].saved : left;
		left -= named ? 0 : len;
		if (scan(core, s[i].base, s[i].base + len, 0, true, ret)) {
			ret->object = object_of(core, ret->moduledata);
			return true;
		}
	}
	return false;
}

enum hc go_anchor_find(const struct core *core, struct go_anchor *ret)
{
	struct go_anchor a = { 0 };
	size_t n;
	const struct core_module *m = core_modules(core, &n);

	for (size_t i = 0; i < n; i++) {
		if (m[i].file && in_object(core, &m[i], &a)) {
			*ret = a;
			return HC_OK;
		}
	}
	a = (struct go_anchor){ 0 };
	if (!anywhere(core, &a))
		return HC_NONE;
	*ret = a;
	return HC_OK;
}
