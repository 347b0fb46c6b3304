// facts.c: see facts.h.
#include "libheap/go/memory/facts.h"

#include "libheap/go/memory/counters.h"

struct teller {
	struct go_process *process;
	heap_fact_fn *fn;
	void *ctx;
	char *mark; // the pool is rewound to it after each fact
};

static void tell(struct teller *t, const struct heap_fact *fact)
{
	t->fn(t->ctx, fact);
	pool_rewind(t->process->pool, t->mark);
}

static void tell_text(struct teller *t, const char *group, const char *key,
		      const char *text)
{
	if (key && text)
		tell(t, &(struct heap_fact){ group, key, FACT_TEXT, text, 0 });
}

static void tell_number(struct teller *t, const char *group, const char *key,
			enum heap_fact_kind kind, uint64_t number)
{
	tell(t, &(struct heap_fact){ group, key, kind, NULL, number });
}

// cut takes the bytes up to the next `stop` off *rest.
static struct bytes cut(struct bytes *rest, char stop)
{
	const uint8_t *end = rest->len ? memchr(rest->at, stop, rest->len) :
					 NULL;
	struct bytes head = *rest;
	if (!end) {
		*rest = (struct bytes){ rest->at, 0, rest->org };
		return head;
	}
	head.len = (uint64_t)(end - rest->at);
	rest->at += head.len + 1;
	rest->len -= head.len + 1;
	return head;
}

// tell_module tells one "mod", "dep" or "=>" line: path, version, sum.
static void tell_module(struct teller *t, const char *group, struct bytes line)
{
	struct bytes path = cut(&line, '\t'), version = cut(&line, '\t');
	tell_text(t, group,
		  pool_copy(t->process->pool, path.at, path.len),
		  pool_copy(t->process->pool, version.at, version.len));
}

// tell_line tells one line of the module text.
static void tell_line(struct teller *t, struct bytes line)
{
	struct pool *pool = t->process->pool;
	struct bytes word = cut(&line, '\t');
	if (bytes_equal(word, "path", 4)) {
		tell_text(t, "go", "path", pool_copy(pool, line.at, line.len));
	} else if (bytes_equal(word, "mod", 3)) {
		tell_module(t, "go", line);
	} else if (bytes_equal(word, "dep", 3)) {
		tell_module(t, "modules", line);
	} else if (bytes_equal(word, "=>", 2)) {
		tell_module(t, "replaced_by", line);
	} else if (bytes_equal(word, "build", 5)) {
		struct bytes key = cut(&line, '=');
		tell_text(t, "build", pool_copy(pool, key.at, key.len),
			  pool_copy(pool, line.at, line.len));
	}
}

static void tell_build(struct teller *t)
{
	struct go_process *p = t->process;
	struct bytes text = { (const uint8_t *)p->build_mod, p->build_mod_len,
			      0 };
	tell_text(t, "go", "version", p->version.text);
	tell_text(t, "go", "layouts", p->layout.source);
	tell_text(t, "go", "globals", p->globals.source);
	while (text.len)
		tell_line(t, cut(&text, '\n'));
}

// tell_field tells a field of a global struct, when this version has it.
static void tell_field(struct teller *t, const char *group, const char *key,
		       enum heap_fact_kind kind, enum go_global global,
		       enum go_field field)
{
	taddr at = t->process->globals.at[global];
	uint64_t v;
	if (at && !go_field(t->process, at, field, &v, NULL))
		tell_number(t, group, key, kind, v);
}

// tell_gogc tells GOGC and GOMEMLIMIT in the words of their variables.
static void tell_gogc(struct teller *t)
{
	struct go_process *p = t->process;
	taddr at = p->globals.at[G_gcController];
	uint64_t v;
	if (at && !go_field(p, at, F_gcController_gcPercent, &v, NULL))
		tell_text(t, "gc", "gogc",
			  (int32_t)v < 0 ? "off" :
					   pool_printf(p->pool, "%d",
						       (int32_t)v));
	if (at && !go_field(p, at, F_gcController_memoryLimit, &v, NULL)) {
		if (v == INT64_MAX)
			tell_text(t, "gc", "gomemlimit", "off");
		else
			tell_number(t, "gc", "gomemlimit", FACT_BYTES, v);
	}
}

static void tell_gc(struct teller *t)
{
	static const char *const phases[] = { "off", "mark",
					      "mark termination" };
	struct go_process *p = t->process;
	uint32_t phase = p->spans->gcphase;
	tell_text(t, "gc", "phase", phase < 3 ? phases[phase] : "damaged");
	tell_gogc(t);
	tell_field(t, "gc", "cycles", FACT_COUNT, G_memstats, F_mstats_numgc);
	tell_field(t, "gc", "forced_cycles", FACT_COUNT, G_memstats,
		   F_mstats_numforcedgc);
	tell_field(t, "gc", "last_end_unix", FACT_NS, G_memstats,
		   F_mstats_last_gc_unix);
	tell_field(t, "gc", "pause_total", FACT_NS, G_memstats,
		   F_mstats_pause_total_ns);
	tell_field(t, "gc", "heap_marked_bytes", FACT_BYTES, G_gcController,
		   F_gcController_heapMarked);
}

static void tell_memstats(struct teller *t)
{
	struct heap_counters c;
	if (!go_counters(t->process, &c, NULL)) {
		tell_number(t, "memstats", "heap_alloc", FACT_BYTES,
			    c.heap_alloc);
		tell_number(t, "memstats", "heap_inuse", FACT_BYTES,
			    c.heap_inuse);
		tell_number(t, "memstats", "heap_idle", FACT_BYTES,
			    c.heap_idle);
		tell_number(t, "memstats", "heap_released", FACT_BYTES,
			    c.heap_released);
		tell_number(t, "memstats", "stack_inuse", FACT_BYTES,
			    c.stack_inuse);
	}
	tell_field(t, "memstats", "os_stacks_sys", FACT_BYTES, G_memstats,
		   F_mstats_stacks_sys);
	tell_field(t, "memstats", "mspan_sys", FACT_BYTES, G_memstats,
		   F_mstats_mspan_sys);
	tell_field(t, "memstats", "mcache_sys", FACT_BYTES, G_memstats,
		   F_mstats_mcache_sys);
	tell_field(t, "memstats", "buckhash_sys", FACT_BYTES, G_memstats,
		   F_mstats_buckhash_sys);
	tell_field(t, "memstats", "gc_sys", FACT_BYTES, G_memstats,
		   F_mstats_gcMiscSys);
	tell_field(t, "memstats", "other_sys", FACT_BYTES, G_memstats,
		   F_mstats_other_sys);
}

void go_facts(struct go_process *process, heap_fact_fn *fn, void *ctx)
{
	struct teller t = { process, fn, ctx, pool_mark(process->pool) };
	tell_build(&t);
	tell_gc(&t);
	tell_memstats(&t);
}
