// write_roots.c: what keeps objects alive, and who: roots, owners, globals.
#include "libheap/dump/write.h"

static void write_text(struct writer *w, const struct heap_root *root)
{
	struct heap_root_text text = { 0 };
	char *mark = pool_mark(w->names);
	if (!w->failed)
		w->failed = w->reader->root_text(w->self, root, w->names,
						 &text, w->err);
	pack_text(w->pack, text.name);
	pack_text(w->pack, text.owner);
	pack_text(w->pack, text.function);
	pool_rewind(w->names, mark);
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct writer *w = ctx;
	struct pack *p = w->pack;
	struct heap_root whole = *root;
	pack_u(p, 1 + root->kind);
	pack_u(p, zigzag(w->last_target, root->target));
	pack_u(p, zigzag(w->last, root->at));
	w->last_target = root->target;
	w->last = root->at;
	pack_u(p, root->owner == HEAP_NO_OWNER ? 0 :
						 1 + (uint64_t)root->owner);
	write_text(w, root);
	pack_u(p, w->reader->holder != NULL);
	if (!w->reader->holder)
		return;
	pack_u(p, w->reader->holder(w->self, &whole));
	pack_u(p, 1 + whole.kind);
	pack_u(p, zigzag(root->at, whole.at));
	write_text(w, &whole);
}

static void on_weak(void *ctx, taddr at, taddr target)
{
	struct writer *w = ctx;
	pack_u(w->pack, 1);
	pack_u(w->pack, at);
	pack_u(w->pack, target);
}

enum hc write_roots(struct writer *w)
{
	pack_section(w->pack, DUMP_ROOTS);
	w->reader->roots(w->self, on_root, w);
	pack_u(w->pack, 0);
	pack_section(w->pack, DUMP_WEAK);
	if (w->reader->weak)
		w->reader->weak(w->self, on_weak, w);
	pack_u(w->pack, 0);
	return w->failed;
}

bool write_frame(void *ctx, const struct heap_frame *f)
{
	struct writer *w = ctx;
	struct pack *p = w->pack;
	pack_u(p, f->inlined ? 2 : 1);
	pack_text(p, f->function);
	pack_text(p, f->file);
	pack_u(p, f->line);
	pack_u(p, f->pc);
	pack_u(p, zigzag(w->last, f->sp));
	pack_u(p, zigzag(f->sp, f->fp));
	w->last = f->sp;
	return !pack_failed(p);
}

static bool on_owner(void *ctx, const struct heap_owner *o)
{
	struct writer *w = ctx;
	struct pack *p = w->pack;
	pack_u(p, 1);
	pack_u(p, o->index);
	pack_u(p, o->id);
	pack_text(p, o->noun);
	pack_text(p, o->status);
	pack_text(p, o->wait_reason);
	pack_u(p, o->wait_ns);
	pack_u(p, o->waits_on);
	pack_u(p, o->system);
	pack_u(p, o->faulting);
	pack_u(p, o->thread);
	pack_u(p, o->stack_low);
	pack_u(p, zigzag(o->stack_low, o->stack_high));
	pack_u(p, o->stack_used);
	pack_text(p, o->created_by);
	pack_text(p, o->created_file);
	pack_u(p, o->created_line);
	pack_u(p, o->parent);
	pack_u(p, o->n_labels);
	for (size_t i = 0; i < o->n_labels; i++) {
		pack_text(p, o->labels[i].key);
		pack_text(p, w->options->values ? o->labels[i].value : "");
	}
	w->last = o->stack_low;
	w->reader->frames(w->self, o->index, write_frame, w);
	pack_u(p, 0);
	return !pack_failed(p);
}

void write_owners(struct writer *w)
{
	pack_section(w->pack, DUMP_OWNERS);
	if (w->reader->owners && w->reader->frames)
		w->reader->owners(w->self, on_owner, w);
	pack_u(w->pack, 0);
}

static bool on_global(void *ctx, const struct heap_global *g)
{
	struct writer *w = ctx;
	struct pack *p = w->pack;
	pack_u(p, 1);
	pack_text(p, g->name);
	pack_text(p, g->type);
	pack_u(p, g->at);
	pack_u(p, g->size);
	return !pack_failed(p);
}

void write_globals(struct writer *w)
{
	pack_section(w->pack, DUMP_GLOBALS);
	if (w->reader->globals)
		w->reader->globals(w->self, on_global, w);
	pack_u(w->pack, 0);
}
