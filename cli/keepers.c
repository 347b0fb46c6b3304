// keepers.c: see keepers.h.
#include "cli/keepers.h"

#include "cli/types.h"

#include <stdio.h>
#include <string.h>

enum hc keepers_open(struct session *s, struct heap_retained **ret)
{
	HC_TRY(session_mark(s));
	enum hc got = heap_retain(s->heap, s->o.garbage, ret, &s->err);
	if (got == HC_FAIL && s->err.kind == HC_LIMIT) {
		size_t n = strlen(s->err.msg);
		snprintf(s->err.msg + n, sizeof(s->err.msg) - n,
			 "; `heapcore stats` and `heapcore types` need less");
	}
	session_phase(s, "what is retained", 0, NULL);
	return got;
}

// struct words is a keeper in words. Owns: the session's scratch.
struct words {
	const char *kind, *name, *type;
};

static enum hc words_of(struct session *s, const struct heap_keeper *k,
			struct words *ret)
{
	struct heap_root_text text = { 0 };
	struct words words = { .kind = "all", .name = "everything" };
	if (k->kind == HEAP_KEEPER_OBJECT) {
		words.kind = "object";
		words.type = type_of_object(s, k->object);
		words.name = words.type;
	} else if (k->kind == HEAP_KEEPER_HOLDER) {
		HC_TRY(s->reader->root_text(s->self, &k->root, &s->scratch,
					    &text, &s->err));
		words.kind = heap_root_kind_name(
			(enum heap_root_kind)k->root.kind);
		words.name = text.name;
		if (text.owner) { // "goroutine 7" is a goroutine
			size_t n = strcspn(text.owner, " ");
			words.kind = pool_copy(&s->scratch, text.owner, n);
			words.name = text.owner;
		}
	}
	*ret = words;
	return words.kind ? HC_OK : hc_nomem(&s->err);
}

enum hc keeper_text(struct session *s, const struct heap_keeper *k)
{
	struct words words;
	char *mark = pool_mark(&s->scratch);
	HC_TRY(words_of(s, k, &words));
	if (k->kind == HEAP_KEEPER_OBJECT) {
		out_printf(s->out, "0x%" PRIx64 "  ",
			   heap_ref_at(s->heap, k->object));
	} else if (k->kind == HEAP_KEEPER_HOLDER &&
		   strncmp(words.name, words.kind, strlen(words.kind)) != 0) {
		out_name(s->out, words.kind);
		out_text(s->out, " ");
	}
	out_name(s->out, words.name);
	pool_rewind(&s->scratch, mark);
	return HC_OK;
}

enum hc keeper_json(struct json *j, const char *key, struct session *s,
		    const struct heap_keeper *k)
{
	struct words words;
	char *mark = pool_mark(&s->scratch);
	HC_TRY(words_of(s, k, &words));
	json_open(j, key, '{');
	json_text(j, "kind", words.kind);
	json_text(j, "name", words.name);
	if (k->kind == HEAP_KEEPER_OBJECT)
		json_addr(j, "object", heap_ref_at(s->heap, k->object));
	else
		json_null(j, "object");
	json_text(j, "type", words.type);
	json_u64(j, "bytes", k->own_bytes);
	json_u64(j, "retained_bytes", k->bytes);
	json_u64(j, "retained_objects", k->objects);
	json_close(j, '}');
	pool_rewind(&s->scratch, mark);
	return HC_OK;
}

void keeper_numbers(struct out *out, uint64_t objects, uint64_t bytes,
		    uint64_t whole)
{
	out_printf(out, "%14s %14s %7s  ", word_count(objects).at,
		   word_size(bytes, out->exact).at,
		   word_percent(bytes, whole).at);
}
