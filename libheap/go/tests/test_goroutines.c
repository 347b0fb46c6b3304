// test_goroutines.c: goroutines, against the traceback that the runtime
// printed as it died.
#include "libheap/go/stacks/goroutines.h"
#include "libheap/go/tests/zoo.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_GOROUTINES 256
#define MAX_FRAMES 2048

// struct printed is one frame as printed.
struct printed {
	char function[256], file[256];
	unsigned line;
	taddr pc, sp; // 0 for an inlined call
};

// struct goroutine is one goroutine as printed.
struct goroutine {
	uint64_t id;
	char status[64];
	char created[256];
	struct printed frame[128];
	unsigned n;
};

static const char *next_line(const char **at, char *ret, size_t len)
{
	const char *end;

	if (!**at)
		return NULL;
	end = strchr(*at, '\n');
	end = end ? end : *at + strlen(*at);
	snprintf(ret, len, "%.*s", (int)(end - *at), *at);
	*at = *end ? end + 1 : end;
	return ret;
}

// cut_arguments leaves the name in front of the last (…).
static bool cut_arguments(char *line)
{
	size_t i = strlen(line);
	int depth = 0;

	if (i == 0 || line[i - 1] != ')')
		return false;
	while (i-- > 0) {
		depth += line[i] == ')';
		depth -= line[i] == '(';
		if (depth == 0) {
			line[i] = 0;
			return i > 0;
		}
	}
	return false;
}

// The traceback hides the types of generic functions.
static void hide_types(char *name)
{
	char *open = strchr(name, '['), *close = strrchr(name, ']');

	if (!open || !close || close < open)
		return;
	memmove(open + 5 > close ? open + 5 : open + 5, close + 1,
		strlen(close + 1) + 1);
	memcpy(open, "[...]", 5);
}

static bool take_place(const char *line, struct printed *f)
{
	const char *colon, *at;

	if (line[0] != '\t' || !(colon = strrchr(line, ':')))
		return false;
	snprintf(f->file, sizeof(f->file), "%.*s", (int)(colon - line - 1),
		 line + 1);
	f->line = (unsigned)strtoul(colon + 1, NULL, 10);
	at = strstr(line, " sp=0x");
	f->sp = at ? strtoull(at + 6, NULL, 16) : 0;
	at = strstr(line, " pc=0x");
	f->pc = at ? strtoull(at + 6, NULL, 16) : 0;
	return true;
}

static bool take_header(const char *line, struct goroutine *g)
{
	const char *open = strchr(line, '['), *end;

	if (strncmp(line, "goroutine ", 10) != 0 || !open)
		return false;
	*g = (struct goroutine){ .id = strtoull(line + 10, NULL, 10) };
	end = open + strcspn(open, ",]");
	snprintf(g->status, sizeof(g->status), "%.*s", (int)(end - open - 1),
		 open + 1);
	return true;
}

// parse reads the goroutines of a traceback; of one printed twice the first.
static unsigned parse(const char *trace, struct goroutine *all)
{
	char line[2048], name[2048] = "";
	struct goroutine *g = NULL, new;
	unsigned i, n = 0;

	while (next_line(&trace, line, sizeof(line))) {
		if (take_header(line, &new)) {
			g = NULL;
			for (i = 0; i < n && all[i].id != new.id; i++)
				continue;
			if (new.id != 0 && i == n && n < MAX_GOROUTINES) {
				g = &all[n++];
				*g = new;
			}
			name[0] = 0;
		} else if (!line[0]) {
			g = NULL;
		} else if (g && strncmp(line, "created by ", 11) == 0) {
			char *in = strstr(line, " in goroutine ");

			if (in)
				*in = 0;
			snprintf(g->created, sizeof(g->created), "%.250s",
				 line + 11);
			name[0] = 0;
		} else if (g && name[0] && line[0] == '\t' && g->n < 128) {
			struct printed *f = &g->frame[g->n];

			if (take_place(line, f)) {
				snprintf(f->function, sizeof(f->function),
					 "%.250s", name);
				g->n++;
			}
			name[0] = 0;
		} else if (g) {
			snprintf(name, sizeof(name), "%s", line);
			if (!cut_arguments(name))
				name[0] = 0;
		}
	}
	return n;
}

// struct ours is what the reader says of one goroutine.
struct ours {
	struct zoo *z;
	struct goroutine *all;
	unsigned n, n_seen;
	const char *core;
	bool moved; // the program ran on between core and traceback
	struct goroutine *g; // now
	unsigned next;
};

static bool same_frame(const struct heap_frame *f, const struct printed *p)
{
	char name[512];

	snprintf(name, sizeof(name), "%.500s", f->function);
	hide_types(name);
	if (strcmp(name, "runtime.gopanic") == 0)
		strcpy(name, "panic");
	return strcmp(name, p->function) == 0 && f->file &&
	       strcmp(f->file, p->file) == 0 && f->line == p->line &&
	       (!p->pc || (f->pc == p->pc && f->sp == p->sp));
}

static bool see_frame(void *ctx, const struct heap_frame *f)
{
	struct ours *o = ctx;

	if (o->next < o->g->n && same_frame(f, &o->g->frame[o->next]))
		o->next++;
	return true;
}

static void check_head(const struct ours *o, const struct heap_owner *owner)
{
	const struct goroutine *g = o->g;
	char created[512];

	if (!o->moved && strcmp(g->status, "running") != 0 &&
	    strcmp(g->status, "runnable") != 0)
		ck_assert_msg(strcmp(owner->wait_reason ? owner->wait_reason :
							  owner->status,
				     g->status) == 0,
			      "%s: goroutine %" PRIu64 " is %s, not %s",
			      o->core, g->id, g->status,
			      owner->wait_reason ? owner->wait_reason :
						   owner->status);
	snprintf(created, sizeof(created), "%.500s",
		 owner->created_by ? owner->created_by : "");
	hide_types(created);
	ck_assert_msg(strcmp(created, g->created) == 0,
		      "%s: goroutine %" PRIu64 " was made by %s, not %s",
		      o->core, g->id, g->created, created);
}

