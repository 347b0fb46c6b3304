// exe.c: see exe.h.
#include "libcore/exe.h"

#include "libcore/match.h"

#include <stdio.h>

enum { PATH_BYTES = 4096 };
// file_keep makes file that of m.
static enum hc file_keep(struct core *core, struct core_module *m,
			 struct objfile *file, const char *path,
			 struct hc_err *err)
{
	struct objfile **one = vec_push(core->pool, &core->objfiles);
	char *copy = pool_copy(core->pool, path, strlen(path));
	if (!one || !copy) {
		objfile_close(file);
		if (one)
			*one = NULL;
		return hc_nomem(err);
	}
	*one = file;
	m->file = m->symbols = file;
	m->readable = true;
	if (m->is_exe)
		core->info.exe_path = copy;
	if (!m->path)
		m->path = copy;
	return HC_OK;
}

// machine_fits says whether file is of the core's architecture.
static bool machine_fits(const struct core *core, const struct objfile *file)
{
	return file->head.machine == core->head.machine &&
	       file->head.is64 == core->head.is64;
}

// exe_named opens the executable that the user names, or fails.
static enum hc exe_named(struct core *core, struct core_module *m,
			 struct hc_err *err)
{
	const char *path = core->in->exe;
	char name[2][24];
	struct objfile *file;
	struct hc_err why = { 0 };
	enum hc rc = objfile_open(path, core->pool, &file, &why);
	if (rc)
		return hc_fail(err, rc == HC_NONE ? HC_IO : why.kind, why.at,
			       "%s: %s", path,
			       rc == HC_NONE ? "no such file" : why.msg);
	enum match match = module_match(core, m, file);
	if (!machine_fits(core, file)) {
		hc_err_set(&why, HC_MISMATCH, 0, HC_SRC(__FILE__, __LINE__),
			   "is a program of %s, the core is of %s",
			   elf_machine_name(file->head.machine, name[0]),
			   elf_machine_name(core->head.machine, name[1]));
		match = MATCH_NO;
	} else if (match == MATCH_NO) {
		match_fail(&why, m, file);
	}
	if (match == MATCH_NO && !core->in->allow_mismatch) {
		objfile_close(file);
		return hc_fail(err, why.kind, 0, "%s: %s", path, why.msg);
	}
	if (match == MATCH_NO)
		findings_add(&core->findings, "mismatch", 0, "%s %s", path,
			     why.msg);
	if (match == MATCH_UNKNOWN)
		findings_add(&core->findings, "unverified", 0,
			     "%s: the core holds nothing to check it by",
			     path);
	return file_keep(core, m, file, path, err);
}

// struct search is one hunt for the file of a module.
// Shape: other is the last path whose file was not taken, or empty.
struct search {
	struct core *core;
	struct core_module *m;
	enum match other_match;
	char other[PATH_BYTES];
};

// search_try takes the file at the joined path when it is the right one. An
// executable that nothing identifies is not guessed at outside its own path.
static enum hc search_try(struct search *s, const char *dir, const char *path,
			  bool must_match, struct hc_err *err)
{
	char full[PATH_BYTES];
	struct objfile *file;
	struct hc_err why = { 0 };
	int n = snprintf(full, sizeof(full), "%s%s", dir, path);
	if (s->m->file || n <= 0 || (size_t)n >= sizeof(full))
		return HC_OK;
	enum hc rc = objfile_open(full, s->core->pool, &file, &why);
	if (rc)
		return rc == HC_FAIL && why.kind == HC_NOMEM ? hc_nomem(err) :
							       HC_OK;
	enum match match = module_match(s->core, s->m, file);
	if (match == MATCH_NO || !machine_fits(s->core, file) ||
	    (match == MATCH_UNKNOWN && must_match)) {
		objfile_close(file);
		s->other_match = match;
		memcpy(s->other, full, (size_t)n + 1);
		return HC_OK;
	}
	return file_keep(s->core, s->m, file, full, err);
}

