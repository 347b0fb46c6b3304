// labels.c: see labels.h.
#include "libheap/go/stacks/labels.h"

#include "libcore/base/limits.h"

#define MAX_LABELS 4096
#define PAIR_WORDS 4   // two string headers
#define BUCKET_SLOTS 8
#define MIN_TOP_HASH 5 // tophash of a slot in use: runtime/map.go, minTopHash

struct label_list {
	const struct go_process *process;
	struct pool *pool;
	unsigned word;
	struct { VEC(struct heap_label); } v;
	bool full;
};

static const char *string_at(struct label_list *list, const uint8_t *header)
{
	taddr at = go_word(header, list->word);
	uint64_t len = go_word(header + list->word, list->word);
	const uint8_t *bytes = (const uint8_t *)"";
	struct hc_err why;
	char *copy;

	if (len > LIMIT_GO_NAME ||
	    (len > 0 && core_view(list->process->core, at, len, &bytes, &why)))
		return NULL;
	copy = pool_copy(list->pool, bytes, len);
	if (!copy)
		list->full = true;
	return copy;
}

static void put(struct label_list *list, const uint8_t *key,
		const uint8_t *value)
{
	struct heap_label label = { string_at(list, key),
				    string_at(list, value) };
	struct heap_label *new;

	if (!label.key || !label.value || list->v.n == MAX_LABELS)
		return;
	new = vec_push(list->pool, &list->v);
	if (!new)
		list->full = true;
	else
		*new = label;
}

// labels → {list []{key, value string}}
static void take_slice(struct label_list *list, taddr at)
{
	unsigned word = list->word;
	struct go_slice slice;
	const uint8_t *pairs;
	struct hc_err why;
	uint64_t i;

	if (go_slice_at(list->process, at, PAIR_WORDS * word, &slice, &why) ||
	    slice.len > MAX_LABELS ||
	    core_view(list->process->core, slice.at,
		      slice.len * PAIR_WORDS * word, &pairs, &why))
		return;
	for (i = 0; i < slice.len && !list->full; i++)
		put(list, pairs + i * PAIR_WORDS * word,
		    pairs + (i * PAIR_WORDS + 2) * word);
}

// A bucket: 8 bytes of top hashes, 8 keys, 8 values, the overflow bucket.
static taddr take_bucket(struct label_list *list, taddr at)
{
	unsigned word = list->word, k;
	uint64_t len = BUCKET_SLOTS * (1 + PAIR_WORDS * word) + word;
	const uint8_t *b;
	struct hc_err why;

	if (core_view(list->process->core, at, len, &b, &why))
		return 0;
	for (k = 0; k < BUCKET_SLOTS && !list->full; k++)
		if (b[k] >= MIN_TOP_HASH)
			put(list, b + BUCKET_SLOTS + k * 2 * word,
			    b + BUCKET_SLOTS + (BUCKET_SLOTS + k) * 2 * word);
	return go_word(b + len - word, word);
}

static void take_buckets(struct label_list *list, taddr at, uint64_t n)
{
	uint64_t len = BUCKET_SLOTS * (1 + PAIR_WORDS * list->word) +
		       list->word;
	uint64_t i, left = MAX_LABELS;

	for (i = 0; i < n && left > 0; i++) {
		taddr bucket = at + i * len;

		for (; bucket != 0 && left > 0; left--)
			bucket = take_bucket(list, bucket);
	}
}

// labels → map[string]string: count, flags, B, …, buckets, oldbuckets. Labels
// are set once, so a map that is growing is one that was being filled.
static void take_map(struct label_list *list, taddr at)
{
	unsigned word = list->word;
	const uint8_t *map;
	struct hc_err why;
	taddr hmap, old;
	uint8_t b;

	if (core_ptr(list->process->core, at, &hmap, &why) || hmap == 0 ||
	    core_view(list->process->core, hmap, word + 8 + 2 * word, &map,
		      &why))
		return;
	b = map[word + 1];
	if (b > 16)
		return;
	take_buckets(list, go_word(map + word + 8, word), UINT64_C(1) << b);
	old = go_word(map + 2 * word + 8, word);
	if (old != 0 && b > 0)
		take_buckets(list, old, UINT64_C(1) << (b - 1));
}

enum hc go_labels(const struct go_process *process, const struct go_g *g,
		  struct pool *pool, struct heap_label **ret, size_t *ret_n,
		  struct hc_err *err)
{
	struct label_list list = { .process = process,
				   .pool = pool,
				   .word = core_info(process->core)->word };
	taddr at = go_rec(process, g->record, F_g_labels);

	if (at != 0) {
		if (process->version.minor >= 24)
			take_slice(&list, at);
		else
			take_map(&list, at);
	}
	if (list.full)
		return hc_nomem(err);
	*ret = list.v.at;
	*ret_n = (size_t)list.v.n;
	return HC_OK;
}
