// ask_all.h: every question of dwarfread.h about everything that is there, with
// what must hold of the answers. For sweeps over broken input and the fuzzer.
#pragma once

#include "libdwarfread/dwarfread.h"

#include <stdlib.h>

// must stops the program where a promise is broken.
static inline void must(bool held)
{
	if (!held)
		abort();
}

static inline void ask_type(struct dwarf *d, uint32_t ref)
{
	struct dwarf_type t;
	struct dwarf_members it;
	struct dwarf_member m;
	struct dwarf_field f;
	struct hc_err err;
	if (dwarf_type_at(d, ref, &t, &err))
		return;
	must(t.ref == ref && (!t.name || strlen(t.name) < UINT32_MAX));
	must(dwarf_strip(d, ref, &t, &err) || t.kind != DWARF_TYPEDEF);
	if (dwarf_members_of(d, ref, &it, &err))
		return;
	for (int i = 0; i < 50 && dwarf_members_next(&it, &m, &err) == HC_OK;
	     i++) {
		f.type = 7;
		if (m.name && dwarf_field_at(d, ref, m.name, &f, &err))
			must(f.type == 7); // untouched
	}
	(void)!dwarf_field_at(d, ref, "a.b[1].c", &f, &err);
	if (t.go_type)
		(void)!dwarf_find_go_type(d, t.go_type, &t, &err);
}

static inline void ask_vars(struct dwarf *d, uint32_t ref, uint64_t pc,
			    struct pool *pool)
{
	struct dwarf_var *v = NULL;
	struct hc_err err;
	uint64_t n = 7;
	if (dwarf_func_vars(d, ref, pool, &v, &n, &err)) {
		must(!v && n == 7);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		const struct dwarf_location *at = dwarf_var_at(&v[i], pc);
		must(!at || (at->range.low <= pc && pc < at->range.high &&
			     at->n_pieces > 0));
	}
}

static inline void ask_all(const struct dwarf_sections *in, struct pool *pool)
{
	static const char *const names[] = { "runtime.g", "runtime.mheap_",
					     "runtime.pageSize", "x", "" };
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct dwarf *d = NULL;
	struct hc_err err;
	struct dwarf_type types[N];
	struct dwarf_constant constants[N];
	struct dwarf_global globals[N], g;
	struct dwarf_func f;
	uint64_t n;
	if (dwarf_open(in, pool, &d, &err)) {
		must(d == NULL);
		return;
	}
	(void)!dwarf_find_constants(d, names, N, constants, &err);
	(void)!dwarf_find_globals(d, names, N, globals, &err);
	(void)!dwarf_find_structs(d, names, N, types, &err);
	if (dwarf_type_count(d, &n, &err) == HC_OK)
		for (uint64_t i = 0; i < n && i < 2000; i++)
			ask_type(d, dwarf_type_ref(d, i));
	if (dwarf_global_count(d, &n, &err) == HC_OK)
		for (uint64_t i = 0; i < n && i < 2000; i++)
			(void)!dwarf_global_at(d, i, &g, &err);
	for (uint64_t pc = 0x401000; pc < 0x403000; pc += 0x800)
		if (dwarf_find_func(d, pc, &f, &err) == HC_OK) {
			must(f.low <= pc && pc < f.high);
			ask_vars(d, f.ref, pc, pool);
		}
	const struct dwarf_trouble *t = dwarf_trouble(d);
	must(t->units_dropped <= t->units);
	must((t->units_dropped > 0) <= (t->first.src != NULL));
	dwarf_close(d);
}
