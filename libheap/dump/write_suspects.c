// write_suspects.c: what the reader suspects, which it may find out in another
// thread while edges are written.
#include "libheap/dump/write.h"

#include <pthread.h>
#include <string.h>

#define LEAST 1000u // suspects of less than this part of live bytes are left out
#define TEXT_MAX 1024u
#define TEXTS_MAX (UINT64_C(16) << 20)

// struct look is the search and what it has found, texts copied to its pool.
struct look {
	struct writer *w;
	uint64_t least;
	struct pool own;
	struct { VEC(struct heap_reader_suspect); } found;
	pthread_t thread;
	bool started, full;
};

static void on_suspect(void *ctx, const struct heap_reader_suspect *s)
{
	struct look *look = ctx;
	const char *text = pool_copy(&look->own, s->text,
				     strnlen(s->text, TEXT_MAX - 8));
	const char *kind = pool_copy(&look->own, s->kind, strlen(s->kind));
	struct heap_reader_suspect *to = vec_push(&look->own, &look->found);
	if (!text || !kind || !to) {
		look->full = true;
		return;
	}
	*to = *s;
	to->text = text;
	to->kind = kind;
}

static void *look_run(void *ctx)
{
	struct look *look = ctx;
	const struct writer *w = look->w;
	w->reader->suspects(w->self, look->least, on_suspect, look);
	return NULL;
}

enum hc suspects_begin(struct writer *w)
{
	if (!w->reader->suspects)
		return HC_OK;
	struct look *look = pool_new(w->pool, struct look, 1);
	if (!look)
		return hc_nomem(w->err);
	look->w = w;
	look->least = heap_totals(w->heap).live_bytes / LEAST;
	HC_TRY(pool_open(TEXTS_MAX, &look->own, w->err));
	w->look = look;
	if (w->reader->suspects_beside && heap_threads(w->heap) > 1)
		look->started = pthread_create(&look->thread, NULL, look_run,
					       look) == 0;
	return HC_OK;
}

void suspects_wait(struct writer *w)
{
	if (w->look && w->look->started)
		pthread_join(w->look->thread, NULL);
	else if (w->look)
		look_run(w->look);
}

// write_text writes what a suspect says. What is in quotes is what the program
// had in memory.
static void write_text(struct writer *w, const char *said)
{
	char text[TEXT_MAX];
	size_t len = strlen(said);
	memcpy(text, said, len + 1);
	char *quote = strchr(text, '"');
	if (quote && !w->options->values)
		memcpy(quote, "\"…\"", sizeof("\"…\""));
	pack_text(w->pack, text);
}

enum hc write_suspects(struct writer *w)
{
	const struct look *look = w->look;
	struct pack *p = w->pack;
	if (!look)
		return HC_OK;
	if (look->full)
		return hc_nomem(w->err);
	pack_section(p, DUMP_SUSPECTS);
	for (uint64_t i = 0; i < look->found.n; i++) {
		const struct heap_reader_suspect *s = &look->found.at[i];
		pack_u(p, s->has_object ? 2 : 1);
		pack_text(p, s->kind);
		write_text(w, s->text);
		pack_u(p, s->has_object ? heap_ref_at(w->heap, s->object) : 0);
		pack_u(p, s->bytes);
		pack_u(p, s->count);
	}
	pack_u(p, 0);
	return HC_OK;
}

void suspects_close(struct writer *w)
{
	if (w->look)
		pool_close(&w->look->own);
}
