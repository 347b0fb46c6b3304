// write_profile.c: where sampled memory was allocated, and what is suspected.
#include "libheap/dump/write.h"

#include <string.h>

#define LEAST 1000u // suspects of less than this part of live bytes are left out
#define TEXT_MAX 1024u

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

static void on_suspect(void *ctx, const struct heap_reader_suspect *s)
{
	char text[TEXT_MAX];
	struct writer *w = ctx;
	struct pack *p = w->pack;
	size_t len = strnlen(s->text, TEXT_MAX - 8);
	memcpy(text, s->text, len);
	text[len] = '\0';
	// What is in quotes is what the program had in memory.
	char *quote = strchr(text, '"');
	if (quote && !w->options->values)
		memcpy(quote, "\"…\"", sizeof("\"…\""));
	pack_u(p, s->has_object ? 2 : 1);
	pack_text(p, s->kind);
	pack_text(p, text);
	pack_u(p, s->has_object ? heap_ref_at(w->heap, s->object) : 0);
	pack_u(p, s->bytes);
	pack_u(p, s->count);
}

void write_suspects(struct writer *w)
{
	if (!w->reader->suspects)
		return;
	pack_section(w->pack, DUMP_SUSPECTS);
	w->reader->suspects(w->self, heap_totals(w->heap).live_bytes / LEAST,
			    on_suspect, w);
	pack_u(w->pack, 0);
}
