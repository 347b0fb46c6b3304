// sample.c: see sample.h.
#include "libheap/go/tests/sample.h"

#define T (const uint8_t *)

// Steps (value by zigzag, length). File 0 is value 0, line 10 is value 10.
// At offset 4 stands the call that was inlined: line 11.
const struct gw_func sample_funcs[SAMPLE_N] = {
	{ .name = "main.caller",
	  .len = 0x180,
	  .sp = T "\x02\x80\x03",
	  .file = T "\x02\x08\x02\x08\x01\xf0\x02",
	  .line = T "\x16\x04\x02\x04\x12\x08\x13\xf0\x02",
	  .n_pcdata = 3,
	  .pcdata = { NULL, NULL, T "\0\x08\x02\x08\x01\xf0\x02" },
	  .n_funcdata = 4,
	  .funcdata = { UINT32_MAX, UINT32_MAX, UINT32_MAX, 0 },
	  .id = 0 },
	{ .name = "main.b", .len = 0x40, .sp = T "\x02\x40" },
	{ .name = "runtime.big", .len = 0x2345, .id = 7 },
	{ .name = "main.last", .len = 0x10, .n_funcdata = 1,
	  .funcdata = { 16 } },
};
const uint32_t sample_lens[SAMPLE_N] = { 0x180, 0x40, 0x2345, 0x10 };

void sample_make(struct gowriter *w, enum core_arch arch, unsigned minor)
{
	static uint8_t tree[32];
	*w = (struct gowriter){ .word = arch == CORE_386 ? 4 : 8,
				.arch = arch,
				.minor = minor,
				.with_buckets = true,
				.funcs = sample_funcs,
				.n_funcs = SAMPLE_N,
				.gofunc = tree,
				.gofunc_len = sizeof(tree) };
	// One inlinedCall: "main.inlined" stands behind the other names.
	uint32_t name = 12 + 7 + 12 + 10, parent = 4;
	memset(tree, 0, sizeof(tree));
	memcpy(tree + (minor < 20 ? 12 : 4), &name, 4);
	memcpy(tree + (minor < 20 ? 16 : 8), &parent, 4);
	tree[minor < 20 ? 2 : 0] = 21;
	gw_make(w);
}
