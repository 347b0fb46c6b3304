// debugfile.c: see debugfile.h.
#include "libcore/debugfile.h"

#include "libcore/base/codec.h"
#include "libcore/match.h"
#include "libcore/objfile.h"

#include <stdio.h>

enum { PATH_BYTES = 4096 };

// struct link is what .gnu_debuglink says. Shape: name is "" without one.
struct link {
	char name[256];
	uint32_t crc;
};

// struct hunt is the search for one debug file.
struct hunt {
	struct core *core;
	struct core_module *m;
	struct link link;
};

static bool has_section(const struct objfile *file, const char *name)
{
	struct objfile_section s;
	return file && objfile_section(file, name, &s) == HC_OK &&
	       s.bytes.len > 0;
}

// link_read reads the name and the checksum: a name without slashes, its NUL,
// zeros up to a multiple of 4, four bytes.
static void link_read(const struct objfile *file, struct link *ret)
{
	struct objfile_section s;
	*ret = (struct link){ 0 };
	if (objfile_section(file, ".gnu_debuglink", &s) || s.bytes.len < 8)
		return;
	size_t len = strnlen((const char *)s.bytes.at, s.bytes.len);
	uint64_t crc = (len + 4) / 4 * 4;
	if (!len || len >= sizeof(ret->name) || crc > s.bytes.len - 4 ||
	    memchr(s.bytes.at, '/', len))
		return;
	memcpy(ret->name, s.bytes.at, len);
	ret->crc = get_u32(s.bytes.at + crc);
}

// belongs says whether a debug file is that of the module: by the ids of both,
// else by the checksum of all of it.
static bool belongs(const struct hunt *h, const struct objfile *file,
		    bool by_link)
{
	const struct build_ids *a = &h->m->file->ids, *b = &file->ids;
	if (file->head.machine != h->core->head.machine ||
	    file->head.is64 != h->core->head.is64)
		return false;
	if (a->gnu.len && b->gnu.len)
		return a->gnu.len == b->gnu.len &&
		       memcmp(a->gnu.at, b->gnu.at, a->gnu.len) == 0;
	return by_link && crc32_more(0, file->map.bytes.at,
				     file->map.bytes.len) == h->link.crc;
}

// try_path takes the file at path when it is the right one.
static enum hc try_path(struct hunt *h, const char *path, bool by_link,
			struct hc_err *err)
{
	struct objfile *file;
	struct hc_err why = { 0 };
	if (h->m->debug)
		return HC_OK;
	enum hc rc = objfile_open(path, h->core->pool, &file, &why);
	if (rc)
		return rc == HC_FAIL && why.kind == HC_NOMEM ? hc_nomem(err) :
							       HC_OK;
	struct objfile **one = NULL;
	if (belongs(h, file, by_link) && has_section(file, ".debug_info"))
		one = vec_push(h->core->pool, &h->core->objfiles);
	if (!one) {
		objfile_close(file);
		return HC_OK;
	}
	*one = file;
	h->m->debug = file;
	return HC_OK;
}

// try_join tries a path made of parts, as it is and below the sysroot.
static enum hc try_join(struct hunt *h, const char *dir, size_t dir_len,
			const char *between, const char *name, bool by_link,
			struct hc_err *err)
{
	char path[PATH_BYTES];
	const char *roots[] = { "", h->core->in->sysroot };
	for (unsigned i = 0; i < 2 && roots[i]; i++) {
		int n = snprintf(path, sizeof(path), "%s%.*s%s%s", roots[i],
				 (int)dir_len, dir, between, name);
		if (n > 0 && (size_t)n < sizeof(path))
			HC_TRY(try_path(h, path, by_link, err));
	}
	return HC_OK;
}

static enum hc try_build_id(struct hunt *h, struct hc_err *err)
{
	static const char dir[] = "/usr/lib/debug/.build-id/";
	char hex[96], name[128];
	const struct bytes *id = &h->m->file->ids.gnu;
	if (id->len < 2 || id->len > 40)
		return HC_OK;
	hex_text(hex, sizeof(hex), id->at, id->len);
	snprintf(name, sizeof(name), "%.2s/%s.debug", hex, hex + 2);
	return try_join(h, dir, strlen(dir), "", name, false, err);
}

// try_link looks beside the executable, in .debug there, and below
// /usr/lib/debug at the same path.
static enum hc try_link(struct hunt *h, const char *path, struct hc_err *err)
{
	static const char global[] = "/usr/lib/debug";
	char under[PATH_BYTES];
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) + 1 : 0;
	if (!h->link.name[0] || len >= PATH_BYTES / 2)
		return HC_OK;
	HC_TRY(try_join(h, path, len, "", h->link.name, true, err));
	HC_TRY(try_join(h, path, len, ".debug/", h->link.name, true, err));
	if (path[0] != '/')
		return HC_OK;
	snprintf(under, sizeof(under), "%s%.*s", global, (int)len, path);
	return try_join(h, under, strlen(under), "", h->link.name, true, err);
}

static enum hc try_fetch(struct hunt *h, struct hc_err *err)
{
	const struct core_input *in = h->core->in;
	const struct bytes *id = &h->m->file->ids.gnu;
	if (!in->fetch || h->m->debug || id->len < 2)
		return HC_OK;
	const char *path = in->fetch(in->fetch_ctx, id->at, id->len, true);
	return path ? try_path(h, path, false, err) : HC_OK;
}

enum hc debug_find(struct core *core, struct core_module *m, const char *path,
		   struct hc_err *err)
{
	struct hunt h = { .core = core, .m = m };
	m->symbols = m->file;
	if (!m->file || has_section(m->file, ".debug_info") ||
	    has_section(m->file, ".zdebug_info"))
		return HC_OK;
	link_read(m->file, &h.link);
	HC_TRY(try_build_id(&h, err));
	HC_TRY(try_link(&h, path, err));
	HC_TRY(try_fetch(&h, err));
	if (m->debug && !has_section(m->file, ".symtab") &&
	    has_section(m->debug, ".symtab"))
		m->symbols = m->debug;
	return HC_OK;
}
