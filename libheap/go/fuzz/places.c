// places.c: see places.h.
#include "libheap/go/fuzz/places.h"

#include "libheap/go/heap/arenas.h"
#include "libheap/go/go.h"
#include "libheap/go/heap/spans.h"
#include "libheap/go/stacks/threads.h"

#include <elf.h>
#include <stdlib.h>

// struct finder is the search in one opened core.
struct finder {
	struct mutant *m;
	struct core *core;
	const struct go_process *process;
	enum mutant_kind kind;
};

static void put(struct finder *f, taddr at, uint64_t off, uint64_t len,
		bool exe)
{
	struct mutant *m = f->m;
	if (len < 8 || m->n_places == MUTANT_PLACES)
		return;
	m->place[m->n_places++] = (struct mutant_place){ at, off, len, exe };
	m->n_of[f->kind]++;
}

// in_exe finds the bytes at an address in the executable's own segments.
static bool in_exe(struct finder *f, taddr at, uint64_t *ret_off,
		   uint64_t *ret_len)
{
	const struct core_module *exe = core_exe(f->core);
	const uint8_t *b = f->m->exe.bytes;
	const Elf64_Ehdr *h = (const void *)b;
	const Elf64_Phdr *p = (const void *)(b + h->e_phoff);
	for (unsigned i = 0; exe && i < h->e_phnum; i++) {
		uint64_t off = at - exe->bias - p[i].p_vaddr;
		if (p[i].p_type != PT_LOAD || off >= p[i].p_filesz)
			continue;
		*ret_off = p[i].p_offset + off;
		*ret_len = p[i].p_filesz - off;
		return true;
	}
	return false;
}

// add adds the structure at an address, wherever its bytes are kept.
static void add(struct finder *f, taddr at, uint64_t len)
{
	size_t n;
	const struct core_segment *s = core_segments(f->core, &n);
	uint64_t off, room;
	for (size_t i = 0; i < n; i++) {
		if (at < s[i].base || at - s[i].base >= s[i].saved)
			continue;
		off = at - s[i].base;
		room = s[i].saved - off;
		put(f, at, s[i].core_off + off, len < room ? len : room, false);
		return;
	}
	if (in_exe(f, at, &off, &room))
		put(f, at, off, len < room ? len : room, true);
}

static void find_spans(struct finder *f)
{
	const struct go_process *p = f->process;
	const struct go_spans *s = p->spans;
	f->kind = MUTANT_MSPAN;
	f->m->first[f->kind] = f->m->n_places;
	for (size_t i = 0; i < s->n; i++)
		add(f, s->at[i].at, p->layout.size[S_mspan]);
	f->kind = MUTANT_BITS;
	f->m->first[f->kind] = f->m->n_places;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t at;
		uint64_t len = (s->at[i].nelems + UINT64_C(63)) / 64 * 8;
		if (s->at[i].state != GO_SPAN_HEAP)
			continue;
		if (!go_field(p, s->at[i].at, F_mspan_allocBits, &at, NULL))
			add(f, at, len);
		if (!go_field(p, s->at[i].at, F_mspan_gcmarkBits, &at, NULL))
			add(f, at, len);
		if (s->at[i].ptrmap == GO_PTRMAP_INSPAN)
			add(f, s->at[i].base + go_span_len(&s->at[i]) - 256,
			    256);
	}
}

static void find_heap(struct finder *f)
{
	const struct go_process *p = f->process;
	f->kind = MUTANT_ARENA;
	f->m->first[f->kind] = f->m->n_places;
	for (size_t i = 0; i < p->arenas->n; i++) {
		const struct go_arena *a = &p->arenas->at[i];
		uint64_t page = p->spans->n && p->spans->at[0].base > a->base ?
				(p->spans->at[0].base - a->base) / GO_PAGE : 0;
		add(f, a->meta, p->layout.size[S_heapArena]);
		add(f, a->meta + go_off(&p->layout, F_heapArena_spans) +
		       8 * page, 2048);
	}
	f->kind = MUTANT_VARIABLE;
	f->m->first[f->kind] = f->m->n_places;
	for (unsigned g = 0; g < GO_N_GLOBALS; g++)
		add(f, p->globals.at[g], 64);
	add(f, p->globals.at[G_mheap_], p->layout.size[S_mheap]);
	add(f, p->globals.at[G_sched], p->layout.size[S_schedt]);
}

static void find_threads(struct finder *f)
{
	const struct go_process *p = f->process;
	const struct go_threads *t = p->threads;
	struct go_g g;
	f->kind = MUTANT_G;
	f->m->first[f->kind] = f->m->n_places;
	for (uint32_t i = 0; i < t->n_gs; i++)
		add(f, go_g_at(p, i), p->layout.size[S_g]);
	f->kind = MUTANT_M;
	f->m->first[f->kind] = f->m->n_places;
	for (uint32_t i = 0; i < t->n; i++)
		add(f, t->at[i].m, p->layout.size[S_m]);
	f->kind = MUTANT_STACK;
	f->m->first[f->kind] = f->m->n_places;
	for (uint32_t i = 0; i < t->n_gs; i++)
		if (!go_g_open(p, i, &g, NULL) && g.hi - g.lo >= 1024)
			add(f, g.hi - 1024, 1024);
}

