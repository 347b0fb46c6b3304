// suspectstrings.c: strings with the same content, each with bytes of its own.
#include "libheap/go/suspects/suspects.h"

#include <string.h>

#define SLOTS_LOG 22 // most: then two contents a slot when all are in use
#define FEWEST_LOG 10
#define SHORTEST 8u        // bytes of a string worth sharing
#define CONTENTS (1u << 23) // different ones that are kept count of
#define SHOWN 40u
#define BATCH 64u

// struct content is one content. Shape: next chains those of one slot; 0 ends.
// tag is the half of its hash that says no slot.
struct content {
	taddr at;
	uint32_t tag, len, n, next;
};

// struct text is a string on its way: what is looked at next was sent for.
struct text {
	const uint8_t *bytes;
	taddr at;
	uint64_t hash;
	uint32_t len;
};

// struct go_strings counts contents; seen has a bit for each object that was
// looked at.
struct go_strings {
	struct content *list; // [0] is none
	uint32_t n_list, most;
	uint32_t *slot;
	unsigned slot_shift; // of a hash
	uint64_t *seen;
	struct text batch[BATCH];
	unsigned n;
};

// most_contents returns how many there can be: one for each live object without
// pointers.
static uint64_t most_contents(const struct heap *heap)
{
	size_t n;
	const struct heap_region *r = heap_regions(heap, &n);
	const uint64_t *live = heap_live(heap);
	uint64_t most = 0;
	for (size_t i = 0; i < n; i++) {
		if (!(r[i].flags & HEAP_NOSCAN))
			continue;
		for (uint32_t k = 0; k < r[i].n_slots; k += 64)
			most += (uint64_t)__builtin_popcountll(
				live[r[i].first_word + k / 64]);
	}
	return most < CONTENTS ? most : CONTENTS;
}

enum hc go_strings_open(struct go_look *look)
{
	size_t n;
	const struct heap_region *r = heap_regions(look->process->heap, &n);
	struct go_strings *s = pool_new(&look->pool, struct go_strings, 1);
	uint64_t words = n ? r[n - 1].first_word + r[n - 1].n_slots / 64 + 1 :
			     0;
	unsigned log = FEWEST_LOG;
	if (!s)
		return HC_NONE;
	s->most = (uint32_t)most_contents(look->process->heap) + 1;
	while (log < SLOTS_LOG && s->most >> log)
		log++;
	s->slot_shift = 64 - log;
	s->slot = pool_new_dense(&look->pool, uint32_t, UINT64_C(1) << log);
	s->list = pool_new_dense(&look->pool, struct content, s->most);
	s->seen = pool_new(&look->pool, uint64_t, words + 1);
	s->n_list = 1;
	look->strings = s;
	return s->slot && s->seen && s->list ? HC_OK : HC_NONE;
}

// hash_of mixes 8 bytes at a time. Source: the multiplier is that of MurmurHash
// 64A (Appleby); the last 8 bytes may overlap those before.
static uint64_t hash_of(const uint8_t *bytes, uint64_t len)
{
	const uint64_t by = UINT64_C(0xc6a4a7935bd1e995);
	uint64_t h = len * by;
	for (uint64_t i = 0; i + 8 <= len; i += 8) {
		h = (h ^ get_u64(bytes + i)) * by;
		h ^= h >> 47;
	}
	h = (h ^ get_u64(bytes + len - 8)) * by;
	return (h ^ h >> 29) * by;
}

static bool is_same(const struct go_look *look, const struct content *c,
		    const struct text *t)
{
	const uint8_t *other;
	return c->tag == (uint32_t)t->hash && c->len == t->len &&
	       core_view(look->process->core, c->at, t->len, &other, NULL) ==
		       HC_OK &&
	       memcmp(t->bytes, other, t->len) == 0;
}

// count counts one string.
static void count(struct go_look *look, const struct text *t)
{
	struct go_strings *s = look->strings;
	uint32_t *head = &s->slot[t->hash >> s->slot_shift];
	for (uint32_t i = *head; i; i = s->list[i].next) {
		if (is_same(look, &s->list[i], t)) {
			s->list[i].n++;
			return;
		}
	}
	if (s->n_list == s->most)
		return;
	s->list[s->n_list] = (struct content){ t->at, (uint32_t)t->hash,
					       t->len, 1, *head };
	*head = s->n_list++;
}

// count_batch goes over the strings that wait in steps, so that each step's
// memory is on its way while others are looked at.
static void count_batch(struct go_look *look)
{
	struct go_strings *s = look->strings;
	for (unsigned i = 0; i < s->n; i++) {
		struct text *t = &s->batch[i];
		t->hash = hash_of(t->bytes, t->len);
		__builtin_prefetch(&s->slot[t->hash >> s->slot_shift], 1);
	}
	for (unsigned i = 0; i < s->n; i++)
		__builtin_prefetch(
			&s->list[s->slot[s->batch[i].hash >> s->slot_shift]]);
	for (unsigned i = 0; i < s->n; i++)
		count(look, &s->batch[i]);
	s->n = 0;
}

void go_look_string(struct go_look *look, taddr at, uint64_t len)
{
	struct go_strings *s = look->strings;
	struct heap *heap = look->process->heap;
	struct heap_ref ref;
	if (len < SHORTEST || len > UINT32_MAX || heap_find(heap, at, &ref) ||
	    heap_ref_at(heap, ref) != at || len > heap_ref_size(heap, ref))
		return;
	uint64_t index = go_look_index(look, ref);
	struct text *t = &s->batch[s->n];
	if (s->seen[index / 64] >> (index % 64) & 1 ||
	    core_view(look->process->core, at, len, &t->bytes, NULL))
		return;
	s->seen[index / 64] |= UINT64_C(1) << (index % 64);
	__builtin_prefetch(t->bytes);
	t->at = at;
	t->len = (uint32_t)len;
	if (++s->n == BATCH)
		count_batch(look);
}

void go_look_same(struct go_look *look)
{
	struct go_strings *s = look->strings;
	uint64_t n = 0, bytes = 0, most = 0;
	const struct content *worst = NULL;
	const uint8_t *text;
	struct heap_ref ref;
	count_batch(look);
	for (uint32_t i = 1; i < s->n_list; i++) {
		const struct content *c = &s->list[i];
		if (c->n < 2 ||
		    heap_find(look->process->heap, c->at, &ref))
			continue;
		uint64_t lost = (c->n - UINT64_C(1)) *
				heap_ref_size(look->process->heap, ref);
		n += c->n - 1;
		bytes += lost;
		if (lost > most) {
			most = lost;
			worst = c;
		}
	}
	if (!worst || bytes < look->least ||
	    heap_find(look->process->heap, worst->at, &ref) ||
	    core_view(look->process->core, worst->at, worst->len, &text, NULL))
		return;
	uint64_t shown = worst->len < SHOWN ? worst->len : SHOWN;
	go_look_say(look, "same strings", bytes, n, &ref,
		    "%" PRIu64 " strings have the same content as another one; "
		    "%" PRIu32 " of them are \"%.*s%s\"",
		    n, worst->n, (int)shown, (const char *)text,
		    shown < worst->len ? "…" : "");
}
