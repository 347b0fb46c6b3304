// discover.c: from a core to a Go process whose runtime can be read.
//
// A layout is believed when what it leads to holds together: modules, the
// runtime's variables, and the sizes that the runtime's own allocators give
// out. Tables come first, so debug information is not read where they apply.
#include "libdwarfread/dwarfread.h"
#include "libheap/go/program/buildinfo.h"
#include "libheap/go/program/globals_find.h"
#include "libheap/go/program/layout_tables.h"
#include "libheap/go/program/moduledata.h"

#include <stdio.h>

// The allocators of fixed-size structures, which say how large these are.
static const struct {
	enum go_field allocator;
	enum go_size size;
} sized[] = {
	{ F_mheap_spanalloc, S_mspan },
	{ F_mheap_cachealloc, S_mcache },
	{ F_mheap_specialfinalizeralloc, S_specialfinalizer },
	{ F_mheap_specialprofilealloc, S_specialprofile },
	{ F_mheap_specialReachableAlloc, S_specialReachable },
	{ F_mheap_specialPinCounterAlloc, S_specialPinCounter },
	{ F_mheap_specialWeakHandleAlloc, S_specialWeakHandle },
	{ F_mheap_specialCleanupAlloc, S_specialCleanup },
	{ F_mheap_specialCheckFinalizerAlloc, S_specialCheckFinalizer },
	{ F_mheap_specialTinyBlockAlloc, S_specialTinyBlock },
	{ F_mheap_specialBubbleAlloc, S_specialBubble },
	{ F_mheap_specialSecretAlloc, S_specialSecret },
};

// check_sizes holds the layout's sizes against the allocators'.
// Fails: UNSUPPORTED; what cannot be read says nothing.
static enum hc check_sizes(const struct go_process *process,
			   struct hc_err *err)
{
	const struct go_layout *l = &process->layout;
	taddr mheap = process->globals.at[G_mheap_];

	for (size_t i = 0; i < sizeof(sized) / sizeof(sized[0]); i++) {
		uint64_t size;
		uint32_t want = l->size[sized[i].size];
		if (!go_has(l, sized[i].allocator) || want == 0 ||
		    go_field(process, mheap + go_off(l, sized[i].allocator),
			     F_fixalloc_size, &size, NULL))
			continue;
		if (size != want && size != 0)
			return hc_fail(err, HC_UNSUPPORTED, mheap,
				       "the runtime's structures have other "
				       "sizes (%" PRIu64 " for %" PRIu32
				       ") than the %s say",
				       size, want, l->source);
	}
	return HC_OK;
}

// attempt tries the layout in process->layout. Findings of a failed attempt
// are forgotten.
static enum hc attempt(struct go_process *process, struct hc_err *err)
{
	uint64_t n = process->findings->n, dropped = process->findings->dropped;
	enum hc hc = go_modules_find(process, err);

	if (!hc)
		hc = go_globals_find(process, err);
	if (!hc)
		hc = check_sizes(process, err);
	if (hc) {
		process->findings->n = n;
		process->findings->dropped = dropped;
	}
	return hc;
}

static enum hc try_tables(struct go_process *process,
			  const struct go_version *version, struct hc_err *err)
{
	enum core_arch arch = core_info(process->core)->arch;
	enum hc hc = HC_NONE;

	for (size_t n = 0; n < 8; n++) {
		if (go_layout_from_nth_table(version, arch, n,
					     &process->layout))
			break;
		hc = attempt(process, err);
		if (hc == HC_OK || (hc == HC_FAIL && err->kind == HC_NOMEM))
			return hc;
	}
	return hc;
}

static enum hc try_dwarf(struct go_process *process, struct hc_err *err)
{
	enum core_arch arch = core_info(process->core)->arch;
	struct go_layout table;
	struct dwarf *dwarf;
	bool has_table = !go_layout_from_nth_table(&process->version, arch, 0,
						   &table);

	HC_TRY(go_dwarf(process, &dwarf));
	HC_TRY(go_layout_from_dwarf(dwarf, &process->version, arch,
				    has_table ? &table : NULL,
				    process->findings, &process->layout, err));
	return attempt(process, err);
}

// try_every_version is for programs that do not say theirs.
static enum hc try_every_version(struct go_process *process,
				 struct hc_err *err)
{
	unsigned oldest, newest;
	struct go_version v;
	char text[32];

	go_layout_table_range(core_info(process->core)->arch, &oldest, &newest);
	for (unsigned minor = newest; minor >= oldest; minor--) {
		for (int other = 0; other < 2; other++) {
			int len = snprintf(text, sizeof(text),
					   "go1.%u.99%s", minor,
					   !other ? "" :
					   minor >= 26 ? " X:nogreenteagc" :
							 " X:greenteagc");
			HC_TRY(go_version_parse(text, (uint64_t)len, &v, err));
			v.patch = 0;
			snprintf(v.text, sizeof(v.text), "go1.%u", minor);
			process->version = v;
			if (try_tables(process, &v, err))
				continue;
			findings_add(process->findings, "guessed version", 0,
				     "the program does not say which Go made "
				     "it; the layouts of %s fit", v.text);
			return HC_OK;
		}
	}
	return HC_NONE;
}

