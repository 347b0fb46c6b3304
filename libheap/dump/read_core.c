// read_core.c: the process and what is known beside the graph.
#include "libheap/dump/read.h"

// text_or keeps a string from being NULL where core.h promises that.
static const char *text_or(const char *text)
{
	return text ? text : "";
}

static enum hc read_info(struct dump *d, const char *path,
			 struct core_info *ret, struct hc_err *err)
{
	struct fields f;
	struct core_info i = { .core_path = path };
	HC_TRY(fields_open(d, DUMP_CORE, d->pool, &f, err));
	uint32_t arch = fields_u32(&f);
	i.word = fields_u32(&f);
	i.pid = fields_u32(&f);
	i.signal = (int)fields_u32(&f);
	i.si_code = (int)fields_u32(&f);
	i.has_siginfo = fields_u(&f) != 0;
	i.fault_address = fields_u(&f);
	i.sender_pid = fields_u32(&f);
	i.name = text_or(fields_text(&f));
	i.command = text_or(fields_text(&f));
	i.exe_path = fields_text(&f);
	i.file_bytes = fields_u(&f);
	i.truncated = fields_u(&f) != 0;
	i.missing_bytes = fields_u(&f);
	i.compressed = fields_u(&f) != 0;
	if (arch > CORE_386 || (i.word != 4 && i.word != 8))
		fields_bad(&f, "an architecture that is not known");
	else
		i.arch = (enum core_arch)arch;
	*ret = i;
	return fields_end(&f, err);
}

static enum hc read_threads(struct dump *d, struct core_parts *parts,
			    struct hc_err *err)
{
	struct fields f;
	HC_TRY(fields_open(d, DUMP_THREADS, d->pool, &f, err));
	uint64_t n = fields_count(&f, 6);
	struct core_thread *t = pool_new(d->pool, struct core_thread, n + 1);
	d->symbols = pool_new(d->pool, const char *, n + 1);
	if (!t || !d->symbols)
		return hc_nomem(err);
	for (uint64_t i = 0; i < n; i++) {
		t[i].tid = fields_u32(&f);
		t[i].signal = (int)fields_u32(&f);
		t[i].pc = fields_u(&f);
		t[i].sp = fields_u(&f);
		t[i].tls = fields_u(&f);
		d->symbols[i] = fields_text(&f);
	}
	parts->threads = t;
	parts->n_threads = n;
	return fields_end(&f, err);
}

static enum hc read_segments(struct dump *d, struct core_parts *parts,
			     struct hc_err *err)
{
	struct fields f;
	taddr end = 0;
	HC_TRY(fields_open(d, DUMP_SEGMENTS, d->pool, &f, err));
	uint64_t n = fields_count(&f, 8);
	struct core_segment *s = pool_new(d->pool, struct core_segment, n + 1);
	d->uses = pool_new(d->pool, const char *, n + 1);
	if (!s || !d->uses)
		return hc_nomem(err);
	for (uint64_t i = 0; i < n && !f.failed; i++) {
		s[i].base = fields_u(&f);
		s[i].len = fields_u(&f);
		s[i].saved = fields_u(&f);
		s[i].perm = fields_u32(&f);
		s[i].core_off = fields_u(&f);
		s[i].file = fields_text(&f);
		s[i].file_off = fields_u(&f);
		d->uses[i] = fields_text(&f);
		if (s[i].base < end || s[i].len > UINT64_MAX - s[i].base ||
		    s[i].saved > s[i].len)
			fields_bad(&f, "mappings that cannot be");
		end = s[i].base + s[i].len;
	}
	parts->segments = s;
	parts->n_segments = n;
	return fields_end(&f, err);
}

static enum hc read_modules(struct dump *d, struct core_parts *parts,
			    struct hc_err *err)
{
	struct fields f;
	struct bytes id = { 0 };
	HC_TRY(fields_open(d, DUMP_MODULES, d->pool, &f, err));
	uint64_t n = fields_count(&f, 8);
	struct core_module *m = pool_new(d->pool, struct core_module, n + 1);
	if (!m)
		return hc_nomem(err);
	for (uint64_t i = 0; i < n && !f.failed; i++) {
		m[i].path = text_or(fields_text(&f));
		m[i].low = fields_u(&f);
		m[i].high = fields_u(&f);
		m[i].bias = fields_u(&f);
		m[i].build_id_len = fields_count(&f, 1);
		if (m[i].build_id_len &&
		    bytes_take(&f.at, m[i].build_id_len, &id, NULL) == HC_OK)
			m[i].build_id = id.at;
		m[i].go_build_id = fields_text(&f);
		m[i].is_exe = fields_u(&f) != 0;
		m[i].readable = fields_u(&f) != 0;
	}
	parts->modules = m;
	parts->n_modules = n;
	return fields_end(&f, err);
}

