// funcnames.c: functions by their names, many in one pass.
#include "libheap/go/process.h"

// The linker lays the functions of a package side by side; runtime, the
// largest that names are looked for in, has 3,000.
enum { NEIGHBOURS = 4096 };

// struct wanted is the names looked for, in a hash table of indexes + 1.
struct wanted {
	const char *const *names;
	uint32_t *slots;
	uint32_t mask;
	uint64_t heads; // by the first 4 bytes: whether a name begins so
	size_t left;
};

// hash takes the first bytes only: names in a damaged table may be endless.
static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < 64 && s[i]; i++)
		h = (h ^ (uint8_t)s[i]) * 16777619u;
	return h ^ h >> 15;
}

// head is a bit for what s begins with, so that most others are passed by.
static uint64_t head(const char *s)
{
	uint32_t h = 0;
	for (size_t i = 0; i < 4 && s[i]; i++)
		h = h * 33 + (uint8_t)s[i];
	return UINT64_C(1) << (h * 2654435761u >> 26);
}

static bool wanted_fill(struct wanted *w, size_t n, struct pool *pool)
{
	uint32_t room = 16;
	while (room / 4 < n)
		room *= 2;
	w->mask = room - 1;
	w->slots = pool_new(pool, uint32_t, room);
	if (!w->slots)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t h = hash(w->names[i]) & w->mask;
		while (w->slots[h])
			h = (h + 1) & w->mask;
		w->slots[h] = (uint32_t)i + 1;
		w->heads |= head(w->names[i]);
	}
	w->left = n;
	return true;
}

// take stores fn for each wanted name that it has and that has none yet.
static void take(struct wanted *w, const struct go_func *fn,
		 struct go_func *ret)
{
	uint32_t h = hash(fn->name) & w->mask;
	for (; w->slots[h]; h = (h + 1) & w->mask) {
		uint32_t i = w->slots[h] - 1;
		if (ret[i].record || strcmp(w->names[i], fn->name) != 0)
			continue;
		ret[i] = *fn;
		w->left--;
	}
}

void go_funcs_named(const struct go_process *process,
		    const char *const *names, size_t n, struct go_func *ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct go_func){ 0 };
	if (n == 0 || n > UINT32_MAX / 16)
		return;
	char *mark = pool_mark(process->pool);
	struct wanted w = { .names = names };
	if (!wanted_fill(&w, n, process->pool))
		return;
	for (size_t k = 0; k < process->n_modules && w.left > 0; k++) {
		const struct go_module *m = &process->modules[k];
		uint64_t last = m->n_funcs;
		for (uint64_t i = 0; i < m->n_funcs && w.left > 0; i++) {
			struct go_func fn;
			size_t left = w.left;
			if (!go_func_nth(process, m, i, &fn) &&
			    (w.heads & head(fn.name)))
				take(&w, &fn, ret);
			if (w.left < left)
				last = i;
			if (last < i && i - last > NEIGHBOURS)
				break;
		}
	}
	pool_rewind(process->pool, mark);
}
