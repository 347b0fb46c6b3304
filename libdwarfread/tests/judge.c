// judge.c: libdwarf reads the same file and has the last word on every field.
//
// libdwarf opens the path by itself: it finds, inflates and reads the sections
// without us. Each of its entries is then read by our cursor at that offset,
// and the lists of the bulk pass are held against what it met.
#include "libdwarfread/tests/judge_room.h"

#include <stdarg.h>
#include <stdio.h>

void judge_differ(struct judge *j, uint64_t at, const char *fmt, ...)
{
	va_list ap;
	char line[300];
	size_t used = strlen(j->verdict->text);
	j->verdict->differences++;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	snprintf(j->verdict->text + used, sizeof(j->verdict->text) - used,
		 "<%" PRIx64 ">: %s\n", at, line);
}

bool judge_ok(struct judge *j, int answer)
{
	if (answer == DW_DLV_ERROR) {
		judge_differ(j, j->at, "libdwarf: %s", dwarf_errmsg(j->error));
		dwarf_dealloc_error(j->dbg, j->error);
	}
	return answer == DW_DLV_OK;
}

static bool is_type(Dwarf_Half tag)
{
	switch (tag) {
	case DW_TAG_array_type: case DW_TAG_class_type:
	case DW_TAG_enumeration_type: case DW_TAG_pointer_type:
	case DW_TAG_reference_type: case DW_TAG_structure_type:
	case DW_TAG_subroutine_type: case DW_TAG_typedef:
	case DW_TAG_union_type: case DW_TAG_base_type: case DW_TAG_const_type:
	case DW_TAG_volatile_type: case DW_TAG_restrict_type:
	case DW_TAG_interface_type: case DW_TAG_unspecified_type:
	case DW_TAG_rvalue_reference_type: case DW_TAG_atomic_type:
		return true;
	default:
		return false;
	}
}

static bool has(struct judge *j, Dwarf_Die die, Dwarf_Half attribute)
{
	Dwarf_Bool yes = 0;
	return judge_ok(j, dwarf_hasattr(die, attribute, &yes, &j->error)) &&
	       yes;
}

// expect says that the bulk pass must have met this entry next.
static void expect(struct judge *j, struct named_list *list, uint64_t *seen)
{
	j->verdict->named++;
	if (*seen >= list->n || list->at[*seen].ref != j->at)
		judge_differ(j, j->at, "not what the bulk pass met as %" PRIu64
			     " of %" PRIu64, *seen, list->n);
	else
		++*seen;
}

static void check_lists(struct judge *j, Dwarf_Die die, Dwarf_Half tag)
{
	if (j->in_func)
		return;
	if (is_type(tag))
		expect(j, &j->d->types, &j->seen[0]);
	else if (tag == DW_TAG_constant)
		expect(j, &j->d->constants, &j->seen[1]);
	else if (tag == DW_TAG_variable && j->depth == 1 &&
		 has(j, die, DW_AT_location))
		expect(j, &j->d->globals, &j->seen[2]);
	else if (tag == DW_TAG_subprogram &&
		 (has(j, die, DW_AT_low_pc) || has(j, die, DW_AT_ranges)))
		expect(j, &j->d->funcs, &j->seen[3]);
}

// visit compares one entry; *ret is what our cursor read.
static bool visit(struct judge *j, Dwarf_Die die, struct entry *ret)
{
	Dwarf_Off at = 0;
	Dwarf_Half tag = 0, kids = 0;
	struct hc_err err;
	j->verdict->entries++;
	if (!judge_ok(j, dwarf_dieoffset(die, &at, &j->error)) ||
	    !judge_ok(j, dwarf_tag(die, &tag, &j->error)) ||
	    dwarf_die_abbrev_children_flag(die, &kids))
		return false;
	j->at = at;
	if (entry_read(j->d, j->unit, (uint32_t)at, ret, &err)) {
		judge_differ(j, at, "not readable: %s", err.msg);
		return false;
	}
	if (ret->tag != tag || ret->kids != (kids != 0))
		judge_differ(j, at, "tag %x, not %x", ret->tag, tag);
	judge_attributes(j, die, ret);
	check_lists(j, die, tag);
	judge_meaning(j, die, tag, ret);
	return true;
}

