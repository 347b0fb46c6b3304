// reader.h: what a reader tells of one runtime's memory: roots, facts, types,
// and the interface itself. Part of heap.h.
#pragma once

#include "libheap/object.h"

// ---- roots -------------------------------------------------------------------

// HEAP_ROOT_KINDS lists what keeps objects alive, in the words of cli.md.
#define HEAP_ROOT_KINDS(X)                   \
	X(GLOBAL, "global")                  \
	X(FRAME, "frame")                    \
	X(REGISTER, "register")              \
	X(CONSERVATIVE, "conservative")      \
	X(DEFER, "defer")                    \
	X(PANIC, "panic")                    \
	X(FINALIZER, "finalizer")            \
	X(FINALIZER_QUEUE, "finalizer queue") \
	X(CLEANUP, "cleanup")                \
	X(CLEANUP_QUEUE, "cleanup queue")    \
	X(WEAK_HANDLE, "weak handle")        \
	X(RUNTIME, "runtime")

enum heap_root_kind {
#define X(name, text) HEAP_ROOT_##name,
	HEAP_ROOT_KINDS(X)
#undef X
	HEAP_N_ROOT_KINDS
};

// heap_root_kind_name returns the word of cli.md for kind.
const char *heap_root_kind_name(enum heap_root_kind kind);

#define HEAP_NO_OWNER UINT32_MAX

// struct heap_root is one word outside the graph that points at target.
// Units: at is the word's address, 0 when it is none (a register).
// Shape: owner is an index for the reader's owner calls, or HEAP_NO_OWNER;
//        detail is the reader's own (which frame, which register, …).
struct heap_root {
	taddr target, at;
	uint32_t kind; // enum heap_root_kind
	uint32_t owner;
	uint64_t detail;
};

// struct heap_root_text is a root in words. Shape: name is never NULL
// ("main.cache", "data+0x40"); owner ("goroutine 7") and function may be.
struct heap_root_text {
	const char *name, *owner, *function;
};

typedef void heap_root_fn(void *ctx, const struct heap_root *root);

// ---- marking on the way ---------------------------------------------------------

// struct mark_pair is one bitmap word twice: objects seen (and slots that are
// none), and of these the ones still to be scanned. One cache line serves both.
struct mark_pair {
	uint64_t seen, pending;
};

// heap_marking returns the bits by word while type_objects runs, if marking is
// not done yet, else NULL; the roots are in. A reader that follows pointers
// there may mark by the way: when it takes `pending` from an object it sets
// `seen` in all that this points to, and `pending` in what of that was not seen
// and is in no HEAP_NOSCAN region. heap_mark does the rest, and ends it.
struct mark_pair *heap_marking(const struct heap *heap);

// ---- what a runtime knows beside the graph -------------------------------------

// struct heap_identity says which program this was.
struct heap_identity {
	const char *runtime;  // "go1.26.3 X:nogreenteagc"
	const char *layouts;  // where the layouts are from: "tables 1.26", "DWARF"
	const char *crash;    // panic or fatal error text, or NULL
	uint64_t n_owners;    // goroutines alive
};

// struct heap_counters are the runtime's own figures as runtime.MemStats
// defines them, recomputed from its structures. Units: bytes.
struct heap_counters {
	uint64_t heap_alloc, heap_inuse, heap_idle, heap_released, stack_inuse;
};

// struct heap_fact is one line of `info`.
// Shape: group and key are lower-case words joined by '_' ("gc", "gogc");
//        text is set for FACT_TEXT only.
// Owns:  valid during the callback.
enum heap_fact_kind { FACT_TEXT, FACT_COUNT, FACT_BYTES, FACT_NS, FACT_ADDRESS };
struct heap_fact {
	const char *group, *key;
	enum heap_fact_kind kind;
	const char *text;
	uint64_t number;
};
typedef void heap_fact_fn(void *ctx, const struct heap_fact *fact);

// struct heap_label is one key and value that a program put on an owner.
struct heap_label {
	const char *key, *value;
};

