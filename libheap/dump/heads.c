// heads.c: what is above the objects, made into nodes: groups of roots,
// goroutines, frames.
#include "libheap/dump/export.h"

#include <stdlib.h>
#include <string.h>

// struct owner_heads is where an owner's nodes are.
struct owner_heads {
	uint32_t index, head, n_frames; // frames follow the owner's head
};

struct making {
	struct export *e;
	struct { VEC(struct owner_heads); } owners;
	uint32_t frame; // of the owner being read
	enum hc failed;
};

static uint32_t add_head(struct export *e, enum head_kind kind,
			 const char *name)
{
	struct head *h = vec_push(e->pool, &e->heads);
	if (!h) {
		e->nomem = true;
		return 0;
	}
	h->kind = kind;
	h->name = strings_number(e->strings, name);
	h->file = strings_number(e->strings, "");
	return (uint32_t)(e->heads.n - 1);
}

// add_edge leads from a head to another, or to object `object` if not UINT64_MAX.
static void add_edge(struct export *e, uint32_t from, uint64_t to,
		     struct word_name name)
{
	struct head_edge *edge = vec_push(e->pool, &e->edges);
	if (!edge) {
		e->nomem = true;
		return;
	}
	*edge = (struct head_edge){ from, to, name };
}

static struct word_name text_name(struct export *e, const char *text)
{
	return (struct word_name){ false, strings_number(e->strings, text) };
}

static bool on_frame(void *ctx, const struct heap_frame *f)
{
	struct making *m = ctx;
	struct export *e = m->e;
	uint32_t owner = m->owners.at[m->owners.n - 1].head;
	uint32_t at = add_head(e, HEAD_FRAME, f->function ? f->function : "?");
	struct head *h = &e->heads.at[at];
	h->file = strings_number(e->strings, f->file);
	h->line = f->line;
	h->pc = f->pc;
	h->size = f->fp > f->sp && f->fp - f->sp < UINT64_C(1) << 30 &&
				  !f->inlined ?
			  f->fp - f->sp :
			  0;
	add_edge(e, owner, at, (struct word_name){ true, m->frame++ });
	m->owners.at[m->owners.n - 1].n_frames++;
	return !e->nomem;
}

static bool on_owner(void *ctx, const struct heap_owner *o)
{
	struct making *m = ctx;
	struct export *e = m->e;
	char *mark = pool_mark(e->names);
	const char *why = o->wait_reason && *o->wait_reason ? o->wait_reason :
							      o->status;
	char *name = pool_printf(e->names, "%s %" PRIu64 " [%s]",
				 o->noun ? o->noun : "thread", o->id,
				 why ? why : "?");
	struct owner_heads *one = vec_push(e->pool, &m->owners);
	if (!one || !name) {
		e->nomem = true;
		return false;
	}
	*one = (struct owner_heads){ o->index, add_head(e, HEAD_OWNER, name),
				     0 };
	pool_rewind(e->names, mark);
	m->frame = 0;
	e->reader->frames(e->self, o->index, on_frame, m);
	return !e->nomem;
}

static int by_index(const void *a, const void *b)
{
	const struct owner_heads *x = a, *y = b;
	return x->index < y->index ? -1 : x->index > y->index;
}

// frame_of finds the frame of that function, else the owner itself.
static uint32_t frame_of(const struct making *m, const struct heap_root *root,
			 const char *function)
{
	struct owner_heads key = { .index = root->owner };
	struct export *e = m->e;
	const struct owner_heads *o =
		m->owners.n ? bsearch(&key, m->owners.at, m->owners.n,
				      sizeof(key), by_index) :
			      NULL;
	if (!o)
		return HEAD_RUNTIME;
	uint64_t name = function ? strings_number(e->strings, function) : 0;
	for (uint32_t i = 1; function && i <= o->n_frames; i++)
		if (e->heads.at[o->head + i].name == name)
			return o->head + i;
	return o->head;
}

