// write_labels.c: what the words of an object are called, in few pieces.
//
// A label is a function of type, slot and offset. Elements of arrays are one
// piece however many they are: when the first word of element i and the first
// word of element k have names that differ in the index alone, so do those of
// all elements between, because an array is one run of equal parts.
#include "libheap/dump/write.h"

#include <string.h>

#define WORDS_MAX 512u     // of one element
#define PIECES_MAX 65536u  // of one layout
#define LABEL_MAX 512u

// struct name is a label, cut at its first index: before[index]after.
// Shape: before is the length of the part before '['; after begins behind ']'.
struct name {
	char text[LABEL_MAX];
	size_t before, after;
	uint64_t index;
	bool has_index;
};

struct labels {
	struct writer *w;
	struct heap_ref ref;
	uint64_t word, slot;
	struct name first, other;
	uint64_t futile; // before this offset no array is looked for
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void name_cut(struct name *n)
{
	n->has_index = false;
	for (size_t i = 0; n->text[i]; i++) {
		size_t k = i + 1;
		uint64_t index = 0;
		if (n->text[i] != '[')
			continue;
		while (is_digit(n->text[k]) && k - i < 18)
			index = 10 * index + (uint64_t)(n->text[k++] - '0');
		if (k == i + 1 || n->text[k] != ']')
			continue;
		n->before = i;
		n->after = k + 1;
		n->index = index;
		n->has_index = true;
		return;
	}
}

// ask gets the label at off.
static void ask(const struct labels *l, uint64_t off, struct name *ret)
{
	struct writer *w = l->w;
	char *mark = pool_mark(w->names);
	const char *text = w->reader->label(w->self, l->ref, off, w->names);
	size_t len = text ? strlen(text) : 0;
	len = len < LABEL_MAX ? len : LABEL_MAX - 1;
	if (text)
		memcpy(ret->text, text, len);
	ret->text[len] = '\0';
	pool_rewind(w->names, mark);
	name_cut(ret);
}

// same_array says whether two labels are of parts of one array.
static bool same_array(const struct name *a, const struct name *b)
{
	return a->has_index && b->has_index && a->before == b->before &&
	       memcmp(a->text, b->text, a->before) == 0;
}

// is_element says whether the label at off is l->first with that index.
static bool is_element(struct labels *l, uint64_t off, uint64_t index)
{
	ask(l, off, &l->other);
	return same_array(&l->first, &l->other) && l->other.index == index &&
	       strcmp(l->first.text + l->first.after,
		      l->other.text + l->other.after) == 0;
}

// find_stride looks for the next element of the array that begins at off.
static bool find_stride(struct labels *l, uint64_t off, uint64_t *ret_stride,
			uint64_t *ret_step)
{
	for (uint64_t n = 1; n <= WORDS_MAX; n++) {
		uint64_t at = off + n * l->word;
		if (at > l->slot - l->word)
			return false;
		ask(l, at, &l->other);
		if (!same_array(&l->first, &l->other) ||
		    l->other.index < l->first.index)
			return false;
		if (l->other.index == l->first.index)
			continue;
		if (strcmp(l->first.text + l->first.after,
			   l->other.text + l->other.after))
			return false;
		*ret_stride = n * l->word;
		*ret_step = l->other.index - l->first.index;
		return true;
	}
	l->futile = off + WORDS_MAX / 2 * l->word;
	return false;
}

// count_elements returns how many elements follow the first one.
static uint64_t count_elements(struct labels *l, uint64_t off, uint64_t stride,
			       uint64_t step)
{
	uint64_t low = 1, high = (l->slot - l->word - off) / stride;
	while (low < high) {
		uint64_t mid = high - (high - low) / 2;
		if (low == 1 && high == (l->slot - l->word - off) / stride)
			mid = high; // most arrays fill their object
		if (is_element(l, off + mid * stride,
			       l->first.index + mid * step))
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

// put_cut writes the parts of a name before and behind its index.
static void put_cut(struct labels *l, const struct name *n)
{
	char before[LABEL_MAX];
	memcpy(before, n->text, n->before);
	before[n->before] = '\0';
	pack_text(l->w->pack, before);
	pack_text(l->w->pack, n->text + n->after);
}

// write_array writes the array that begins at off, if one does, and returns
// where it ends.
static uint64_t write_array(struct labels *l, uint64_t off)
{
	struct pack *p = l->w->pack;
	uint64_t stride, step;
	if (!l->first.has_index || off < l->futile ||
	    !find_stride(l, off, &stride, &step))
		return off;
	uint64_t n = count_elements(l, off, stride, step);
	pack_u(p, 2);
	pack_u(p, off);
	pack_u(p, stride);
	pack_u(p, n + 1);
	pack_u(p, l->first.index);
	pack_u(p, step);
	pack_u(p, stride / l->word);
	for (uint64_t i = 0; i < stride; i += l->word) {
		ask(l, off + i, &l->other);
		put_cut(l, &l->other);
	}
	return off + (n + 1) * stride;
}

void write_labels(struct writer *w, struct heap_ref ref)
{
	struct labels *l = pool_new(w->pool, struct labels, 1);
	unsigned pieces = 0;
	if (!l)
		return;
	l->w = w;
	l->ref = ref;
	l->word = core_info(w->core)->word;
	l->slot = heap_ref_size(w->heap, ref);
	for (uint64_t off = 0; l->word <= l->slot && off <= l->slot - l->word &&
			       pieces < PIECES_MAX && !pack_failed(w->pack);) {
		ask(l, off, &l->first);
		uint64_t end = write_array(l, off);
		if (end == off && l->first.text[0]) {
			pack_u(w->pack, 1);
			pack_u(w->pack, off);
			pack_text(w->pack, l->first.text);
		}
		pieces += end > off || l->first.text[0];
		off = end > off ? end : off + l->word;
	}
}
