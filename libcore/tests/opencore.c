// opencore.c: see opencore.h.
#include "libcore/tests/opencore.h"

#include <stdlib.h>

void opencore_open(struct opencore *o, struct bytes bytes, const char *exe)
{
	*o = (struct opencore){ .in = { .core = "test", .exe = exe } };
	ck_assert_int_eq(pool_open(UINT64_C(1) << 32, &o->pool, NULL), HC_OK);
	o->copy = malloc(bytes.len ? bytes.len : 1);
	if (bytes.len)
		memcpy(o->copy, bytes.at, bytes.len);
	struct bytes copy = { o->copy, bytes.len, 0 };
	o->rc = core_open_bytes(&o->in, copy, &o->pool, &o->core, &o->err);
}

void opencore_must(struct opencore *o, struct bytes bytes, const char *exe)
{
	opencore_open(o, bytes, exe);
	ck_ok(o->rc, &o->err);
}

void opencore_close(struct opencore *o)
{
	core_close(o->core);
	pool_close(&o->pool);
	free(o->copy);
}

const char *finding_of(struct core *core, const char *kind)
{
	const struct findings *f = core_findings(core);
	const char *text = NULL;
	for (uint64_t i = 0; i < f->n; i++) {
		if (strcmp(f->at[i].kind, kind))
			continue;
		ck_assert_msg(!text, "two findings of kind %s", kind);
		text = f->at[i].text;
	}
	return text;
}

static uint64_t sum;

static void touch(const void *bytes, uint64_t len)
{
	const uint8_t *at = bytes;
	for (uint64_t i = 0; i < len; i++)
		sum += at[i];
}

static void walk_windows(struct core *core)
{
	struct core_window w;
	taddr at = 0;
	for (int i = 0; i < 64 && !core_next_window(core, at, &w); i++) {
		ck_assert_uint_gt(w.len, 0);
		ck_assert(w.base + w.len > at);
		touch(w.bytes, 1);
		touch(w.bytes + w.len - 1, 1);
		uint64_t v;
		uint8_t two[2];
		if (!core_u64(core, w.base + w.len - 4, &v, NULL))
			sum += v;
		if (!core_read(core, w.base + w.len - 1, two, 2, NULL))
			sum += two[1];
		at = w.base + w.len;
	}
}

static void walk_texts(struct core *core)
{
	size_t n;
	const struct core_info *info = core_info(core);
	sum += strlen(info->name) + strlen(info->command);
	const struct core_thread *t = core_threads(core, &n);
	for (size_t i = 0; i < n; i++)
		touch(t[i].regs, t[i].n_regs * sizeof(uint64_t));
	const struct core_module *m = core_modules(core, &n);
	for (size_t i = 0; i < n; i++) {
		sum += strlen(m[i].path);
		touch(m[i].build_id, m[i].build_id_len);
		sum += m[i].go_build_id ? strlen(m[i].go_build_id) : 0;
	}
	const struct findings *f = core_findings(core);
	for (uint64_t i = 0; i < f->n; i++)
		sum += strlen(f->at[i].kind) + strlen(f->at[i].text);
}

void walk_all(struct core *core)
{
	size_t n;
	uint64_t saved = 0;
	taddr end = 0;
	const struct core_segment *s = core_segments(core, &n);
	for (size_t i = 0; i < n; i++) {
		ck_assert(s[i].len > 0 && s[i].saved <= s[i].len);
		ck_assert(s[i].base >= end);
		end = s[i].base + s[i].len;
		ck_assert(end > s[i].base);
		saved += s[i].saved;
		if (s[i].file)
			sum += strlen(s[i].file);
	}
	ck_assert_uint_eq(core_saved_bytes(core, 0, UINT64_MAX), saved);
	walk_windows(core);
	walk_texts(core);
}