static uint32_t group_of(const struct making *m, const struct heap_root *root,
			 const char *function)
{
	switch ((enum heap_root_kind)root->kind) {
	case HEAP_ROOT_GLOBAL:
		return HEAD_GLOBALS;
	case HEAP_ROOT_FINALIZER:
	case HEAP_ROOT_FINALIZER_QUEUE:
	case HEAP_ROOT_CLEANUP:
	case HEAP_ROOT_CLEANUP_QUEUE:
	case HEAP_ROOT_WEAK_HANDLE:
		return HEAD_SPECIALS;
	case HEAP_ROOT_FRAME:
	case HEAP_ROOT_REGISTER:
	case HEAP_ROOT_CONSERVATIVE:
	case HEAP_ROOT_DEFER:
	case HEAP_ROOT_PANIC:
	case HEAP_ROOT_RUNTIME:
	case HEAP_N_ROOT_KINDS:
		break;
	}
	if (root->owner == HEAP_NO_OWNER)
		return HEAD_RUNTIME;
	return frame_of(m, root, function);
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct making *m = ctx;
	struct export *e = m->e;
	struct heap_ref ref;
	struct heap_root_text text = { 0 };
	if (m->failed || e->nomem || heap_find(e->heap, root->target, &ref) ||
	    !heap_bit(e->live, &e->regions[ref.region], ref.slot))
		return;
	char *mark = pool_mark(e->names);
	m->failed = e->reader->root_text(e->self, root, e->names, &text,
					 e->err);
	if (!m->failed)
		add_edge(e, group_of(m, root, text.function),
			 UINT64_C(1) << 63 | export_number(e, ref),
			 text_name(e, text.name));
	pool_rewind(e->names, mark);
}

// sort_edges puts the edges in the order of their heads, those of one head in
// the order in which they were found, and numbers the objects.
static enum hc sort_edges(struct export *e)
{
	uint64_t n = e->edges.n, at = 0;
	struct head_edge *to = pool_new(e->pool, struct head_edge, n + 1);
	if (!to)
		return hc_nomem(e->err);
	for (uint64_t i = 0; i < n; i++)
		e->heads.at[e->edges.at[i].from].n_edges++;
	for (uint64_t i = 0; i < e->heads.n; i++) {
		e->heads.at[i].first_edge = at;
		at += e->heads.at[i].n_edges;
		e->heads.at[i].n_edges = 0;
	}
	for (uint64_t i = 0; i < n; i++) {
		struct head_edge edge = e->edges.at[i];
		struct head *h = &e->heads.at[edge.from];
		if (edge.to >> 63)
			edge.to = e->heads.n + (edge.to & ~(UINT64_C(1) << 63));
		to[h->first_edge + h->n_edges++] = edge;
	}
	e->edges.at = to;
	e->edges.cap = n + 1;
	return HC_OK;
}

enum hc export_heads(struct export *e, bool with_all)
{
	static const char *const names[] = {
		"", "(GC roots)", "(global variables)", "(goroutines)",
		"(finalizers)", "(runtime)",
	};
	struct making m = { .e = e };
	for (unsigned i = HEAD_ROOT; i <= HEAD_RUNTIME; i++)
		(void)add_head(e, (enum head_kind)i, names[i]);
	if (e->nomem)
		return hc_nomem(e->err);
	uint32_t top = with_all ? HEAD_ALL : HEAD_ROOT;
	if (with_all)
		add_edge(e, HEAD_ROOT, HEAD_ALL, (struct word_name){ true, 1 });
	for (unsigned i = HEAD_GLOBALS; i <= HEAD_RUNTIME; i++)
		add_edge(e, top, i, text_name(e, names[i]));
	if (e->reader->owners && e->reader->frames)
		e->reader->owners(e->self, on_owner, &m);
	for (uint64_t i = 0; i < m.owners.n && !e->nomem; i++)
		add_edge(e, HEAD_OWNERS, m.owners.at[i].head,
			 (struct word_name){
				 false,
				 e->heads.at[m.owners.at[i].head].name });
	if (m.owners.n)
		qsort(m.owners.at, m.owners.n, sizeof(*m.owners.at), by_index);
	e->reader->roots(e->self, on_root, &m);
	HC_TRY(m.failed);
	if (e->nomem || e->strings->failed)
		return hc_nomem(e->err);
	return sort_edges(e);
}
