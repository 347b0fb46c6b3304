// sizeclass.c: see sizeclass.h.
#include "libheap/go/heap/sizeclass.h"

#include "libcore/base/search.h"

#define PAGE 8192u

static const uint16_t classes[] = {
	8,     16,    24,    32,    48,	   64,	  80,	 96,	112,   128,
	144,   160,   176,   192,   208,   224,	  240,	 256,	288,   320,
	352,   384,   416,   448,   480,   512,	  576,	 640,	704,   768,
	896,   1024,  1152,  1280,  1408,  1536,  1792,	 2048,	2304,  2688,
	3072,  3200,  3456,  4096,  4864,  5376,  6144,	 6528,	6784,  6912,
	8192,  9472,  9728,  10240, 10880, 12288, 13568, 14336, 16384, 18432,
	19072, 20480, 21760, 24576, 27264, 28672, 32768,
};
#define N_CLASSES (sizeof(classes) / sizeof(*classes))

// The classes up to 1152 bytes (33) have spans of one page.
#define N_ONE_PAGE 33
static const uint8_t pages[N_CLASSES] = {
	[N_ONE_PAGE] = 1, 2, 1, 2, 1, 2, 1, 3, 2, 3, 1, 3, 2, 3, 4, 5, 6,
	1, 7, 6, 5, 4, 3, 5, 7, 2, 9, 7, 5, 8, 3, 10, 7, 4,
};

uint64_t go_size_class(uint64_t size)
{
	if (size > classes[N_CLASSES - 1])
		return size > UINT64_MAX - PAGE ?
			       size :
			       (size + PAGE - 1) / PAGE * PAGE;
	unsigned low = (unsigned)search_while(i, N_CLASSES, classes[i] < size);
	return classes[low];
}

uint64_t go_class_slot(unsigned sizeclass)
{
	return sizeclass && sizeclass <= N_CLASSES ? classes[sizeclass - 1] : 0;
}

uint32_t go_class_pages(unsigned sizeclass)
{
	if (!sizeclass || sizeclass > N_CLASSES)
		return 0;
	return sizeclass <= N_ONE_PAGE ? 1 : pages[sizeclass - 1];
}
