// histogram.c: see histogram.h.
#include "cli/histogram.h"

#include "cli/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct heap_count *to, struct heap_count more)
{
	to->objects += more.objects;
	to->bytes += more.bytes;
}

static int by_key(const void *a, const void *b)
{
	const struct histogram_row *x = a, *y = b;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

static int by_bytes(const void *a, const void *b)
{
	const struct histogram_row *x = a, *y = b;
	if (x->count.bytes != y->count.bytes)
		return x->count.bytes > y->count.bytes ? -1 : 1;
	return by_key(a, b);
}

// merge adds up rows of the same key and puts the largest first.
static void merge(struct histogram *h)
{
	struct histogram_row *at = h->rows.at;
	uint64_t n = 0;
	if (h->rows.n == 0)
		return;
	qsort(at, h->rows.n, sizeof(*at), by_key);
	for (uint64_t i = 1; i < h->rows.n; i++) {
		if (by_key(&at[n], &at[i]) == 0)
			add(&at[n].count, at[i].count);
		else
			at[++n] = at[i];
	}
	h->rows.n = n + 1;
	qsort(at, h->rows.n, sizeof(*at), by_bytes);
	for (uint64_t i = 0; i < h->rows.n; i++)
		add(&h->shown, at[i].count);
}

static bool push(struct session *s, struct histogram *h,
		 struct histogram_row row)
{
	struct histogram_row *to = vec_push(&s->pool, &h->rows);
	if (to)
		*to = row;
	return to != NULL;
}

// count_sizes makes a row for each run of regions with slots of one size.
static enum hc count_sizes(struct session *s, const uint64_t *slots,
			   const uint64_t *except, struct histogram *h)
{
	size_t n;
	const struct heap_region *r = heap_regions(s->heap, &n);
	for (size_t i = 0; i < n; i++) {
		struct histogram_row row = { .size = r[i].slot };
		if (r[i].slot < s->o.min_size)
			continue;
		for (uint32_t k = 0; k < r[i].n_slots; k++) {
			struct heap_ref ref = { (uint32_t)i, k };
			if (!heap_bit(slots, &r[i], k) ||
			    (except && heap_bit(except, &r[i], k)) ||
			    !types_wanted(s, heap_type_of(s->heap, ref)))
				continue;
			row.count.objects++;
			row.count.bytes += r[i].slot;
		}
		if (!row.count.objects)
			continue;
		if (h->rows.n && h->rows.at[h->rows.n - 1].size == row.size)
			add(&h->rows.at[h->rows.n - 1].count, row.count);
		else if (!push(s, h, row))
			return hc_nomem(&s->err);
	}
	return HC_OK;
}

enum hc histogram_count(struct session *s, enum histogram_by by, bool garbage,
			struct histogram *ret)
{
	HC_TRY(types_open(s));
	struct histogram h = { .by = by };
	uint32_t n = types_count(s->types);
	const uint64_t *slots = garbage ? heap_allocated(s->heap) :
					  heap_live(s->heap);
	const uint64_t *except = garbage ? heap_live(s->heap) : NULL;
	struct heap_count *count = pool_new(&s->pool, struct heap_count,
					    (uint64_t)n + 1);
	if (!count)
		return hc_nomem(&s->err);
	heap_type_counts(s->heap, slots, except, s->o.min_size, count, n);
	h.untyped = count[0];
	for (uint32_t i = 0; i < n; i++) {
		add(&h.all, count[i]);
		if (!count[i].objects || by == BY_SIZE || !types_wanted(s, i))
			continue;
		const char *name = by == BY_TYPE ? types_name(s, i) :
						   types_package(s, i);
		if (!push(s, &h, (struct histogram_row){ .name = name,
							 .count = count[i] }))
			return hc_nomem(&s->err);
	}
	if (by == BY_SIZE)
		HC_TRY(count_sizes(s, slots, except, &h));
	merge(&h);
	session_phase(s, "count them", h.all.objects, "objects");
	*ret = h;
	return HC_OK;
}

void histogram_text(struct session *s, const struct histogram *h, uint64_t max)
{
	static const char *const heads[] = { "TYPE", "PACKAGE", "SIZE" };
	struct out *out = s->out;
	char heading[80];
	struct heap_count left = h->shown;
	snprintf(heading, sizeof(heading), "%14s %14s %7s%s  %s", "COUNT",
		 "BYTES", "SHARE", h->has_retained ? "       RETAINED" : "",
		 heads[h->by]);
	out_heading(out, heading);
	for (uint64_t i = 0; i < h->rows.n && i < max; i++) {
		const struct histogram_row *r = &h->rows.at[i];
		left.objects -= r->count.objects;
		left.bytes -= r->count.bytes;
		out_printf(out, "%14s %14s %7s",
			   word_count(r->count.objects).at,
			   word_size(r->count.bytes, out->exact).at,
			   word_percent(r->count.bytes, h->all.bytes).at);
		if (h->has_retained)
			out_printf(out, " %14s",
				   word_size(r->retained, out->exact).at);
		out_text(out, "  ");
		if (h->by == BY_SIZE)
			out_text(out, word_size(r->size, out->exact).at);
		else if (*r->name)
			out_name(out, r->name);
		else
			out_text(out, "(of no package)");
		out_text(out, "\n");
	}
	if (h->rows.n > max)
		out_printf(out, "… %s more of %s objects, %s (-n all shows "
			   "them)\n", word_count(h->rows.n - max).at,
			   word_count(left.objects).at,
			   word_size(left.bytes, out->exact).at);
}

void histogram_json(struct json *j, const struct histogram *h, uint64_t max)
{
	static const char *const lists[] = { "types", "packages", "sizes" };
	static const char *const keys[] = { "type", "package", "size" };
	json_open(j, lists[h->by], '[');
	for (uint64_t i = 0; i < h->rows.n && i < max; i++) {
		const struct histogram_row *r = &h->rows.at[i];
		json_open(j, NULL, '{');
		if (h->by == BY_SIZE)
			json_u64(j, keys[h->by], r->size);
		else
			json_text(j, keys[h->by], r->name);
		json_u64(j, "count", r->count.objects);
		json_u64(j, "bytes", r->count.bytes);
		if (h->has_retained)
			json_u64(j, "retained_bytes", r->retained);
		json_close(j, '}');
	}
	json_close(j, ']');
}
