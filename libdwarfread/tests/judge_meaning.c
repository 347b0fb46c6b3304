// judge_meaning.c: what entries mean, through the public header.
#include "libdwarfread/tests/judge_room.h"

static const char *name_of(struct judge *j, Dwarf_Die die)
{
	char *name = NULL;
	return judge_ok(j, dwarf_diename(die, &name, &j->error)) ? name : NULL;
}

// address_of reads a location of one DW_OP_addr or DW_OP_addrx.
static bool address_of(struct judge *j, Dwarf_Die die, uint64_t *ret)
{
	Dwarf_Attribute a = NULL;
	Dwarf_Loc_Head_c head = NULL;
	Dwarf_Unsigned n = 0, x, ops = 0, o1 = 0, o2, o3;
	Dwarf_Small lle, source, op = 0;
	Dwarf_Bool missing;
	Dwarf_Addr low, high;
	Dwarf_Locdesc_c one;
	bool found = false;
	if (!judge_ok(j, dwarf_attr(die, DW_AT_location, &a, &j->error)))
		return false;
	if (judge_ok(j, dwarf_get_loclist_c(a, &head, &n, &j->error)) &&
	    n == 1 &&
	    judge_ok(j, dwarf_get_locdesc_entry_e(head, 0, &lle, &x, &x,
						  &missing, &low, &high, &ops,
						  &x, &one, &source, &x, &x,
						  &j->error)) &&
	    source == 0 && ops == 1 &&
	    judge_ok(j, dwarf_get_location_op_value_c(one, 0, &op, &o1, &o2,
						      &o3, &x, &j->error)) &&
	    (op == DW_OP_addr || op == DW_OP_addrx)) {
		*ret = o1;
		found = true;
	}
	if (found && op == DW_OP_addrx) // an index: .debug_addr has the address
		found = judge_ok(j, dwarf_debug_addr_index_to_addr(
					    die, o1, &o1, &j->error)) &&
			(*ret = o1, true);
	if (head)
		dwarf_dealloc_loc_head_c(head);
	dwarf_dealloc_attribute(a);
	return found;
}

static void met_global(struct judge *j, Dwarf_Die die, const struct entry *e)
{
	struct dwarf_global theirs = { .name = name_of(j, die) }, ours;
	bool is_fixed = address_of(j, die, &theirs.addr);
	uint64_t i = j->seen[2] - 1; // the list has just met it
	enum hc got = dwarf_global_at(j->d, i, &ours, NULL);
	if (is_fixed != (got == HC_OK))
		judge_differ(j, j->at, "an address or none?");
	if (!is_fixed || got)
		return;
	if (ours.addr != theirs.addr ||
	    ours.type != entry_ref(e, SLOT_TYPE) ||
	    (theirs.name && strcmp(theirs.name, ours.name) != 0))
		judge_differ(j, j->at, "variable at %" PRIx64 ", not %" PRIx64,
			     ours.addr, theirs.addr);
	*vec_push(j->d->pool, &j->globals) = ours;
}

static void met_func(struct judge *j, Dwarf_Die die)
{
	struct dwarf_func f = { .ref = (uint32_t)j->at,
				.name = name_of(j, die) };
	Dwarf_Addr low = 0, high = 0;
	Dwarf_Half form = 0;
	enum Dwarf_Form_Class class = DW_FORM_CLASS_UNKNOWN;
	if (!judge_ok(j, dwarf_lowpc(die, &low, &j->error)) ||
	    !judge_ok(j, dwarf_highpc_b(die, &high, &form, &class, &j->error)))
		return;
	f.low = low;
	f.high = class == DW_FORM_CLASS_CONSTANT ? low + high : high;
	if (f.low < f.high)
		*vec_push(j->d->pool, &j->funcs) = f;
}

