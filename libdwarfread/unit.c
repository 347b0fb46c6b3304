// unit.c: .debug_info as units.
//
// The headers are read by us, not by libdwarf: a unit that cannot be read must
// not cost those behind it, and libdwarf takes 2 KB for each. The tests hold
// every field of them against libdwarf's.
#include "libdwarfread/entry.h"

#include "libcore/base/search.h"

#define LANGUAGE_GO 0x16
#define TYPE_UNIT 2
#define SPLIT_TYPE_UNIT 6
#define SKELETON 4
#define SPLIT_COMPILE 5

// read_length takes a unit's length off *b and sets how long its offsets are.
static enum hc read_length(struct bytes *b, uint8_t *ret_off_len,
			   uint64_t *ret, struct hc_err *err)
{
	uint32_t len;
	HC_TRY(bytes_u32(b, &len, err));
	*ret_off_len = 4;
	*ret = len;
	if (len < 0xfffffff0u)
		return HC_OK;
	if (len != UINT32_MAX)
		return hc_fail(err, HC_CORRUPT, b->org, "a reserved length");
	*ret_off_len = 8;
	return bytes_u64(b, ret, err);
}

static enum hc read_offset(struct bytes *b, const struct unit *u,
			   uint64_t *ret, struct hc_err *err)
{
	uint32_t v;
	if (u->off_len == 8)
		return bytes_u64(b, ret, err);
	HC_TRY(bytes_u32(b, &v, err));
	*ret = v;
	return HC_OK;
}

// read_header reads what is behind the length. Source: DWARF 5, 7.5.1.
static enum hc read_header(struct bytes *b, struct unit *u, struct hc_err *err)
{
	uint16_t version;
	uint8_t type = 1;
	uint64_t abbrev_off;
	struct bytes more;
	HC_TRY(bytes_u16(b, &version, err));
	if (version < 2 || version > 5)
		return hc_fail(err, HC_UNSUPPORTED, u->off,
			       "a unit of DWARF version %u", version);
	u->version = (uint8_t)version;
	if (version >= 5) {
		HC_TRY(bytes_u8(b, &type, err));
		HC_TRY(bytes_u8(b, &u->addr_len, err));
	}
	HC_TRY(read_offset(b, u, &abbrev_off, err));
	if (version < 5)
		HC_TRY(bytes_u8(b, &u->addr_len, err));
	if (type == TYPE_UNIT || type == SPLIT_TYPE_UNIT)
		HC_TRY(bytes_take(b, 8u + u->off_len, &more, err));
	else if (type == SKELETON || type == SPLIT_COMPILE)
		HC_TRY(bytes_take(b, 8, &more, err));
	if (u->addr_len != 4 && u->addr_len != 8)
		return hc_fail(err, HC_UNSUPPORTED, u->off,
			       "addresses of %u bytes", u->addr_len);
	if (abbrev_off > UINT32_MAX)
		return hc_fail(err, HC_CORRUPT, u->off,
			       "abbreviations past their section");
	u->abbrev_off = (uint32_t)abbrev_off;
	return HC_OK;
}

// next_unit cuts one unit off *rest. Fails: NONE at the end; FAIL for a unit
// to leave out, with *rest behind it (empty when that is not known).
static enum hc next_unit(struct bytes *rest, uint64_t whole, struct unit *ret,
			 struct hc_err *err)
{
	struct bytes body;
	uint64_t len;
	struct unit u = { .off = (uint32_t)(whole - rest->len) };
	if (rest->len == 0)
		return HC_NONE;
	if (read_length(rest, &u.off_len, &len, err) ||
	    bytes_take(rest, len, &body, err)) {
		rest->len = 0;
		return HC_FAIL;
	}
	HC_TRY(read_header(&body, &u, err));
	u.end = (uint32_t)(whole - rest->len);
	u.first = (uint32_t)(u.end - body.len);
	u.addr_base = u.str_base = u.off_len == 8 ? 16 : 8;
	*ret = u;
	return HC_OK;
}

