// stacks.c: stacks with values as a profile for `go tool pprof`, in the shape
// that Go's runtime/pprof gives it: calls inlined into each other are lines of
// one location.
#include "libheap/dump/keys.h"
#include "libheap/dump/proto.h"

#include <stdlib.h>

// A deeper stack keeps its innermost and its outermost locations: more than a
// memory profile's ever has. Source: Go runtime/mprof.go, maxProfStackDepth.
#define STACK_END 1024u
#define LINES_MAX 64u
#define LABEL_WORDS 3u // key, text, number

// struct stack_sums are the values of one stack.
struct stack_sums {
	uint64_t value[DUMP_STACK_VALUES];
};

struct words {
	VEC(uint64_t);
};

// struct dump_stacks is the profile being collected.
// Shape: functions are {name, file}, locations {address, (function, line)...},
//        samples {number of locations, locations, labels}; names are numbers
//        of strings, functions and locations from 1 on. line is the location
//        under way; inner and outer hold the stack under way, outer its last
//        locations in a ring.
struct dump_stacks {
	struct pool *pool;
	struct dump_stacks_about about;
	struct proto_map map;
	struct strings strings;
	struct keys functions, locations, samples;
	struct { VEC(struct stack_sums); } sums; // of samples
	uint64_t line[1 + 2 * LINES_MAX];
	unsigned n_line;
	uint64_t inner[STACK_END], outer[STACK_END], n_locations;
	struct words labels, key;
	bool failed;
};

enum hc dump_stacks_open(struct heap *heap,
			 const struct dump_stacks_about *about,
			 struct pool *pool, struct dump_stacks **ret,
			 struct hc_err *err)
{
	struct dump_stacks *p = pool_new(pool, struct dump_stacks, 1);
	if (!p)
		return hc_nomem(err);
	p->pool = pool;
	p->about = *about;
	p->strings.pool = p->functions.pool = pool;
	p->locations.pool = p->samples.pool = pool;
	(void)strings_number(&p->strings, ""); // must be number 0
	HC_TRY(proto_map_of(heap_core(heap), pool, &p->map, err));
	*ret = p;
	return HC_OK;
}

// number finds or makes the number of a key.
static uint64_t number(struct dump_stacks *p, struct keys *keys,
		       const uint64_t *key, uint64_t n)
{
	uint64_t got = 0;
	if (!p->failed && !keys_number(keys, key, n, &got))
		p->failed = true;
	return got;
}

static void push_location(struct dump_stacks *p)
{
	uint64_t id = 1 + number(p, &p->locations, p->line, p->n_line);
	p->n_line = 0;
	if (p->n_locations < STACK_END)
		p->inner[p->n_locations] = id;
	else
		p->outer[p->n_locations % STACK_END] = id;
	p->n_locations++;
}

bool dump_stacks_frame(struct dump_stacks *p, const struct heap_frame *frame,
		       taddr address)
{
	uint64_t function[2];
	if (p->n_line == 0)
		p->line[p->n_line++] = address;
	if (frame->function) {
		function[0] = strings_number(&p->strings, frame->function);
		function[1] = strings_number(&p->strings, frame->file);
		p->line[p->n_line++] = 1 + number(p, &p->functions, function,
						  2);
		p->line[p->n_line++] = frame->line;
	}
	if (!frame->inlined || p->n_line + 2 > 1 + 2 * LINES_MAX)
		push_location(p);
	return !p->failed;
}

static void push(struct dump_stacks *p, struct words *to, uint64_t word)
{
	uint64_t *at = vec_push(p->pool, to);
	if (at)
		*at = word;
	else
		p->failed = true;
}

bool dump_stacks_label(struct dump_stacks *p, const char *key, const char *text,
		       uint64_t value)
{
	push(p, &p->labels, strings_number(&p->strings, key));
	push(p, &p->labels, text ? strings_number(&p->strings, text) : 0);
	push(p, &p->labels, text ? 0 : value);
	return !p->failed;
}

// left_out stands for the middle of a deep stack.
static uint64_t left_out(struct dump_stacks *p)
{
	const uint64_t function[2] = {
		strings_number(&p->strings, "(frames left out)"), 0,
	};
	const uint64_t line[3] = {
		0, 1 + number(p, &p->functions, function, 2), 0,
	};
	return 1 + number(p, &p->locations, line, 3);
}