// descend makes *die its first child, or else the next entry in the order of
// the section; false behind the last.
static bool descend(struct judge *j, Dwarf_Die *die, const struct entry *e)
{
	Dwarf_Die next = NULL;
	if (j->depth + 1 < JUDGE_DEPTH &&
	    judge_ok(j, dwarf_child(*die, &next, &j->error))) {
		j->stack[j->depth] = (struct judge_frame){ .die = *die,
							    .entry = *e };
		judge_enter(j, &j->stack[j->depth]);
		j->in_func += e->tag == DW_TAG_subprogram ||
			      e->tag == DW_TAG_inlined_subroutine;
		j->depth++;
		*die = next;
		return true;
	}
	for (struct entry here = *e;;) {
		uint32_t behind = 0;
		Dwarf_Off at = 0;
		if (entry_behind(j->d, &here, &behind, NULL))
			judge_differ(j, here.ref, "no end of its children");
		int answer = dwarf_siblingof_c(*die, &next, &j->error);
		dwarf_dealloc_die(*die);
		*die = next;
		if (answer == DW_DLV_OK) {
			if (judge_ok(j, dwarf_dieoffset(next, &at, &j->error)) &&
			    at != behind)
				judge_differ(j, at, "its sibling ends at %x",
					     behind);
			return true;
		}
		judge_ok(j, answer);
		if (j->depth <= 1) {
			if (j->depth == 1)
				dwarf_dealloc_die(j->stack[0].die);
			return false;
		}
		j->depth--;
		judge_leave(j, &j->stack[j->depth]);
		here = j->stack[j->depth].entry;
		*die = j->stack[j->depth].die;
		j->in_func -= here.tag == DW_TAG_subprogram ||
			      here.tag == DW_TAG_inlined_subroutine;
	}
}

static void check_unit(struct judge *j, Dwarf_Die die)
{
	struct entry e;
	j->depth = 0;
	j->in_func = 0;
	while (visit(j, die, &e) && descend(j, &die, &e))
		;
}

static void check_units(struct judge *j)
{
	Dwarf_Unsigned len, next, type_off;
	Dwarf_Half version, addr_len, off_len, extension, kind;
	Dwarf_Off abbrev_off, first;
	Dwarf_Sig8 signature;
	Dwarf_Die die;
	uint32_t i = 0;
	for (; judge_ok(j, dwarf_next_cu_header_e(
				   j->dbg, 1, &die, &len, &version, &abbrev_off,
				   &addr_len, &off_len, &extension, &signature,
				   &type_off, &next, &kind, &j->error));
	     i++) {
		j->verdict->units++;
		if (i >= j->d->n_units ||
		    !judge_ok(j, dwarf_dieoffset(die, &first, &j->error)))
			break;
		j->unit = &j->d->units[i];
		if (j->unit->version != version || j->unit->end != next ||
		    j->unit->abbrev_off != abbrev_off ||
		    j->unit->addr_len != addr_len ||
		    j->unit->off_len != off_len || j->unit->first != first)
			judge_differ(j, first, "the unit's header differs");
		if (unit_prepare(j->d, j->unit, NULL))
			judge_differ(j, first, "the unit cannot be prepared");
		else
			check_unit(j, die);
	}
	if (i != j->d->n_units)
		judge_differ(j, 0, "%u units, libdwarf has %u", j->d->n_units,
			     i);
}

static void check_whole(struct judge *j)
{
	const uint64_t n[] = { j->d->types.n, j->d->constants.n,
			       j->d->globals.n, j->d->funcs.n };
	for (int i = 0; i < 4; i++)
		if (j->seen[i] != n[i])
			judge_differ(j, 0, "list %d has %" PRIu64
				     ", libdwarf met %" PRIu64, i, n[i],
				     j->seen[i]);
	if (dwarf_trouble(j->d)->first.src)
		judge_differ(j, 0, "trouble: %s",
			     dwarf_trouble(j->d)->first.msg);
}

// open_both opens the file with both. Fails: NONE when both say that there is
// no DWARF in it.
static enum hc open_both(struct judge *j, const char *path,
			 const struct dwarf_sections *in, struct pool *pool,
			 struct hc_err *err)
{
	enum hc got = dwarf_open(in, pool, &j->d, err);
	int theirs = dwarf_init_path(path, NULL, 0, DW_GROUPNUMBER_ANY, NULL,
				     NULL, &j->dbg, &j->error);
	if (got == HC_NONE && theirs != DW_DLV_NO_ENTRY)
		return hc_fail(err, HC_MISMATCH, 0, "libdwarf sees DWARF");
	HC_TRY(got);
	if (theirs != DW_DLV_OK)
		return hc_fail(err, HC_UNSUPPORTED, 0, "libdwarf: %s: no", path);
	return HC_OK;
}

enum hc judge_file(const char *path, struct verdict *ret, struct hc_err *err)
{
	struct bytes file;
	struct dwarf_sections in;
	struct pool pool;
	struct judge *j;
	*ret = (struct verdict){ 0 };
	HC_TRY(elf_map(path, &file, err));
	HC_TRY(elf_sections(file, &in, err));
	HC_TRY(pool_open(UINT64_C(1) << 34, &pool, err));
	j = pool_new(&pool, struct judge, 1);
	j->verdict = ret;
	HC_TRY(open_both(j, path, &in, &pool, err));
	HC_TRY(index_all(j->d, err));
	check_units(j);
	check_whole(j);
	judge_names(j);
	dwarf_finish(j->dbg);
	dwarf_close(j->d);
	pool_close(&pool);
	return HC_OK;
}