enum hc units_scan(struct dwarf *d, struct hc_err *err)
{
	struct bytes rest = d->info;
	struct unit u;
	struct hc_err bad;
	uint32_t n = 0;
	for (enum hc got; (got = next_unit(&rest, d->info.len, &u, &bad)) !=
			  HC_NONE;) {
		n += got == HC_OK;
		if (n > LIMIT_DWARF_UNITS)
			return hc_fail(err, HC_LIMIT, u.off,
				       "more than %u units of DWARF",
				       LIMIT_DWARF_UNITS);
		if (got == HC_FAIL) {
			d->trouble.units_dropped++;
			trouble_note(d, &bad);
		}
	}
	if (n == 0)
		return hc_fail(err, bad.kind, bad.at, "%s", bad.msg);
	d->units = pool_new(d->pool, struct unit, n);
	if (!d->units)
		return hc_nomem(err);
	rest = d->info;
	for (enum hc got; (got = next_unit(&rest, d->info.len, &u, &bad)) !=
			  HC_NONE;)
		if (got == HC_OK)
			d->units[d->n_units++] = u;
	d->trouble.units = n + d->trouble.units_dropped;
	return HC_OK;
}

void unit_give_up(struct dwarf *d, struct unit *u, const struct hc_err *err)
{
	if (u->bad)
		return;
	u->bad = true;
	d->trouble.units_dropped++;
	trouble_note(d, err);
}

// read_first reads the unit's own entry; twice when an address or string in it
// needs a base that comes behind it.
static enum hc read_first(struct dwarf *d, struct unit *u, struct hc_err *err)
{
	struct entry e;
	for (int round = 0; round < 2; round++) {
		enum hc got = entry_read(d, u, u->first, &e, err);
		if (got == HC_NONE)
			return hc_fail(err, HC_CORRUPT, u->first,
				       "a unit without an entry");
		HC_TRY(got);
		if (entry_has(&e, SLOT_ADDR_BASE))
			u->addr_base = entry_number(&e, SLOT_ADDR_BASE);
		if (entry_has(&e, SLOT_STR_BASE))
			u->str_base = entry_number(&e, SLOT_STR_BASE);
	}
	u->name = entry_string(&e, SLOT_NAME);
	u->lists_base = entry_number(&e, SLOT_LISTS_BASE);
	u->ranges_base = entry_number(&e, SLOT_RANGES_BASE);
	u->is_go = entry_number(&e, SLOT_LANGUAGE) == LANGUAGE_GO;
	return HC_OK;
}

enum hc unit_prepare(struct dwarf *d, struct unit *u, struct hc_err *err)
{
	struct hc_err why;
	if (u->prepared)
		return HC_OK;
	if (u->bad)
		return HC_NONE;
	enum hc got = abbrev_table_get(d, u, &u->table, &why);
	if (!got)
		got = read_first(d, u, &why);
	if (!got) {
		u->prepared = true;
		return HC_OK;
	}
	if (why.kind != HC_NOMEM)
		unit_give_up(d, u, &why);
	if (err)
		*err = why;
	return HC_FAIL;
}

enum hc unit_of(struct dwarf *d, uint32_t ref, struct unit **ret,
		struct hc_err *err)
{
	if (ref == 0)
		return HC_NONE;
	uint32_t low = (uint32_t)search_while(i, d->n_units,
					      d->units[i].end <= ref);
	if (low == d->n_units || ref < d->units[low].first)
		return hc_fail(err, HC_CORRUPT, ref,
			       "a reference to no entry of .debug_info");
	struct unit *u = &d->units[low];
	enum hc got = unit_prepare(d, u, err);
	if (got == HC_NONE)
		return hc_fail(err, HC_CORRUPT, ref,
			       "an entry in an unreadable unit");
	HC_TRY(got);
	*ret = u;
	return HC_OK;
}
