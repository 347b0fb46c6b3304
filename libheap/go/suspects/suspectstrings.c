// suspectstrings.c: strings with the same content, each with bytes of its own.
#include "libheap/go/suspects/suspects.h"

#include <string.h>

#define SLOTS_LOG 22 // two contents a slot when all are in use
#define SHORTEST 8u        // bytes of a string worth sharing
#define CONTENTS (1u << 23) // different ones that are kept count of
#define SHOWN 40u
#define BATCH 64u

// struct content is one content. Shape: next chains those of one slot; 0 ends.
struct content {
	uint64_t hash, len, n;
	taddr at;
	uint32_t next, size;
};

// struct text is a string on its way: what is looked at next was sent for.
struct text {
	const uint8_t *bytes;
	taddr at;
	uint64_t len, hash;
	uint32_t size;
};

// struct go_strings counts contents; seen has a bit for each object that was
// looked at.
struct go_strings {
	struct { VEC(struct content); } list; // [0] is none
	uint32_t *slot;
	uint64_t *seen;
	struct text batch[BATCH];
	unsigned n;
};

enum hc go_strings_open(struct go_look *look)
{
	size_t n;
	const struct heap_region *r = heap_regions(look->process->heap, &n);
	struct go_strings *s = pool_new(&look->pool, struct go_strings, 1);
	uint64_t words = n ? r[n - 1].first_word + r[n - 1].n_slots / 64 + 1 :
			     0;
	if (!s)
		return HC_NONE;
	s->slot = pool_new(&look->pool, uint32_t, UINT64_C(1) << SLOTS_LOG);
	s->seen = pool_new(&look->pool, uint64_t, words + 1);
	struct content *none = vec_push(&look->pool, &s->list);
	look->strings = s;
	return s->slot && s->seen && none ? HC_OK : HC_NONE;
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
	return c->hash == t->hash && c->len == t->len &&
	       core_view(look->process->core, c->at, t->len, &other, NULL) ==
		       HC_OK &&
	       memcmp(t->bytes, other, t->len) == 0;
}

// count counts one string.
static void count(struct go_look *look, const struct text *t)
{
	struct go_strings *s = look->strings;
	uint32_t *head = &s->slot[t->hash >> (64 - SLOTS_LOG)];
	for (uint32_t i = *head; i; i = s->list.at[i].next) {
		if (is_same(look, &s->list.at[i], t)) {
			s->list.at[i].n++;
			return;
		}
	}
	struct content *new = s->list.n < CONTENTS ?
				      vec_push(&look->pool, &s->list) :
				      NULL;
	if (!new)
		return;
	*new = (struct content){ t->hash, t->len, 1, t->at, *head, t->size };
	*head = (uint32_t)(s->list.n - 1);
}

// count_batch goes over the strings that wait in steps, so that each step's
// memory is on its way while others are looked at.
static void count_batch(struct go_look *look)
{
	struct go_strings *s = look->strings;
	for (unsigned i = 0; i < s->n; i++) {
		struct text *t = &s->batch[i];
		t->hash = hash_of(t->bytes, t->len);
		__builtin_prefetch(&s->slot[t->hash >> (64 - SLOTS_LOG)], 1);
	}
	for (unsigned i = 0; i < s->n; i++)
		__builtin_prefetch(
			&s->list.at[s->slot[s->batch[i].hash >>
					    (64 - SLOTS_LOG)]]);
	for (unsigned i = 0; i < s->n; i++)
		count(look, &s->batch[i]);
	s->n = 0;
}

void go_look_string(struct go_look *look, taddr at, uint64_t len)
{
	struct go_strings *s = look->strings;
	struct heap *heap = look->process->heap;
	struct heap_ref ref;
	if (len < SHORTEST || heap_find(heap, at, &ref) ||
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
	t->len = len;
	t->size = (uint32_t)heap_ref_size(heap, ref);
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
	for (uint64_t i = 1; i < s->list.n; i++) {
		const struct content *c = &s->list.at[i];
		uint64_t lost = (c->n - 1) * c->size;
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
		    "%" PRIu64 " of them are \"%.*s%s\"",
		    n, worst->n, (int)shown, (const char *)text,
		    shown < worst->len ? "…" : "");
}
