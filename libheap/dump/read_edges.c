// read_edges.c: the pointers of objects, unpacked from their bytes each time.
//
// A region's bytes are read from their start at every visit; that costs less
// than keeping each pointer in 16 bytes. Every byte is untrusted.
#include "libheap/dump/read.h"

// take reads one LEB128 number; at the end it gives 0 for ever.
static inline uint64_t take(const uint8_t **at, const uint8_t *end)
{
	uint64_t v = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t b = *(*at)++;
		v |= (uint64_t)(b & 127) << shift;
		if (b < 128)
			return v;
	}
	*at = end;
	return 0;
}

static enum hc load_lengths(struct dump *d, size_t n, struct hc_err *err)
{
	struct fields f;
	struct dump_edges *e = &d->edges;
	HC_TRY(fields_open(d, DUMP_EDGE_LENGTHS, &d->late, &f, err));
	e->start = pool_new(&d->late, uint64_t, n + 1);
	if (!e->start)
		return hc_nomem(err);
	for (size_t i = 0; i < n; i++) {
		uint64_t len = fields_u(&f);
		if (len > e->bytes.len - e->start[i]) {
			fields_bad(&f, "it is longer than the pointers");
			len = 0;
		}
		e->start[i + 1] = e->start[i] + len;
	}
	return fields_end(&f, err);
}

static enum hc load_shapes(struct dump *d, struct hc_err *err)
{
	struct fields f;
	struct dump_edges *e = &d->edges;
	HC_TRY(fields_open(d, DUMP_SHAPES, &d->late, &f, err));
	uint64_t n = fields_count(&f, 1), at = 0;
	// Each offset takes a byte at least.
	e->shape = pool_new(&d->late, uint64_t, n + 1);
	e->offsets = pool_new(&d->late, uint64_t, f.at.len + 1);
	if (!e->shape || !e->offsets)
		return hc_nomem(err);
	for (uint64_t i = 0; i < n && !f.failed; i++) {
		uint64_t off = 0, len = fields_count(&f, 1);
		for (uint64_t k = 0; k < len; k++)
			e->offsets[at++] = off += fields_u(&f);
		e->shape[i + 1] = at;
	}
	e->n_shapes = (uint32_t)n;
	return fields_end(&f, err);
}

static enum hc load_all(struct dump *d, struct hc_err *err)
{
	size_t n;
	struct fields f;
	struct dump_edges *e = &d->edges;
	(void)heap_regions(d->heap, &n);
	HC_TRY(fields_open(d, DUMP_EDGES, &d->late, &f, err));
	e->bytes = f.at;
	HC_TRY(load_lengths(d, n, err));
	HC_TRY(load_shapes(d, err));
	e->n_words = d->first[n] / 64;
	e->region_of = pool_new(&d->late, uint32_t, e->n_words + 1);
	if (!e->region_of)
		return hc_nomem(err);
	for (size_t i = 0; i < n; i++)
		for (uint64_t w = d->first[i]; w < d->first[i + 1]; w += 64)
			e->region_of[w / 64] = (uint32_t)i;
	return HC_OK;
}

// loaded reads the sections when the first one asks; the reader interface has
// no way to fail here, so what cannot be read is a finding.
static bool loaded(struct dump *d)
{
	struct hc_err err = { 0 };
	pthread_mutex_lock(&d->lock);
	if (!d->edges.tried) {
		d->edges.tried = true;
		d->edges.good = load_all(d, &err) == HC_OK;
		if (!d->edges.good)
			findings_add_err(core_findings(d->core), "bad dump",
					 &err);
	}
	bool good = d->edges.good;
	pthread_mutex_unlock(&d->lock);
	return good;
}

// struct object is one object being read.
struct object {
	struct dump *d;
	const struct heap_region *regions;
	const uint8_t *at, *end;
	const uint64_t *offsets; // of its shape, or NULL: written out
	uint64_t *guess;
	struct edge_sink *sink;
	uint32_t slot;
	bool wanted;
};

static inline void put(struct object *o, uint64_t offset, uint64_t target,
		       uint64_t inside)
{
	const struct dump_edges *e = &o->d->edges;
	if (!o->wanted || target / 64 >= e->n_words)
		return;
	uint32_t region = e->region_of[target / 64];
	const struct heap_region *r = &o->regions[region];
	taddr at = r->base + (target - o->d->first[region]) * r->slot + inside;
	if (o->sink->source)
		edge_put(o->sink, true, at, o->slot, offset);
	else
		edge_put(o->sink, false, at, o->slot, offset);
}

// read_targets reads where n pointers lead; written-out offsets come before
// them, so these are read a second time alongside.
static void read_targets(struct object *o, uint64_t n)
{
	const uint8_t *places = o->at;
	uint64_t off = 0;
	for (uint64_t i = 0; !o->offsets && i < n; i++)
		(void)take(&o->at, o->end);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t *guess = &o->guess[i < EDGE_GUESSES ? i :
							EDGE_GUESSES - 1];
		off = o->offsets ? o->offsets[i] :
				   off + take(&places, o->end);
		uint64_t v = take(&o->at, o->end);
		*guess = unzigzag(*guess, v >> 1);
		put(o, off, *guess, v & 1 ? take(&o->at, o->end) : 0);
	}
}

static void read_object(struct object *o)
{
	const struct dump_edges *e = &o->d->edges;
	uint64_t n, code = take(&o->at, o->end);
	if (code == EDGES_NONE)
		return;
	o->offsets = NULL;
	if (code == EDGES_INLINE) {
		n = take(&o->at, o->end);
	} else if (code - EDGES_SHAPE < e->n_shapes) {
		const uint64_t *s = e->shape + (code - EDGES_SHAPE);
		o->offsets = e->offsets + s[0];
		n = s[1] - s[0];
	} else {
		o->at = o->end;
		return;
	}
	if (n > (uint64_t)(o->end - o->at)) // a byte each at least
		o->at = o->end;
	else
		read_targets(o, n);
}

void read_edges(struct dump *d, uint32_t region, const uint64_t *slots,
		struct edge_sink *sink)
{
	size_t n;
	uint64_t guess[EDGE_GUESSES];
	const struct dump_edges *e = &d->edges;
	if (!loaded(d) || e->start[region] == e->start[region + 1])
		return;
	struct object o = { .d = d, .guess = guess, .sink = sink };
	o.regions = heap_regions(d->heap, &n);
	o.at = e->bytes.at + e->start[region];
	o.end = e->bytes.at + e->start[region + 1];
	for (unsigned i = 0; i < EDGE_GUESSES; i++)
		guess[i] = d->first[region];
	const struct heap_region *r = &o.regions[region];
	const uint64_t *map = heap_allocated(d->heap) + r->first_word;
	uint32_t last = (uint32_t)region_slots64(r);
	while (last > 0 && !slots[last - 1])
		last--; // nobody asks for what follows
	for (uint32_t w = 0; w < last && o.at < o.end; w++) {
		for (uint64_t bits = map[w]; bits; bits &= bits - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(bits);
			o.slot = 64 * w + bit;
			o.wanted = slots[w] >> bit & 1;
			read_object(&o);
		}
	}
}
