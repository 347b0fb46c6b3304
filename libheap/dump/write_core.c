// write_core.c: the process: what core.h and `info` tell of it.
#include "libheap/dump/write.h"

#include <string.h>

static void write_info(struct writer *w)
{
	struct pack *p = w->pack;
	const struct core_info *i = core_info(w->core);
	pack_section(p, DUMP_CORE);
	pack_u(p, i->arch);
	pack_u(p, i->word);
	pack_u(p, i->pid);
	pack_u(p, (uint32_t)i->signal);
	pack_u(p, (uint32_t)i->si_code);
	pack_u(p, i->has_siginfo);
	pack_u(p, i->fault_address);
	pack_u(p, i->sender_pid);
	pack_text(p, i->name);
	pack_text(p, w->options->values ? i->command : "");
	pack_text(p, i->exe_path);
	pack_u(p, i->file_bytes);
	pack_u(p, i->truncated);
	pack_u(p, i->missing_bytes);
	pack_u(p, i->compressed);
}

// write_threads writes no registers: they hold values.
static void write_threads(struct writer *w)
{
	size_t n;
	struct pack *p = w->pack;
	const struct core_thread *t = core_threads(w->core, &n);
	pack_section(p, DUMP_THREADS);
	pack_u(p, n);
	for (size_t i = 0; i < n; i++) {
		char *mark = pool_mark(w->names);
		pack_u(p, t[i].tid);
		pack_u(p, (uint32_t)t[i].signal);
		pack_u(p, t[i].pc);
		pack_u(p, t[i].sp);
		pack_u(p, t[i].tls);
		pack_text(p, w->reader->symbol ?
				     w->reader->symbol(w->self, t[i].pc,
						       w->names) :
				     NULL);
		pool_rewind(w->names, mark);
	}
}

static void write_segments(struct writer *w)
{
	size_t n;
	struct pack *p = w->pack;
	const struct core_segment *s = core_segments(w->core, &n);
	pack_section(p, DUMP_SEGMENTS);
	pack_u(p, n);
	for (size_t i = 0; i < n; i++) {
		pack_u(p, s[i].base);
		pack_u(p, s[i].len);
		pack_u(p, s[i].saved);
		pack_u(p, s[i].perm);
		pack_u(p, s[i].core_off);
		pack_text(p, s[i].file);
		pack_u(p, s[i].file_off);
		pack_text(p, w->reader->use ?
				     w->reader->use(w->self, s[i].base,
						    s[i].len) :
				     NULL);
	}
}

static void write_modules(struct writer *w)
{
	size_t n;
	struct pack *p = w->pack;
	const struct core_module *m = core_modules(w->core, &n);
	pack_section(p, DUMP_MODULES);
	pack_u(p, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t len = m[i].build_id ? m[i].build_id_len : 0;
		pack_text(p, m[i].path);
		pack_u(p, m[i].low);
		pack_u(p, m[i].high);
		pack_u(p, m[i].bias);
		pack_u(p, len);
		pack_bytes(p, m[i].build_id, len);
		pack_text(p, m[i].go_build_id);
		pack_u(p, m[i].is_exe);
		pack_u(p, m[i].readable);
	}
}

static void write_time(struct writer *w)
{
	uint64_t written = core_info(w->core)->written;
	pack_section(w->pack, DUMP_TIME);
	if (written)
		pack_u(w->pack, written);
}

void write_core(struct writer *w)
{
	write_info(w);
	write_time(w);
	write_threads(w);
	write_segments(w);
	write_modules(w);
}

static void write_memory(struct writer *w, const struct mem_tree *tree)
{
	struct pack *p = w->pack;
	pack_section(p, DUMP_MEMORY);
	pack_u(p, tree->n);
	for (uint64_t i = 0; i < tree->n; i++) {
		const struct mem_node *n = &tree->at[i];
		pack_text(p, n->name);
		pack_u(p, n->bytes);
		pack_u(p, n->saved_bytes);
		pack_u(p, n->first_child);
		pack_u(p, n->last_child);
		pack_u(p, n->next);
	}
}

enum hc write_identity(struct writer *w)
{
	struct pack *p = w->pack;
	struct heap_identity id = { 0 };
	struct heap_counters c = { 0 };
	struct mem_tree tree = { 0 };
	HC_TRY(w->reader->identity(w->self, &id, w->err));
	if (w->reader->counters)
		HC_TRY(w->reader->counters(w->self, &c, w->err));
	pack_section(p, DUMP_IDENTITY);
	pack_text(p, id.runtime);
	pack_text(p, id.layouts);
	pack_text(p, w->options->values ? id.crash : NULL);
	pack_u(p, id.n_owners);
	pack_u(p, c.heap_alloc);
	pack_u(p, c.heap_inuse);
	pack_u(p, c.heap_idle);
	pack_u(p, c.heap_released);
	pack_u(p, c.stack_inuse);
	if (w->reader->memory)
		HC_TRY(w->reader->memory(w->self, true, w->pool, &tree,
					 w->err));
	write_memory(w, &tree);
	return HC_OK;
}

void write_findings(struct writer *w)
{
	struct pack *p = w->pack;
	const struct findings *f = core_findings(w->core);
	pack_section(p, DUMP_FINDINGS);
	pack_u(p, f->n);
	pack_u(p, f->dropped);
	for (uint64_t i = 0; i < f->n; i++) {
		pack_text(p, f->at[i].kind);
		pack_u(p, f->at[i].at);
		pack_text(p, f->at[i].text);
	}
}

static void on_fact(void *ctx, const struct heap_fact *fact)
{
	struct writer *w = ctx;
	struct pack *p = w->pack;
	// Build settings may hold anything (-ldflags "-X main.key=…").
	bool hidden = !w->options->values && strcmp(fact->group, "build") == 0;
	pack_u(p, 1u + fact->kind);
	pack_text(p, fact->group);
	pack_text(p, fact->key);
	pack_text(p, hidden ? "" : fact->text);
	pack_u(p, fact->number);
}

void write_facts(struct writer *w)
{
	pack_section(w->pack, DUMP_FACTS);
	if (w->reader->facts)
		w->reader->facts(w->self, on_fact, w);
	pack_u(w->pack, 0);
}
