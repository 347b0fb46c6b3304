// typewriter.c: see typewriter.h.
// Source: internal/abi/type.go (1.21–1.27), runtime/type.go before.
#include "libheap/go/tests/typewriter.h"

#include <stdlib.h>

enum { LEN = 160 }; // of any descriptor and what follows it

struct typewriter *tw_begin(unsigned minor)
{
	struct typewriter *tw = calloc(1, sizeof(*tw));

	ck_assert_ptr_nonnull(tw);
	tw->minor = minor;
	tw->w.word = 8;
	tw->w.arch = CORE_AMD64;
	tw->w.minor = minor;
	tw->n_names = 8;
	return tw;
}

void tw_set(struct typewriter *tw, taddr type, unsigned off, uint64_t value)
{
	memcpy(tw->w.data + (type - GW_DATA) + off, &value, 8);
}

void tw_byte(struct typewriter *tw, taddr type, unsigned off, uint8_t value)
{
	tw->w.data[type - GW_DATA + off] = value;
}

// new_name writes a name and returns its address.
static taddr new_name(struct typewriter *tw, const char *name, uint8_t flags)
{
	uint8_t *p = tw->w.rodata + tw->n_names;
	taddr at = GW_RODATA + tw->n_names;
	size_t len = strlen(name);

	ck_assert_uint_lt(tw->n_names + len + 3, GW_SEGMENT / 2);
	*p++ = flags;
	if (len >= 128)
		*p++ = (uint8_t)(len | 128);
	*p++ = (uint8_t)(len >= 128 ? len >> 7 : len);
	memcpy(p, name, len);
	tw->n_names += (uint32_t)len + 3;
	return at;
}

// offset_of returns what leads from the module's types to an address.
static uint32_t offset_of(taddr at)
{
	return (uint32_t)(at - GW_RODATA);
}

taddr tw_type(struct typewriter *tw, enum go_kind kind, uint64_t size,
	      uint64_t mask, const char *name)
{
	taddr at = GW_DATA + tw->n_types;
	taddr gcdata = GW_DATA + tw->n_types + LEN - 8;
	uint64_t words = mask ? 64 - (unsigned)__builtin_clzll(mask) : 0;
	uint32_t str = offset_of(new_name(tw, name, 0));

	ck_assert_uint_lt(tw->n_types, GW_SEGMENT - LEN);
	tw->n_types += LEN;
	tw_set(tw, at, 0, size);
	tw_set(tw, at, 8, 8 * words);
	tw_byte(tw, at, 21, 8); // alignment
	tw_byte(tw, at, 22, 8);
	tw_byte(tw, at, 23, (uint8_t)kind);
	tw_set(tw, at, 32, gcdata);
	tw_set(tw, at, 40, str);
	memcpy(tw->w.data + (gcdata - GW_DATA), &mask, 8);
	return at;
}

// common_len returns how long a descriptor is before its uncommon part.
static unsigned common_len(const struct typewriter *tw, taddr type)
{
	switch (tw->w.data[type - GW_DATA + 23] & 31) {
	case GO_KIND_STRUCT:
	case GO_KIND_INTERFACE:
		return 80;
	case GO_KIND_POINTER:
	case GO_KIND_SLICE:
		return 56;
	default:
		return 48;
	}
}

void tw_named(struct typewriter *tw, taddr type, const char *path)
{
	tw_byte(tw, type, 20, 4 | 1); // named, uncommon
	tw_set(tw, type, common_len(tw, type),
	       offset_of(new_name(tw, path, 0)));
}

taddr tw_struct(struct typewriter *tw, uint64_t size, uint64_t mask,
		const char *name, const struct tw_field *fields, unsigned n)
{
	taddr at = tw_type(tw, GO_KIND_STRUCT, size, mask, name);
	// Field lists grow down from the end of the section of names.
	uint32_t end = tw->w.rodata_len ? tw->w.rodata_len : GW_SEGMENT;
	uint32_t list = end - 24 * n;
	unsigned i;

	ck_assert_uint_gt(list, GW_SEGMENT / 2);
	tw->w.rodata_len = list;
	for (i = 0; i < n; i++) {
		bool old = tw->minor < 19;
		uint64_t word[3] = {
			new_name(tw, fields[i].name,
				 !old && fields[i].embedded ? 8 : 0),
			fields[i].type,
			old ? fields[i].off << 1 | fields[i].embedded :
			      fields[i].off,
		};

		memcpy(tw->w.rodata + list + 24 * i, word, 24);
	}
	tw_set(tw, at, 56, GW_RODATA + list);
	tw_set(tw, at, 64, n);
	tw_set(tw, at, 72, n);
	return at;
}

taddr tw_pointer(struct typewriter *tw, taddr elem)
{
	taddr at = tw_type(tw, GO_KIND_POINTER, 8, 1, "*");

	tw_set(tw, at, 48, elem);
	return at;
}

void tw_open(struct typewriter *tw)
{
	struct go_process *p = &tw->core.process;
	struct hc_err err = { 0 };

	gw_open(&tw->w, &tw->core);
	tw->module = (struct go_module){ .types = GW_RODATA,
					 .etypes = GW_DATA + tw->n_types };
	p->modules = &tw->module;
	p->n_modules = 1;
	p->version.minor = tw->minor;
	p->version.experiments = tw->minor >= 24 ? GO_X_SWISSMAP : 0;
	ck_assert_int_eq(go_types_open(p, NULL, 0, &tw->core.pool, &tw->types,
				       &err),
			 HC_OK);
}

void tw_close(struct typewriter *tw)
{
	go_types_close(tw->types);
	gw_close(&tw->core);
	free(tw);
}

go_typeid tw_id(struct typewriter *tw, taddr type)
{
	return go_type_by_rtype(tw->types, type);
}

const struct go_type *tw_get(struct typewriter *tw, taddr type)
{
	return go_type_get(tw->types, tw_id(tw, type));
}
