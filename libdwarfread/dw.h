// dw.h: the room of libdwarf. Its types do not leave dw.c and dw_vars.c.
#pragma once

#include "libdwarfread/inside.h"

// dw_open makes libdwarf ready over d's sections, once; they are inflated as
// it asks for them. Fails: CORRUPT when libdwarf refuses them; NOMEM.
HC_MUST enum hc dw_open(struct dwarf *d, struct hc_err *err);

// dw_close lets go of all that libdwarf holds. NULL is fine.
void dw_close(struct dw *dw);

// struct dw_abbrev is one abbreviation as declared.
struct dw_abbrev {
	uint64_t code, n_attributes;
	uint16_t tag;
	bool kids;
};

// struct dw_attribute is one line of an abbreviation.
// Units: name is a DW_AT_ number, form a DW_FORM_ one.
struct dw_attribute {
	uint64_t name, form;
	int64_t implicit;
};

// dw_abbrev_next sets *ret to the abbreviation at *off and moves *off behind
// it; dw_attribute then gives its attributes, until the next call.
// Fails: NONE at the end of the table; CORRUPT.
HC_MUST enum hc dw_abbrev_next(struct dw *dw, uint64_t *off,
			       struct dw_abbrev *ret, struct hc_err *err);

// dw_attribute sets *ret to attribute i of that abbreviation; false when it
// cannot be read.
bool dw_attribute(struct dw *dw, uint64_t i, struct dw_attribute *ret);

// struct dw_op is one operation of a location expression.
struct dw_op {
	uint8_t op;
	uint64_t a, b;
};

// DW_MAX_OPS bounds the operations of one expression that are handed out; of a
// longer one n_ops is UINT32_MAX.
#define DW_MAX_OPS 64

// struct dw_visitor is told of the entries of one list, until it says false.
// The ops live during the call only.
struct dw_visitor {
	bool (*location)(void *ctx, struct dwarf_range range,
			 const struct dw_op *ops, uint32_t n_ops);
	bool (*range)(void *ctx, struct dwarf_range range);
	void *ctx;
};

// dw_locations visits where the entry at ref is, and dw_ranges which code it
// has. A location that is no list is one with all addresses for range.
// Fails: NONE when there is none; CORRUPT.
HC_MUST enum hc dw_locations(struct dw *dw, uint32_t ref,
			     const struct dw_visitor *v, struct hc_err *err);
HC_MUST enum hc dw_ranges(struct dw *dw, uint32_t ref,
			  const struct dw_visitor *v, struct hc_err *err);
