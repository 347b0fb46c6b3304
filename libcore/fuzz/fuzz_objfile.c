// fuzz_objfile.c: any bytes as an executable: sections, symbols, inflating.
#include "libcore/base/inflate.h"
#include "libcore/objfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static bool take_symbol(void *ctx, const struct objfile_symbol *s)
{
	uint64_t *n = ctx;
	sink += strlen(s->name) + s->addr;
	return ++*n < 100000;
}

// inflate_one unpacks a small section as the debug reader does.
static void inflate_one(const struct objfile *f,
			const struct objfile_section *s, struct pool *pool)
{
	struct bytes plain;
	char *mark = pool_mark(pool);
	enum inflate_kind kind = INFLATE_ZDEBUG;
	if (s->flags & ELF_SHF_COMPRESSED)
		kind = f->head.is64 ? INFLATE_CHDR64 : INFLATE_CHDR32;
	if (!s->inflated_len || s->inflated_len > 1 << 20)
		return;
	if (inflate_section(s->bytes, kind, pool, &plain, NULL) == HC_OK &&
	    (plain.len != s->inflated_len))
		__builtin_trap();
	pool_rewind(pool, mark);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool pool;
	struct objfile *f;
	struct bytes bytes = { data, size, 0 };
	if (pool_open(UINT64_C(1) << 28, &pool, NULL))
		return 0;
	if (objfile_open_bytes(bytes, &pool, &f, NULL) == HC_OK) {
		size_t n;
		uint64_t n_symbols = 0;
		const struct objfile_section *s = objfile_sections(f, &n);
		for (size_t i = 0; i < n; i++) {
			sink += strlen(s[i].name);
			if (s[i].bytes.len)
				sink += s[i].bytes.at[s[i].bytes.len - 1];
			if (i < 64)
				inflate_one(f, &s[i], &pool);
		}
		objfile_each_symbol(f, take_symbol, &n_symbols);
		objfile_close(f);
	}
	pool_close(&pool);
	return 0;
}
