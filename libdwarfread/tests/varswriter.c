// varswriter.c: a function with variables, written by the tests.
#include "libdwarfread/tests/varswriter.h"

static void put_abbrevs(struct dw_writer *w)
{
	put_abbrev(w, UNIT, TAG_COMPILE_UNIT, true, AT_LOW, FORM_ADDR,
		   AT_ADDR_BASE, FORM_SEC_OFFSET, 0);
	put_abbrev(w, FUNC, TAG_FUNC, true, AT_NAME, FORM_STRING, AT_LOW,
		   FORM_ADDR, AT_HIGH, FORM_UDATA, AT_FRAME_BASE, FORM_BLOCK1,
		   0);
	put_abbrev(w, LOCAL, TAG_VARIABLE, false, AT_NAME, FORM_STRING,
		   AT_LOCATION, FORM_BLOCK1, AT_GO_CLOSURE, FORM_UDATA, 0);
	put_abbrev(w, LISTED, TAG_VARIABLE, false, AT_NAME, FORM_STRING,
		   AT_LOCATION, FORM_SEC_OFFSET, 0);
	put_abbrev(w, BLOCK, TAG_LEXICAL_BLOCK, true, AT_RANGES,
		   FORM_SEC_OFFSET, 0);
	put_abbrev(w, ABSTRACT, TAG_FUNC, true, AT_NAME, FORM_STRING, 0);
	put_abbrev(w, PARAM, TAG_PARAMETER, false, AT_NAME, FORM_STRING,
		   AT_TYPE, FORM_REF_ADDR, AT_VARIABLE_PARAMETER, FORM_FLAG, 0);
	put_abbrev(w, INLINED, TAG_INLINED, true, AT_ORIGIN, FORM_REF_ADDR,
		   AT_LOW, FORM_ADDR, AT_HIGH, FORM_ADDR, 0);
	put_abbrev(w, ORIGIN, TAG_PARAMETER, false, AT_ORIGIN, FORM_REF_ADDR,
		   AT_LOCATION, FORM_BLOCK1, 0);
	put_abbrev(w, SPLIT, TAG_FUNC, false, AT_NAME, FORM_STRING, AT_RANGES,
		   FORM_SEC_OFFSET, 0);
	put_u8(&w->abbrev, 0);
}

void vars_named(struct dw_writer *w, unsigned code, const char *name)
{
	put_u8(&w->info, code);
	put_str(&w->info, name);
}

void vars_block(struct dw_writer *w, const uint8_t *at, unsigned len)
{
	put_u8(&w->info, len);
	for (unsigned i = 0; i < len; i++)
		put_u8(&w->info, at[i]);
}

void vars_head(struct dw_writer *w, unsigned version)
{
	put_abbrevs(w);
	put_unit(w, version, 8);
	put_u8(&w->info, UNIT);
	put_fixed(&w->info, 0x1000, 8);
	put_fixed(&w->info, 8, 4);
}

uint32_t vars_func(struct dw_writer *w)
{
	static const uint8_t cfa[] = { 0x9c };
	uint32_t ret = at_info(w);
	vars_named(w, FUNC, "main.f");
	put_fixed(&w->info, 0x1000, 8);
	put_uleb(&w->info, 0x100);
	vars_block(w, cfa, 1);
	return ret;
}

void vars_ends(struct dw_writer *w, unsigned n)
{
	put_fixed(&w->info, 0, n);
	put_unit_end(w);
}
