// mapuse.c: see mapuse.h.
#include "libheap/go/memory/mapuse.h"

#define AUXV_VDSO 33    // AT_SYSINFO_EHDR
#define AUXV_EXECFN 31  // AT_EXECFN: a string on the main stack
#define VSYSCALL UINT64_C(0xffffffffff600000)
#define BRK_GAP (UINT64_C(1) << 30) // more than the kernel's brk offset

struct go_mapuse {
	const struct core *core;
	const struct core_module *modules;
	size_t n_modules;
	const struct core_module *exe; // NULL when not known
	taddr exe_end; // of the executable's mappings, bss included
	taddr brk;     // of the C heap's segment, 0 when there is none
	taddr vdso, main_stack;
	bool has_c;    // C code is there: memory may be nobody's we know
};

static bool segment_has(const struct core_segment *s, taddr at)
{
	return at >= s->base && at - s->base < s->len;
}

// find_exe_end follows the anonymous writable mapping behind the executable's
// last one: its bss.
static void find_exe_end(struct go_mapuse *m)
{
	size_t n;
	const struct core_segment *seg = core_segments(m->core, &n);
	if (!m->exe)
		return;
	m->exe_end = m->exe->high;
	for (size_t i = 0; i < n; i++)
		if (seg[i].base == m->exe_end && !seg[i].file &&
		    (seg[i].perm & CORE_W)) {
			m->exe_end += seg[i].len;
			break;
		}
}

// find_brk takes the first anonymous writable mapping behind the executable
// for the C heap, in programs with C code.
static void find_brk(struct go_mapuse *m)
{
	size_t n;
	const struct core_segment *seg = core_segments(m->core, &n);
	if (!m->exe || !m->has_c)
		return;
	for (size_t i = 0; i < n; i++) {
		if (seg[i].base < m->exe_end)
			continue;
		if (seg[i].file || !(seg[i].perm & CORE_W) ||
		    seg[i].base - m->exe_end > BRK_GAP)
			return;
		m->brk = seg[i].base;
		return;
	}
}

enum hc go_mapuse_open(struct go_process *process, struct pool *pool,
		       struct go_mapuse **ret, struct hc_err *err)
{
	struct go_mapuse *m = pool_new(pool, struct go_mapuse, 1);
	if (!m)
		return hc_nomem(err);
	m->core = process->core;
	m->modules = core_modules(process->core, &m->n_modules);
	for (size_t i = 0; i < m->n_modules; i++) {
		if (m->modules[i].is_exe)
			m->exe = &m->modules[i];
		else
			m->has_c = true;
	}
	uint8_t iscgo = 0;
	if (process->globals.at[G_iscgo] &&
	    !core_u8(process->core, process->globals.at[G_iscgo], &iscgo, NULL))
		m->has_c |= iscgo == 1;
	if (core_auxv(process->core, AUXV_VDSO, &m->vdso))
		m->vdso = 0;
	if (core_auxv(process->core, AUXV_EXECFN, &m->main_stack))
		m->main_stack = 0;
	find_exe_end(m);
	find_brk(m);
	*ret = m;
	return HC_OK;
}

// exe_use says which part of the executable a segment is.
static enum go_use exe_use(const struct core_segment *s)
{
	if (s->perm & CORE_X)
		return GO_USE_TEXT;
	if (!(s->perm & CORE_W))
		return GO_USE_RODATA;
	return s->file ? GO_USE_DATA : GO_USE_BSS;
}

// is_stack says whether a thread's stack pointer is in the segment.
static bool is_stack(const struct go_mapuse *m, const struct core_segment *s)
{
	size_t n;
	const struct core_thread *t = core_threads(m->core, &n);
	if (m->main_stack && segment_has(s, m->main_stack))
		return true;
	for (size_t i = 0; i < n; i++)
		if (segment_has(s, t[i].sp))
			return true;
	return false;
}

// is_vdso says whether the segment is the vdso, or the vvar pages that the
// kernel puts right before it.
static bool is_vdso(const struct go_mapuse *m, const struct core_segment *s)
{
	if (s->base >= VSYSCALL || (m->vdso && segment_has(s, m->vdso)))
		return true;
	return m->vdso && !s->file && !(s->perm & CORE_W) &&
	       s->base < m->vdso && m->vdso - s->base <= s->len + 65536;
}

enum go_use go_mapuse_of(const struct go_mapuse *m,
			 const struct core_segment *s, bool claimed,
			 size_t *ret_module)
{
	*ret_module = SIZE_MAX;
	if (m->exe && s->base >= m->exe->low && s->base < m->exe_end)
		return exe_use(s);
	for (size_t i = 0; i < m->n_modules; i++) {
		if (m->modules[i].is_exe || s->base < m->modules[i].low ||
		    s->base >= m->modules[i].high)
			continue;
		*ret_module = i;
		return GO_USE_FILES;
	}
	if (is_vdso(m, s))
		return GO_USE_VDSO;
	if (s->file)
		return GO_USE_FILES;
	if (m->brk && s->base == m->brk)
		return GO_USE_C_HEAP;
	if (is_stack(m, s) && !claimed)
		return GO_USE_THREAD_STACKS;
	return m->has_c && !claimed ? GO_USE_ANONYMOUS : GO_USE_UNATTRIBUTED;
}
