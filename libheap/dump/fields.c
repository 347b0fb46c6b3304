// fields.c: numbers and strings off a section; see read.h.
#include "libheap/dump/read.h"

static const char *section_name(enum dump_section section)
{
	static const char *const names[DUMP_N_SECTIONS] = {
#define X(name, number) [number] = #name,
		DUMP_SECTIONS(X)
#undef X
	};
	return names[section];
}

enum hc fields_open(const struct dump *d, enum dump_section section,
		    struct pool *pool, struct fields *ret, struct hc_err *err)
{
	struct fields f = { .dump = d, .section = section };
	HC_TRY(unpack_section(&d->file, section, pool, &f.at, err));
	*ret = f;
	return HC_OK;
}

void fields_bad(struct fields *f, const char *what)
{
	if (f->failed)
		return;
	f->failed = hc_fail(&f->err, HC_CORRUPT,
			    f->dump->file.section[f->section].at,
			    "section %s of the dump: %s",
			    section_name(f->section), what);
}

uint64_t fields_u(struct fields *f)
{
	uint64_t v = 0;
	if (!f->failed && bytes_uleb(&f->at, &v, NULL))
		fields_bad(f, "it ends too soon");
	return f->failed ? 0 : v;
}

uint32_t fields_u32(struct fields *f)
{
	uint64_t v = fields_u(f);
	if (v > UINT32_MAX)
		fields_bad(f, "a number is too large");
	return f->failed ? 0 : (uint32_t)v;
}

const char *fields_text(struct fields *f)
{
	uint64_t v = fields_u(f);
	if (v == 0 || f->failed)
		return NULL;
	if (v >= f->dump->strings.len) {
		fields_bad(f, "a string is not there");
		return NULL;
	}
	return (const char *)f->dump->strings.at + v;
}

uint64_t fields_count(struct fields *f, uint64_t min)
{
	uint64_t n = fields_u(f);
	if (n > f->at.len / min) {
		fields_bad(f, "it says it holds more than it does");
		return 0;
	}
	return n;
}

enum hc fields_end(struct fields *f, struct hc_err *err)
{
	if (!f->failed && f->at.len)
		fields_bad(f, "there are bytes behind its end");
	if (f->failed && err)
		*err = f->err;
	return f->failed;
}
