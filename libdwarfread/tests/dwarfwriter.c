// dwarfwriter.c: DWARF written by the tests, good or broken.
#include "libdwarfread/tests/dwarfwriter.h"

#include <stdarg.h>
#include <stdlib.h>

void writer_init(struct dw_writer *w, struct pool *pool)
{
	*w = (struct dw_writer){ .pool = pool };
	w->info.pool = w->abbrev.pool = w->str.pool = w->line_str.pool =
		w->addr.pool = w->str_offsets.pool = w->loc.pool =
		w->loclists.pool = w->ranges.pool = w->rnglists.pool = pool;
}

void put_u8(struct buf *b, uint64_t v)
{
	uint8_t *at = vec_push(b->pool, b);
	if (!at)
		abort();
	*at = (uint8_t)v;
}

void put_fixed(struct buf *b, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_u8(b, i < 8 ? v >> 8 * i : 0);
}

void put_uleb(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_u8(b, (v & 0x7f) | 0x80);
	put_u8(b, v);
}

void put_sleb(struct buf *b, int64_t v)
{
	for (; v < -0x40 || v >= 0x40; v >>= 7)
		put_u8(b, (uint64_t)(v & 0x7f) | 0x80);
	put_u8(b, (uint64_t)(v & 0x7f));
}

void put_str(struct buf *b, const char *s)
{
	do
		put_u8(b, (uint8_t)*s);
	while (*s++);
}

void put_patch(struct buf *b, uint64_t off, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		b->at[off + i] = (uint8_t)(v >> 8 * i);
}

void put_abbrev(struct dw_writer *w, uint64_t code, unsigned tag, int kids,
		...)
{
	va_list ap;
	put_uleb(&w->abbrev, code);
	put_uleb(&w->abbrev, tag);
	put_u8(&w->abbrev, (unsigned)kids);
	va_start(ap, kids);
	for (unsigned name; (name = va_arg(ap, unsigned));) {
		put_uleb(&w->abbrev, name);
		put_uleb(&w->abbrev, va_arg(ap, unsigned));
	}
	va_end(ap);
	put_fixed(&w->abbrev, 0, 2);
}

uint32_t put_unit(struct dw_writer *w, unsigned version, unsigned addr_len)
{
	const unsigned off_len = w->is_64 ? 8 : 4;
	w->unit = w->info.n;
	if (w->is_64)
		put_fixed(&w->info, UINT32_MAX, 4);
	put_fixed(&w->info, 0, off_len);
	put_fixed(&w->info, version, 2);
	if (version >= 5) {
		put_u8(&w->info, 1); // DW_UT_compile
		put_u8(&w->info, addr_len);
	}
	put_fixed(&w->info, 0, off_len);
	if (version < 5)
		put_u8(&w->info, addr_len);
	return at_info(w);
}

void put_unit_end(struct dw_writer *w)
{
	if (w->is_64)
		put_patch(&w->info, w->unit + 4, w->info.n - w->unit - 12, 8);
	else
		put_patch(&w->info, w->unit, w->info.n - w->unit - 4, 4);
}

struct dwarf_sections writer_sections(const struct dw_writer *w)
{
	struct dwarf_sections ret = { 0 };
	ret.info.bytes = (struct bytes){ w->info.at, w->info.n, 0 };
	ret.abbrev.bytes = (struct bytes){ w->abbrev.at, w->abbrev.n, 0 };
	ret.str.bytes = (struct bytes){ w->str.at, w->str.n, 0 };
	ret.line_str.bytes = (struct bytes){ w->line_str.at, w->line_str.n, 0 };
	ret.addr.bytes = (struct bytes){ w->addr.at, w->addr.n, 0 };
	ret.str_offsets.bytes =
		(struct bytes){ w->str_offsets.at, w->str_offsets.n, 0 };
	ret.loc.bytes = (struct bytes){ w->loc.at, w->loc.n, 0 };
	ret.loclists.bytes = (struct bytes){ w->loclists.at, w->loclists.n, 0 };
	ret.ranges.bytes = (struct bytes){ w->ranges.at, w->ranges.n, 0 };
	ret.rnglists.bytes = (struct bytes){ w->rnglists.at, w->rnglists.n, 0 };
	return ret;
}

enum { UNIT = 1, CONSTANT, GLOBAL, GLOBALX, FUNC, LOCAL, STRUCT, MEMBER,
       TYPEDEF, ARRAY, RANGE, BASE, POINTER, MAP, ABSTRACT, CONCRETE };

