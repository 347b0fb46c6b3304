// replay.c: runs kept inputs through a fuzz target, with any compiler.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// replay_file hands over a copy of exactly the file's size, so that a
// sanitizer sees the first byte past its end.
static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long size;
	int bad = 1;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
		perror(path);
		if (f)
			fclose(f);
		return 1;
	}
	rewind(f);
	data = malloc(size ? (size_t)size : 1);
	if (data && fread(data, 1, (size_t)size, f) == (size_t)size) {
		LLVMFuzzerTestOneInput(data, (size_t)size);
		bad = 0;
	} else {
		perror(path);
	}
	free(data);
	fclose(f);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= replay_file(argv[i]);
	return bad;
}
