// judge_attributes.c: every attribute of an entry, ours against libdwarf's.
#include "libdwarfread/tests/judge_room.h"

static enum slot slot_of(Dwarf_Half attribute)
{
	static const struct { Dwarf_Half attribute; enum slot slot; } all[] = {
		{ DW_AT_name, SLOT_NAME },
		{ DW_AT_type, SLOT_TYPE },
		{ DW_AT_location, SLOT_LOCATION },
		{ DW_AT_low_pc, SLOT_LOW },
		{ DW_AT_high_pc, SLOT_HIGH },
		{ DW_AT_ranges, SLOT_RANGES },
		{ DW_AT_byte_size, SLOT_LEN },
		{ DW_AT_encoding, SLOT_ENCODING },
		{ DW_AT_data_member_location, SLOT_OFFSET },
		{ DW_AT_data_bit_offset, SLOT_BIT_OFFSET },
		{ DW_AT_const_value, SLOT_VALUE },
		{ DW_AT_count, SLOT_COUNT },
		{ DW_AT_upper_bound, SLOT_UPPER },
		{ DW_AT_byte_stride, SLOT_STRIDE },
		{ DW_AT_abstract_origin, SLOT_ORIGIN },
		{ DW_AT_specification, SLOT_SPECIFICATION },
		{ DW_AT_declaration, SLOT_DECLARATION },
		{ DW_AT_variable_parameter, SLOT_RESULT },
		{ DW_AT_language, SLOT_LANGUAGE },
		{ DW_AT_addr_base, SLOT_ADDR_BASE },
		{ DW_AT_str_offsets_base, SLOT_STR_BASE },
		{ DW_AT_frame_base, SLOT_FRAME_BASE },
		{ DW_AT_loclists_base, SLOT_LISTS_BASE },
		{ DW_AT_rnglists_base, SLOT_RANGES_BASE },
		{ DW_AT_go_kind, SLOT_GO_KIND },
		{ DW_AT_go_key, SLOT_GO_KEY },
		{ DW_AT_go_elem, SLOT_GO_ELEM },
		{ DW_AT_go_embedded_field, SLOT_GO_EMBEDDED },
		{ DW_AT_go_runtime_type, SLOT_GO_TYPE },
		{ 0x2906, SLOT_GO_DICT },    // DW_AT_go_dict_index
		{ 0x2907, SLOT_GO_CLOSURE }, // DW_AT_go_closure_offset
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].attribute == attribute)
			return all[i].slot;
	return SLOT_NONE;
}

static void check_string(struct judge *j, Dwarf_Attribute a,
			 const struct value *v)
{
	char *theirs = NULL;
	if (judge_ok(j, dwarf_formstring(a, &theirs, &j->error)) &&
	    (!v->at || strcmp(theirs, (const char *)v->at) != 0))
		judge_differ(j, j->at, "string %s, not %s",
			     v->at ? (const char *)v->at : "(none)", theirs);
}

static void check_block(struct judge *j, Dwarf_Attribute a, Dwarf_Half form,
			const struct value *v)
{
	Dwarf_Unsigned len = 0;
	Dwarf_Ptr at = NULL;
	Dwarf_Block *block = NULL;
	if (form == DW_FORM_exprloc) {
		judge_ok(j, dwarf_formexprloc(a, &len, &at, &j->error));
	} else if (judge_ok(j, dwarf_formblock(a, &block, &j->error))) {
		len = block->bl_len;
		at = block->bl_data;
	}
	if (len != v->number || (len && memcmp(at, v->at, len) != 0))
		judge_differ(j, j->at, "a block of %" PRIu64 ", not %llu",
			     v->number, len);
	if (block)
		dwarf_dealloc(j->dbg, block, DW_DLA_BLOCK);
}

