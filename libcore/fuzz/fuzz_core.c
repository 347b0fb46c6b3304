// fuzz_core.c: any bytes as a core, with its promises asked of the answer.
#include "libcore/process.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define promise(claim)           \
	do {                     \
		if (!(claim))    \
			abort(); \
	} while (0)

static volatile uint64_t sink;

static void touch(const void *bytes, uint64_t len)
{
	const uint8_t *at = bytes;
	for (uint64_t i = 0; i < len; i++)
		sink += at[i];
}

// ask_windows: runs are sorted, disjoint and wholly readable.
static void ask_windows(struct core *core)
{
	struct core_window w;
	taddr at = 0;
	for (int i = 0; i < 256 && !core_next_window(core, at, &w); i++) {
		struct core_window same;
		const uint8_t *view;
		uint64_t v = 77;
		promise(w.len && w.base + w.len > at);
		promise(core_window(core, w.base, &same) == HC_OK);
		promise(same.bytes == w.bytes && same.len == w.len);
		promise(!core_view(core, w.base, w.len, &view, NULL));
		touch(w.bytes, w.len < 4096 ? w.len : 4096);
		touch(w.bytes + w.len - 1, 1);
		if (core_u64(core, w.base + w.len - 3, &v, NULL))
			promise(v == 77);
		at = w.base + w.len;
	}
}

// ask_segments: they are sorted and disjoint, and their sums add up.
static void ask_segments(struct core *core)
{
	size_t n;
	uint64_t saved = 0, mapped = 0;
	taddr end = 0;
	const struct core_segment *s = core_segments(core, &n);
	for (size_t i = 0; i < n; i++) {
		promise(s[i].len && s[i].saved <= s[i].len);
		promise(s[i].base >= end && s[i].base + s[i].len > s[i].base);
		end = s[i].base + s[i].len;
		saved += s[i].saved;
		mapped += s[i].len;
	}
	promise(core_saved_bytes(core, 0, UINT64_MAX) == saved);
	promise(core_mapped_bytes(core, 0, UINT64_MAX) == mapped);
}

static void ask_texts(struct core *core)
{
	size_t n;
	const struct core_info *info = core_info(core);
	touch(info->name, strlen(info->name));
	touch(info->command, strlen(info->command));
	const struct core_thread *t = core_threads(core, &n);
	for (size_t i = 0; i < n; i++)
		touch(t[i].regs, t[i].n_regs * sizeof(*t[i].regs));
	const struct core_module *m = core_modules(core, &n);
	for (size_t i = 0; i < n; i++) {
		touch(m[i].path, strlen(m[i].path));
		touch(m[i].build_id, m[i].build_id_len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct core_input in = { .core = "fuzz" };
	struct pool pool;
	struct core *core = NULL;
	if (pool_open(UINT64_C(1) << 28, &pool, NULL))
		return 0;
	struct bytes bytes = { data, size, 0 };
	struct hc_err err;
	enum hc rc = core_open_bytes(&in, bytes, &pool, &core, &err);
	promise(rc != HC_NONE && (rc == HC_OK) == (core != NULL));
	if (core) {
		ask_windows(core);
		ask_segments(core);
		ask_texts(core);
	}
	core_close(core);
	pool_close(&pool);
	return 0;
}
