// suspectroom.c: arrays behind slices, and what no slice reaches in them: room
// that is not used, and pointers that popped slots still hold.
#include "libheap/go/suspects/suspects.h"

#include <string.h>

void go_look_slice(struct go_look *look, taddr at, uint64_t end)
{
	struct heap_ref ref;
	if (heap_find(look->process->heap, at, &ref))
		return;
	uint64_t index = go_look_index(look, ref);
	uint64_t off = at - heap_ref_at(look->process->heap, ref);
	uint64_t size = heap_ref_size(look->process->heap, ref);
	if (end > size - off)
		end = size - off;
	end += off;
	if (end > UINT32_MAX)
		end = UINT32_MAX;
	// An empty slice reaches something too: its array is known.
	if (end == 0)
		end = 1;
	if (look->used[index] < end)
		look->used[index] = (uint32_t)end;
}

// struct go_room is what the arrays of one element type do not use.
struct go_room {
	uint64_t arrays, bytes, kept, kept_bytes, most, most_kept;
	struct heap_ref largest, keeper;
};

// kept_by counts the objects that a value's pointers alone keep.
static void kept_by(struct go_look *look, const struct walk *w,
		    const uint8_t *mem, uint64_t *n, uint64_t *bytes)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct heap_ref ref;
		uint64_t off = w->at[i].op == WALK_EFACE ||
					       w->at[i].op == WALK_IFACE ?
				       8 :
				       0;
		if (w->at[i].op == WALK_ARRAY || !go_look_keeps(look) ||
		    heap_find(look->process->heap,
			      get_u64(mem + w->at[i].off + off), &ref))
			continue;
		uint64_t kept = go_look_kept(look, ref);
		*n += kept != 0;
		*bytes += kept;
	}
}

static void room_of(struct go_look *look, const struct go_object *o)
{
	struct go_room *room = &look->rooms[o->type];
	uint64_t size = go_type_get(look->types, o->type)->size;
	uint64_t used = look->used[o->index];
	uint64_t kept = 0, kept_bytes = 0;
	used = used > o->data ? used - o->data : 0;
	uint64_t from = used / size + (used % size != 0);
	if (!o->array || !look->used[o->index] || from >= o->n)
		return;
	struct walk w = walk_of(look->walks, o->type);
	for (uint64_t i = from; w.n && i < o->n; i++)
		kept_by(look, &w, o->mem + i * size, &kept, &kept_bytes);
	room->arrays++;
	room->bytes += (o->n - from) * size;
	room->kept += kept;
	go_look_add(look, &room->kept_bytes, kept_bytes);
	if ((o->n - from) * size > room->most) {
		room->most = (o->n - from) * size;
		room->largest = o->ref;
	}
	if (kept_bytes > room->most_kept) {
		room->most_kept = kept_bytes;
		room->keeper = o->ref;
	}
}

static bool is_array(struct go_look *look, go_typeid type, bool array)
{
	(void)look;
	return type && array;
}

static const struct go_way way_room = { is_array, room_of };

void go_look_room(struct go_look *look)
{
	static const struct go_way *const ways[] = { &way_room };
	uint32_t n_types = go_type_count(look->types);
	look->rooms = pool_new(&look->pool, struct go_room, n_types);
	if (!look->rooms)
		return;
	go_look_each(look, ways, 1);
	if (go_look_again(look)) {
		memset(look->rooms, 0, n_types * sizeof(*look->rooms));
		go_look_each(look, ways, 1);
	}
	for (uint32_t t = 1; t < n_types; t++) {
		const struct go_room *r = &look->rooms[t];
		const char *name = go_type_name(look->types, t, &look->pool);
		if (r->kept_bytes >= look->least)
			go_look_say(look, "popped slots", r->kept_bytes,
				    r->kept, &r->keeper,
				    "%" PRIu64 " objects hang on slots of []%s "
				    "behind the end of every slice",
				    r->kept, name);
		if (r->bytes >= look->least)
			go_look_say(look, "unused room", r->bytes, r->arrays,
				    &r->largest,
				    "%" PRIu64 " arrays behind []%s have room "
				    "that no slice uses", r->arrays, name);
	}
}
