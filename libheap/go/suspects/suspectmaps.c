// suspectmaps.c: maps whose groups or buckets are mostly empty, and types of
// which there should not be many.
#include "libheap/go/suspects/suspects.h"

#include <string.h>

enum { SLOTS = 8, MANY = 1000, OLD_FULL = 5 };

// struct go_fill counts the slots of one type of group.
struct go_fill {
	uint64_t slots, full, bytes, most;
	struct heap_ref largest;
};

// fill_of counts the slots that hold an entry. A control byte below 128 is a
// full one; in an old bucket a tophash of 5 and more.
// Source: internal/runtime/maps/group.go (1.24–1.27);
//         runtime/map.go, minTopHash (1.18–1.23).
static void fill_of(struct go_look *look, const struct go_object *o)
{
	const struct go_type *r = go_type_get(look->types, o->type);
	struct go_fill *fill = &look->fills[o->type];
	struct go_map_layout l;
	if (!go_map_layout_of(look->types, r->key, &l))
		return;
	for (uint64_t k = 0; k < o->n; k++) {
		const uint8_t *control = o->mem + k * r->size;
		for (unsigned i = 0; i < SLOTS; i++)
			fill->full += l.swiss ? control[i] < 128 :
						control[i] >= OLD_FULL;
	}
	fill->slots += SLOTS * o->n;
	fill->bytes += r->size * o->n;
	if (r->size * o->n > fill->most) {
		fill->most = r->size * o->n;
		fill->largest = o->ref;
	}
}

// is_group says whether a type is that of a map's groups or buckets.
static bool is_group(struct go_look *look, go_typeid type, bool array)
{
	const struct go_type *r = go_type_get(look->types, type);
	struct go_map_layout l;
	(void)array;
	return r->kind == GO_KIND_STRUCT && r->key && r->size >= SLOTS &&
	       go_map_layout_of(look->types, r->key, &l);
}

const struct go_way go_way_maps = { is_group, fill_of };

enum hc go_maps_open(struct go_look *look)
{
	look->fills = pool_new(&look->pool, struct go_fill, look->n_wants / 2);
	return look->fills ? HC_OK : HC_NONE;
}

void go_look_maps(struct go_look *look)
{
	uint32_t n = (uint32_t)(look->n_wants / 2);
	for (uint32_t t = 1; t < n; t++) {
		const struct go_fill *f = &look->fills[t];
		uint64_t empty = f->slots - f->full;
		if (!f->slots || f->full > f->slots / 4)
			continue;
		uint64_t bytes = f->bytes / f->slots * empty;
		go_typeid map = go_type_get(look->types, t)->key;
		if (bytes >= look->least)
			go_look_say(look, "empty maps", bytes, empty,
				    &f->largest,
				    "%s maps have room for %" PRIu64
				    " entries and hold %" PRIu64,
				    go_type_name(look->types, map,
						 &look->pool),
				    f->slots, f->full);
	}
}

// What a program should stop, cancel or close.
static const struct {
	const char *type, *what;
} stoppable[] = {
	{ "time.Ticker", "tickers are alive: Stop ends one" },
	{ "time.Timer", "timers are alive: Stop ends one" },
	{ "context.cancelCtx", "contexts are not cancelled" },
	{ "context.timerCtx", "contexts with a deadline are not cancelled" },
	{ "context.valueCtx", "contexts with a value are alive" },
	{ "context.afterFuncCtx", "contexts wait to call a function" },
	{ "net/http.persistConn", "HTTP connections are open: an unclosed "
				  "response body keeps one" },
	{ "os.File", "files are open" },
	{ "database/sql.Rows", "results of queries are not closed" },
};

void go_look_stoppable(struct go_look *look)
{
	struct heap *heap = look->process->heap;
	uint32_t n = go_type_count(look->types);
	struct heap_count *count = pool_new(&look->pool, struct heap_count,
					    2 * (uint64_t)n);
	if (!count)
		return;
	heap_type_counts(heap, heap_live(heap), NULL, 0, count, 2 * n);
	for (uint32_t t = 1; t < n; t++) {
		uint64_t live = count[2 * t].objects + count[2 * t + 1].objects;
		if (live < MANY)
			continue;
		const char *name = go_type_name(look->types, t, &look->pool);
		uint64_t size = go_type_get(look->types, t)->size;
		for (size_t i = 0;
		     i < sizeof(stoppable) / sizeof(*stoppable); i++)
			if (strcmp(name, stoppable[i].type) == 0)
				go_look_say(look, "not stopped", live * size,
					    live, NULL, "%" PRIu64 " %s (%s)",
					    live, stoppable[i].what, name);
	}
}
