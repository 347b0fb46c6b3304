// panicvalue.c: see panicvalue.h.
#include "libheap/go/stacks/panicvalue.h"

#include "libheap/go/program/typestring.h"

#include <stdio.h>
#include <stdlib.h>

// Source: internal/abi/type.go, Kind (1.18–1.27).
enum { KIND_MASK = 31, KIND_BOOL = 1, KIND_INT = 2, KIND_INT64 = 6,
       KIND_UINT = 7, KIND_UINTPTR = 12, KIND_FLOAT32 = 13, KIND_FLOAT64 = 14,
       KIND_STRING = 24 };

enum hc go_string_at(const struct go_process *process, taddr at,
		     struct pool *pool, const char **ret, struct hc_err *err)
{
	unsigned word = core_info(process->core)->word;
	const uint8_t *header, *bytes = NULL;
	uint64_t len;
	char *copy;

	HC_TRY(core_view(process->core, at, 2 * word, &header, err));
	len = go_word(header + word, word);
	if (len > UINT32_MAX)
		return hc_fail(err, HC_CORRUPT, at,
			       "a string of %" PRIu64 " bytes", len);
	if (len > GO_TEXT_MAX)
		len = GO_TEXT_MAX;
	if (len > 0)
		HC_TRY(core_view(process->core, go_word(header, word), len,
				 &bytes, err));
	copy = pool_copy(pool, len > 0 ? bytes : header, len);
	if (!copy)
		return hc_nomem(err);
	*ret = copy;
	return HC_OK;
}

// Sizes of the kinds from int (2) to uintptr (12); 0 is a word.
static const uint8_t sizes[] = { 0, 0, 0, 1, 2, 4, 8, 0, 1, 2, 4, 8, 0 };

static HC_MUST enum hc number(const struct go_process *process, uint64_t kind,
			      taddr data, struct pool *pool, const char **ret,
			      struct hc_err *err)
{
	unsigned word = core_info(process->core)->word;
	unsigned len = sizes[kind] ? sizes[kind] : word;
	const uint8_t *p;
	uint64_t v;
	char *text;

	HC_TRY(core_view(process->core, data, len, &p, err));
	v = len == 1 ? *p : len == 2 ? get_u16(p) : len == 4 ? get_u32(p) :
								get_u64(p);
	if (kind >= KIND_UINT)
		text = pool_printf(pool, "%" PRIu64, v);
	else
		text = pool_printf(pool, "%" PRId64,
				   (int64_t)(v << (64 - 8 * len)) >>
					   (64 - 8 * len));
	if (!text)
		return hc_nomem(err);
	*ret = text;
	return HC_OK;
}

// real_text puts a float as print does: with all of six digits and a three-digit
// exponent up to Go 1.25, with as many digits as it needs from 1.26.
// Source: runtime/print.go, printfloat (1.18–1.25); printfloat64 (1.26, 1.27).
static char *real_text(const struct go_process *process, double d, bool is_32,
		       struct pool *pool)
{
	char e[40], *exp;
	int digits;

	if (process->version.minor < 26) {
		snprintf(e, sizeof(e), "%+.6e", d);
		exp = strchr(e, 'e');
		if (exp && strlen(exp) == 4) // e+05, not e+105
			return pool_printf(pool, "%.*s0%s", (int)(exp - e) + 2,
					   e, exp + 2);
		return pool_printf(pool, "%s", e);
	}
	for (digits = 1; digits < 17; digits++) {
		snprintf(e, sizeof(e), "%.*g", digits, d);
		if (is_32 ? strtof(e, NULL) == (float)d : strtod(e, NULL) == d)
			break;
	}
	return pool_printf(pool, "%.*g", digits, d);
}

static HC_MUST enum hc plain(const struct go_process *process, uint64_t kind,
			     taddr data, struct pool *pool, const char **ret,
			     struct hc_err *err)
{
	double d;
	float f;
	uint8_t b;
	char *text;

	switch (kind) {
	case KIND_STRING:
		return go_string_at(process, data, pool, ret, err);
	case KIND_BOOL:
		HC_TRY(core_u8(process->core, data, &b, err));
		*ret = b ? "true" : "false";
		return HC_OK;
	case KIND_FLOAT32:
		HC_TRY(core_read(process->core, data, &f, sizeof(f), err));
		d = (double)f;
		break;
	case KIND_FLOAT64:
		HC_TRY(core_read(process->core, data, &d, sizeof(d), err));
		break;
	default:
		if (kind < KIND_INT || kind > KIND_UINTPTR)
			return HC_NONE;
		return number(process, kind, data, pool, ret, err);
	}
	text = real_text(process, d, kind == KIND_FLOAT32, pool);
	if (!text)
		return hc_nomem(err);
	*ret = text;
	return HC_OK;
}

// Errors that begin with their text.
static bool is_text_error(const char *type)
{
	return strcmp(type, "*errors.errorString") == 0 ||
	       strcmp(type, "*fmt.wrapError") == 0 ||
	       strcmp(type, "*fmt.wrapErrors") == 0;
}

// A string type of the program's own is printed with its name, the runtime's
// own two say what they are: runtime/error.go, errorString and plainError.
static HC_MUST enum hc named(const char *type, const char *value,
			     bool is_string, struct pool *pool,
			     const char **ret, struct hc_err *err)
{
	char *text;

	if (strcmp(type, "runtime.plainError") == 0 || !strchr(type, '.')) {
		*ret = value;
		return HC_OK;
	}
	if (strcmp(type, "runtime.errorString") == 0)
		text = pool_printf(pool, "runtime error: %s", value);
	else if (is_string)
		text = pool_printf(pool, "%s(\"%s\")", type, value);
	else
		text = pool_printf(pool, "%s(%s)", type, value);
	if (!text)
		return hc_nomem(err);
	*ret = text;
	return HC_OK;
}

enum hc go_panic_value(const struct go_process *process, taddr at,
		       struct pool *pool, const char **ret,
		       struct hc_err *err)
{
	unsigned word = core_info(process->core)->word;
	const char *name = "?", *value;
	const uint8_t *face;
	taddr type, data;
	uint64_t kind;
	char *text;

	HC_TRY(core_view(process->core, at, 2 * word, &face, err));
	type = go_word(face, word);
	data = go_word(face + word, word);
	if (type == 0) {
		*ret = "nil";
		return HC_OK;
	}
	HC_TRY(go_field(process, type, F_type_Kind, &kind, err));
	kind &= KIND_MASK;
	if (go_type_string(process, type, pool, &name, NULL))
		name = "?";
	if (is_text_error(name))
		return go_string_at(process, data, pool, ret, err);
	switch (plain(process, kind, data, pool, &value, err)) {
	case HC_OK:
		return named(name, value, kind == KIND_STRING, pool, ret,
			     err);
	case HC_FAIL:
		return HC_FAIL;
	default:
		break;
	}
	text = pool_printf(pool, "(%s) 0x%" PRIx64, name, data);
	if (!text)
		return hc_nomem(err);
	*ret = text;
	return HC_OK;
}
