// types.c: see types.h.
#include "cli/types.h"

#include "cli/intern.h"

#include <regex.h>

// struct entry is one type. Shape: name is NULL before it was asked for;
// wanted is 0 (not tried), 1 or 2 (no, yes).
struct entry {
	const char *name, *package;
	uint8_t wanted;
};

struct types {
	struct entry *at;
	uint32_t n;
	struct interned names;
	bool filters;
	regex_t regex; // --type, when filters
};

enum hc types_open(struct session *s)
{
	struct types *t;
	if (s->types)
		return HC_OK;
	HC_TRY(heap_type(s->heap, &s->err));
	t = pool_new(&s->pool, struct types, 1);
	if (!t)
		return hc_nomem(&s->err);
	t->n = s->reader->type_count(s->self);
	t->at = pool_new(&s->pool, struct entry, (uint64_t)t->n + 1);
	t->names.pool = &s->pool;
	if (!t->at)
		return hc_nomem(&s->err);
	if (s->o.type) {
		if (regcomp(&t->regex, s->o.type, REG_EXTENDED | REG_NOSUB))
			return hc_nomem(&s->err);
		t->filters = true;
	}
	s->types = t;
	return HC_OK;
}

enum hc types_try(struct session *s)
{
	struct hc_err before = s->err;
	if (!types_open(s) || s->o.type)
		return s->types ? HC_OK : HC_FAIL;
	if (!s->o.quiet)
		complain_err("no types", &s->err, s->o.debug);
	s->err = before;
	return HC_OK;
}

void types_close(struct types *types)
{
	if (types && types->filters)
		regfree(&types->regex);
}

uint32_t types_count(const struct types *types)
{
	return types->n;
}

// entry_of returns the entry of a type, named.
static const struct entry *entry_of(struct session *s, uint32_t number)
{
	static const struct entry unknown = { "unknown", "", 1 };
	struct types *t = s->types;
	struct heap_type_text text = { 0 };
	if (!t || number >= t->n)
		return &unknown;
	struct entry *e = &t->at[number];
	if (e->name)
		return e;
	char *mark = pool_mark(&s->scratch);
	if (s->reader->type_text(s->self, number, &s->scratch, &text, NULL))
		text.name = "unknown";
	e->name = intern(&t->names, text.name);
	e->package = intern(&t->names, text.package);
	pool_rewind(&s->scratch, mark);
	if (!e->name || !e->package) {
		e->name = NULL;
		return &unknown;
	}
	return e;
}

const char *types_name(struct session *s, uint32_t number)
{
	return entry_of(s, number)->name;
}

const char *types_package(struct session *s, uint32_t number)
{
	return entry_of(s, number)->package;
}

bool types_wanted(struct session *s, uint32_t number)
{
	struct types *t = s->types;
	if (!t || !t->filters)
		return true;
	if (number >= t->n)
		return false;
	if (!t->at[number].wanted)
		t->at[number].wanted = regexec(&t->regex, types_name(s, number),
					       0, NULL, 0) == 0 ? 2 : 1;
	return t->at[number].wanted == 2;
}

const char *type_of_object(struct session *s, struct heap_ref ref)
{
	const char *name = NULL;
	if (s->types && s->reader->object_type)
		name = s->reader->object_type(s->self, ref, &s->scratch);
	return name ? name : "unknown";
}

const char *label_of(struct session *s, struct heap_ref ref, uint64_t offset)
{
	const char *name = NULL;
	if (s->types && s->reader->key_label)
		name = s->reader->key_label(s->self, ref, offset, &s->scratch);
	else if (s->types && s->reader->label)
		name = s->reader->label(s->self, ref, offset, &s->scratch);
	return name ? name : "";
}