static enum hc read_findings(struct dump *d, struct hc_err *err)
{
	struct fields f;
	struct findings *to = core_findings(d->core);
	HC_TRY(fields_open(d, DUMP_FINDINGS, d->pool, &f, err));
	uint64_t n = fields_count(&f, 3), dropped = fields_u(&f);
	for (uint64_t i = 0; i < n && !f.failed; i++) {
		const char *kind = text_or(fields_text(&f));
		uint64_t at = fields_u(&f);
		findings_add(to, kind, at, "%s", text_or(fields_text(&f)));
	}
	to->dropped += dropped;
	return fields_end(&f, err);
}

static enum hc read_time(struct dump *d, struct core_info *info,
			 struct hc_err *err)
{
	struct fields f;
	HC_TRY(fields_open(d, DUMP_TIME, d->pool, &f, err));
	if (f.at.len)
		info->written = fields_u(&f);
	info->snapshot = d->file.number;
	info->n_snapshots = d->file.n_snapshots;
	return fields_end(&f, err);
}

enum hc read_core(struct dump *d, const char *path, struct pool *pool,
		  struct hc_err *err)
{
	struct core_parts parts = { .origin = d };
	HC_TRY(read_info(d, path, &parts.info, err));
	HC_TRY(read_time(d, &parts.info, err));
	HC_TRY(read_threads(d, &parts, err));
	HC_TRY(read_segments(d, &parts, err));
	HC_TRY(read_modules(d, &parts, err));
	HC_TRY(core_make(&parts, pool, &d->core, err));
	return read_findings(d, err);
}

// link_node notes that somebody leads to a node; only one may.
static void link_node(struct fields *f, uint8_t *led, uint64_t from,
		      uint64_t to, uint64_t n)
{
	if (to == 0)
		return;
	if (to >= n || to <= from || led[to])
		fields_bad(f, "a tree that cannot be");
	else
		led[to] = 1;
}

// Links go forward, and to each node one at most: that is a tree.
static enum hc read_memory(struct dump *d, struct hc_err *err)
{
	struct fields f;
	HC_TRY(fields_open(d, DUMP_MEMORY, d->pool, &f, err));
	uint64_t n = fields_count(&f, 6);
	uint8_t *led = pool_new(d->pool, uint8_t, n + 1);
	if (!led)
		return hc_nomem(err);
	for (uint64_t i = 0; i < n && !f.failed; i++) {
		struct mem_node *node = vec_push(d->pool, &d->memory);
		if (!node)
			return hc_nomem(err);
		node->name = text_or(fields_text(&f));
		node->bytes = fields_u(&f);
		node->saved_bytes = fields_u(&f);
		node->first_child = fields_u32(&f);
		node->last_child = fields_u32(&f);
		node->next = fields_u32(&f);
		link_node(&f, led, i, node->first_child, n);
		link_node(&f, led, i, node->next, n);
		if (node->last_child >= n)
			fields_bad(&f, "a tree that cannot be");
	}
	return fields_end(&f, err);
}

enum hc read_identity(struct dump *d, struct hc_err *err)
{
	struct fields f;
	HC_TRY(fields_open(d, DUMP_IDENTITY, d->pool, &f, err));
	d->identity.runtime = fields_text(&f);
	d->identity.layouts = fields_text(&f);
	d->identity.crash = fields_text(&f);
	d->identity.n_owners = fields_u(&f);
	d->counters.heap_alloc = fields_u(&f);
	d->counters.heap_inuse = fields_u(&f);
	d->counters.heap_idle = fields_u(&f);
	d->counters.heap_released = fields_u(&f);
	d->counters.stack_inuse = fields_u(&f);
	HC_TRY(fields_end(&f, err));
	return read_memory(d, err);
}
