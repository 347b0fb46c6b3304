// dw.c: libdwarf over sections that we hold, and its abbreviations.
#include "libdwarfread/dw_room.h"

// The library that is linked says which it is by its header alone; Debian 12's
// of 2021 has no such macro, frees twice on bad input and loses lists.
#if !defined(DW_LIBDWARF_VERSION_MAJOR) || \
	(DW_LIBDWARF_VERSION_MAJOR == 0 && \
	 (DW_LIBDWARF_VERSION_MINOR < 11 || \
	  (DW_LIBDWARF_VERSION_MINOR == 11 && DW_LIBDWARF_VERSION_MICRO < 1)))
#error "heapcore needs libdwarf 0.11.1 or newer"
#endif

// libdwarf's section 0 is the one that ELF leaves empty; ours begin at 1.
static int section_info(void *obj, Dwarf_Unsigned i,
			Dwarf_Obj_Access_Section_a *ret, int *error)
{
	const struct dw_debug *dw = obj;
	(void)error;
	if (i > SEC_N)
		return DW_DLV_NO_ENTRY;
	*ret = (Dwarf_Obj_Access_Section_a){ .as_name = "", .as_type = 1 };
	if (i > 0 && !(dw->hidden >> (i - 1) & 1)) {
		enum section_id id = (enum section_id)(i - 1);
		ret->as_name = section_name(id);
		ret->as_size = section_len(dw->d, id);
	}
	return DW_DLV_OK;
}

static int section_load(void *obj, Dwarf_Unsigned i, Dwarf_Small **ret,
			int *error)
{
	const struct dw_debug *dw = obj;
	(void)error;
	if (i == 0 || i > SEC_N || dw->hidden >> (i - 1) & 1)
		return DW_DLV_NO_ENTRY;
	struct bytes plain = section_plain(dw->d, (enum section_id)(i - 1));
	if (plain.len == 0)
		return DW_DLV_NO_ENTRY;
	*ret = (Dwarf_Small *)(uintptr_t)plain.at; // it only reads them
	return DW_DLV_OK;
}

static Dwarf_Small byte_order(void *obj)
{
	(void)obj;
	return DW_END_little;
}

static Dwarf_Small length_len(void *obj)
{
	(void)obj;
	return 4;
}

static Dwarf_Small pointer_len(void *obj)
{
	const struct dw_debug *dw = obj;
	return dw->d->n_units ? dw->d->units[0].addr_len : 8;
}

static Dwarf_Unsigned section_count(void *obj)
{
	(void)obj;
	return SEC_N + 1;
}

// file_size is a bound that libdwarf checks lengths against.
static Dwarf_Unsigned file_size(void *obj)
{
	const struct dw_debug *dw = obj;
	uint64_t sum = 0;
	for (enum section_id id = 0; id < SEC_N; id++)
		sum += section_len(dw->d, id);
	return sum;
}

static const Dwarf_Obj_Access_Methods_a methods = {
	.om_get_section_info = section_info,
	.om_get_byte_order = byte_order,
	.om_get_length_size = length_len,
	.om_get_pointer_size = pointer_len,
	.om_get_filesize = file_size,
	.om_get_section_count = section_count,
	.om_load_section = section_load,
};

enum hc dw_failed(struct dw_debug *dw, int answer, Dwarf_Error error,
		  uint64_t at, struct hc_err *err)
{
	if (answer == DW_DLV_NO_ENTRY)
		return HC_NONE;
	(void)hc_fail(err, HC_CORRUPT, at, "libdwarf: %s",
		      dwarf_errmsg(error));
	dwarf_dealloc_error(dw->dbg, error);
	return HC_FAIL;
}

static enum hc debug_open(struct dwarf *d, struct dw_debug *dw,
			  uint32_t hidden, struct hc_err *err)
{
	Dwarf_Error error = NULL;
	dw->d = d;
	dw->hidden = hidden;
	dw->access.ai_object = dw;
	dw->access.ai_methods = &methods;
	int answer = dwarf_object_init_b(&dw->access, NULL, NULL,
					 DW_GROUPNUMBER_ANY, &dw->dbg, &error);
	if (answer == DW_DLV_NO_ENTRY)
		return hc_fail(err, HC_CORRUPT, 0, "libdwarf sees no DWARF");
	return answer ? dw_failed(dw, answer, error, 0, err) : HC_OK;
}

