// seeds.c: writes the first inputs of the fuzz targets into a folder.
//
//	t=libcore/tests
//	cc -I. -D_GNU_SOURCE libcore/fuzz/seeds.c $t/elfbuf.c $t/packer.c
//	   $t/corewriter.c $t/exewriter.c -lzstd -lz -llzma -llz4 -o seeds
//	./seeds testdata/fuzz
#include "libcore/tests/exewriter.h"
#include "libcore/tests/packer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *root;

static void put(const char *target, const char *name, struct bytes b)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", root, target);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", root, target, name);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(b.at, 1, b.len, f) != b.len || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void put_arch(enum core_arch arch, const char *name)
{
	struct corewriter w;
	struct exewriter ew;
	char pair[64];
	cw_sample(&w, arch);
	put("core", name, cw_finish(&w));
	cw_free(&w);
	ew_init(&ew, arch, 0x10000);
	ew.go_id = "go/build/id";
	ew.gnu_id = "12345678901234567890";
	ew_symbol(&ew, "main.main", 0x11040, 16, 2);
	put("objfile", name, ew_finish(&ew));
	cw_pair(&w, arch, elfbuf_bytes(&ew.out), "/no/such/exe", 0x10000);
	snprintf(pair, sizeof(pair), "%s-pair", name);
	put("core", pair, cw_finish(&w));
	cw_free(&w);
	ew_free(&ew);
}

static void put_packed(void)
{
	static const char *const names[] = { "zstd", "gzip", "xz", "lz4" };
	struct corewriter w;
	cw_sample(&w, CORE_AMD64);
	struct bytes plain = cw_finish(&w);
	for (int i = 0; i < 4; i++) {
		struct bytes b = packer_pack((enum pack)i, plain);
		struct bytes two = pack_join(b, b);
		char name[32];
		put("unpack", names[i], b);
		snprintf(name, sizeof(name), "%s-twice", names[i]);
		put("unpack", name, two);
		pack_free(b);
		pack_free(two);
	}
	cw_free(&w);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	root = argv[1];
	mkdir(root, 0777);
	put_arch(CORE_AMD64, "amd64");
	put_arch(CORE_ARM64, "arm64");
	put_arch(CORE_386, "386");
	put_packed();
	struct corewriter w;
	cw_sample(&w, CORE_AMD64);
	w.xnum = true;
	put("core", "xnum", cw_finish(&w));
	cw_free(&w);
	return 0;
}