// make_key puts the stack under way and its labels together.
static void make_key(struct dump_stacks *p)
{
	uint64_t n = p->n_locations;
	uint64_t inner = n < STACK_END ? n : STACK_END;
	uint64_t outer = n - inner < STACK_END ? n - inner : STACK_END;
	bool cut = inner + outer < n;
	p->key.n = 0;
	push(p, &p->key, inner + outer + cut);
	for (uint64_t i = 0; i < inner; i++)
		push(p, &p->key, p->inner[i]);
	if (cut)
		push(p, &p->key, left_out(p));
	for (uint64_t i = n - outer; i < n; i++)
		push(p, &p->key, p->outer[i % STACK_END]);
	for (uint64_t i = 0; i < p->labels.n; i++)
		push(p, &p->key, p->labels.at[i]);
	p->labels.n = p->n_locations = 0;
}

bool dump_stacks_end(struct dump_stacks *p, const uint64_t *values)
{
	const uint64_t most = INT64_MAX;
	if (p->n_line)
		push_location(p);
	make_key(p);
	uint64_t at = number(p, &p->samples, p->key.at, p->key.n);
	if (!p->failed && at == p->sums.n) {
		struct stack_sums *new = vec_push(p->pool, &p->sums);
		p->failed = !new;
	}
	for (unsigned i = 0; !p->failed && i < p->about.n_values; i++) {
		uint64_t *sum = &p->sums.at[at].value[i];
		*sum = values[i] > most - *sum ? most : *sum + values[i];
	}
	return !p->failed;
}

static int compare_sums(const void *a, const void *b, void *ctx)
{
	const struct stack_sums *sums = ctx;
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	if (sums[x].value[0] != sums[y].value[0])
		return sums[x].value[0] > sums[y].value[0] ? -1 : 1;
	return x < y ? -1 : x > y;
}

// order_of returns the samples in the order in which they are written.
static uint64_t *order_of(struct dump_stacks *p)
{
	uint64_t *order = pool_new(p->pool, uint64_t, p->sums.n + 1);
	for (uint64_t i = 0; order && i < p->sums.n; i++)
		order[i] = i;
	if (order && p->about.sorted && p->sums.n)
		qsort_r(order, p->sums.n, sizeof(*order), compare_sums,
			p->sums.at);
	return order;
}

static void write_samples(struct dump_stacks *p, const uint64_t *order,
			  struct proto *out)
{
	uint64_t n;
	for (uint64_t k = 0; k < p->sums.n && !out->w->failed; k++) {
		uint64_t i = order[k];
		const uint64_t *key = keys_at(&p->samples, i, &n);
		for (uint64_t j = 1; j <= key[0]; j++)
			proto_at(out, key[j]);
		for (uint64_t j = 1 + key[0]; j < n; j += LABEL_WORDS)
			proto_label(out, key[j], key[j + 1], key[j + 2]);
		proto_sample(out, p->sums.at[i].value, p->about.n_values);
	}
}

static void write_locations(struct dump_stacks *p, struct proto *out)
{
	uint64_t n;
	for (uint64_t i = 0; i < p->locations.end.n && !out->w->failed; i++) {
		const uint64_t *key = keys_at(&p->locations, i, &n);
		for (uint64_t j = 1; j + 1 < n; j += 2)
			proto_line(out, key[j], key[j + 1]);
		proto_location(out, i + 1,
			       p->map.low <= key[0] && key[0] < p->map.high,
			       key[0]);
	}
	for (uint64_t i = 0; i < p->functions.end.n && !out->w->failed; i++) {
		const uint64_t *key = keys_at(&p->functions, i, &n);
		proto_function(out, i + 1, key[0], key[0], key[1]);
	}
}

enum hc dump_stacks_write(struct dump_stacks *p, const struct dump_sink *sink,
			  struct hc_err *err)
{
	struct proto out;
	const struct dump_stacks_about *a = &p->about;
	uint64_t *order = order_of(p);
	if (p->failed || p->strings.failed || !order)
		return hc_nomem(err);
	HC_TRY(proto_open(&out, &p->strings, sink, p->pool, err));
	for (unsigned i = 0; i < a->n_values; i++)
		proto_sample_type(&out, a->values[i].type, a->values[i].unit);
	write_samples(p, order, &out);
	write_locations(p, &out);
	proto_mapping(&out, &p->map);
	proto_period(&out, a->period_type.type, a->period_type.unit,
		     a->period);
	if (a->shown)
		proto_default_type(&out, a->shown);
	return proto_close(&out, err);
}