// struct heap_owner is one thread of the runtime's own (a goroutine).
// Shape: strings may be NULL where not known. Units: wait_ns as recorded by
//        the runtime, 0 when not. Owns: valid during the callback.
struct heap_owner {
	uint32_t index;
	uint64_t id;
	const char *noun;   // "goroutine"
	const char *status; // "waiting"
	const char *wait_reason;
	uint64_t wait_ns;
	taddr waits_on;     // the channel that it waits for, or 0
	bool system;        // the runtime's own
	bool faulting;      // the one that brought the process down
	uint32_t thread;    // of the system, 0 when on none
	taddr stack_low, stack_high;
	uint64_t stack_used;
	const char *created_by, *created_file;
	uint32_t created_line;
	uint64_t parent;    // id of the owner that made it, 0 when not known
	const struct heap_label *labels;
	size_t n_labels;
};
typedef bool heap_owner_fn(void *ctx, const struct heap_owner *owner);

// struct heap_frame is one logical frame, innermost first; an inlined call is
// a frame with the pc, sp and fp of the one it was inlined into.
struct heap_frame {
	const char *function, *file;
	uint32_t line;
	taddr pc, sp, fp;
	bool inlined;
};
typedef bool heap_frame_fn(void *ctx, const struct heap_frame *frame);

// struct mem_node is one node of the statistics tree.
// Units: bytes in the process, saved_bytes in the core file.
// Shape: a tree in an array: children follow through first_child and next
//        (indexes, 0 is none: the root is node 0 and nobody's child).
struct mem_node {
	const char *name;
	uint64_t bytes, saved_bytes;
	uint32_t first_child, last_child, next;
};
struct mem_tree {
	VEC(struct mem_node);
};

// mem_tree_add adds a child with no bytes yet below parent and sets *ret to
// its index; in an empty tree it makes the root. Fails: NOMEM.
HC_MUST enum hc mem_tree_add(struct pool *pool, struct mem_tree *tree,
			     uint32_t parent, const char *name, uint32_t *ret,
			     struct hc_err *err);

// mem_tree_sum adds the children up into their parents, bottom up; inner
// nodes must have no bytes of their own.
void mem_tree_sum(struct mem_tree *tree);

// ---- types -------------------------------------------------------------------

// A type number names a type of the reader's: 0 is "unknown". Numbers are
// below heap_reader.type_count and the same in every run.

// struct heap_type_text is a type in words.
// Shape: name is as `types` counts it ("main.Node", "[]int (backing)",
//        "string (data)"), package the import path it belongs to or "".
struct heap_type_text {
	const char *name, *package;
};

// struct heap_field is one typed part of an object, for `object`.
// Units: offset from the slot's base. Shape: depth is 0 for the object's own
//        fields, 1 for those of the first struct in it, …; value is text as a
//        Go programmer would write it, cut to a line.
// Owns:  valid during the callback.
struct heap_field {
	const char *name, *type, *value;
	uint64_t offset;
	unsigned depth;
};
typedef bool heap_field_fn(void *ctx, const struct heap_field *field);

// struct heap_global is one package variable.
// Shape: name is "data+0x40" where nothing tells its real name.
// Owns:  valid during the callback.
struct heap_global {
	const char *name, *type;
	taddr at;
	uint64_t size;
};
typedef bool heap_global_fn(void *ctx, const struct heap_global *global);

// struct heap_reader_suspect is what a reader suspects; see heap_suspect.
// Owns: valid during the callback.
struct heap_reader_suspect {
	const char *kind, *text;
	bool has_object;
	struct heap_ref object;
	uint64_t bytes, count;
};
typedef void heap_suspect_fn(void *ctx,
			     const struct heap_reader_suspect *suspect);

// ---- the reader interface ------------------------------------------------------

// struct heap_options are what the command line decides for all readers.
struct heap_options {
	unsigned threads;       // 0: as many as there are processors
	bool quiet;
	// phase, when not NULL, hears the name of each phase as it ends.
	void (*phase)(void *ctx, const char *name, uint64_t work,
		      const char *unit);
	void *phase_ctx;
};