// variable_text views the string in runtime.buildVersion, by its symbol.
static struct bytes variable_text(const struct go_process *process)
{
	uint64_t word = core_info(process->core)->word;
	taddr at[GO_N_GLOBALS] = { 0 }, text, len;
	struct bytes ret = { 0 };

	go_globals_from_symbols(process, at);
	taddr v = at[G_buildVersion];
	if (v && !core_ptr(process->core, v, &text, NULL) &&
	    !core_ptr(process->core, v + word, &len, NULL) &&
	    !core_view(process->core, text, len, &ret.at, NULL))
		ret.len = len;
	return ret;
}

// read_version sets the version from the build information, else from the
// runtime's variable. Fails: NONE.
static enum hc read_version(struct go_process *process)
{
	struct go_buildinfo info = { 0 };

	if (!go_buildinfo_find(process->core, process->anchor.object,
			       process->anchor.moduledata, &info)) {
		process->build_mod = (const char *)info.mod.at;
		process->build_mod_len = info.mod.len;
	} else {
		info.version = variable_text(process);
	}
	if (go_version_parse((const char *)info.version.at, info.version.len,
			     &process->version, NULL))
		return HC_NONE;
	return HC_OK;
}

// without_anchor tells a Go program whose data is missing from another one.
static enum hc without_anchor(const struct go_process *process,
			      struct hc_err *err)
{
	const struct core_module *exe = core_exe(process->core);
	struct go_buildinfo info;
	struct go_version v;

	if (go_buildinfo_find(process->core, exe, 0, &info))
		return HC_NONE;
	if (go_version_parse((const char *)info.version.at, info.version.len,
			     &v, NULL))
		v.text[0] = '\0';
	return hc_fail(err, HC_UNSUPPORTED, 0,
		       "a Go program (%s), but its module data is damaged or "
		       "not in the core", *v.text ? v.text : "version unknown");
}

static enum hc no_layout(const struct go_process *process, bool has_version,
			 const char *why, struct hc_err *err)
{
	static const char *const arches[] = { [CORE_AMD64] = "amd64",
					      [CORE_ARM64] = "arm64",
					      [CORE_386] = "386" };
	enum core_arch arch = core_info(process->core)->arch;
	unsigned oldest, newest;

	go_layout_table_range(arch, &oldest, &newest);
	return hc_fail(err, HC_UNSUPPORTED, 0,
		       "%s on %s: no built-in layout (go1.%u to go1.%u) fits%s%s; "
		       "%s",
		       has_version ? process->version.text :
				     "a Go program that hides its version",
		       arches[arch], oldest, newest, *why ? ": " : "", why,
		       process->dwarf ? "neither does the debug information" :
					"there is no debug information");
}

// choose tries what may fit, the cheapest first. An experiment that nobody
// told us of may have moved anything, so debug information then rules.
static enum hc choose(struct go_process *process, struct hc_err *err)
{
	bool has_version = !read_version(process);
	bool strange = process->version.experiments & GO_X_OTHER;
	struct hc_err why = { 0 };
	enum hc hc = HC_NONE;

	if (strange)
		hc = try_dwarf(process, err);
	if (hc && has_version)
		hc = try_tables(process, &process->version, &why);
	if (hc == HC_FAIL && why.kind == HC_NOMEM)
		*err = why;
	else if (hc && !strange)
		hc = try_dwarf(process, err);
	if (hc && !has_version)
		hc = try_every_version(process, err);
	if (hc == HC_FAIL && err->kind == HC_NOMEM)
		return hc;
	return hc ? no_layout(process, has_version, why.msg, err) : HC_OK;
}

enum hc go_probe(const struct core *core)
{
	struct go_buildinfo info;
	struct go_anchor anchor;

	if (!go_buildinfo_find(core, core_exe(core), 0, &info))
		return HC_OK;
	return go_anchor_find(core, &anchor);
}

enum hc go_discover(struct go_process *process, struct hc_err *err)
{
	struct hc_err own;

	if (!err)
		err = &own;
	process->build_mod = "";
	if (go_anchor_find(process->core, &process->anchor))
		return without_anchor(process, err);
	HC_TRY(choose(process, err));
	if (process->modules[0].n_funcs == 0)
		findings_add(process->findings, "no functions",
			     process->anchor.pclntab,
			     "the program's function tables cannot be read "
			     "(name its executable): no stack can be unwound, "
			     "every word on one is taken for a pointer");
	return HC_OK;
}
