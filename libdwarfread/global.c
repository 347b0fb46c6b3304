// global.c: constants and variables with a fixed address.
#include "libdwarfread/entry.h"

// struct takers is what a search fills in; one of the arrays is NULL.
struct takers {
	struct dwarf *d;
	struct dwarf_constant *constants;
	struct dwarf_global *globals;
};

static void take_constant(void *ctx, size_t i, const struct entry *e)
{
	struct dwarf_constant *to = &((struct takers *)ctx)->constants[i];
	if (to->name || !entry_has(e, SLOT_VALUE) ||
	    form_is_block(e->form[SLOT_VALUE]))
		return;
	*to = (struct dwarf_constant){
		.name = entry_string(e, SLOT_NAME),
		.value = (int64_t)entry_number(e, SLOT_VALUE),
		.type = entry_ref(e, SLOT_TYPE),
	};
}

static bool has_constant(const void *ctx, size_t i)
{
	return ((const struct takers *)ctx)->constants[i].name != NULL;
}

enum hc dwarf_find_constants(struct dwarf *d, const char *const names[],
			     size_t n, struct dwarf_constant ret[],
			     struct hc_err *err)
{
	struct takers to = { .d = d, .constants = ret };
	struct wanted w = { names, n, take_constant, has_constant, &to };
	memset(ret, 0, n * sizeof(*ret));
	return find_in_packages(d, &d->constants, &w, err);
}

static enum hc global_from(struct dwarf *d, const struct entry *e,
			   struct dwarf_global *ret)
{
	uint64_t addr;
	HC_TRY(entry_address(d, e, &addr));
	*ret = (struct dwarf_global){
		.name = entry_string(e, SLOT_NAME),
		.addr = addr,
		.type = entry_ref(e, SLOT_TYPE),
		.len = type_len(d, entry_ref(e, SLOT_TYPE)),
	};
	return HC_OK;
}

static void take_global(void *ctx, size_t i, const struct entry *e)
{
	struct takers *to = ctx;
	if (!to->globals[i].name)
		(void)!global_from(to->d, e, &to->globals[i]);
}

static bool has_global(const void *ctx, size_t i)
{
	return ((const struct takers *)ctx)->globals[i].name != NULL;
}

enum hc dwarf_find_globals(struct dwarf *d, const char *const names[],
			   size_t n, struct dwarf_global ret[],
			   struct hc_err *err)
{
	struct takers to = { .d = d, .globals = ret };
	struct wanted w = { names, n, take_global, has_global, &to };
	memset(ret, 0, n * sizeof(*ret));
	return find_in_packages(d, &d->globals, &w, err);
}

enum hc dwarf_global_count(struct dwarf *d, uint64_t *ret, struct hc_err *err)
{
	HC_TRY(index_all(d, err));
	*ret = d->globals.n;
	return HC_OK;
}

enum hc dwarf_global_at(struct dwarf *d, uint64_t i, struct dwarf_global *ret,
			struct hc_err *err)
{
	struct entry e;
	if (i >= d->globals.n)
		return HC_NONE;
	if (entry_of(d, d->globals.at[i].ref, &e, err))
		return HC_NONE;
	return global_from(d, &e, ret);
}
