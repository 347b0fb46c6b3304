// write_profile.c: where sampled memory was allocated.
#include "libheap/dump/write.h"

static bool on_site(void *ctx, const struct heap_alloc_site *s)
{
	struct writer *w = ctx;
	struct pack *p = w->pack;
	pack_u(p, 1);
	pack_u(p, s->at);
	pack_u(p, s->size);
	pack_u(p, s->alloc_objects);
	pack_u(p, s->alloc_bytes);
	pack_u(p, s->free_objects);
	pack_u(p, s->free_bytes);
	pack_u(p, s->pending_alloc_objects);
	pack_u(p, s->pending_alloc_bytes);
	pack_u(p, s->pending_free_objects);
	pack_u(p, s->pending_free_bytes);
	w->last = 0;
	for (uint32_t i = 0; i < s->n_frames; i++)
		(void)write_frame(w, &s->frames[i]);
	pack_u(p, 0);
	return !pack_failed(p);
}

static void on_sampled(void *ctx, taddr object, taddr site)
{
	struct writer *w = ctx;
	pack_u(w->pack, 1);
	pack_u(w->pack, object);
	pack_u(w->pack, site);
}

enum hc write_profile(struct writer *w)
{
	struct heap_profile profile;
	struct pack *p = w->pack;
	if (!w->reader->profile || !w->reader->alloc_sites ||
	    !w->reader->sampled)
		return HC_OK;
	HC_TRY(w->reader->profile(w->self, &profile, w->err));
	pack_section(p, DUMP_PROFILE);
	pack_u(p, profile.compiled_in);
	pack_u(p, profile.rate);
	w->reader->alloc_sites(w->self, on_site, w);
	pack_u(p, 0);
	w->reader->sampled(w->self, on_sampled, w);
	pack_u(p, 0);
	return HC_OK;
}
