// fuzz_go_unwind.c: damaged goroutines, threads, stacks, registers and tables.
#include "libheap/go/fuzz/mutant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// struct hearing is who listens.
struct hearing {
	struct heap *heap;
	struct pool *pool;
	unsigned n;
};

static bool on_frame(void *ctx, const struct heap_frame *f)
{
	(void)ctx;
	mutant_hear(f->function);
	mutant_hear(f->file);
	return true;
}

static bool on_owner(void *ctx, const struct heap_owner *o)
{
	struct hearing *h = ctx;
	mutant_hear(o->status);
	mutant_hear(o->wait_reason);
	mutant_hear(o->created_by);
	for (size_t i = 0; i < o->n_labels; i++) {
		mutant_hear(o->labels[i].key);
		mutant_hear(o->labels[i].value);
	}
	heap_reader_of(h->heap)->frames(heap_self(h->heap), o->index, on_frame,
					NULL);
	return true;
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct hearing *h = ctx;
	struct heap_root_text text;
	struct hc_err err;
	char *mark = pool_mark(h->pool);
	if (h->n++ % 17 == 0 &&
	    !heap_reader_of(h->heap)->root_text(heap_self(h->heap), root,
						h->pool, &text, &err)) {
		mutant_hear(text.name);
		mutant_hear(text.owner);
		mutant_hear(text.function);
	}
	pool_rewind(h->pool, mark);
}

static void on_fact(void *ctx, const struct heap_fact *fact)
{
	(void)ctx;
	mutant_hear(fact->key);
	mutant_hear(fact->text);
}

static void on_weak(void *ctx, taddr at, taddr target)
{
	(void)ctx;
	(void)at;
	(void)target;
}

static void ask(struct heap *heap, struct pool *pool)
{
	const struct heap_reader *reader = heap_reader_of(heap);
	struct hearing h = { heap, pool, 0 };
	struct heap_identity id;
	struct hc_err err;

	reader->owners(heap_self(heap), on_owner, &h);
	reader->roots(heap_self(heap), on_root, &h);
	reader->weak(heap_self(heap), on_weak, NULL);
	if (!reader->identity(heap_self(heap), &id, &err))
		mutant_hear(id.crash);
	reader->facts(heap_self(heap), on_fact, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	mutant_ask(data, size, MUTANT_BIT(G) | MUTANT_BIT(M) |
		   MUTANT_BIT(STACK) | MUTANT_BIT(NOTE) | MUTANT_BIT(TABLE) |
		   MUTANT_BIT(VARIABLE), ask);
	return 0;
}