static bool see_owner(void *ctx, const struct heap_owner *owner)
{
	struct ours *o = ctx;
	unsigned i;

	for (i = 0; i < o->n && o->all[i].id != owner->id; i++)
		continue;
	if (i == o->n)
		return true;
	o->g = &o->all[i];
	o->n_seen++;
	check_head(o, owner);
	// gcore leaves the program running, and its traceback comes later.
	if (o->moved && (strcmp(owner->status, "running") == 0 ||
			 strcmp(owner->status, "runnable") == 0))
		return true;
	o->next = 0;
	go_frames(o->z->process, owner->index, see_frame, o);
	ck_assert_msg(o->next == o->g->n,
		      "%s: goroutine %" PRIu64 " [%s]: %s %s:%u is missing",
		      o->core, o->g->id, o->g->status,
		      o->g->frame[o->next].function,
		      o->g->frame[o->next].file, o->g->frame[o->next].line);
	return true;
}

START_TEST(every_goroutine_of_the_traceback_is_found_with_its_frames)
{
	static struct goroutine all[MAX_GOROUTINES];
	struct ours o = { .all = all, .core = zoo_name((unsigned)_i) };
	struct zoo z;

	if (strstr(o.core, "leak") || strstr(o.core, "/gc-"))
		return; // a debugger took it
	zoo_open((unsigned)_i, &z);
	o.z = &z;
	o.moved = strstr(o.core, "gcore") != NULL;
	ck_assert_ptr_nonnull(z.trace);
	o.n = parse(z.trace, all);
	ck_assert_uint_gt(o.n, 4);
	go_owners(z.process, see_owner, &o);
	ck_assert_uint_eq(o.n_seen, o.n);
	zoo_close(&z);
}
END_TEST

START_TEST(the_crash_text_is_what_the_runtime_printed)
{
	const char *at, *text, *end;
	struct zoo z;

	if (!zoo_is((unsigned)_i, "states"))
		return;
	zoo_open((unsigned)_i, &z);
	go_crash_text(z.process, &text);
	at = strncmp(z.trace, "panic: ", 7) == 0 ? z.trace :
	     strncmp(z.trace, "fatal error: ", 13) == 0 ? z.trace :
						strstr(z.trace, "\nfatal error: ");
	if (!at) {
		ck_assert_ptr_null(text);
	} else {
		at += *at == '\n';
		end = strchr(at, '\n');
		ck_assert_ptr_nonnull(text);
		ck_assert_msg(strlen(text) == (size_t)(end - at) &&
			      strncmp(text, at, (size_t)(end - at)) == 0,
			      "%s: %s", zoo_name((unsigned)_i), text);
	}
	zoo_close(&z);
}
END_TEST

static bool first_only(void *ctx, const struct heap_owner *owner)
{
	*(bool *)ctx = owner->faulting && owner->id == 1;
	return false;
}

START_TEST(the_faulting_goroutine_comes_first)
{
	static const char *const deaths[] = { "states-panic", "states-nil",
					      "states-error", "states-index",
					      "states-fatal" };
	bool is_first = false;
	struct zoo z;
	size_t k;

	for (k = 0; k < 5; k++)
		if (zoo_is((unsigned)_i, deaths[k]))
			break;
	if (k == 5)
		return;
	zoo_open((unsigned)_i, &z);
	go_owners(z.process, first_only, &is_first);
	ck_assert_msg(is_first, "%s", zoo_name((unsigned)_i));
	zoo_close(&z);
}
END_TEST

struct labelled {
	unsigned n;
};

static bool see_labels(void *ctx, const struct heap_owner *owner)
{
	struct labelled *seen = ctx;
	bool who = false, what = false;
	size_t i;

	for (i = 0; i < owner->n_labels; i++) {
		const struct heap_label *l = &owner->labels[i];

		who |= strcmp(l->key, "who") == 0 &&
		       strcmp(l->value, "labelled") == 0;
		what |= strcmp(l->key, "what") == 0 &&
			strcmp(l->value, "waits on a channel") == 0;
	}
	seen->n += who && what;
	return true;
}

// The zoo starts one labelled goroutine, which starts another.
START_TEST(labels_are_those_that_the_program_set)
{
	struct labelled seen = { 0 };
	struct zoo z;

	if (!zoo_is((unsigned)_i, "states-abrt"))
		return;
	zoo_open((unsigned)_i, &z);
	go_owners(z.process, see_labels, &seen);
	ck_assert_msg(seen.n == 2, "%s: %u", zoo_name((unsigned)_i), seen.n);
	zoo_close(&z);
}
END_TEST

Suite *goroutines_suite(void);
Suite *goroutines_suite(void)
{
	Suite *s = suite_create("goroutines");
	TCase *tc = tcase_create("zoo");
	int n = (int)zoo_count();

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(
		tc, every_goroutine_of_the_traceback_is_found_with_its_frames,
		0, n);
	tcase_add_loop_test(tc, the_crash_text_is_what_the_runtime_printed, 0,
			    n);
	tcase_add_loop_test(tc, the_faulting_goroutine_comes_first, 0, n);
	tcase_add_loop_test(tc, labels_are_those_that_the_program_set, 0, n);
	suite_add_tcase(s, tc);
	return s;
}
