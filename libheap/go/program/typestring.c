// typestring.c: see typestring.h.
#include "libheap/go/program/typestring.h"

#include "libcore/base/limits.h"

#define EXTRA_STAR 2 // abi.TFlagExtraStar

// A name is a flag byte, a varint length, the bytes.
static HC_MUST enum hc read_name(const struct go_process *process, taddr at,
				 bool extra_star, struct pool *pool,
				 const char **ret, struct hc_err *err)
{
	struct core_window window;
	struct bytes b, text;
	uint64_t len;
	char *copy;

	if (core_window(process->core, at, &window))
		return hc_fail(err, HC_UNSAVED, at, "a type's name");
	b = (struct bytes){ window.bytes + (at - window.base),
			    window.len - (at - window.base), at };
	HC_TRY(bytes_take(&b, 1, &text, err));
	HC_TRY(bytes_uleb(&b, &len, err));
	if (len > LIMIT_GO_NAME)
		return hc_fail(err, HC_CORRUPT, at,
			       "a type's name of %" PRIu64 " bytes", len);
	HC_TRY(bytes_take(&b, len, &text, err));
	if (extra_star && text.len > 0 && text.at[0] == '*')
		HC_TRY(bytes_sub(text, 1, text.len - 1, &text, err));
	copy = pool_copy(pool, text.at, text.len);
	if (!copy)
		return hc_nomem(err);
	*ret = copy;
	return HC_OK;
}

enum hc go_type_string(const struct go_process *process, taddr type,
		       struct pool *pool, const char **ret,
		       struct hc_err *err)
{
	const struct go_module *module = go_module_of_type(process, type);
	uint64_t str, flag;

	if (!module)
		return HC_NONE;
	HC_TRY(go_field(process, type, F_type_Str, &str, err));
	HC_TRY(go_field(process, type, F_type_TFlag, &flag, err));
	return read_name(process, module->types + (uint32_t)str,
			 flag & EXTRA_STAR, pool, ret, err);
}