// struct heap_profile says how a program sampled its own allocations.
// Units: rate is bytes allocated between samples, 0 for none.
struct heap_profile {
	bool compiled_in; // false: the program has no profile at all
	uint64_t rate;
};

// struct heap_alloc_site is where sampled objects of one size were allocated.
// Units: counts are of the sample, not scaled; pending ones are not published
//        by the runtime yet. Shape: frames innermost first, inlined calls
//        expanded. Owns: valid during the callback.
struct heap_alloc_site {
	taddr at; // tells it from others
	uint64_t size;
	uint64_t alloc_objects, alloc_bytes, free_objects, free_bytes;
	uint64_t pending_alloc_objects, pending_alloc_bytes;
	uint64_t pending_free_objects, pending_free_bytes;
	const struct heap_frame *frames;
	uint32_t n_frames;
};
typedef bool heap_alloc_site_fn(void *ctx, const struct heap_alloc_site *site);

// struct heap_reader is what a runtime's reader offers. Functions marked
// "optional" may be NULL: the command that needs one says so. self is what
// open made. All are called with the sealed heap, never once per edge.
struct heap_reader {
	const char *name; // "go"

	// probe says whether the core is of this runtime: HC_NONE if not.
	enum hc (*probe)(const struct core *core, struct hc_err *err);

	// open reads spans and layouts, adds all regions, their allocated and
	// dead bits to heap, and sets *ret_self. core, options and pool stay
	// valid until close.
	enum hc (*open)(struct core *core, const struct heap_options *options,
			struct pool *pool, struct heap *heap, void **ret_self,
			struct hc_err *err);
	void (*close)(void *self);

	// edges puts every pointer word of the slots whose bits are set in
	// slots (word 0 is the region's first) into sink, slots in ascending
	// order; values of 0 may be left out. Called from several threads at once.
	void (*edges)(void *self, uint32_t region, const uint64_t *slots,
		      struct edge_sink *sink);

	// prefetch asks for the cache lines that edges will need first for
	// this region (its pointer maps). Optional.
	void (*prefetch)(void *self, uint32_t region);

	// roots calls fn for each root, always in the same order.
	void (*roots)(void *self, heap_root_fn *fn, void *ctx);
	enum hc (*root_text)(void *self, const struct heap_root *root,
			     struct pool *pool, struct heap_root_text *ret,
			     struct hc_err *err);

	// holder makes *root stand for all of its holder (a variable, a
	// goroutine, what is set on one object), so that root_text names that,
	// and returns a number that all roots of a holder have in common, and
	// no others. Optional: without it owners are holders, and words.
	uint64_t (*holder)(void *self, struct heap_root *root);

	// mark sets the bits of what is reachable, for a reader that knows it
	// already; without it the edges are followed. Optional.
	enum hc (*mark)(void *self, uint64_t *live, struct hc_err *err);

	// weak calls fn for each edge that does not keep its target alive:
	// at is the address of the word that remembers it. Optional.
	void (*weak)(void *self,
		     void (*fn)(void *ctx, taddr at, taddr target), void *ctx);

	enum hc (*identity)(void *self, struct heap_identity *ret,
			    struct hc_err *err);
	void (*facts)(void *self, heap_fact_fn *fn, void *ctx);     // optional
	enum hc (*counters)(void *self, struct heap_counters *ret,
			    struct hc_err *err);                   // optional

	// memory builds the statistics tree: every byte of every segment in
	// exactly one leaf. With marked, in-use spans split into live,
	// garbage and dead. Optional.
	enum hc (*memory)(void *self, bool marked, struct pool *pool,
			  struct mem_tree *ret, struct hc_err *err);

	// owners calls fn for each owner until it returns false, frames for
	// each frame of one. Optional, both or none.
	void (*owners)(void *self, heap_owner_fn *fn, void *ctx);
	void (*frames)(void *self, uint32_t owner, heap_frame_fn *fn,
		       void *ctx);

