// dw_vars.c: location and range lists, as libdwarf decodes them.
#include "libdwarfread/dw_room.h"

// struct attribute is one attribute of one entry, as libdwarf has it.
struct attribute {
	Dwarf_Die die;
	Dwarf_Attribute at;
};

static void attribute_done(struct attribute *a)
{
	if (a->at)
		dwarf_dealloc_attribute(a->at);
	if (a->die)
		dwarf_dealloc_die(a->die);
}

static enum hc attribute_of(struct dw_debug *dw, uint32_t ref, Dwarf_Half name,
			    struct attribute *ret, struct hc_err *err)
{
	Dwarf_Error error = NULL;
	struct attribute a = { 0 };
	int answer = dwarf_offdie_b(dw->dbg, ref, 1, &a.die, &error);
	if (!answer)
		answer = dwarf_attr(a.die, name, &a.at, &error);
	if (answer) {
		attribute_done(&a);
		return dw_failed(dw, answer, error, ref, err);
	}
	*ret = a;
	return HC_OK;
}

// take_ops reads the operations of one expression. Fails: CORRUPT.
static enum hc take_ops(struct dw_debug *dw, Dwarf_Locdesc_c one, Dwarf_Unsigned n,
			struct dw_op ops[DW_MAX_OPS], uint32_t *ret_n,
			struct hc_err *err)
{
	Dwarf_Error error = NULL;
	*ret_n = UINT32_MAX;
	if (n > DW_MAX_OPS)
		return HC_OK;
	for (Dwarf_Unsigned i = 0; i < n; i++) {
		Dwarf_Small op = 0;
		Dwarf_Unsigned a = 0, b = 0, c = 0, branch = 0;
		int answer = dwarf_get_location_op_value_c(one, i, &op, &a, &b,
							   &c, &branch, &error);
		if (answer)
			return dw_failed(dw, answer, error, 0, err);
		ops[i] = (struct dw_op){ op, a, b };
	}
	*ret_n = (uint32_t)n;
	return HC_OK;
}

// visit_location hands one entry of a list on; *ret says whether to go on.
static enum hc visit_location(struct dw_debug *dw, Dwarf_Loc_Head_c head,
			      Dwarf_Unsigned i, const struct dw_visitor *v,
			      bool *ret, struct hc_err *err)
{
	Dwarf_Small kind = 0, source = 0;
	Dwarf_Unsigned raw, n = 0;
	Dwarf_Bool missing = 0;
	Dwarf_Addr low = 0, high = 0;
	Dwarf_Locdesc_c one = NULL;
	Dwarf_Error error = NULL;
	struct dw_op ops[DW_MAX_OPS];
	uint32_t n_ops;
	*ret = true;
	int answer = dwarf_get_locdesc_entry_e(head, i, &kind, &raw, &raw,
					       &missing, &low, &high, &n, &raw,
					       &one, &source, &raw, &raw,
					       &error);
	if (answer)
		return dw_failed(dw, answer, error, 0, err);
	const bool is_list = source != DW_LKIND_expression;
	if (is_list && (missing || kind == DW_LLE_end_of_list ||
			kind == DW_LLE_base_address ||
			kind == DW_LLE_base_addressx))
		return HC_OK;
	if (!is_list || kind == DW_LLE_default_location) {
		low = 0;
		high = UINT64_MAX;
	}
	HC_TRY(take_ops(dw, one, n, ops, &n_ops, err));
	*ret = v->location(v->ctx, (struct dwarf_range){ low, high }, ops,
			   n_ops);
	return HC_OK;
}

enum hc dw_locations(struct dw *room, uint32_t ref, const struct dw_visitor *v,
		     struct hc_err *err)
{
	struct dw_debug *dw;
	struct attribute a;
	Dwarf_Loc_Head_c head = NULL;
	Dwarf_Unsigned n = 0;
	Dwarf_Error error = NULL;
	HC_TRY(dw_full(room, &dw, err));
	HC_TRY(attribute_of(dw, ref, DW_AT_location, &a, err));
	int answer = dwarf_get_loclist_c(a.at, &head, &n, &error);
	enum hc got = answer ? dw_failed(dw, answer, error, ref, err) : HC_OK;
	bool more = true;
	for (Dwarf_Unsigned i = 0; got == HC_OK && more && i < n; i++)
		got = visit_location(dw, head, i, v, &more, err);
	if (head)
		dwarf_dealloc_loc_head_c(head);
	attribute_done(&a);
	return got;
}

