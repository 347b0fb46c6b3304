// mkcore.c: writes a small core of no Go program, for the shell tests.
//
//	mkcore FILE           names of process and mapped file are hostile
//	mkcore FILE plain     they are not
//
// Addresses 0x1000 (0x400 bytes, 0x100 saved), 0x5000 (0x400) and 0x7000
// (0x1000, none saved) are mapped. The byte at each is cw_byte's.
#include "libcore/tests/corewriter.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	static const uint64_t auxv[][2] = { { 6, 4096 }, { 9, 0x1040 } };
	bool plain = argc > 2;
	const struct cw_file files[] = {
		{ 0x1000, 0x1400, 0,
		  plain ? "/no/such/program" :
			  "/no/\x1b[31m\"<b>&\xff\xe2\x80\xae/program" },
	};
	struct corewriter w;
	if (argc < 2)
		return 2;
	cw_init(&w, CORE_AMD64);
	cw_thread(&w, 100, 11, 0x1044, 0x7f80, 0x5008);
	cw_psinfo(&w, 100, "sample",
		  plain ? "./sample --now" : "./\x1b]0;owned\x07 \"<&>\" \x80");
	cw_siginfo(&w, 11, 1, 0xdead0);
	cw_auxv(&w, 2, auxv);
	cw_files(&w, 256, 1, files);
	cw_load(&w, 0x1000, 0x400, 0x100, CORE_R | CORE_X);
	cw_load(&w, 0x5000, 0x400, 0x400, CORE_R | CORE_W);
	cw_load(&w, 0x7000, 0x1000, 0, 0);
	struct bytes core = cw_finish(&w);
	FILE *f = fopen(argv[1], "wb");
	if (!f || fwrite(core.at, 1, core.len, f) != core.len || fclose(f))
		return 1;
	cw_free(&w);
	return 0;
}
