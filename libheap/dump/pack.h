// pack.h: sections on their way into a file: cut into blocks, packed by
// several threads, written in order, listed in a table at the end.
#pragma once

#include "libheap/dump/dump.h"
#include "libheap/dump/format.h"
#include "libheap/dump/strings.h"

struct pack_crew; // the threads and their blocks: pack.c

// struct pack is one file being written.
// Shape: at .. end is the room of the block that is being filled. A failure
//        is kept until pack_close; what comes after it is dropped.
struct pack {
	uint8_t *at, *end;
	uint32_t section;
	struct strings strings;
	uint64_t old_strings; // bytes of them that are in the file already
	struct pack_crew *crew;
};

// pack_open begins a file. Owns: pool; the threads live until pack_close.
// Fails: NOMEM; as the sink.
HC_MUST enum hc pack_open(const struct dump_sink *sink,
			  const struct dump_options *options,
			  struct pool *pool, struct pack *ret,
			  struct hc_err *err);

// pack_section ends the section before and begins the next one.
void pack_section(struct pack *p, enum dump_section section);

// pack_close writes the strings, the table of contents and the trailer (only
// when whole), and ends the threads. Fails: with the first failure there was.
HC_MUST enum hc pack_close(struct pack *p, bool whole, struct hc_err *err);

// pack_failed says that going on is useless.
bool pack_failed(const struct pack *p);

// pack_next gives the block away and gets a new one, for the functions below.
void pack_next(struct pack *p);

// pack_bytes puts bytes as they are, pack_u64 eight of them.
void pack_bytes(struct pack *p, const void *bytes, uint64_t len);

// pack_u puts a number in LEB128, pack_text the number of a string.
static inline void pack_u(struct pack *p, uint64_t v)
{
	if (p->end - p->at < 10)
		pack_next(p);
	while (v >= 128) {
		*p->at++ = (uint8_t)(v | 128);
		v >>= 7;
	}
	*p->at++ = (uint8_t)v;
}

static inline void pack_text(struct pack *p, const char *text)
{
	pack_u(p, strings_add(&p->strings, text));
}
