// growth_sites.c: see growth_sites.h.
#include "cli/growth_sites.h"

#include "cli/allocs.h"

// struct gather adds the sites of one core to the rows.
struct gather {
	struct growth *g;
	unsigned core;
	uint64_t rate, n_sites;
	struct session *sub;
	struct pool *pool;
	struct interned *names;
	bool nomem;
};

// frames_of returns the interned frames of a site that are outside the
// runtime, in the session's scratch, or NULL when memory is short.
static struct heap_frame *frames_of(struct gather *k,
				    const struct heap_alloc_site *site,
				    uint32_t *ret_n)
{
	uint32_t hidden = alloc_hidden(site->frames, site->n_frames);
	uint32_t n = site->n_frames - hidden;
	struct heap_frame *to = pool_new(&k->sub->scratch, struct heap_frame,
					 (uint64_t)n + 1);
	for (uint32_t i = 0; to && i < n; i++) {
		const struct heap_frame *f = &site->frames[hidden + i];
		to[i] = (struct heap_frame){
			.function = intern(k->names, f->function),
			.file = intern(k->names, f->file),
			.line = f->line,
			.inlined = f->inlined,
		};
		if (!to[i].function || !to[i].file)
			return NULL;
	}
	*ret_n = n;
	return to;
}

static bool on_site(void *ctx, const struct heap_alloc_site *site)
{
	struct gather *k = ctx;
	struct alloc_count now = alloc_now(site, k->rate);
	struct growth_row key = { 0 }, *row = NULL;
	char *mark = pool_mark(&k->sub->scratch);
	key.frames = frames_of(k, site, &key.n_frames);
	key.name = key.frames && key.n_frames ? key.frames->function :
						intern(k->names, "?");
	if (key.frames && key.name)
		row = growth_row_add(&k->g->sites, k->pool, &key, k->g->n);
	pool_rewind(&k->sub->scratch, mark);
	if (!row) {
		k->nomem = true;
		return false;
	}
	k->n_sites++;
	row->cell[k->core].objects += now.objects;
	row->cell[k->core].bytes += now.bytes;
	row->cell[k->core].retained += now.bytes;
	return true;
}

enum hc growth_sites(struct growth *g, unsigned core, struct session *sub,
		     struct pool *pool, struct interned *names)
{
	const struct heap_reader *r = sub->reader;
	struct heap_profile profile;
	struct hc_err err = { 0 };
	struct gather k = { g, core, 0, 0, sub, pool, names, false };
	if (!g->has_sites)
		return HC_OK;
	g->has_sites = false;
	if (!r->profile || !r->alloc_sites)
		return HC_OK;
	if (r->profile(sub->self, &profile, &err)) {
		// What cannot be read is not there, as for a core without one.
		if (err.kind != HC_NOMEM)
			return HC_OK;
		sub->err = err;
		return HC_FAIL;
	}
	k.rate = profile.rate;
	r->alloc_sites(sub->self, on_site, &k);
	if (k.nomem)
		return hc_nomem(&sub->err);
	g->has_sites = profile.compiled_in && (profile.rate || k.n_sites);
	session_phase(sub, "read the memory profile", k.n_sites, "sites");
	return HC_OK;
}
