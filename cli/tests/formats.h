// formats.h: what the readers of formats.c and formats_*.c share.
#pragma once

#include "libcore/base/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// at .. end is what is still to be read of the file that begins at start.
extern const uint8_t *at, *end, *start;

// want ends the program when what must be so is not.
#define want(ok)                                                       \
	do {                                                           \
		if (!(ok)) {                                           \
			printf("%s:%d: not so at byte %td: %s\n",      \
			       __FILE__, __LINE__, at - start, #ok);   \
			exit(1);                                       \
		}                                                      \
	} while (0)

// number takes a number of so many bytes, uleb one in LEB128, take so many
// bytes.
uint64_t number(unsigned width);
uint64_t uleb(void);
const uint8_t *take(uint64_t n);
char *copy(const void *bytes, uint64_t len);

// row_of finds the row of a type, count adds to it, print prints all
// and begins anew.
size_t row_of(const char *name);
void count(size_t row, uint64_t n, uint64_t bytes);
void print(bool types);

// reach wants every node to be reachable from node 0.
void reach(uint64_t n, const uint64_t *first, const uint64_t *to);

void read_moar2(void);
void read_moar3(struct pool *pool);
void read_parquet(struct pool *pool);

// read_pprof adds up a profile of objects and bytes, or prints any profile
// whole.
void read_pprof(struct pool *pool, bool whole);
