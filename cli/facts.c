// facts.c: see facts.h.
//
// There are some hundred facts, so looking for equals by walking is cheap;
// a reader that lists thousands of equal keys lists them in one run.
#include "cli/facts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void on_fact(void *ctx, const struct heap_fact *fact)
{
	struct facts *facts = ctx;
	struct pool *pool = facts->pool;
	const char *text = fact->text ? fact->text : "";
	struct heap_fact *one = vec_push(pool, facts);
	if (!one) {
		facts->nomem = true;
		return;
	}
	*one = (struct heap_fact){
		pool_copy(pool, fact->group, strlen(fact->group)),
		pool_copy(pool, fact->key, strlen(fact->key)), fact->kind,
		pool_copy(pool, text, strlen(text)), fact->number
	};
	if (!one->group || !one->key || !one->text) {
		facts->n--;
		facts->nomem = true;
	}
}

enum hc facts_collect(struct session *s, struct facts *ret)
{
	*ret = (struct facts){ .pool = &s->pool };
	if (s->heap && s->reader->facts)
		s->reader->facts(s->self, on_fact, ret);
	return ret->nomem ? hc_nomem(&s->err) : HC_OK;
}

static bool same_group(const struct heap_fact *a, const struct heap_fact *b)
{
	return strcmp(a->group, b->group) == 0;
}

static bool same_key(const struct heap_fact *a, const struct heap_fact *b)
{
	return same_group(a, b) && strcmp(a->key, b->key) == 0;
}

typedef bool same_fn(const struct heap_fact *a, const struct heap_fact *b);

// is_first says whether no fact before i is the same in that sense.
static bool is_first(const struct facts *f, uint64_t i, same_fn *same)
{
	for (uint64_t k = 0; k < i; k++)
		if (same(&f->at[k], &f->at[i]))
			return false;
	return true;
}

static bool comes_again(const struct facts *f, uint64_t i)
{
	for (uint64_t k = i + 1; k < f->n; k++)
		if (same_key(&f->at[k], &f->at[i]))
			return true;
	return false;
}

// words prints a group or key; one of ours with blanks between its words, one
// from outside as it is.
static void words(struct out *out, const char *text, size_t width)
{
	bool ours = text[strspn(text, "abcdefghijklmnopqrstuvwxyz_")] == '\0';
	for (const char *c = text; ours && *c; c++)
		out_bytes(out, *c == '_' ? " " : c, 1);
	if (!ours)
		out_name(out, text);
	size_t len = strlen(text);
	out_pad(out, len < width ? width - len : 1);
}

// date_text prints nanoseconds since 1970 as a date.
static void date_text(struct out *out, uint64_t ns)
{
	char line[64];
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	if (ns && gmtime_r(&seconds, &tm) &&
	    strftime(line, sizeof(line), "%Y-%m-%d %H:%M:%S UTC", &tm))
		out_text(out, line);
	else
		out_text(out, "never");
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);
	return len >= n && strcmp(text + len - n, end) == 0;
}

static void value_text(struct out *out, const struct heap_fact *fact)
{
	switch (fact->kind) {
	case FACT_TEXT:
		out_name(out, fact->text);
		break;
	case FACT_COUNT:
		out_text(out, word_count(fact->number).at);
		break;
	case FACT_BYTES:
		out_text(out, word_size(fact->number, out->exact).at);
		break;
	case FACT_NS:
		if (ends_with(fact->key, "_unix"))
			date_text(out, fact->number);
		else
			out_text(out, word_time(fact->number).at);
		break;
	case FACT_ADDRESS:
		out_addr(out, fact->number);
		break;
	}
	out_text(out, "\n");
}

// group_text prints one group; a key that comes very often is cut.
static void group_text(struct session *s, const struct facts *f, uint64_t i)
{
	struct out *out = s->out;
	uint64_t shown = 0, left_out = 0;
	char heading[64];
	snprintf(heading, sizeof(heading), "%s", f->at[i].group);
	for (char *c = heading; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	out_text(out, "\n");
	out_heading(out, heading);
	for (uint64_t k = i; k < f->n; k++) {
		if (!same_group(&f->at[k], &f->at[i]))
			continue;
		if (shown == session_rows(s)) {
			left_out++;
			continue;
		}
		shown++;
		out_text(out, "  ");
		words(out, f->at[k].key, 22);
		value_text(out, &f->at[k]);
	}
	if (left_out)
		out_printf(out, "  … %s more (-n all shows them)\n",
			   word_count(left_out).at);
}

void facts_text(struct session *s, const struct facts *facts)
{
	for (uint64_t i = 0; i < facts->n; i++)
		if (is_first(facts, i, same_group))
			group_text(s, facts, i);
}

static void value_json(struct json *j, const char *key,
		       const struct heap_fact *fact)
{
	if (fact->kind == FACT_TEXT)
		json_text(j, key, fact->text);
	else if (fact->kind == FACT_ADDRESS)
		json_addr(j, key, fact->number);
	else
		json_u64(j, key, fact->number);
}

static void key_json(struct json *j, const struct facts *f, uint64_t i)
{
	if (!comes_again(f, i)) {
		value_json(j, f->at[i].key, &f->at[i]);
		return;
	}
	json_open(j, f->at[i].key, '[');
	for (uint64_t k = i; k < f->n; k++)
		if (same_key(&f->at[k], &f->at[i]))
			value_json(j, NULL, &f->at[k]);
	json_close(j, ']');
}

void facts_json(struct json *j, const struct facts *facts)
{
	json_open(j, "runtime", '{');
	for (uint64_t i = 0; i < facts->n; i++) {
		if (!is_first(facts, i, same_group))
			continue;
		json_open(j, facts->at[i].group, '{');
		for (uint64_t k = i; k < facts->n; k++)
			if (same_group(&facts->at[k], &facts->at[i]) &&
			    is_first(facts, k, same_key))
				key_json(j, facts, k);
		json_close(j, '}');
	}
	json_close(j, '}');
}
