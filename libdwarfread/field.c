// field.c: where a dotted path of member names leads in a struct.
#include "libdwarfread/inside.h"

// struct step is how far a path was followed.
struct step {
	uint64_t off;
	struct dwarf_type type; // stripped
	uint32_t named;         // the type as the member names it
};

// enter_type makes ref the type that the step is in.
static enum hc enter_type(struct dwarf *d, struct step *s, uint32_t ref,
			  uint64_t off, struct hc_err *err)
{
	struct step next = { .named = ref };
	if (__builtin_add_overflow(s->off, off, &next.off))
		return hc_fail(err, HC_CORRUPT, ref, "an offset past memory");
	HC_TRY(dwarf_strip(d, ref, &next.type, err));
	*s = next;
	return HC_OK;
}

// member_named sets *ret to the member of the struct at ref with that name.
static enum hc member_named(struct dwarf *d, uint32_t ref, const char *name,
			    size_t len, struct dwarf_member *ret,
			    struct hc_err *err)
{
	struct dwarf_members it;
	struct dwarf_member m;
	HC_TRY(dwarf_members_of(d, ref, &it, err));
	for (;;) {
		HC_TRY(dwarf_members_next(&it, &m, err));
		if (m.name && strncmp(m.name, name, len) == 0 && !m.name[len]) {
			*ret = m;
			return HC_OK;
		}
	}
}

// step_promoted looks for the name in the embedded members.
static enum hc step_promoted(struct dwarf *d, struct step *s, const char *name,
			     size_t len, struct hc_err *err)
{
	struct dwarf_members it;
	struct dwarf_member outer, inner;
	HC_TRY(dwarf_members_of(d, s->type.ref, &it, err));
	for (;;) {
		HC_TRY(dwarf_members_next(&it, &outer, err));
		struct step in = *s;
		if (!outer.embedded ||
		    enter_type(d, &in, outer.type, outer.off, err) ||
		    member_named(d, in.type.ref, name, len, &inner, err))
			continue;
		*s = in;
		return enter_type(d, s, inner.type, inner.off, err);
	}
}

static enum hc step_name(struct dwarf *d, struct step *s, const char *name,
			 size_t len, struct hc_err *err)
{
	struct dwarf_member m;
	if (s->type.kind != DWARF_STRUCT && s->type.kind != DWARF_UNION)
		return HC_NONE;
	enum hc got = member_named(d, s->type.ref, name, len, &m, err);
	if (got == HC_NONE)
		return step_promoted(d, s, name, len, err);
	HC_TRY(got);
	return enter_type(d, s, m.type, m.off, err);
}

// step_index takes "[n]" off *path.
static enum hc step_index(struct dwarf *d, struct step *s, const char **path,
			  struct hc_err *err)
{
	const char *p = *path + 1;
	uint64_t n = 0, off;
	while (*p >= '0' && *p <= '9' && n < UINT32_MAX)
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (*p != ']' || s->type.kind != DWARF_ARRAY || n >= s->type.count ||
	    __builtin_mul_overflow(n, s->type.stride, &off))
		return HC_NONE;
	*path = p + 1;
	return enter_type(d, s, s->type.elem, off, err);
}

enum hc dwarf_field_at(struct dwarf *d, uint32_t ref, const char *path,
		       struct dwarf_field *ret, struct hc_err *err)
{
	struct step s = { 0 };
	HC_TRY(enter_type(d, &s, ref, 0, err));
	while (*path) {
		if (*path == '[') {
			HC_TRY(step_index(d, &s, &path, err));
			continue;
		}
		path += *path == '.';
		size_t len = strcspn(path, ".[");
		HC_TRY(step_name(d, &s, path, len, err));
		path += len;
	}
	*ret = (struct dwarf_field){
		.off = s.off,
		.len = s.type.len,
		.type = s.named,
		.count = s.type.count,
		.stride = s.type.stride,
	};
	return HC_OK;
}