// find_notes takes the core's notes, with the registers of its threads.
static void find_notes(struct finder *f)
{
	const uint8_t *b = f->m->core.bytes;
	const Elf64_Ehdr *h = (const void *)b;
	const Elf64_Phdr *p = (const void *)(b + h->e_phoff);
	f->kind = MUTANT_NOTE;
	f->m->first[f->kind] = f->m->n_places;
	put(f, 0, 0, 64, false);
	for (unsigned i = 0; i < h->e_phnum; i++) {
		put(f, 0, h->e_phoff + i * sizeof(*p), sizeof(*p), false);
		if (p[i].p_type == PT_NOTE)
			put(f, 0, p[i].p_offset, p[i].p_filesz, false);
	}
}

static void add_table(struct finder *f, struct bytes b)
{
	add(f, b.org, b.len);
}

static void find_modules(struct finder *f)
{
	const struct go_process *p = f->process;
	const struct go_module *m = p->modules;
	f->kind = MUTANT_MODULE;
	f->m->first[f->kind] = f->m->n_places;
	for (size_t i = 0; i < p->n_modules; i++)
		add(f, m[i].at, p->layout.size[S_moduledata]);
	f->kind = MUTANT_TABLE;
	f->m->first[f->kind] = f->m->n_places;
	for (size_t i = 0; i < p->n_modules; i++) {
		add(f, m[i].pclntab, 128);
		add_table(f, m[i].funcnametab);
		add_table(f, m[i].cutab);
		add_table(f, m[i].filetab);
		add_table(f, m[i].pctab);
		add_table(f, m[i].pclntable);
		add_table(f, m[i].findfunctab);
		add(f, m[i].gofunc, 65536);
	}
	f->kind = MUTANT_TYPE;
	f->m->first[f->kind] = f->m->n_places;
	for (size_t i = 0; i < p->n_modules; i++) {
		for (taddr at = m[i].types; at < m[i].etypes; at += 4096)
			add(f, at, 4096);
		add(f, m[i].typelinks, 4 * m[i].n_typelinks);
	}
}

static void find_objects(struct finder *f)
{
	const struct go_process *p = f->process;
	size_t n;
	const struct heap_region *r = heap_regions(p->heap, &n);
	for (int pass = 0; pass < 2; pass++) {
		f->kind = pass ? MUTANT_HEADER : MUTANT_OBJECT;
		f->m->first[f->kind] = f->m->n_places;
		for (size_t i = 0; i < n; i++) {
			bool header = p->spans->at[r[i].tag].ptrmap ==
				      GO_PTRMAP_HEADER;
			for (uint32_t k = 0; k < r[i].n_slots && k < 256; k++)
				if ((!pass || header) &&
				    heap_bit(heap_allocated(p->heap), &r[i], k))
					add(f, r[i].base + k * r[i].slot,
					    pass ? 8 : r[i].slot);
		}
	}
}

static void find_dwarf(struct finder *f)
{
	const uint8_t *b = f->m->exe.bytes;
	const Elf64_Ehdr *h = (const void *)b;
	f->kind = MUTANT_DWARF;
	f->m->first[f->kind] = f->m->n_places;
	put(f, 0, 0, 64, true);
	put(f, 0, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr), true);
	put(f, 0, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr), true);
	const Elf64_Shdr *sh = (const void *)(b + h->e_shoff);
	for (unsigned i = 0; i < h->e_shnum; i++)
		if (!(sh[i].sh_flags & SHF_ALLOC) && sh[i].sh_type != SHT_NULL &&
		    sh[i].sh_offset < f->m->exe.len)
			put(f, 0, sh[i].sh_offset, sh[i].sh_size, true);
}

bool places_find(struct mutant *m)
{
	static const struct heap_reader *const readers[] = { &go_reader };
	static const struct heap_options options = { .threads = 1 };
	struct core_input in = mutant_input(m);
	struct finder f = { .m = m };
	struct heap *heap = NULL;
	struct pool pool;
	struct hc_err err;

	m->place = calloc(MUTANT_PLACES, sizeof(*m->place));
	if (!m->place || pool_open(UINT64_C(1) << 30, &pool, &err))
		return false;
	if (!core_open(&in, &pool, &f.core, &err) &&
	    !heap_open(f.core, readers, 1, &options, &pool, &heap, &err)) {
		f.process = heap_self(heap);
		find_spans(&f);
		find_heap(&f);
		find_threads(&f);
		find_notes(&f);
		find_modules(&f);
		find_objects(&f);
		find_dwarf(&f);
		heap_close(heap);
	}
	if (f.core)
		core_close(f.core);
	pool_close(&pool);
	return m->n_places > 0;
}
