// claims.c: see claims.h.
#include "libheap/go/memory/claims.h"

#include <stdlib.h>

bool claims_add(struct pool *pool, struct claims *layer, taddr base,
		uint64_t len, uint32_t use, uint32_t item)
{
	if (!base || !len || len > UINT64_MAX - base)
		return true;
	struct claim *one = vec_push(pool, layer);
	if (!one)
		return false;
	*one = (struct claim){ base, len, use, item };
	return true;
}

static int claim_compare(const void *x, const void *y)
{
	const struct claim *a = x, *b = y;
	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return (a->use > b->use) - (a->use < b->use);
}

void claims_settle(struct claims *layer)
{
	uint64_t kept = 0;
	bool sorted = true;
	for (uint64_t i = 1; i < layer->n && sorted; i++)
		sorted = layer->at[i - 1].base < layer->at[i].base;
	if (!sorted)
		qsort(layer->at, layer->n, sizeof(*layer->at), claim_compare);
	for (uint64_t i = 0; i < layer->n; i++) {
		struct claim c = layer->at[i];
		if (kept) {
			const struct claim *last = &layer->at[kept - 1];
			taddr end = last->base + last->len;
			uint64_t cut = c.base < end ? end - c.base : 0;
			if (cut >= c.len)
				continue;
			c.base += cut;
			c.len -= cut;
		}
		layer->at[kept++] = c;
	}
	layer->n = kept;
}

// layer_seek moves a layer's cursor to the first claim that ends after at.
static const struct claim *layer_seek(const struct claims *layer,
				      uint64_t *next, taddr at)
{
	while (*next < layer->n &&
	       layer->at[*next].base + layer->at[*next].len <= at)
		++*next;
	return *next < layer->n ? &layer->at[*next] : NULL;
}

void claims_walk(const struct claims *layers, size_t n_layers, uint64_t *next,
		 taddr base, uint64_t len,
		 void (*fn)(void *ctx, taddr base, uint64_t len,
			    const struct claim *claim),
		 void *ctx)
{
	while (len) {
		const struct claim *owner = NULL;
		uint64_t piece = len;
		for (size_t i = 0; i < n_layers && !owner; i++) {
			const struct claim *c =
				layer_seek(&layers[i], &next[i], base);
			if (!c)
				continue;
			uint64_t until = c->base > base ?
						 c->base - base :
						 c->base + c->len - base;
			if (c->base <= base)
				owner = c;
			if (until < piece)
				piece = until;
		}
		fn(ctx, base, piece, owner);
		base += piece;
		len -= piece;
	}
}
