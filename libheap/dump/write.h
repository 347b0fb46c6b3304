// write.h: the parts of a file in our own format, each by one function.
#pragma once

#include "libheap/dump/pack.h"

// struct writer is the state of writing one heap.
// Units: first[r] is the number of region r's first slot in the file: words
//        of 64 slots of all regions before it.
struct writer {
	struct heap *heap;
	const struct heap_reader *reader;
	void *self;
	struct core *core;
	const struct dump_options *options;
	struct pool *pool, *names; // names: for texts, rewound after each
	const struct heap_region *regions;
	size_t n_regions;
	uint64_t *first;
	struct pack *pack;
	struct hc_err *err;
	struct look *look; // for suspects: write_suspects.c
	enum hc failed; // in a callback
	taddr last, last_target; // numbers that the next ones are told from
};

// Each writes one part or more; failures of pack are kept there.
// Fails: NOMEM; as the reader.
void write_core(struct writer *w);
HC_MUST enum hc write_identity(struct writer *w);
void write_findings(struct writer *w);
void write_facts(struct writer *w);
HC_MUST enum hc write_regions(struct writer *w);
HC_MUST enum hc write_objects(struct writer *w);
HC_MUST enum hc write_edges(struct writer *w);
HC_MUST enum hc write_roots(struct writer *w);
void write_owners(struct writer *w);
void write_globals(struct writer *w);
HC_MUST enum hc write_profile(struct writer *w);
HC_MUST enum hc write_suspects(struct writer *w);

// suspects_begin has the reader look for suspects, in another thread if it can,
// until suspects_wait: meanwhile nobody may ask it for anything but edges.
// Owns: suspects_close lets go of what was found. Fails: NOMEM.
HC_MUST enum hc suspects_begin(struct writer *w);
void suspects_wait(struct writer *w);
void suspects_close(struct writer *w);

// write_frame writes a frame (heap_frame_fn); ctx is the writer.
bool write_frame(void *ctx, const struct heap_frame *frame);

// write_labels writes what the words of an object are called, for all objects
// of its type and slot.
void write_labels(struct writer *w, struct heap_ref ref);
