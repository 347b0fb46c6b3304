// dwarfwriter.h: DWARF written by the tests, good or broken.
//
//	struct dw_writer w;
//	writer_init(&w, &pool);
//	put_abbrev(&w, 1, TAG_COMPILE_UNIT, true, AT_NAME, FORM_STRING, 0);
//	put_unit(&w, 5); put_uleb(&w.info, 1); put_str(&w.info, "main"); …
//	put_unit_end(&w);
#pragma once

#include "libcore/base/vec.h"
#include "libdwarfread/entry.h"

struct buf {
	VEC(uint8_t);
	struct pool *pool;
};

struct dw_writer {
	struct buf info, abbrev, str, line_str, addr, str_offsets, loc,
		loclists, ranges, rnglists;
	struct pool *pool;
	uint64_t unit; // where the open unit begins
	bool is_64;    // its offsets are 8 bytes
};

// Attribute numbers. Source: DWARF 5, 7.5.4; Go's cmd/internal/dwarf.
enum { AT_LOCATION = 0x02, AT_NAME = 0x03, AT_BYTE_SIZE = 0x0b, AT_LOW = 0x11,
       AT_HIGH = 0x12, AT_LANGUAGE = 0x13, AT_CONST_VALUE = 0x1c,
       AT_UPPER_BOUND = 0x2f, AT_ORIGIN = 0x31, AT_COUNT = 0x37,
       AT_MEMBER_OFFSET = 0x38, AT_DECLARATION = 0x3c, AT_FRAME_BASE = 0x40,
       AT_TYPE = 0x49, AT_VARIABLE_PARAMETER = 0x4b, AT_RANGES = 0x55,
       AT_STR_BASE = 0x72, AT_ADDR_BASE = 0x73, AT_GO_KIND = 0x2900,
       AT_GO_KEY = 0x2901, AT_GO_ELEM = 0x2902, AT_GO_EMBEDDED = 0x2903,
       AT_GO_TYPE = 0x2904, AT_GO_CLOSURE = 0x2907, AT_UNKNOWN = 0x3ffe };

void writer_init(struct dw_writer *w, struct pool *pool);

// put_* append to a buffer; put_patch overwrites n bytes at off.
void put_u8(struct buf *b, uint64_t v);
void put_fixed(struct buf *b, uint64_t v, unsigned n);
void put_uleb(struct buf *b, uint64_t v);
void put_sleb(struct buf *b, int64_t v);
void put_str(struct buf *b, const char *s);
void put_patch(struct buf *b, uint64_t off, uint64_t v, unsigned n);

// put_abbrev writes one abbreviation: attribute, form, …, 0.
void put_abbrev(struct dw_writer *w, uint64_t code, unsigned tag, int kids,
		...);

// put_unit begins a unit of DWARF version and returns where its first entry
// will be; its abbreviations are at 0. put_unit_end writes the length.
uint32_t put_unit(struct dw_writer *w, unsigned version, unsigned addr_len);
void put_unit_end(struct dw_writer *w);

// at_info is where the next entry of .debug_info will be.
static inline uint32_t at_info(const struct dw_writer *w)
{
	return (uint32_t)w->info.n;
}

// writer_sections gives what was written; it points into the writer.
struct dwarf_sections writer_sections(const struct dw_writer *w);

// put_go_program writes two units as Go's linker does: package runtime with a
// constant, a global and a function, and the unit of all types. The names and
// numbers in it are what the tests of questions ask for.
void put_go_program(struct dw_writer *w);
