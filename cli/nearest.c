// nearest.c: what a mistyped word most likely meant.
#include "cli/options.h"

#include <string.h>

#define WORD_MAX 24

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

// distance counts the letters to insert, drop, replace or swap to get from a
// to b (optimal string alignment). Both are at most WORD_MAX long.
static unsigned distance(const char *a, const char *b)
{
	unsigned d[WORD_MAX + 1][WORD_MAX + 1];
	size_t na = strlen(a), nb = strlen(b);
	for (size_t i = 0; i <= na; i++)
		d[i][0] = (unsigned)i;
	for (size_t k = 0; k <= nb; k++)
		d[0][k] = (unsigned)k;
	for (size_t i = 1; i <= na; i++) {
		for (size_t k = 1; k <= nb; k++) {
			unsigned cost = a[i - 1] != b[k - 1];
			d[i][k] = least(d[i - 1][k - 1] + cost,
					least(d[i - 1][k], d[i][k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	}
	return d[na][nb];
}

const char *nearest(const char *word, const char *const *names, size_t stride,
		    size_t n)
{
	const char *best = NULL;
	unsigned best_distance = 3;
	size_t len = strlen(word);
	for (size_t i = 0; i < n && len <= WORD_MAX; i++) {
		const char *name = *(const char *const *)(const void *)
			((const char *)names + i * stride);
		if (strlen(name) > WORD_MAX)
			continue;
		unsigned d = len >= 3 && strncmp(word, name, len) == 0 ?
				     0 :
				     distance(word, name);
		if (d < best_distance && (d < len || d == 0)) {
			best = name;
			best_distance = d;
		}
	}
	return best;
}
