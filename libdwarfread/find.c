// find.c: entries by name, many names at once.
#include "libdwarfread/entry.h"

#define BATCH 256    // names of one pass over the list
#define N_SLOTS 1024 // a power of two, at most a quarter full
#define NO_NAME UINT16_MAX

// struct batch finds which of a few names has a hash.
// Shape: slots holds the first name of a hash at its place, or the next free
//        one; equal hashes are chained by next.
struct batch {
	const struct wanted *w;
	size_t first, n;
	uint32_t hash[BATCH];
	uint16_t next[BATCH], slots[N_SLOTS];
};

static uint32_t hash_of(const char *name)
{
	return name_hash((const uint8_t *)name, strlen(name));
}

static uint16_t *slot_for(struct batch *b, uint32_t hash)
{
	uint32_t i = hash % N_SLOTS;
	while (b->slots[i] != NO_NAME && b->hash[b->slots[i]] != hash)
		i = (i + 1) % N_SLOTS;
	return &b->slots[i];
}

static void batch_fill(struct batch *b, const struct wanted *w, size_t first)
{
	b->w = w;
	b->first = first;
	b->n = w->n - first < BATCH ? w->n - first : BATCH;
	memset(b->slots, 0xff, sizeof(b->slots));
	for (size_t i = 0; i < b->n; i++) {
		b->hash[i] = hash_of(w->names[first + i]);
		uint16_t *slot = slot_for(b, b->hash[i]);
		b->next[i] = *slot;
		*slot = (uint16_t)i;
	}
}

static void batch_try(struct dwarf *d, struct batch *b, const struct named *at)
{
	const uint16_t head = *slot_for(b, at->hash);
	struct entry e;
	if (head == NO_NAME || entry_of(d, at->ref, &e, NULL))
		return;
	const char *name = entry_string(&e, SLOT_NAME);
	for (uint16_t i = head; name && i != NO_NAME; i = b->next[i])
		if (strcmp(name, b->w->names[b->first + i]) == 0)
			b->w->take(b->w->ctx, b->first + i, &e);
}

static void search(struct dwarf *d, const struct named_list *list,
		   const struct wanted *w)
{
	struct batch b;
	for (size_t first = 0; first < w->n; first += BATCH) {
		batch_fill(&b, w, first);
		for (uint64_t i = 0; i < list->n; i++)
			if (list->at[i].hash)
				batch_try(d, &b, &list->at[i]);
	}
}

static bool all_found(const struct wanted *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (!w->has(w->ctx, i))
			return false;
	return true;
}

// search_all reads every unit. Entries met before are taken again: the
// takers choose the same one of equals.
static enum hc search_all(struct dwarf *d, const struct named_list *list,
			  const struct wanted *w, struct hc_err *err)
{
	HC_TRY(index_all(d, err));
	search(d, list, w);
	return HC_OK;
}

// prepare sets *ret to whether the unit can be read. Fails: NOMEM.
static enum hc prepare(struct dwarf *d, struct unit *u, bool *ret,
		       struct hc_err *err)
{
	struct hc_err why;
	enum hc got = unit_prepare(d, u, &why);
	if (got == HC_FAIL && why.kind == HC_NOMEM)
		return hc_nomem(err);
	*ret = got == HC_OK;
	return HC_OK;
}

enum hc find_in_runtime(struct dwarf *d, const struct named_list *list,
			const struct wanted *w, struct hc_err *err)
{
	if (!d->all_indexed) {
		for (uint32_t i = 0; i < d->n_units; i++) {
			struct unit *u = &d->units[i];
			bool readable;
			HC_TRY(prepare(d, u, &readable, err));
			if (readable && u->is_go && u->name &&
			    strcmp(u->name, "runtime") == 0)
				HC_TRY(unit_index(d, u, err));
		}
		search(d, list, w);
		if (all_found(w))
			return HC_OK;
	}
	return search_all(d, list, w, err);
}

// package_len returns how much of a name is its package: up to the first dot
// behind the last slash, 0 without one.
static size_t package_len(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *dot = strchr(slash ? slash : name, '.');
	return dot ? (size_t)(dot - name) : 0;
}

// read_package reads the units named like the package of name; *ret says
// whether there is one. Fails: NOMEM.
static enum hc read_package(struct dwarf *d, const char *name, bool *ret,
			    struct hc_err *err)
{
	const size_t len = package_len(name);
	*ret = false;
	for (uint32_t i = 0; i < d->n_units && len; i++) {
		struct unit *u = &d->units[i];
		bool readable;
		HC_TRY(prepare(d, u, &readable, err));
		if (!readable || !u->name ||
		    strncmp(u->name, name, len) != 0 || u->name[len])
			continue;
		*ret = true;
		HC_TRY(unit_index(d, u, err));
	}
	return HC_OK;
}

enum hc find_in_packages(struct dwarf *d, const struct named_list *list,
			 const struct wanted *w, struct hc_err *err)
{
	const char *last = "";
	bool last_there = false, all_there = true;
	for (size_t i = 0; i < w->n && !d->all_indexed; i++) {
		size_t len = package_len(w->names[i]);
		if (len == 0 || len != package_len(last) ||
		    strncmp(last, w->names[i], len) != 0)
			HC_TRY(read_package(d, w->names[i], &last_there, err));
		last = w->names[i];
		all_there &= last_there;
	}
	search(d, list, w);
	if (all_there || d->all_indexed || all_found(w))
		return HC_OK;
	return search_all(d, list, w, err);
}
