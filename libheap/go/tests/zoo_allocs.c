// zoo_allocs.c: the memory profile, held against what debug.WriteHeapDump
// printed of it in the same process.
#include "libheap/go/tests/zoo.h"

#include "libheap/go/program/modules.h"

#include <stdio.h>
#include <stdlib.h>

// struct record is one bucket as the runtime printed it: size, allocs, frees,
// and then the physical frames, one to a line, function names only.
struct record {
	uint64_t size, allocs, frees;
	char stack[8192];
	bool found;
};

struct records {
	const struct zoo *z;
	struct record *at;
	unsigned n;
};

// add_frame appends a function's name without type arguments, which the
// runtime prints as shapes and we as they are written.
static void add_frame(char *stack, size_t room, const char *name)
{
	size_t len = strlen(stack), n = strcspn(name, "[ \n");
	snprintf(stack + len, room - len, "%.*s\n", (int)n, name);
}

// read_records reads <mode>.memprof beside the core.
static bool read_records(const struct zoo *z, struct records *ret)
{
	char path[600], line[1024];
	size_t len = strlen(z->path);
	snprintf(path, sizeof(path), "%.*s.memprof", (int)len - 5, z->path);
	FILE *f = fopen(path, "r");
	if (!f)
		return false;
	*ret = (struct records){ .z = z };
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '\t') {
			ck_assert_uint_gt(ret->n, 0);
			struct record *r = &ret->at[ret->n - 1];
			add_frame(r->stack, sizeof(r->stack), line + 1);
			continue;
		}
		ret->at = realloc(ret->at, (ret->n + 1) * sizeof(*ret->at));
		struct record *r = &ret->at[ret->n++];
		memset(r, 0, sizeof(*r));
		ck_assert_int_eq(sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &r->size,
					&r->allocs, &r->frees),
				 3);
	}
	fclose(f);
	return true;
}

// add_physical appends the function that a frame's code is in, which is what
// the runtime prints for an inlined call.
static void add_physical(const struct zoo *z, char *stack, size_t room,
			 const struct heap_frame *f)
{
	struct go_func fn;
	if (f->inlined && go_func_at(z->process, f->pc - 1, &fn) == HC_OK)
		add_frame(stack, room, fn.name);
	else
		add_frame(stack, room, f->function);
}

static bool on_site(void *ctx, const struct heap_alloc_site *site)
{
	struct records *all = ctx;
	char stack[8192] = "";
	for (uint32_t i = 0; i < site->n_frames; i++)
		add_physical(all->z, stack, sizeof(stack), &site->frames[i]);
	for (unsigned i = 0; i < all->n; i++) {
		struct record *r = &all->at[i];
		if (r->found || r->size != site->size ||
		    r->allocs != site->alloc_objects ||
		    r->frees != site->free_objects || strcmp(r->stack, stack))
			continue;
		r->found = true;
		break;
	}
	return true;
}

static void every_record_of_the_runtime_is_a_site(struct zoo *z)
{
	const struct heap_reader *r = heap_reader_of(z->heap);
	struct records all;
	if (!read_records(z, &all))
		return;
	r->alloc_sites(heap_self(z->heap), on_site, &all);
	zoo_require(z, all.n > 0, "an empty profile");
	for (unsigned i = 0; i < all.n; i++)
		zoo_require(z, all.at[i].found,
			    "no site of size %" PRIu64 ", %" PRIu64
			    " allocs, %" PRIu64 " frees at\n%s",
			    all.at[i].size, all.at[i].allocs, all.at[i].frees,
			    all.at[i].stack);
	free(all.at);
}

// struct held counts the sampled objects of one site.
struct held {
	taddr site;
	uint64_t n;
};

static void on_sampled(void *ctx, taddr object, taddr site)
{
	struct held *h = ctx;
	(void)object;
	h->n += site == h->site;
}

static bool on_balance(void *ctx, const struct heap_alloc_site *site)
{
	struct zoo *z = ctx;
	struct held h = { site->at, 0 };
	uint64_t alive = site->alloc_objects + site->pending_alloc_objects -
			 site->free_objects - site->pending_free_objects;
	heap_reader_of(z->heap)->sampled(heap_self(z->heap), on_sampled, &h);
	zoo_require(z, h.n == alive,
		    "a site of size %" PRIu64 " has %" PRIu64
		    " sampled objects, not %" PRIu64,
		    site->size, h.n, alive);
	return true;
}

static void a_site_has_as_many_objects_as_it_counts_alive(struct zoo *z)
{
	heap_reader_of(z->heap)->alloc_sites(heap_self(z->heap), on_balance, z);
}

// The zoo calls runtime.MemProfile so that the linker keeps the profile.
static void a_program_that_reads_its_profile_has_one(struct zoo *z)
{
	struct heap_profile p;
	struct hc_err err;
	zoo_require(z,
		    !heap_reader_of(z->heap)->profile(heap_self(z->heap), &p,
						      &err) &&
			    p.compiled_in,
		    "no profile");
}

const struct zoo_claim zoo_allocs[] = {
	ZOO_CLAIM(every_record_of_the_runtime_is_a_site),
	ZOO_CLAIM(a_site_has_as_many_objects_as_it_counts_alive),
	ZOO_CLAIM(a_program_that_reads_its_profile_has_one),
	{ NULL, NULL },
};