static void put_go_abbrevs(struct dw_writer *w)
{
	put_abbrev(w, UNIT, TAG_COMPILE_UNIT, true, AT_NAME, FORM_STRING,
		   AT_LANGUAGE, FORM_DATA1, AT_ADDR_BASE, FORM_SEC_OFFSET, 0);
	put_abbrev(w, CONSTANT, TAG_CONSTANT, false, AT_NAME, FORM_STRING,
		   AT_TYPE, FORM_REF_ADDR, AT_CONST_VALUE, FORM_SDATA, 0);
	put_abbrev(w, GLOBAL, TAG_VARIABLE, false, AT_NAME, FORM_STRING,
		   AT_LOCATION, FORM_BLOCK1, AT_TYPE, FORM_REF_ADDR, 0);
	put_abbrev(w, GLOBALX, TAG_VARIABLE, false, AT_NAME, FORM_STRING,
		   AT_LOCATION, FORM_EXPRLOC, AT_TYPE, FORM_REF_ADDR, 0);
	put_abbrev(w, FUNC, TAG_FUNC, true, AT_NAME, FORM_STRING, AT_LOW,
		   FORM_ADDRX, AT_HIGH, FORM_UDATA, 0);
	put_abbrev(w, LOCAL, TAG_VARIABLE, false, AT_NAME, FORM_STRING,
		   AT_LOCATION, FORM_BLOCK1, AT_TYPE, FORM_REF_ADDR, 0);
	put_abbrev(w, STRUCT, TAG_STRUCT, true, AT_NAME, FORM_STRING,
		   AT_BYTE_SIZE, FORM_UDATA, AT_GO_KIND, FORM_DATA1, AT_GO_TYPE,
		   FORM_ADDR, 0);
	put_abbrev(w, MEMBER, TAG_MEMBER, false, AT_NAME, FORM_STRING,
		   AT_MEMBER_OFFSET, FORM_UDATA, AT_TYPE, FORM_REF_ADDR,
		   AT_GO_EMBEDDED, FORM_FLAG, 0);
	put_abbrev(w, TYPEDEF, TAG_TYPEDEF, false, AT_NAME, FORM_STRING,
		   AT_TYPE, FORM_REF_ADDR, 0);
	put_abbrev(w, ARRAY, TAG_ARRAY, true, AT_NAME, FORM_STRING, AT_TYPE,
		   FORM_REF_ADDR, 0);
	put_abbrev(w, RANGE, TAG_SUBRANGE, false, AT_COUNT, FORM_UDATA, 0);
	put_abbrev(w, BASE, TAG_BASE, false, AT_NAME, FORM_STRING, AT_BYTE_SIZE,
		   FORM_DATA1, 0);
	put_abbrev(w, POINTER, TAG_POINTER, false, AT_NAME, FORM_STRING,
		   AT_TYPE, FORM_REF_ADDR, 0);
	put_abbrev(w, MAP, TAG_TYPEDEF, false, AT_NAME, FORM_STRING, AT_TYPE,
		   FORM_REF_ADDR, AT_GO_KIND, FORM_DATA1, AT_GO_TYPE, FORM_ADDR,
		   AT_GO_KEY, FORM_REF_ADDR, AT_GO_ELEM, FORM_REF_ADDR, 0);
	put_abbrev(w, ABSTRACT, TAG_FUNC, false, AT_NAME, FORM_STRING, 0);
	put_abbrev(w, CONCRETE, TAG_FUNC, false, AT_ORIGIN, FORM_REF_ADDR,
		   AT_LOW, FORM_ADDRX, AT_HIGH, FORM_UDATA, 0);
	put_u8(&w->abbrev, 0);
}

static void put_head(struct dw_writer *w, const char *name)
{
	put_unit(w, 5, 8);
	put_uleb(&w->info, UNIT);
	put_str(&w->info, name);
	put_u8(&w->info, 0x16); // DW_LANG_Go
	put_fixed(&w->info, 8, 4);
}

static uint32_t put_named(struct dw_writer *w, unsigned code, const char *name)
{
	uint32_t ret = at_info(w);
	put_uleb(&w->info, code);
	put_str(&w->info, name);
	return ret;
}

static void put_member(struct dw_writer *w, const char *name, uint64_t off,
		       uint32_t type, bool embedded)
{
	put_named(w, MEMBER, name);
	put_uleb(&w->info, off);
	put_fixed(&w->info, type, 4);
	put_u8(&w->info, embedded);
}

