// layout.h: where the fields of the runtime's structures lie in this process.
//
// fields.def, sizes.def and constants.def list what heapcore uses, by the
// runtime's own names. Two sources fill the same record: built-in tables by Go
// version and architecture (tables/, generated), and the executable's DWARF.
// A name that the version does not have is absent, never guessed.
#pragma once

#include "libcore/core.h"

// enum go_field numbers the fields of fields.def: FIELD(id, struct, path).
enum go_field {
#define FIELD(id, type, path) F_##id,
#include "libheap/go/fields.def"
#undef FIELD
	GO_N_FIELDS
};

// enum go_size numbers the structs of sizes.def whose size is used.
enum go_size {
#define SIZE(id, type) S_##id,
#include "libheap/go/sizes.def"
#undef SIZE
	GO_N_SIZES
};

// enum go_const numbers the constants of constants.def; several names may
// stand for one (renamed between versions): CONSTANT(id, "new", "old").
enum go_const {
#define CONSTANT(id, name, older) C_##id,
#include "libheap/go/constants.def"
#undef CONSTANT
	GO_N_CONSTS
};

// struct go_version is a Go release with what changes its structures.
struct go_version {
	unsigned minor;   // 26 of go1.26.3
	unsigned patch;
	bool devel;
	char text[64];    // as in runtime.buildVersion, cut
	uint32_t experiments; // GO_X_* that are on, defaults of the version included
};
enum {
	GO_X_GREENTEA = 1,
	GO_X_SWISSMAP = 2,
	GO_X_ARENAS = 4,
	GO_X_MAPSPLITGROUP = 8,
	GO_X_OTHER = 16, // one that is not in this list
};

// go_version_parse reads "go1.26.3 X:nogreenteagc" (buildVersion).
// Fails: UNSUPPORTED when it is no Go 1 release or devel string.
HC_MUST enum hc go_version_parse(const char *text, uint64_t len,
				 struct go_version *ret, struct hc_err *err);

// struct go_field_at is one field's place. Units: bytes.
// Shape: off is -1 when this version has no such field.
struct go_field_at {
	int32_t off;
	uint32_t size;
};

// struct go_layout is all that fields.def, sizes.def and constants.def name,
// for one process.
struct go_layout {
	struct go_version version;
	enum core_arch arch;
	const char *source; // "tables go1.26 amd64", "DWARF"
	struct go_field_at field[GO_N_FIELDS];
	uint32_t size[GO_N_SIZES];      // 0: no such struct
	int64_t constant[GO_N_CONSTS];
	bool has_constant[GO_N_CONSTS];
};

// go_layout_from_tables fills *ret from the built-in table for the version.
// Fails: NONE when there is no table for it (newer, or an experiment that
//        changes structures and has none).
HC_MUST enum hc go_layout_from_tables(const struct go_version *version,
				      enum core_arch arch,
				      struct go_layout *ret,
				      struct hc_err *err);

// struct dwarf (libdwarfread) fills it from the executable.
struct dwarf;

// go_layout_from_dwarf fills *ret from debug info; with `check` also notes
// each difference from the table in findings (DWARF wins).
// Fails: NONE when the debug info lacks the runtime.
HC_MUST enum hc go_layout_from_dwarf(struct dwarf *dwarf,
				     const struct go_version *version,
				     enum core_arch arch,
				     const struct go_layout *check,
				     struct findings *findings,
				     struct go_layout *ret, struct hc_err *err);

// go_has says whether this version has the field.
static inline bool go_has(const struct go_layout *l, enum go_field f)
{
	return l->field[f].off >= 0;
}

// go_off returns a field's offset; the caller knows that it exists.
static inline uint64_t go_off(const struct go_layout *l, enum go_field f)
{
	return (uint64_t)(uint32_t)l->field[f].off;
}

// go_const returns a constant, or fallback when the version has none.
static inline int64_t go_const(const struct go_layout *l, enum go_const c,
			       int64_t fallback)
{
	return l->has_constant[c] ? l->constant[c] : fallback;
}

// go_fits says whether field f, when there, lies within its struct's size, so
// that go_get may read it out of a view of that size.
static inline bool go_fits(const struct go_layout *l, enum go_field f,
			   enum go_size s)
{
	return !go_has(l, f) ||
	       (l->field[f].size <= l->size[s] &&
		go_off(l, f) <= l->size[s] - l->field[f].size);
}

// go_get reads field f, as an unsigned number of the field's own size, out of
// a view of the whole struct; 0 when this version has no such field.
static inline uint64_t go_get(const struct go_layout *l, const uint8_t *view,
			      enum go_field f)
{
	if (!go_has(l, f))
		return 0;
	const uint8_t *at = view + go_off(l, f);
	switch (l->field[f].size) {
	case 1:
		return *at;
	case 2:
		return get_u16(at);
	case 4:
		return get_u32(at);
	default:
		return get_u64(at);
	}
}