static void met_member(struct judge *j, Dwarf_Die die, Dwarf_Half tag,
		       struct judge_meaning *in)
{
	struct dwarf_member m;
	Dwarf_Unsigned off = 0;
	Dwarf_Off type = 0;
	Dwarf_Bool is_info = 0;
	Dwarf_Attribute a = NULL;
	if (dwarf_members_next(&in->members, &m, NULL)) {
		judge_differ(j, j->at, "a member that we do not have");
		return;
	}
	const char *name = name_of(j, die);
	if (tag == DW_TAG_formal_parameter)
		off = in->members.n - 1;
	else if (dwarf_attr(die, DW_AT_data_member_location, &a, &j->error) ==
		 DW_DLV_OK)
		judge_ok(j, dwarf_formudata(a, &off, &j->error));
	else if (dwarf_attr(die, DW_AT_data_bit_offset, &a, &j->error) ==
		 DW_DLV_OK)
		off = judge_ok(j, dwarf_formudata(a, &off, &j->error)) ?
			      off / 8 : 0;
	if (a)
		dwarf_dealloc_attribute(a);
	judge_ok(j, dwarf_dietype_offset(die, &type, &is_info, &j->error));
	if (m.off != off || m.type != type || !m.name != !name ||
	    (name && strcmp(name, m.name) != 0))
		judge_differ(j, j->at, "member %s at %" PRIu64 ", not %s at %llu",
			     m.name ? m.name : "?", m.off, name ? name : "?",
			     off);
}

// met_bound multiplies the array's elements by one dimension.
static void met_bound(struct judge *j, Dwarf_Die die, struct judge_meaning *in)
{
	Dwarf_Attribute a = NULL;
	Dwarf_Unsigned n = 0;
	Dwarf_Half form = 0;
	if (dwarf_attr(die, DW_AT_count, &a, &j->error) == DW_DLV_OK) {
		dwarf_whatform(a, &form, &j->error);
		if (form != DW_FORM_exprloc)
			judge_ok(j, dwarf_formudata(a, &n, &j->error));
	} else if (dwarf_attr(die, DW_AT_upper_bound, &a, &j->error) ==
		   DW_DLV_OK) {
		dwarf_whatform(a, &form, &j->error);
		if (form != DW_FORM_exprloc)
			n = judge_ok(j, dwarf_formudata(a, &n, &j->error)) ?
				    n + 1 : 0;
	}
	if (a)
		dwarf_dealloc_attribute(a);
	in->count = (in->any_bound ? in->count : 1) * n;
	in->any_bound = true;
}

void judge_meaning(struct judge *j, Dwarf_Die die, Dwarf_Half tag,
		   const struct entry *e)
{
	struct judge_frame *up = j->depth ? &j->stack[j->depth - 1] : NULL;
	if (up && up->meaning.has_members &&
	    (tag == DW_TAG_member || tag == DW_TAG_inheritance ||
	     tag == DW_TAG_formal_parameter))
		met_member(j, die, tag, &up->meaning);
	if (up && up->entry.tag == DW_TAG_array_type &&
	    tag == DW_TAG_subrange_type)
		met_bound(j, die, &up->meaning);
	if (j->in_func)
		return;
	if (tag == DW_TAG_variable && j->depth == 1 &&
	    entry_has(e, SLOT_LOCATION))
		met_global(j, die, e);
	if (tag == DW_TAG_subprogram && entry_has(e, SLOT_LOW))
		met_func(j, die);
	if (tag == DW_TAG_constant && entry_has(e, SLOT_VALUE))
		*vec_push(j->d->pool, &j->constants) = (struct dwarf_constant){
			name_of(j, die), (int64_t)entry_number(e, SLOT_VALUE),
			entry_ref(e, SLOT_TYPE)
		};
	if (tag == DW_TAG_structure_type || tag == DW_TAG_base_type ||
	    tag == DW_TAG_typedef || tag == DW_TAG_pointer_type)
		*vec_push(j->d->pool, &j->names) = name_of(j, die);
}

void judge_enter(struct judge *j, struct judge_frame *f)
{
	switch (f->entry.tag) {
	case DW_TAG_structure_type: case DW_TAG_union_type:
	case DW_TAG_class_type: case DW_TAG_subroutine_type:
		if (dwarf_members_of(j->d, f->entry.ref, &f->meaning.members,
				     NULL))
			judge_differ(j, f->entry.ref, "no members");
		else
			f->meaning.has_members = true;
		break;
	default:
		break;
	}
}

void judge_leave(struct judge *j, struct judge_frame *f)
{
	struct dwarf_member m;
	struct dwarf_type t;
	if (f->meaning.has_members &&
	    dwarf_members_next(&f->meaning.members, &m, NULL) != HC_NONE)
		judge_differ(j, f->entry.ref, "a member too many");
	if (f->entry.tag == DW_TAG_array_type &&
	    (dwarf_type_at(j->d, f->entry.ref, &t, NULL) ||
	     t.kind != DWARF_ARRAY || t.count != f->meaning.count))
		judge_differ(j, f->entry.ref, "an array of %" PRIu64
			     ", not %" PRIu64, t.count, f->meaning.count);
}
