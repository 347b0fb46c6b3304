// fuzz_go_types.c: damaged type descriptors, headers, maps and values.
#include "libheap/go/fuzz/mutant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool on_field(void *ctx, const struct heap_field *field)
{
	unsigned *left = ctx;
	mutant_hear(field->name);
	mutant_hear(field->type);
	mutant_hear(field->value);
	return (*left)-- > 0;
}

static bool on_global(void *ctx, const struct heap_global *global)
{
	unsigned *left = ctx;
	mutant_hear(global->name);
	mutant_hear(global->type);
	return (*left)-- > 0;
}

static void ask_object(struct heap *heap, struct heap_ref ref,
		       struct pool *pool)
{
	const struct heap_reader *reader = heap_reader_of(heap);
	unsigned left = 50;
	char *mark = pool_mark(pool);
	mutant_hear(reader->object_type(heap_self(heap), ref, pool));
	mutant_hear(reader->label(heap_self(heap), ref, 8, pool));
	reader->fields(heap_self(heap), ref, on_field, &left);
	pool_rewind(pool, mark);
}

static void ask(struct heap *heap, struct pool *pool)
{
	const struct heap_reader *reader = heap_reader_of(heap);
	struct heap_type_text text;
	struct hc_err err;
	size_t n;
	unsigned asked = 0, left = 300;

	if (heap_mark(heap, &err) || heap_type(heap, &err))
		return;
	const struct heap_region *r = heap_regions(heap, &n);
	for (size_t i = 0; i < n && asked < 400; i++)
		for (uint32_t k = 0; k < r[i].n_slots && asked < 400; k++) {
			struct heap_ref ref = { (uint32_t)i, k };
			if (!heap_bit(heap_live(heap), &r[i], k))
				continue;
			asked++;
			ask_object(heap, ref, pool);
		}
	uint32_t types = reader->type_count(heap_self(heap));
	for (uint32_t i = 0; i < types && i < 1000; i++) {
		char *mark = pool_mark(pool);
		if (!reader->type_text(heap_self(heap), i, pool, &text, &err)) {
			mutant_hear(text.name);
			mutant_hear(text.package);
		}
		pool_rewind(pool, mark);
	}
	reader->globals(heap_self(heap), on_global, &left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	mutant_ask(data, size, MUTANT_BIT(TYPE) | MUTANT_BIT(HEADER) |
		   MUTANT_BIT(OBJECT) | MUTANT_BIT(DWARF) | MUTANT_BIT(MODULE),
		   ask);
	return 0;
}
