// keepergroups.c: see keepergroups.h.
#include "cli/keepergroups.h"

#include "cli/keepers.h"
#include "cli/types.h"

#include <stdlib.h>
#include <string.h>

// struct named is a type on its way to its group.
struct named {
	const char *name;
	uint32_t type;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	if (order != 0)
		return order;
	return x->type < y->type ? -1 : x->type > y->type;
}

enum hc type_groups_make(struct session *s, bool by_package,
			 struct type_groups *ret)
{
	uint32_t n = s->types ? types_count(s->types) : 1;
	struct type_groups g = { 0 };
	struct named *names = pool_new(&s->pool, struct named, n);
	g.of = pool_new(&s->pool, uint32_t, n);
	g.name = pool_new(&s->pool, const char *, n);
	if (!names || !g.of || !g.name)
		return hc_nomem(&s->err);
	for (uint32_t i = 0; i < n; i++)
		names[i] = (struct named){ by_package ? types_package(s, i) :
							types_name(s, i),
					   i };
	qsort(names, n, sizeof(*names), by_name);
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(names[i].name, g.name[g.n - 1]) != 0)
			g.name[g.n++] = names[i].name;
		g.of[names[i].type] = g.n - 1;
	}
	*ret = g;
	return HC_OK;
}

// struct group_row is one line of the answer.
struct group_row {
	const char *name;
	struct heap_sum sum;
	struct heap_keeper keeper;
};

static int most_first(const void *a, const void *b)
{
	const struct group_row *x = a, *y = b;
	if (x->sum.bytes != y->sum.bytes)
		return x->sum.bytes > y->sum.bytes ? -1 : 1;
	if (x->name && y->name)
		return strcmp(x->name, y->name);
	return x->keeper.node < y->keeper.node ? -1 : 1;
}

// rows_of_types makes a row of each type or package that has objects.
static enum hc rows_of_types(struct session *s, struct heap_retained *r,
			     bool by_package, struct group_row **ret,
			     size_t *ret_n)
{
	struct type_groups g;
	struct heap_sum *sum;
	size_t n = 0;
	HC_TRY(type_groups_make(s, by_package, &g));
	HC_TRY(heap_retained_by(r, NULL, g.of, g.n, &s->pool, &sum, &s->err));
	struct group_row *rows = pool_new(&s->pool, struct group_row, g.n);
	if (!rows)
		return hc_nomem(&s->err);
	for (uint32_t i = 0; i < g.n; i++)
		if (sum[i].objects)
			rows[n++] = (struct group_row){ .name = g.name[i],
							.sum = sum[i] };
	*ret = rows;
	*ret_n = n;
	return HC_OK;
}

// rows_of_holders makes a row of each goroutine, or of each variable.
static enum hc rows_of_holders(struct session *s, struct heap_retained *r,
			       bool owners, struct group_row **ret,
			       size_t *ret_n)
{
	uint32_t all = heap_holders(r);
	size_t n = 0;
	struct group_row *rows = pool_new(&s->pool, struct group_row,
					  all + UINT64_C(1));
	if (!rows)
		return hc_nomem(&s->err);
	for (uint32_t i = 0; i < all; i++) {
		struct heap_keeper k = heap_holder(r, i);
		if (owners ? k.root.owner == HEAP_NO_OWNER :
			     k.root.kind != HEAP_ROOT_GLOBAL)
			continue;
		rows[n++] = (struct group_row){
			.sum = { .bytes = k.bytes,
				 .retained_objects = k.objects },
			.keeper = k,
		};
	}
	*ret = rows;
	*ret_n = n;
	return HC_OK;
}

static enum hc row_text(struct session *s, const struct group_row *row,
			uint64_t whole)
{
	struct out *out = s->out;
	keeper_numbers(out, row->sum.retained_objects, row->sum.bytes, whole);
	if (!row->name) {
		HC_TRY(keeper_text(s, &row->keeper));
	} else {
		out_printf(out, "%14s %14s  ", word_count(row->sum.objects).at,
			   word_size(row->sum.own_bytes, out->exact).at);
		if (*row->name)
			out_name(out, row->name);
		else
			out_text(out, "(of no package)");
	}
	out_text(out, "\n");
	return HC_OK;
}

static enum hc row_json(struct session *s, struct json *j,
			const struct group_row *row, bool by_package)
{
	if (!row->name)
		return keeper_json(j, NULL, s, &row->keeper);
	json_open(j, NULL, '{');
	json_text(j, "kind", by_package ? "package" : "type");
	json_text(j, "name", row->name);
	json_null(j, "object");
	json_text(j, "type", by_package ? NULL : row->name);
	json_u64(j, "count", row->sum.objects);
	json_u64(j, "bytes", row->sum.own_bytes);
	json_u64(j, "retained_bytes", row->sum.bytes);
	json_u64(j, "retained_objects", row->sum.retained_objects);
	json_close(j, '}');
	return HC_OK;
}

enum hc keepers_groups(struct session *s, struct heap_retained *r)
{
	struct group_row *rows;
	struct json j;
	size_t n;
	bool by_package = strcmp(s->o.by, "package") == 0;
	bool by_type = by_package || strcmp(s->o.by, "type") == 0;
	uint64_t whole = heap_keeper_all(r).bytes, max = session_rows(s);
	HC_TRY(by_type ? rows_of_types(s, r, by_package, &rows, &n) :
			 rows_of_holders(s, r,
					 strcmp(s->o.by, "goroutine") == 0,
					 &rows, &n));
	if (n > 1)
		qsort(rows, n, sizeof(*rows), most_first);
	if (s->o.json) {
		json_begin(&j, s->out);
		json_u64(&j, "total_bytes", whole);
		json_u64(&j, "total_objects", heap_keeper_all(r).objects);
		json_open(&j, "holders", '[');
	} else {
		out_heading(s->out, by_type ?
			    "       OBJECTS       RETAINED   SHARE          COUNT"
			    "            OWN  NAME" :
			    "       OBJECTS       RETAINED   SHARE  HOLDER");
	}
	for (size_t i = 0; i < n && i < max && !out_stopped(s->out); i++)
		HC_TRY(s->o.json ? row_json(s, &j, &rows[i], by_package) :
				   row_text(s, &rows[i], whole));
	if (s->o.json) {
		json_close(&j, ']');
		json_end(&j);
	} else if (n > max) {
		out_printf(s->out, "… %s more (-n all shows them)\n",
			   word_count(n - max).at);
	}
	return HC_OK;
}
