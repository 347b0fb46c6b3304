// what.c: see what.h.
#include "libcore/what.h"

// struct kind is a format that people hand over by mistake.
// Units: magic is looked for at byte off.
struct kind {
	unsigned off, len;
	const char *magic;
	struct what what;
};

static const char only_elf[] = "only ELF cores of Linux are read";

// Source: each format's own specification; apport: `man apport-unpack`.
static const struct kind kinds[] = {
	{ 0, 4, "MDMP", { "a minidump", "it holds stacks, but no heap" } },
	{ 0, 4, "\xfe\xed\xfa\xce", { "a Mach-O file", only_elf } },
	{ 0, 4, "\xfe\xed\xfa\xcf", { "a Mach-O file", only_elf } },
	{ 0, 4, "\xce\xfa\xed\xfe", { "a Mach-O file", only_elf } },
	{ 0, 4, "\xcf\xfa\xed\xfe", { "a Mach-O file", only_elf } },
	{ 0, 4, "\xca\xfe\xba\xbe",
	  { "a Mach-O or Java class file", only_elf } },
	{ 0, 2, "MZ", { "a Windows executable", only_elf } },
	{ 0, 4, "PK\3\4", { "a zip archive", "unzip it first" } },
	{ 0, 3, "BZh", { "compressed with bzip2", "bunzip2 it first" } },
	{ 0, 4, "LZIP", { "compressed with lzip", "unpack it first" } },
	{ 0, 4, "\x02\x21\x4c\x18",
	  { "an old LZ4 stream", "unpack it with lz4 -d first" } },
	{ 257, 5, "ustar", { "a tar archive", "unpack it first" } },
	{ 0, 8, "!<arch>\n", { "an ar archive", "unpack it first" } },
	{ 0, 12, "ProblemType:",
	  { "an Apport report",
	    "run apport-unpack on it and use its CoreDump" } },
	{ 0, 16, "go1.7 heap dump\n",
	  { "a heap dump of runtime/debug.WriteHeapDump",
	    "it is not a core" } },
	{ 0, 12, "JAVA PROFILE", { "a Java heap dump", "it is not a core" } },
	{ 0, 2, "#!", { "a script", NULL } },
};

// is_text says whether b holds nothing but printable ASCII, UTF-8 and blanks.
static bool is_text(struct bytes b)
{
	for (uint64_t i = 0; i < b.len; i++) {
		uint8_t c = b.at[i];
		bool blank = c == '\n' || c == '\r' || c == '\t' || c == '\f';
		if ((c < 0x20 && !blank) || c == 0x7f)
			return false;
	}
	return true;
}

struct what what_is(struct bytes first)
{
	if (!first.len)
		return (struct what){ "empty", NULL };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kind *k = &kinds[i];
		struct bytes piece;
		if (bytes_sub(first, k->off, k->len, &piece, NULL) == HC_OK &&
		    bytes_equal(piece, k->magic, k->len))
			return k->what;
	}
	if (first.len > 512)
		first.len = 512;
	return (struct what){
		is_text(first) ? "text" : "of a format that is not known", NULL
	};
}
