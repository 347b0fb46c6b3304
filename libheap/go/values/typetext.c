// typetext.c: see typetext.h.
#include "libheap/go/values/typetext.h"

#define ELEMENTS_DEEP 32u // pointers, slices, … to one another

// package_of cuts the import path off a full name: what comes before the first
// dot behind the last slash, type arguments aside.
static const char *package_of(struct pool *pool, const char *name)
{
	const char *end = strchr(name, '['), *slash = name;
	if (!end)
		end = name + strlen(name);
	for (const char *p = name; p < end; p++)
		if (*p == '/')
			slash = p;
	const char *dot = memchr(slash, '.', (size_t)(end - slash));
	const char *got = dot ? pool_copy(pool, name, (uint64_t)(dot - name)) :
				NULL;
	return got ? got : "";
}

// named_part follows elements to a type that has a package.
static go_typeid named_part(struct go_types *t, go_typeid id)
{
	for (unsigned i = 0; i < ELEMENTS_DEEP; i++) {
		const struct go_type *r = go_type_get(t, id);
		bool through = r->kind == GO_KIND_POINTER ||
			       r->kind == GO_KIND_SLICE ||
			       r->kind == GO_KIND_ARRAY ||
			       r->kind == GO_KIND_MAP ||
			       r->kind == GO_KIND_CHAN ||
			       r->kind == GO_KIND_MAP_HEADER ||
			       r->kind == GO_KIND_CHANNEL;
		if (!through || r->named || !r->elem)
			break;
		id = r->elem;
	}
	return id;
}

enum hc go_type_text(struct go_process *process, uint32_t type,
		     struct pool *pool, struct heap_type_text *ret,
		     struct hc_err *err)
{
	go_typeid id = type >> 1;
	if (!process->types || !id) {
		*ret = (struct heap_type_text){ "unknown", "" };
		return HC_OK;
	}
	const char *name = go_type_name(process->types, id, pool);
	const char *named = go_type_name(
		process->types, named_part(process->types, id), pool);
	if (!strncmp(named, "closure ", 8))
		named += 8;
	if (type & GO_TYPE_ARRAY)
		name = pool_printf(pool, "[]%s (backing)", name);
	*ret = (struct heap_type_text){ name, package_of(pool, named) };
	return name ? HC_OK : hc_nomem(err);
}

uint32_t go_object_number(const struct go_process *process,
			  struct heap_ref ref, const struct go_span **ret)
{
	const struct go_spans *spans = process->spans;
	*ret = &spans->at[spans->of_region[ref.region]];
	return process->types ? heap_type_of(process->heap, ref) : 0;
}

const char *go_object_type(struct go_process *process, struct heap_ref ref,
			   struct pool *pool)
{
	const struct go_span *span;
	uint32_t type = go_object_number(process, ref, &span);
	if (!type)
		return "unknown";
	const char *name = go_type_name(process->types, type >> 1, pool);
	uint64_t size = go_type_get(process->types, type >> 1)->size, len;
	(void)go_object_data(span, &len);
	if (!(type & GO_TYPE_ARRAY) || !size)
		return name;
	const char *array = pool_printf(pool, "[%" PRIu64 "]%s", len / size,
					name);
	return array ? array : name;
}