// ranges_5 visits a list of DWARF 5.
static enum hc ranges_5(struct dw_debug *dw, Dwarf_Attribute at, Dwarf_Half form,
			Dwarf_Unsigned value, const struct dw_visitor *v,
			struct hc_err *err)
{
	Dwarf_Rnglists_Head head = NULL;
	Dwarf_Unsigned n = 0, off, raw, low, high;
	Dwarf_Error error = NULL;
	int answer = dwarf_rnglists_get_rle_head(at, form, value, &head, &n,
						 &off, &error);
	for (Dwarf_Unsigned i = 0; !answer && i < n; i++) {
		unsigned len, kind;
		Dwarf_Bool missing = 0;
		answer = dwarf_get_rnglists_entry_fields_a(
			head, i, &len, &kind, &raw, &raw, &missing, &low,
			&high, &error);
		if (answer || missing || kind == DW_RLE_end_of_list ||
		    kind == DW_RLE_base_address || kind == DW_RLE_base_addressx)
			continue;
		if (!v->range(v->ctx, (struct dwarf_range){ low, high }))
			break;
	}
	if (head)
		dwarf_dealloc_rnglists_head(head);
	return answer ? dw_failed(dw, answer, error, 0, err) : HC_OK;
}

// ranges_4 visits a list of DWARF 2 to 4, whose base libdwarf does not add.
static enum hc ranges_4(struct dw_debug *dw, Dwarf_Die die, Dwarf_Unsigned value,
			const struct dw_visitor *v, struct hc_err *err)
{
	Dwarf_Ranges *all = NULL;
	Dwarf_Signed n = 0;
	Dwarf_Unsigned bytes, base = 0, off4;
	Dwarf_Off off;
	Dwarf_Bool known = 0, has_off = 0;
	Dwarf_Error error = NULL;
	int answer = dwarf_get_ranges_baseaddress(dw->dbg, die, &known, &base,
						  &has_off, &off4, &error);
	if (answer == DW_DLV_ERROR)
		return dw_failed(dw, answer, error, value, err);
	answer = dwarf_get_ranges_b(dw->dbg, value, die, &off, &all, &n,
				    &bytes, &error);
	if (answer)
		return dw_failed(dw, answer, error, value, err);
	for (Dwarf_Signed i = 0; i < n; i++) {
		const Dwarf_Ranges *r = &all[i];
		if (r->dwr_type == DW_RANGES_END)
			break;
		if (r->dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = r->dwr_addr2;
		else if (!v->range(v->ctx, (struct dwarf_range){
						   base + r->dwr_addr1,
						   base + r->dwr_addr2 }))
			break;
	}
	dwarf_dealloc_ranges(dw->dbg, all, n);
	return HC_OK;
}

enum hc dw_ranges(struct dw *room, uint32_t ref, const struct dw_visitor *v,
		  struct hc_err *err)
{
	struct dw_debug *dw;
	struct attribute a;
	Dwarf_Half form = 0, version = 0, off_len = 0;
	Dwarf_Off off = 0;
	Dwarf_Unsigned index = 0;
	Dwarf_Error error = NULL;
	HC_TRY(dw_full(room, &dw, err));
	HC_TRY(attribute_of(dw, ref, DW_AT_ranges, &a, err));
	int answer = dwarf_whatform(a.at, &form, &error);
	if (!answer)
		answer = dwarf_get_version_of_die(a.die, &version, &off_len);
	if (!answer && form == DW_FORM_rnglistx)
		answer = dwarf_formudata(a.at, &index, &error);
	else if (!answer)
		answer = dwarf_global_formref(a.at, &off, &error);
	enum hc got;
	if (answer)
		got = dw_failed(dw, answer, error, ref, err);
	else if (version >= 5)
		got = ranges_5(dw, a.at, form,
			       form == DW_FORM_rnglistx ? index : off, v, err);
	else
		got = ranges_4(dw, a.die, off, v, err);
	attribute_done(&a);
	return got;
}
