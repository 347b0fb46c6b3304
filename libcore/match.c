// match.c: see match.h.
#include "libcore/match.h"

#include <stdio.h>

enum { HEADER_BYTES = 64 };     // of ELF, in which most builds differ
enum { CONTENT_MIN = 4096 };    // bytes alike that we believe
enum { CONTENT_MAX = 1 << 20 }; // bytes of one segment that are compared
enum { WORDS_MIN = 64 };        // words of data alike that we believe

// match_ids compares the build ids; UNKNOWN when there is nothing to compare.
static enum match match_ids(const struct core_module *m,
			    const struct build_ids *ids)
{
	bool same;
	if (m->build_id && ids->gnu.len)
		same = bytes_equal(ids->gnu, m->build_id, m->build_id_len);
	else if (m->go_build_id && ids->go.len)
		same = !strncmp((const char *)ids->go.at, m->go_build_id,
				ids->go.len);
	else
		return m->build_id || m->go_build_id ? MATCH_NO :
						       MATCH_UNKNOWN;
	return same ? MATCH_YES : MATCH_NO;
}

static enum match match_header(const struct core *core,
			       const struct core_module *m,
			       const struct objfile *file)
{
	const uint8_t *header;
	if (!m->high || file->map.bytes.len < HEADER_BYTES ||
	    core_view(core, m->low, HEADER_BYTES, &header, NULL) ||
	    !elf_is((struct bytes){ header, HEADER_BYTES, 0 }))
		return MATCH_UNKNOWN;
	return memcmp(header, file->map.bytes.at, HEADER_BYTES) ?
		       MATCH_NO :
		       MATCH_YES;
}

// match_load compares one read-only PT_LOAD with what the core saved of it,
// and adds to *alike how many bytes agreed.
static bool match_load(const struct core *core, const struct objfile *file,
		       taddr bias, const struct elf_phdr *p, uint64_t *alike)
{
	struct core_window w;
	struct bytes piece;
	taddr at = bias + p->vaddr;
	uint64_t len = p->filesz < CONTENT_MAX ? p->filesz : CONTENT_MAX;
	if ((p->flags & CORE_W) || core_window(core, at, &w))
		return true;
	uint64_t room = w.base + w.len - at;
	if (bytes_sub(file->map.bytes, p->off, len < room ? len : room, &piece,
		      NULL))
		return true;
	*alike += piece.len;
	return bytes_equal(piece, w.bytes + (at - w.base), piece.len);
}

// data_count adds to *n the words of a writable PT_LOAD that are set in the
// file, and to *alike those that the core has too, moved by bias or not.
static void data_count(const struct core *core, const struct objfile *file,
		       taddr bias, const struct elf_phdr *p, uint64_t *alike,
		       uint64_t *n)
{
	uint64_t len = p->filesz < CONTENT_MAX ? p->filesz : CONTENT_MAX;
	struct bytes piece;
	if (!(p->flags & CORE_W) ||
	    bytes_sub(file->map.bytes, p->off, len, &piece, NULL))
		return;
	for (uint64_t off = 0; piece.len - off >= 8; off += 8) {
		uint64_t was = get_u64(piece.at + off), is;
		if (!was || core_u64(core, bias + p->vaddr + off, &is, NULL))
			continue;
		++*n;
		*alike += is == was || is == was + bias;
	}
}

// match_data compares the data segments, most of which a process never
// changes. It is for cores that hold neither header nor text, such as gdb's
// of a program that gdb could not read. Measured on Go 1.24 to 1.27: 99 % of
// the words are alike for the right file, under 1 % for another program's.
static enum match match_data(const struct core *core,
			     const struct objfile *file, taddr bias)
{
	uint64_t alike = 0, n = 0;
	for (uint64_t i = 0; i < file->n_loads; i++)
		data_count(core, file, bias, &file->loads[i], &alike, &n);
	if (n < WORDS_MIN)
		return MATCH_UNKNOWN;
	return alike >= n / 4 * 3 ? MATCH_YES :
	       alike < n / 4	  ? MATCH_NO :
				    MATCH_UNKNOWN;
}

// match_content is for cores without a saved header, such as qemu's.
static enum match match_content(const struct core *core,
				const struct objfile *file)
{
	uint64_t alike = 0, entry = 0;
	bool has_entry = core_auxv(core, CORE_AT_ENTRY, &entry) == HC_OK;
	taddr bias = has_entry ? entry - file->head.entry : 0;
	// Source: Linux fs/binfmt_elf.c: a program that may be moved is moved
	// by whole pages, another not at all.
	uint64_t loose = file->head.type == ELF_DYN ? ~UINT64_C(0xfff) : 0;
	if (bias & ~loose)
		return MATCH_NO;
	if (loose && !has_entry)
		return MATCH_UNKNOWN;
	for (uint64_t i = 0; i < file->n_loads; i++) {
		if (!match_load(core, file, bias, &file->loads[i], &alike))
			return MATCH_NO;
	}
	return alike >= CONTENT_MIN ? MATCH_YES :
				      match_data(core, file, bias);
}

enum match module_match(const struct core *core, const struct core_module *m,
			const struct objfile *file)
{
	enum match match = match_ids(m, &file->ids);
	if (match == MATCH_UNKNOWN)
		match = match_header(core, m, file);
	if (match == MATCH_UNKNOWN && m->is_exe)
		match = match_content(core, file);
	return match;
}

void hex_text(char *text, size_t text_len, const uint8_t *at, uint64_t len)
{
	text[0] = 0;
	for (uint64_t i = 0; i < len && i * 2 + 2 < text_len; i++)
		snprintf(text + i * 2, 3, "%02x", at[i]);
}

// id_text writes an identity for people: the build id, else Go's, else none.
static void id_text(char *text, size_t len, struct bytes gnu, struct bytes go)
{
	if (gnu.len)
		hex_text(text, len, gnu.at, gnu.len);
	else if (go.len)
		snprintf(text, len, "%.*s", (int)(go.len < 90 ? go.len : 90),
			 (const char *)go.at);
	else
		snprintf(text, len, "none");
}

void match_fail(struct hc_err *err, const struct core_module *m,
		const struct objfile *file)
{
	char has[96], wants[96];
	const char *go = m->go_build_id;
	if (!m->build_id && !go) {
		hc_err_set(err, HC_MISMATCH, 0, HC_SRC(__FILE__, __LINE__),
			   "is not the program of this core: what the core "
			   "saved of it differs");
		return;
	}
	struct bytes core_gnu = { m->build_id, m->build_id_len, 0 };
	struct bytes core_go = { (const uint8_t *)go, go ? strlen(go) : 0, 0 };
	id_text(has, sizeof(has), file->ids.gnu, file->ids.go);
	id_text(wants, sizeof(wants), core_gnu, core_go);
	hc_err_set(err, HC_MISMATCH, 0, HC_SRC(__FILE__, __LINE__),
		   "is not the program of this core: its build id is %s, the "
		   "core's is %s",
		   has, wants);
}
