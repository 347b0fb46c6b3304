// dump.h: heap-dump files: an analyzed heap written down, and read again in
// place of the core. The public header of libheap/dump.
//
// FORMAT.md describes our own format byte for byte.
#pragma once

#include "libheap/heap.h"

// struct dump_sink is where the bytes of a file go, in order.
struct dump_sink {
	enum hc (*write)(void *ctx, const void *bytes, uint64_t len,
			 struct hc_err *err);
	void *ctx;
};

// struct dump_base is a file in our own format that another heap is appended to.
struct dump_base;

// dump_base_open checks a file and gets ready to be appended to, with or
// without values as dump_options says.
// Owns:  *ret lives in pool, the file stays mapped until dump_base_close.
// Fails: as dump_open; UNSUPPORTED when the file is the other kind.
HC_MUST enum hc dump_base_open(const char *path, bool values,
			       struct pool *pool, struct dump_base **ret,
			       struct hc_err *err);
void dump_base_close(struct dump_base *base); // NULL is fine

// struct dump_options says how to write.
struct dump_options {
	bool values;      // what the program computed with, too: panic text,
			  // labels' values, command line, build settings
	unsigned threads; // that compress; 0: as many as there are processors
	const struct dump_base *base; // what the file begins with, or NULL
};

// dump_write writes the heap in our own format; it marks and types first.
// Owns:  pool is for the writer alone and may be closed afterwards.
// Fails: as the sink; NOMEM; what heap_mark fails as.
HC_MUST enum hc dump_write(struct heap *heap, const struct dump_options *options,
			   const struct dump_sink *sink, struct pool *pool,
			   struct hc_err *err);

// dump_is says whether the file begins as one of ours.
bool dump_is(const char *path);

// dump_snapshots sets *ret to how many snapshots a heap-dump file has.
// Fails: as dump_open.
HC_MUST enum hc dump_snapshots(const char *path, uint32_t *ret,
			       struct hc_err *err);

// dump_open checks the file and makes a core without memory of its snapshot of
// that number (0: the last), which heap_open knows by dump_reader.
// Owns:  *ret lives in pool; the file stays mapped until the heap is closed.
// Fails: IO; TRUNCATED; CORRUPT at the offset of the damage; UNSUPPORTED for
//        a newer version or no such snapshot; NOMEM.
HC_MUST enum hc dump_open(const char *path, uint32_t number, struct pool *pool,
			  struct core **ret, struct hc_err *err);

// dump_open_other makes a core of another snapshot of the file that `core` is
// from, as dump_open did; no file is opened.
// Owns:  *ret lives in pool, and while it is used the heap of `core` must be
//        open. Fails: as dump_open; UNSUPPORTED for a core from elsewhere.
HC_MUST enum hc dump_open_other(const struct core *core, uint32_t number,
				struct pool *pool, struct core **ret,
				struct hc_err *err);

// dump_reader is what heap_open takes for a core that dump_open made.
extern const struct heap_reader dump_reader;

// The heap in the formats of others, live objects only. Names come from the
// program, but no memory contents. pool is for the writer alone; names is
// rewound all the time.
// Fails: as dump_write; LIMIT when the format cannot hold so many objects.

// dump_v8 writes V8's .heapsnapshot, for Chromium's DevTools and memlab.
HC_MUST enum hc dump_v8(struct heap *heap, const struct dump_sink *sink,
			struct pool *pool, struct pool *names,
			struct hc_err *err);

// struct dump_heaps is one heap after another: open gives number i, from 0 on,
// which is done with when close is called. One is open at a time.
struct dump_heaps {
	unsigned n;
	enum hc (*open)(void *ctx, unsigned i, struct heap **ret,
			struct hc_err *err);
	void (*close)(void *ctx);
	void *ctx;
};

// dump_moar2 and dump_moar3 write MoarVM heap snapshots of version 2 and 3,
// for App::MoarVM::HeapAnalyzer: one file of all the heaps, what they have in
// common once. Fails: LIMIT for over 1,000 heaps, too; as heaps->open.
HC_MUST enum hc dump_moar2(const struct dump_heaps *heaps,
			   const struct dump_sink *sink, struct pool *pool,
			   struct pool *names, struct hc_err *err);
HC_MUST enum hc dump_moar3(const struct dump_heaps *heaps,
			   const struct dump_sink *sink, struct pool *pool,
			   struct pool *names, struct hc_err *err);

// dump_pprof writes who retains what as a profile for `go tool pprof`.
HC_MUST enum hc dump_pprof(struct heap *heap, const struct dump_sink *sink,
			   struct pool *pool, struct pool *names,
			   struct hc_err *err);

// struct dump_stacks collects stacks with values, equal ones once, for a
// profile that `go tool pprof` reads.
struct dump_stacks;

#define DUMP_STACK_VALUES 4

// struct dump_unit names what is counted and in what ("inuse_space", "bytes").
struct dump_unit {
	const char *type, *unit;
};

// struct dump_stacks_about says what a profile is of.
// Shape: values are the n_values of each stack, in order; shown is the type
//        that is shown first, or NULL. period is how much lies between two
//        samples. sorted: by the first value, largest first.
struct dump_stacks_about {
	struct dump_unit values[DUMP_STACK_VALUES];
	unsigned n_values;
	const char *shown;
	struct dump_unit period_type;
	uint64_t period;
	bool sorted;
};

// dump_stacks_open begins a profile of the heap's process.
// Owns:  *ret lives in pool; about is copied, its strings are the caller's
//        and must live until dump_stacks_write. Fails: NOMEM.
HC_MUST enum hc dump_stacks_open(struct heap *heap,
				 const struct dump_stacks_about *about,
				 struct pool *pool, struct dump_stacks **ret,
				 struct hc_err *err);

// dump_stacks_frame adds a frame to the stack under way, innermost first;
// address is of the instruction, which for a caller is before frame->pc. Of a
// very deep stack the middle is left out.
// dump_stacks_label adds a label to it: a text, or a number when that is NULL.
// dump_stacks_end adds the values to those of all equal stacks with equal
// labels. A value stays at INT64_MAX. All return false when memory is short.
bool dump_stacks_frame(struct dump_stacks *p, const struct heap_frame *frame,
		       taddr address);
bool dump_stacks_label(struct dump_stacks *p, const char *key,
		       const char *text, uint64_t number);
bool dump_stacks_end(struct dump_stacks *p, const uint64_t *values);

// dump_stacks_write writes the profile. Fails: NOMEM, also of what came
// before; as the sink.
HC_MUST enum hc dump_stacks_write(struct dump_stacks *p,
				  const struct dump_sink *sink,
				  struct hc_err *err);

// dump_go writes what debug.WriteHeapDump would, but no contents and no data
// segments: variables are named roots.
HC_MUST enum hc dump_go(struct heap *heap, const struct dump_sink *sink,
			struct pool *pool, struct pool *names,
			struct hc_err *err);

// struct dump_files is a folder: open begins a file of that name and says
// where its bytes go, close ends it. One is open at a time.
struct dump_files {
	enum hc (*open)(void *ctx, const char *name, struct dump_sink *ret,
			struct hc_err *err);
	enum hc (*close)(void *ctx, struct hc_err *err);
	void *ctx;
};

// dump_parquet writes tables: objects-*, edges-* (cut at the same objects),
// fields, types, roots, goroutines, frames, meta. Where there is not memory
// enough for them, idom and retained are -1 and meta says so.
HC_MUST enum hc dump_parquet(struct heap *heap, const struct dump_files *files,
			     struct pool *pool, struct pool *names,
			     struct hc_err *err);