enum hc dw_open(struct dwarf *d, struct hc_err *err)
{
	if (d->dw)
		return HC_OK;
	struct dw *dw = pool_new(d->pool, struct dw, 1);
	if (!dw)
		return hc_nomem(err);
	HC_TRY(debug_open(d, &dw->plain,
			  ~(1u << SEC_INFO | 1u << SEC_ABBREV), err));
	d->dw = dw;
	return HC_OK;
}

// load_lists reads the headers of one section of lists; false when they are
// broken.
static bool load_lists(struct dw_debug *dw, enum section_id id)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned n = 0;
	struct hc_err why;
	int answer = id == SEC_LOCLISTS ?
			     dwarf_load_loclists(dw->dbg, &n, &error) :
			     dwarf_load_rnglists(dw->dbg, &n, &error);
	if (answer == DW_DLV_ERROR) {
		(void)dw_failed(dw, answer, error, 0, &why);
		trouble_note(dw->d, &why);
	}
	return answer == DW_DLV_NO_ENTRY || (answer == DW_DLV_OK && n > 0);
}

// full_open opens libdwarf with all sections whose headers it can read. One
// that it fails on would be opened half: version 0.11.1 then goes on without
// its table and follows a null pointer.
static enum hc full_open(struct dw *dw, struct hc_err *err)
{
	static const enum section_id lists[] = { SEC_LOCLISTS, SEC_RNGLISTS };
	uint32_t hidden = 0;
	for (;;) {
		uint32_t broken = 0;
		HC_TRY(debug_open(dw->plain.d, &dw->full, hidden, err));
		for (int i = 0; i < 2; i++)
			if (!(hidden >> lists[i] & 1) &&
			    section_len(dw->plain.d, lists[i]) &&
			    !load_lists(&dw->full, lists[i]))
				broken |= 1u << lists[i];
		if (!broken)
			return HC_OK;
		dwarf_object_finish(dw->full.dbg);
		dw->full.dbg = NULL;
		hidden |= broken;
	}
}

enum hc dw_full(struct dw *dw, struct dw_debug **ret, struct hc_err *err)
{
	if (!dw->full.dbg)
		HC_TRY(full_open(dw, err));
	*ret = &dw->full;
	return HC_OK;
}

void dw_close(struct dw *dw)
{
	if (!dw)
		return;
	if (dw->abbrev)
		dwarf_dealloc(dw->plain.dbg, dw->abbrev, DW_DLA_ABBREV);
	dwarf_object_finish(dw->plain.dbg);
	if (dw->full.dbg)
		dwarf_object_finish(dw->full.dbg);
}

enum hc dw_abbrev_next(struct dw *dw, uint64_t *off, struct dw_abbrev *ret,
		       struct hc_err *err)
{
	Dwarf_Unsigned len = 0, n = 0, code = 0;
	Dwarf_Half tag = 0;
	Dwarf_Signed kids = 0;
	Dwarf_Error error = NULL;
	if (dw->abbrev)
		dwarf_dealloc(dw->plain.dbg, dw->abbrev, DW_DLA_ABBREV);
	dw->abbrev = NULL;
	int answer = dwarf_get_abbrev(dw->plain.dbg, *off, &dw->abbrev, &len, &n,
				      &error);
	if (answer)
		return dw_failed(&dw->plain, answer, error, *off, err);
	if (len <= 1) // the table's end
		return HC_NONE;
	answer = dwarf_get_abbrev_code(dw->abbrev, &code, &error);
	if (!answer)
		answer = dwarf_get_abbrev_tag(dw->abbrev, &tag, &error);
	if (!answer)
		answer = dwarf_get_abbrev_children_flag(dw->abbrev, &kids,
							&error);
	if (answer)
		return dw_failed(&dw->plain, answer, error, *off, err);
	*off += len;
	*ret = (struct dw_abbrev){ code, n, tag, kids != 0 };
	return HC_OK;
}

bool dw_attribute(struct dw *dw, uint64_t i, struct dw_attribute *ret)
{
	Dwarf_Unsigned name, form;
	Dwarf_Signed implicit = 0;
	Dwarf_Off off;
	Dwarf_Error error = NULL;
	int answer = dwarf_get_abbrev_entry_b(dw->abbrev, i, 0, &name, &form,
					      &implicit, &off, &error);
	if (answer == DW_DLV_ERROR)
		dwarf_dealloc_error(dw->plain.dbg, error);
	if (answer || (name == 0 && form == 0))
		return false;
	*ret = (struct dw_attribute){ name, form, 0 };
	if (form == DW_FORM_implicit_const)
		ret->implicit = implicit;
	return true;
}