// number_of reads a number of any form but strings and blocks.
static bool number_of(struct judge *j, Dwarf_Attribute a, Dwarf_Half form,
		      uint64_t *ret)
{
	Dwarf_Unsigned u = 0;
	Dwarf_Signed s = 0;
	Dwarf_Addr addr = 0;
	Dwarf_Off off = 0;
	Dwarf_Bool yes = 0, is_info = 0;
	int answer;
	switch (form) {
	case DW_FORM_addr: case DW_FORM_addrx: case DW_FORM_addrx1:
	case DW_FORM_addrx2: case DW_FORM_addrx3: case DW_FORM_addrx4:
		answer = dwarf_formaddr(a, &addr, &j->error);
		*ret = addr;
		break;
	case DW_FORM_ref_addr: case DW_FORM_ref1: case DW_FORM_ref2:
	case DW_FORM_ref4: case DW_FORM_ref8: case DW_FORM_ref_udata:
		answer = dwarf_global_formref_b(a, &off, &is_info, &j->error);
		*ret = off;
		break;
	case DW_FORM_sec_offset:
		answer = dwarf_global_formref(a, &off, &j->error);
		*ret = off;
		break;
	case DW_FORM_flag: case DW_FORM_flag_present:
		answer = dwarf_formflag(a, &yes, &j->error);
		*ret = (uint64_t)yes;
		break;
	case DW_FORM_sdata: case DW_FORM_implicit_const:
		answer = dwarf_formsdata(a, &s, &j->error);
		*ret = (uint64_t)s;
		break;
	case DW_FORM_data1: case DW_FORM_data2: case DW_FORM_data4:
	case DW_FORM_data8: case DW_FORM_udata: case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		answer = dwarf_formudata(a, &u, &j->error);
		*ret = u;
		break;
	default:
		judge_differ(j, j->at, "form %x is not compared", form);
		return false;
	}
	return judge_ok(j, answer);
}

static void check_one(struct judge *j, Dwarf_Attribute a, enum slot slot,
		      const struct entry *e)
{
	Dwarf_Half form = 0;
	uint64_t theirs = 0;
	const struct value *v = &e->value[slot];
	j->verdict->attributes++;
	if (!judge_ok(j, dwarf_whatform(a, &form, &j->error)))
		return;
	if (!entry_has(e, slot) || e->form[slot] != form) {
		judge_differ(j, j->at, "slot %d is missing, or of form %x",
			     (int)slot, e->form[slot]);
		return;
	}
	switch (form) {
	case DW_FORM_string: case DW_FORM_strp: case DW_FORM_line_strp:
	case DW_FORM_strx: case DW_FORM_strx1: case DW_FORM_strx2:
	case DW_FORM_strx3: case DW_FORM_strx4:
		check_string(j, a, v);
		return;
	case DW_FORM_block1: case DW_FORM_block2: case DW_FORM_block4:
	case DW_FORM_block: case DW_FORM_exprloc:
		check_block(j, a, form, v);
		return;
	default:
		if (number_of(j, a, form, &theirs) && theirs != v->number)
			judge_differ(j, j->at,
				     "slot %d is %" PRIx64 ", not %" PRIx64,
				     (int)slot, v->number, theirs);
	}
}

void judge_attributes(struct judge *j, Dwarf_Die die, const struct entry *e)
{
	Dwarf_Attribute *all = NULL;
	Dwarf_Signed n = 0;
	uint32_t known = 0;
	if (!judge_ok(j, dwarf_attrlist(die, &all, &n, &j->error)))
		n = 0;
	for (Dwarf_Signed i = 0; i < n; i++) {
		Dwarf_Half attribute = 0;
		dwarf_whatattr(all[i], &attribute, &j->error);
		enum slot slot = slot_of(attribute);
		if (slot != SLOT_NONE && !(known >> slot & 1))
			check_one(j, all[i], slot, e);
		known |= 1u << slot;
		dwarf_dealloc(j->dbg, all[i], DW_DLA_ATTR);
	}
	if (n)
		dwarf_dealloc(j->dbg, all, DW_DLA_LIST);
	if ((known | 1u) != (e->set | 1u))
		judge_differ(j, j->at, "slots %x, not %x", e->set, known);
}
