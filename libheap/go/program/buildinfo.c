// buildinfo.c: see buildinfo.h.
#include "libheap/go/program/buildinfo.h"

static const char magic[] = "\xff Go buildinf:";
enum { MAGIC_LEN = 14, HEAD_LEN = 32, FLAG_INLINE = 2, ALIGN = 16 };

// sized takes a string with a varint length in front off *b.
static enum hc sized(struct bytes *b, struct bytes *ret)
{
	uint64_t len;

	if (bytes_uleb(b, &len, NULL) || bytes_take(b, len, ret, NULL))
		return HC_NONE;
	return HC_OK;
}

enum hc go_buildinfo_read(struct bytes b, struct go_buildinfo *ret)
{
	struct bytes head;
	struct go_buildinfo info;

	if (bytes_take(&b, HEAD_LEN, &head, NULL) ||
	    memcmp(head.at, magic, MAGIC_LEN) != 0 ||
	    !(head.at[15] & FLAG_INLINE) || sized(&b, &info.version) ||
	    sized(&b, &info.mod) || info.version.len == 0)
		return HC_NONE;
	// 16 random-looking bytes stand on each side of the lines.
	if (info.mod.len >= 33 && info.mod.at[info.mod.len - 17] == '\n')
		info.mod = (struct bytes){ info.mod.at + 16, info.mod.len - 32,
					   info.mod.org + 16 };
	else
		info.mod = (struct bytes){ 0 };
	*ret = info;
	return HC_OK;
}

// scan looks for the record in [low, high).
static enum hc scan(const struct core *core, taddr low, taddr high,
		    bool saved_only, struct go_buildinfo *ret)
{
	struct core_window w;

	for (taddr at = low; at < high && !core_next_window(core, at, &w);
	     at = w.base + w.len) {
		taddr from = w.base > at ? w.base : at;
		if (from >= high)
			break;
		if (saved_only && w.from_file)
			continue;
		uint64_t stop = w.len;
		if (high - w.base < stop)
			stop = high - w.base;
		for (uint64_t off = from - w.base; off < stop; off++) {
			const uint8_t *p = memchr(w.bytes + off, magic[0],
						  stop - off);
			if (!p)
				break;
			off = (uint64_t)(p - w.bytes);
			struct bytes b = { p, w.len - off, w.base + off };
			if (((w.base + off) & (ALIGN - 1)) == 0 &&
			    !go_buildinfo_read(b, ret))
				return HC_OK;
		}
	}
	return HC_NONE;
}

static enum hc in_section(const struct core *core,
			  const struct core_module *object,
			  struct go_buildinfo *ret)
{
	struct objfile_section s;
	struct core_window w;

	HC_TRY(objfile_section(object->file, ".go.buildinfo", &s));
	taddr at = s.addr + object->bias;
	if (!core_window(core, at, &w)) {
		struct bytes b = { w.bytes + (at - w.base),
				   w.len - (at - w.base), at };
		if (!go_buildinfo_read(b, ret))
			return HC_OK;
	}
	return go_buildinfo_read(s.bytes, ret);
}

// is_place says whether the record may be in a segment: it is in data.
static bool is_place(const struct core_segment *s,
		     const struct core_module *object, taddr near)
{
	if (!(s->perm & CORE_W))
		return false;
	if (object)
		return s->base < object->high && s->base + s->len > object->low;
	return s->file || (near >= s->base && near - s->base < s->len);
}

enum hc go_buildinfo_find(const struct core *core,
			  const struct core_module *object, taddr near,
			  struct go_buildinfo *ret)
{
	size_t n;
	const struct core_segment *s = core_segments(core, &n);

	if (object && object->file && !in_section(core, object, ret))
		return HC_OK;
	for (size_t i = 0; i < n; i++)
		if (is_place(&s[i], object, near) &&
		    !scan(core, s[i].base, s[i].base + s[i].len, !object, ret))
			return HC_OK;
	return HC_NONE;
}