// dir_of writes the directory of path, with its slash, or "./".
static void dir_of(const char *path, char *ret, size_t len)
{
	const char *slash = strrchr(path, '/');
	if (slash)
		snprintf(ret, len, "%.*s", (int)(slash - path) + 1, path);
	else
		snprintf(ret, len, "./");
}

// search_path tries a path that the core names, wherever it may be now.
static enum hc search_path(struct search *s, const char *path, bool widely,
			   struct hc_err *err)
{
	static const char gone[] = " (deleted)";
	char clean[PATH_BYTES], beside[PATH_BYTES];
	size_t len = strnlen(path, sizeof(clean));
	if (len >= sizeof(clean))
		return HC_OK;
	memcpy(clean, path, len + 1);
	if (len > strlen(gone) && !strcmp(clean + len - strlen(gone), gone))
		clean[len - strlen(gone)] = 0;
	HC_TRY(search_try(s, "", clean, clean[0] != '/', err));
	if (s->core->in->sysroot) {
		snprintf(beside, sizeof(beside), "%s%s",
			 s->core->in->sysroot, clean[0] == '/' ? "" : "/");
		HC_TRY(search_try(s, beside, clean, false, err));
	}
	if (!widely)
		return HC_OK;
	const char *slash = strrchr(clean, '/');
	const char *name = slash ? slash + 1 : clean;
	dir_of(s->core->in->core, beside, sizeof(beside));
	HC_TRY(search_try(s, beside, name, true, err));
	return search_try(s, "./", name, true, err);
}

// search_build_id tries the directory of debug files by build id.
static enum hc search_build_id(struct search *s, struct hc_err *err)
{
	char path[256], hex[96];
	const struct core_module *m = s->m;
	if (m->build_id_len < 2 || m->build_id_len > 40)
		return HC_OK;
	hex_text(hex, sizeof(hex), m->build_id, m->build_id_len);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s", hex,
		 hex + 2);
	HC_TRY(search_try(s, "", path, true, err));
	strncat(path, ".debug", sizeof(path) - strlen(path) - 1);
	return search_try(s, "", path, true, err);
}

static void exe_missing(struct search *s, const char *path)
{
	struct findings *f = &s->core->findings;
	if (s->other[0] && s->other_match == MATCH_UNKNOWN)
		findings_add(f, "no executable", 0,
			     "nothing in the core shows that %s is its "
			     "program; please name it if it is",
			     s->other);
	else if (s->other[0])
		findings_add(f, "no executable", 0,
			     "%s is not the program of this core; please name "
			     "the right one",
			     s->other);
	else
		findings_add(f, "no executable", 0,
			     "%s is not here; please name the program of this "
			     "core",
			     path ? path : "what the process ran");
}

enum hc exe_find(struct core *core, struct core_module *m, struct hc_err *err)
{
	if (core->in->exe)
		return exe_named(core, m, err);
	struct search s = { .core = core, .m = m };
	const char *named = m->path;
	if (m->path)
		HC_TRY(search_path(&s, m->path, true, err));
	uint64_t execfn, len;
	const char *path;
	if (core_auxv(core, CORE_AT_EXECFN, &execfn) == HC_OK &&
	    core_cstr(core, execfn, PATH_BYTES, &path, &len, NULL) == HC_OK) {
		HC_TRY(search_path(&s, path, true, err));
		named = named ? named : path;
	}
	HC_TRY(search_build_id(&s, err));
	const struct core_input *in = core->in;
	if (!m->file && in->fetch && m->build_id) {
		path = in->fetch(in->fetch_ctx, m->build_id, m->build_id_len,
				 false);
		if (path)
			HC_TRY(search_try(&s, "", path, true, err));
	}
	if (!m->file)
		exe_missing(&s, named);
	return HC_OK;
}

enum hc lib_find(struct core *core, struct core_module *m, struct hc_err *err)
{
	struct search s = { .core = core, .m = m };
	HC_TRY(search_path(&s, m->path, false, err));
	// A mapped file that is no ELF file is no module.
	const uint8_t *header;
	if (!m->file && core_view(core, m->low, 4, &header, NULL))
		return HC_NONE;
	return HC_OK;
}