	// use says what the segment or address is used for ("heap arena",
	// "goroutine stack"), NULL when not known. Optional.
	const char *(*use)(void *self, taddr at, uint64_t len);

	// symbol names the code or data at address at, or NULL. Optional.
	const char *(*symbol)(void *self, taddr at, struct pool *pool);

	// type_objects writes a type number for every live object, and for
	// garbage where there is evidence, to types, where so far all regions
	// are HEAP_MIXED and all objects of type 0. Called once; heap_live says
	// nothing before heap_mark, nor does heap_marking after it. Optional,
	// with all that follow.
	enum hc (*type_objects)(void *self, const struct heap_types *types,
				struct hc_err *err);
	uint32_t (*type_count)(void *self);
	enum hc (*type_text)(void *self, uint32_t type, struct pool *pool,
			     struct heap_type_text *ret, struct hc_err *err);

	// object_type is the type's name as one object shows it ("[12]int"),
	// the same for all objects of a type number in a region.
	const char *(*object_type)(void *self, struct heap_ref ref,
				   struct pool *pool);

	// label is what a path calls the word at a byte offset of an object
	// (".next", "[3].key"), "" when nothing is known. It is the same for
	// all objects of a type number in a region, so it holds no values.
	const char *(*label)(void *self, struct heap_ref ref, uint64_t offset,
			     struct pool *pool);

	// key_label is label, but with the keys of maps as this object has
	// them ("[\"bob\"]"). Optional.
	const char *(*key_label)(void *self, struct heap_ref ref,
				 uint64_t offset, struct pool *pool);

	// fields calls fn for the typed parts of an object.
	void (*fields)(void *self, struct heap_ref ref, heap_field_fn *fn,
		       void *ctx);

	// globals calls fn for each package variable, in address order.
	void (*globals)(void *self, heap_global_fn *fn, void *ctx);

	// suspects calls fn for what is wasted or kept by mistake in ways that
	// only the runtime's own types tell (room that is not used, strings
	// that are the same, …): kind and text say what, bytes how much. least
	// is how many bytes are worth mentioning. Called after heap_type.
	// Optional.
	// suspects_beside says that another thread may ask for edges meanwhile.
	bool suspects_beside;
	void (*suspects)(void *self, uint64_t least, heap_suspect_fn *fn,
			 void *ctx);

	// verify notes in out what the runtime's structures contradict each
	// other in, beside what opening met (core_findings). Called after
	// marking. Optional.
	void (*verify)(void *self, struct findings *out);

	// profile says how allocations were sampled; alloc_sites calls fn for
	// each site until it returns false; sampled calls fn for each object
	// that is in the sample, with the at of its site. Optional, all or
	// none.
	enum hc (*profile)(void *self, struct heap_profile *ret,
			   struct hc_err *err);
	void (*alloc_sites)(void *self, heap_alloc_site_fn *fn, void *ctx);
	void (*sampled)(void *self,
			void (*fn)(void *ctx, taddr object, taddr site),
			void *ctx);
};

// ---- for readers, inside open only -------------------------------------------

// heap_begin says how many slots there will be at most, counted in bitmap
// words (64 slots each, every region rounded up), and regions.
// Units: page_shift is log2 of the page in which two regions never meet.
HC_MUST enum hc heap_begin(struct heap *heap, unsigned page_shift,
			   uint64_t n_regions, uint64_t n_words,
			   struct hc_err *err);

// heap_add_region adds a region; first_word is set here. *ret_alloc and
// *ret_dead point to its words of the two bitmaps, for the reader to fill
// (bits past n_slots must stay clear).
// Fails: CORRUPT when it is not above the one before, is empty or too large.
HC_MUST enum hc heap_add_region(struct heap *heap, taddr base, uint64_t slot,
				uint32_t n_slots, uint32_t flags, uint32_t tag,
				uint64_t **ret_alloc, uint64_t **ret_dead,
				struct hc_err *err);

// heap_region_bytes says where the first byte of the region just added lies in
// our own memory. Optional: marking only prefetches from there.
void heap_region_bytes(struct heap *heap, const uint8_t *bytes);
