// zoo_objects.c: allocated objects, against the runtime's own heap dump.
#include "libheap/go/tests/zoo.h"

#include <stdlib.h>

#define PAGE UINT64_C(8192)

// later_max returns how many objects other goroutines, or the death itself, may
// have made after the dump was written and the objects counted: none in the
// modes that die right there; elsewhere six at most were seen (a panic on
// arm64, where threads are slow; else a sudog or two). Nothing is collected any
// more, so no object can be missing.
static uint64_t later_max(unsigned i)
{
	return zoo_is(i, "heap") || zoo_is(i, "dirty") ? 0 : 8;
}

struct object {
	taddr at;
	uint64_t size;
};

struct object_list {
	struct object *at;
	size_t n;
};

static int by_address(const void *x, const void *y)
{
	const struct object *a = x, *b = y;

	return (a->at > b->at) - (a->at < b->at);
}

// dumped reads the object records of the dump.
static struct object_list dumped(struct zoo *z)
{
	struct object_list l = { 0 };
	size_t lines = 0;
	char *p;

	for (p = z->objects; *p; p++)
		lines += *p == '\n';
	l.at = pool_new(&z->pool, struct object, lines + 1);
	ck_assert_ptr_nonnull(l.at);
	for (p = z->objects; *p; p++) {
		l.at[l.n].at = strtoull(p, &p, 16);
		l.at[l.n++].size = strtoull(p, &p, 10);
	}
	ck_assert_uint_eq(l.n, lines);
	qsort(l.at, l.n, sizeof(*l.at), by_address);
	return l;
}

// found lists the objects that heapcore calls allocated.
static struct object_list found(struct zoo *z)
{
	struct object_list l = { 0 };
	size_t i, n, slots = 0;
	const struct heap_region *r = heap_regions(z->heap, &n);
	uint32_t k;

	for (i = 0; i < n; i++)
		slots += r[i].n_slots;
	l.at = pool_new(&z->pool, struct object, slots + 1);
	ck_assert_ptr_nonnull(l.at);
	for (i = 0; i < n; i++)
		for (k = 0; k < r[i].n_slots; k++)
			if (heap_bit(heap_allocated(z->heap), &r[i], k))
				l.at[l.n++] = (struct object){
					r[i].base + k * r[i].slot, r[i].slot
				};
	return l;
}

// may_be_phantom says whether a record of the dump may be of a slot that does
// not exist: in a page's last bytes, where Go 1.22 and later keep the page's
// pointer bitmap (128 bytes) and Green Tea its marks (128 more).
// Source: runtime/mheap.go, initSpan; runtime/heapdump.go, dumpobjs.
static bool may_be_phantom(const struct object *o, unsigned minor)
{
	return minor >= 22 && o->size <= 512 &&
	       o->at % PAGE + o->size > PAGE - 256;
}

static void allocated_objects_are_those_of_the_heap_dump(struct zoo *z)
{
	struct object_list dump, ours;
	uint64_t missing = 0, later = 0;
	size_t i, k = 0;

	if (!z->objects)
		return;
	dump = dumped(z);
	ours = found(z);
	for (i = 0; i < dump.n; i++) {
		for (; k < ours.n && ours.at[k].at < dump.at[i].at; k++)
			later++;
		if (k < ours.n && ours.at[k].at == dump.at[i].at) {
			zoo_require(z, ours.at[k].size == dump.at[i].size,
				    "0x%" PRIx64 ": %" PRIu64 " bytes",
				    ours.at[k].at, ours.at[k].size);
			k++;
		} else {
			missing += !may_be_phantom(&dump.at[i],
						   zoo_minor(z->i));
		}
	}
	later += ours.n - k;
	ck_assert_uint_gt(ours.n, 150);
	zoo_require(z, missing == 0 && later <= later_max(z->i),
		    "%" PRIu64 " missing, %" PRIu64 " more", missing, later);
}

static void there_are_as_many_objects_as_the_program_counted(struct zoo *z)
{
	uint64_t counted;
	size_t n;

	if (zoo_statistic(z, "HeapObjects", &counted)) {
		n = found(z).n;
		zoo_require(z, n - counted <= later_max(z->i),
			    "%zu, not %" PRIu64, n, counted);
	}
}

const struct zoo_claim zoo_objects[] = {
	ZOO_CLAIM(allocated_objects_are_those_of_the_heap_dump),
	ZOO_CLAIM(there_are_as_many_objects_as_the_program_counted),
	{ NULL, NULL },
};
