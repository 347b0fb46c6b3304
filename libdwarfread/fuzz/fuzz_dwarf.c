// fuzz_dwarf.c: any bytes as debug sections, every question asked of them.
//
// The input is ten times a length (4 bytes) and that many bytes, in the order
// of struct dwarf_sections; the last one may be cut. A length with its top bit
// set is a section behind an Elf64_Chdr.
#include "libdwarfread/tests/ask_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void take_section(struct bytes *rest, struct dwarf_section *ret)
{
	uint32_t n;
	struct bytes piece;
	if (bytes_u32(rest, &n, NULL))
		return;
	uint64_t want = n & 0x7fffffff;
	if (bytes_take(rest, want < rest->len ? want : rest->len, &piece, NULL))
		return;
	uint8_t *copy = malloc(piece.len ? piece.len : 1); // exact, for ASan
	must(copy != NULL);
	memcpy(copy, piece.at, piece.len);
	ret->bytes = (struct bytes){ copy, piece.len, 0 };
	ret->kind = n >> 31 ? INFLATE_CHDR64 : INFLATE_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct bytes rest = { data, len, 0 };
	struct dwarf_sections in = { 0 };
	struct pool pool;
	struct dwarf_section *const all[] = {
		&in.info, &in.abbrev, &in.str, &in.line_str, &in.str_offsets,
		&in.addr, &in.loc, &in.loclists, &in.ranges, &in.rnglists,
	};
	if (pool_open(UINT64_C(1) << 28, &pool, NULL))
		return 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		take_section(&rest, all[i]);
	ask_all(&in, &pool);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free((void *)(uintptr_t)all[i]->bytes.at);
	pool_close(&pool);
	return 0;
}