static void put_struct(struct dw_writer *w, const char *name, uint64_t len,
		       uint64_t go_type)
{
	put_named(w, STRUCT, name);
	put_uleb(&w->info, len);
	put_u8(&w->info, 25);
	put_fixed(&w->info, go_type, 8);
}

static uint32_t put_array(struct dw_writer *w, const char *name, uint32_t elem,
			  uint64_t n)
{
	uint32_t ret = put_named(w, ARRAY, name);
	put_fixed(&w->info, elem, 4);
	put_uleb(&w->info, RANGE);
	put_uleb(&w->info, n);
	put_u8(&w->info, 0);
	return ret;
}

static void put_runtime_types(struct dw_writer *w)
{
	put_head(w, "runtime");
	uint32_t word = put_named(w, BASE, "uintptr");
	put_u8(&w->info, 8);
	uint32_t inner = at_info(w);
	put_struct(w, "runtime.gobuf", 24, 0x100);
	put_member(w, "sp", 0, word, false);
	put_member(w, "pc", 8, word, false);
	put_member(w, "lr", 16, word, false);
	put_u8(&w->info, 0);
	uint32_t name = put_named(w, TYPEDEF, "runtime.gobuf");
	put_fixed(&w->info, inner, 4);
	uint32_t row = put_array(w, "[4]runtime.gobuf", name, 4);
	uint32_t outer = at_info(w);
	put_struct(w, "runtime.g", 8 + 24 + 2 * 96, 0x200);
	put_member(w, "goid", 0, word, false);
	put_member(w, "gobuf", 8, name, true);
	put_member(w, "rows", 32, put_array(w, "[2][4]runtime.gobuf", row, 2),
		   false); // an array among the members is no member
	put_u8(&w->info, 0);
	uint32_t to_g = put_named(w, POINTER, "*runtime.g");
	put_fixed(&w->info, outer, 4);
	put_named(w, MAP, "map[uintptr]*runtime.g");
	put_fixed(&w->info, to_g, 4);
	put_u8(&w->info, 21);
	put_fixed(&w->info, 0x300, 8);
	put_fixed(&w->info, word, 4);
	put_fixed(&w->info, to_g, 4);
	put_u8(&w->info, 0);
	put_unit_end(w);
	w->unit = word; // for put_go_program
}

static void put_runtime(struct dw_writer *w, uint32_t word)
{
	put_head(w, "runtime");
	put_named(w, CONSTANT, "runtime.pageSize");
	put_fixed(&w->info, word, 4);
	put_sleb(&w->info, 8192);
	put_named(w, CONSTANT, "runtime.arenaBaseOffsetUintptr");
	put_fixed(&w->info, word, 4);
	put_sleb(&w->info, -140737488355328);
	put_named(w, GLOBAL, "runtime.mheap_");
	put_u8(&w->info, 9);
	put_u8(&w->info, 0x03); // DW_OP_addr
	put_fixed(&w->info, 0x654b20, 8);
	put_fixed(&w->info, word, 4);
	put_named(w, GLOBALX, "runtime.allgs");
	put_u8(&w->info, 2);
	put_u8(&w->info, 0xa1); // DW_OP_addrx
	put_u8(&w->info, 1);
	put_fixed(&w->info, word, 4);
	put_named(w, FUNC, "runtime.main");
	put_uleb(&w->info, 0);
	put_uleb(&w->info, 0x40);
	put_named(w, LOCAL, "runtime.hidden");
	put_u8(&w->info, 2);
	put_fixed(&w->info, 0x0091, 2); // DW_OP_fbreg 0
	put_fixed(&w->info, word, 4);
	put_u8(&w->info, 0);
	uint32_t abstract = put_named(w, ABSTRACT, "runtime.add");
	put_uleb(&w->info, CONCRETE);
	put_fixed(&w->info, abstract, 4);
	put_uleb(&w->info, 2);
	put_uleb(&w->info, 0x10);
	put_u8(&w->info, 0);
	put_unit_end(w);
}

void put_go_program(struct dw_writer *w)
{
	put_go_abbrevs(w);
	put_fixed(&w->addr, 0, 8); // the header of .debug_addr, not read
	put_fixed(&w->addr, 0x401000, 8);
	put_fixed(&w->addr, 0x700000, 8);
	put_fixed(&w->addr, 0x402000, 8);
	put_runtime_types(w);
	put_runtime(w, (uint32_t)w->unit);
}
