// crashtext.c: what the runtime said when it gave up.
//
// The text itself went to standard error; what it was made from is still in
// the frames of runtime.throw, or in the goroutine's list of panics.
#include "libheap/go/stacks/goroutines.h"
#include "libheap/go/stacks/panicvalue.h"
#include "libheap/go/stacks/sigframe.h"
#include "libheap/go/stacks/start.h"

#define MAX_FRAMES 4096 // from the crash down to what caused it
#define MAX_PANICS 16
#define MAX_WORDS 64    // of the frame of runtime.throw

static bool is_text(const char *s)
{
	size_t i;

	for (i = 0; s[i]; i++)
		if ((unsigned char)s[i] < ' ' && s[i] != '\n' && s[i] != '\t')
			return false;
	return i > 0;
}

static const char *text_at(struct go_process *process, taddr at)
{
	const char *text;
	struct hc_err why;

	if (go_string_at(process, at, process->pool, &text, &why) ||
	    !is_text(text))
		return NULL;
	return text;
}

// thrown_text finds the argument of throw or fatal: a closure in its frame
// holds it (code, …, pointer, length), else the slot for the register that it
// came in. Source: runtime/panic.go, throw and fatal (1.18–1.27).
static const char *thrown_text(struct go_process *process,
			       const struct go_unwind *u)
{
	const struct go_frame *f = &u->frame;
	unsigned word = u->word, i;

	for (i = 0; i < MAX_WORDS && f->sp + i * word < f->fp; i++) {
		taddr at = f->sp + i * word;
		const struct go_func *fn;
		const char *text;
		uint64_t pc;

		if (go_stack_word(process, &u->stack, at, &pc))
			break;
		fn = &go_pc_at(process, pc)->fn;
		if (!fn->record || fn->entry != pc ||
		    strstr(fn->name, ".func") == NULL)
			continue;
		text = text_at(process, at + word);
		if (!text)
			text = text_at(process, at + 2 * word);
		if (text)
			return text;
	}
	return text_at(process, f->argp);
}

// chain reads the goroutine's panics, the newest first, and returns how many.
static int chain(struct go_process *process, taddr g,
		 struct go_record p[MAX_PANICS])
{
	struct go_record record;
	struct hc_err why;
	taddr at;
	int n = 0;

	if (go_record_view(process, g, S_g, &record, &why))
		return 0;
	at = go_rec(process, record, F_g_panic);
	while (at != 0 && n < MAX_PANICS &&
	       go_record_view(process, at, S_panic, &p[n], &why) == HC_OK)
		at = go_rec(process, p[n++], F_panic_link);
	return n;
}

// panics_text lists them as printpanics does, the oldest first.
// Source: runtime/panic.go, printpanics (1.18–1.27).
static const char *panics_text(struct go_process *process, taddr g)
{
	const struct go_layout *l = &process->layout;
	struct go_record p[MAX_PANICS];
	const char *all = NULL, *value;
	struct hc_err why;
	int i, n = chain(process, g, p);

	for (i = n - 1; i >= 0; i--) {
		bool again = go_rec(process, p[i], F_panic_repanicked);
		bool recovered = go_rec(process, p[i], F_panic_recovered);

		if (i + 1 < n && go_rec(process, p[i + 1], F_panic_repanicked))
			continue;
		if (go_rec(process, p[i], F_panic_goexit) ||
		    go_panic_value(process, p[i].at + go_off(l, F_panic_arg),
				   process->pool, &value, &why))
			continue;
		all = pool_printf(process->pool, "%s%spanic: %s%s",
				  all ? all : "", all ? "\n\t" : "", value,
				  !recovered ? "" :
				  again ? " [recovered, repanicked]" :
					  " [recovered]");
		if (!all)
			return NULL;
	}
	return all;
}

// from_regs looks for the words in the frames from regs on.
static const char *from_regs(struct go_process *process,
			     const struct go_thread *thread,
			     const struct go_regs *regs)
{
	const char *text;
	struct go_unwind u;

	go_walk_regs(process, thread, regs, &u);
	while (u.n < MAX_FRAMES && go_unwind_next(&u)) {
		const char *name = u.frame.at->fn.name;

		if (strcmp(name, "runtime.fatalpanic") == 0)
			return panics_text(process, thread->curg);
		if (strcmp(name, "runtime.throw") != 0 &&
		    strcmp(name, "runtime.fatal") != 0)
			continue;
		text = thrown_text(process, &u);
		return text ? pool_printf(process->pool, "fatal error: %s",
					  text) : NULL;
	}
	return NULL;
}

void go_crash_text(struct go_process *process, const char **ret)
{
	const struct go_threads *t = process->threads;
	const struct go_thread *thread;
	struct go_regs regs;

	*ret = NULL;
	if (t->crashed == GO_NO_THREAD)
		return;
	thread = &t->at[t->crashed];
	go_regs_of_lwp(process, thread->lwp, &regs);
	*ret = from_regs(process, thread, &regs);
	// It raised a signal to die, whose handler is where it is now.
	if (!*ret && go_signal_regs(process, thread, &regs) == HC_OK)
		*ret = from_regs(process, thread, &regs);
}
