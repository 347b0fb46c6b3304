// sections.c: raw sections as plain bytes, inflated when first needed.
#include "libdwarfread/dw.h"

static const char *const names[SEC_N] = {
	[SEC_INFO] = ".debug_info",
	[SEC_ABBREV] = ".debug_abbrev",
	[SEC_STR] = ".debug_str",
	[SEC_LINE_STR] = ".debug_line_str",
	[SEC_STR_OFFSETS] = ".debug_str_offsets",
	[SEC_ADDR] = ".debug_addr",
	[SEC_LOC] = ".debug_loc",
	[SEC_LOCLISTS] = ".debug_loclists",
	[SEC_RANGES] = ".debug_ranges",
	[SEC_RNGLISTS] = ".debug_rnglists",
};

const char *section_name(enum section_id id)
{
	return names[id];
}

static struct dwarf_section *slot(struct dwarf_sections *s, enum section_id id)
{
	struct dwarf_section *const slots[SEC_N] = {
		[SEC_INFO] = &s->info,
		[SEC_ABBREV] = &s->abbrev,
		[SEC_STR] = &s->str,
		[SEC_LINE_STR] = &s->line_str,
		[SEC_STR_OFFSETS] = &s->str_offsets,
		[SEC_ADDR] = &s->addr,
		[SEC_LOC] = &s->loc,
		[SEC_LOCLISTS] = &s->loclists,
		[SEC_RANGES] = &s->ranges,
		[SEC_RNGLISTS] = &s->rnglists,
	};
	return slots[id];
}

struct dwarf_section *dwarf_section_of(struct dwarf_sections *sections,
				       const char *name)
{
	static const char zdebug[] = ".zdebug_", debug[] = ".debug_";
	if (strncmp(name, zdebug, sizeof(zdebug) - 1) == 0)
		name += sizeof(zdebug) - 1;
	else if (strncmp(name, debug, sizeof(debug) - 1) == 0)
		name += sizeof(debug) - 1;
	else
		return NULL;
	for (enum section_id id = 0; id < SEC_N; id++)
		if (strcmp(name, names[id] + sizeof(debug) - 1) == 0)
			return slot(sections, id);
	return NULL;
}

struct bytes section_plain(struct dwarf *d, enum section_id id)
{
	struct section *s = &d->sections[id];
	struct hc_err err;
	if (s->tried)
		return s->plain;
	s->tried = true;
	s->plain.at = (const uint8_t *)""; // so that + 0 is an address
	if (s->in.bytes.len && inflate_section(s->in.bytes, s->in.kind, d->pool,
					       &s->plain, &err))
		trouble_note(d, &err);
	return s->plain;
}

uint64_t section_len(struct dwarf *d, enum section_id id)
{
	const struct section *s = &d->sections[id];
	uint64_t len;
	if (s->tried)
		return s->plain.len;
	if (s->in.kind == INFLATE_NONE || s->in.bytes.len == 0)
		return s->in.bytes.len;
	if (inflate_len(s->in.bytes, s->in.kind, &len, NULL))
		return 0;
	return len;
}

const char *string_at(struct dwarf *d, enum section_id id, uint64_t off)
{
	struct bytes s = section_plain(d, id);
	const char *ret;
	if (bytes_sub(s, off, s.len - (off < s.len ? off : s.len), &s, NULL) ||
	    bytes_cstr(&s, &ret, NULL))
		return NULL;
	return ret;
}

void trouble_note(struct dwarf *d, const struct hc_err *err)
{
	if (!d->trouble.first.src)
		d->trouble.first = *err;
}

// take_sections moves the input into *d; info and abbrev are inflated now.
static enum hc take_sections(const struct dwarf_sections *in, struct dwarf *d,
			     struct hc_err *err)
{
	struct dwarf_sections copy = *in;
	for (enum section_id id = 0; id < SEC_N; id++)
		d->sections[id].in = *slot(&copy, id);
	if (in->info.bytes.len == 0 || in->abbrev.bytes.len == 0)
		return HC_NONE;
	struct section *info = &d->sections[SEC_INFO];
	info->tried = true;
	HC_TRY(inflate_section(info->in.bytes, info->in.kind, d->pool,
			       &info->plain, err));
	d->info = info->plain;
	if (d->info.len > UINT32_MAX)
		return hc_fail(err, HC_LIMIT, 0,
			       ".debug_info of %" PRIu64 " bytes", d->info.len);
	return HC_OK;
}

enum hc dwarf_open(const struct dwarf_sections *sections, struct pool *pool,
		   struct dwarf **ret, struct hc_err *err)
{
	struct dwarf *d = pool_new(pool, struct dwarf, 1);
	if (!d)
		return hc_nomem(err);
	d->pool = pool;
	HC_TRY(take_sections(sections, d, err));
	HC_TRY(units_scan(d, err));
	*ret = d;
	return HC_OK;
}

const struct dwarf_trouble *dwarf_trouble(const struct dwarf *d)
{
	return &d->trouble;
}

void dwarf_close(struct dwarf *d)
{
	if (d)
		dw_close(d->dw);
}
