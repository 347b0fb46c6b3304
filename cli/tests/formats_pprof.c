// formats_pprof.c: a reader of profile.proto by its description alone.
//
// Printed whole it is a line for each thing that it says, names resolved:
//	type TYPE UNIT, period TYPE UNIT NUMBER, shown TYPE,
//	mapping LOW HIGH OFFSET FILE BUILD-ID, and
//	sample VALUE... [KEY=TEXT]... FUNCTION@FILE:LINE...
// A line that the next one was inlined into ends in "+"; blanks in names are
// "_".
#include "cli/tests/formats.h"

#define MAX 4096u // fields of one message, and of one kind

// struct item is one field: its number, and a number or a run of bytes.
struct item {
	unsigned field;
	uint64_t value;
	const uint8_t *at;
	uint64_t len;
};

// items takes the fields of the message that ends at stop.
static uint64_t items(const uint8_t *stop, struct item *to, uint64_t max)
{
	uint64_t n = 0;
	while (at < stop) {
		uint64_t tag = uleb();
		want(n < max && ((tag & 7) == 0 || (tag & 7) == 2));
		to[n] = (struct item){ .field = (unsigned)(tag >> 3) };
		if ((tag & 7) == 0) {
			to[n].value = uleb();
		} else {
			to[n].len = uleb();
			to[n].at = take(to[n].len);
		}
		n++;
	}
	want(at == stop);
	return n;
}

// open_item makes the fields of a message the ones to read.
static uint64_t open_item(const struct item *i, struct item *to)
{
	want(i->at != NULL);
	at = i->at;
	return items(i->at + i->len, to, MAX);
}

static uint64_t find(const struct item *of, uint64_t n, unsigned field)
{
	for (uint64_t i = 0; i < n; i++)
		if (of[i].field == field)
			return of[i].value;
	return 0;
}

// numbers takes all of a repeated number, packed or not.
static uint64_t numbers(const struct item *of, uint64_t n, unsigned field,
			uint64_t *to)
{
	uint64_t found = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (of[i].field != field)
			continue;
		if (!of[i].at) {
			want(found < MAX);
			to[found++] = of[i].value;
			continue;
		}
		for (at = of[i].at; at < of[i].at + of[i].len;) {
			want(found < MAX);
			to[found++] = uleb();
		}
		want(at == of[i].at + of[i].len);
	}
	return found;
}

static struct item *all; // fields of the profile
static uint64_t n_all, n_strings, n_types;
static const struct item **strings;

static void print_string(uint64_t i)
{
	want(i < n_strings);
	for (uint64_t k = 0; k < strings[i]->len; k++)
		putchar(strings[i]->at[k] == ' ' ? '_' : strings[i]->at[k]);
}

// by_id opens the message of that field with that id; there is only one.
static uint64_t by_id(unsigned field, uint64_t id, struct item *to)
{
	uint64_t found = 0, n = 0;
	want(id != 0);
	for (uint64_t i = 0; i < n_all; i++) {
		struct item part[MAX];
		if (all[i].field != field)
			continue;
		uint64_t m = open_item(&all[i], part);
		if (find(part, m, 1) != id)
			continue;
		want(found++ == 0);
		memcpy(to, part, m * sizeof(*to));
		n = m;
	}
	want(found == 1);
	return n;
}

static void print_location(uint64_t id)
{
	struct item part[MAX], line[MAX], function[MAX];
	uint64_t n = by_id(4, id, part), lines = 0, done = 0;
	for (uint64_t i = 0; i < n; i++)
		lines += part[i].field == 4;
	if (find(part, n, 2))
		(void)by_id(3, find(part, n, 2), line);
	for (uint64_t i = 0; i < n; i++) {
		if (part[i].field != 4)
			continue;
		uint64_t k = open_item(&part[i], line);
		uint64_t f = by_id(5, find(line, k, 1), function);
		putchar(' ');
		print_string(find(function, f, 2));
		putchar('@');
		print_string(find(function, f, 4));
		printf(":%" PRIu64 "%s", find(line, k, 2),
		       ++done < lines ? "+" : "");
	}
}

static void print_sample(const struct item *sample)
{
	struct item part[MAX], label[MAX];
	uint64_t number[MAX], n = open_item(sample, part);
	uint64_t values = numbers(part, n, 2, number);
	want(values == n_types);
	printf("sample");
	for (uint64_t i = 0; i < values; i++)
		printf(" %" PRIu64, number[i]);
	for (uint64_t i = 0; i < n; i++) {
		if (part[i].field != 3)
			continue;
		uint64_t k = open_item(&part[i], label);
		printf(" [");
		print_string(find(label, k, 1));
		putchar('=');
		if (find(label, k, 2))
			print_string(find(label, k, 2));
		else
			printf("%" PRIu64, find(label, k, 3));
		putchar(']');
	}
	uint64_t locations = numbers(part, n, 1, number);
	for (uint64_t i = 0; i < locations; i++)
		print_location(number[i]);
	putchar('\n');
}

static void print_type(const char *what, const struct item *type)
{
	struct item part[MAX];
	uint64_t n = open_item(type, part);
	printf("%s ", what);
	print_string(find(part, n, 1));
	putchar(' ');
	print_string(find(part, n, 2));
}

static void print_mapping(const struct item *mapping)
{
	struct item part[MAX];
	uint64_t n = open_item(mapping, part);
	printf("mapping %" PRIx64 " %" PRIx64 " %" PRIx64 " ",
	       find(part, n, 2), find(part, n, 3), find(part, n, 4));
	print_string(find(part, n, 5));
	putchar(' ');
	print_string(find(part, n, 6));
	putchar('\n');
}

static void print_whole(void)
{
	for (uint64_t i = 0; i < n_all; i++) {
		if (all[i].field == 1) {
			print_type("type", &all[i]);
			putchar('\n');
		} else if (all[i].field == 11) {
			print_type("period", &all[i]);
			printf(" %" PRIu64 "\n", find(all, n_all, 12));
		} else if (all[i].field == 14) {
			printf("shown ");
			print_string(all[i].value);
			putchar('\n');
		} else if (all[i].field == 3) {
			print_mapping(&all[i]);
		} else if (all[i].field == 2) {
			print_sample(&all[i]);
		}
	}
}

// add_up counts objects and bytes, the two values of a sample. Functions are
// types, and a system name that is the name lets pprof cut it for C++'s.
static void add_up(void)
{
	struct item part[MAX];
	uint64_t value[MAX];
	for (uint64_t i = 0; i < n_all; i++) {
		if (all[i].field != 2 && all[i].field != 5)
			continue;
		uint64_t n = open_item(&all[i], part);
		if (all[i].field == 5) {
			want(find(part, n, 2) != find(part, n, 3));
			continue;
		}
		want(numbers(part, n, 2, value) == 2 && n_types == 2);
		count(row_of("all"), value[0], value[1]);
	}
	print(false);
}

void read_pprof(struct pool *pool, bool whole)
{
	struct codec codec;
	struct hc_err err = { 0 };
	uint64_t cap = 1 << 28;
	uint8_t *out = pool_new(pool, uint8_t, cap);
	struct codec_io io = { at, (uint64_t)(end - at), out, cap };
	want(out != NULL);
	want(codec_open(&codec_gzip, pool, &codec, &err) == HC_OK);
	want(codec_step(&codec, &io, &err) == HC_NONE && io.in_len == 0);
	codec_close(&codec);
	start = at = out;
	end = io.out;
	uint64_t max = (uint64_t)(end - at) / 2 + 1;
	all = pool_new(pool, struct item, max);
	strings = pool_new(pool, const struct item *, max);
	want(all && strings);
	n_all = items(end, all, max);
	for (uint64_t i = 0; i < n_all; i++) {
		n_types += all[i].field == 1;
		if (all[i].field == 6)
			strings[n_strings++] = &all[i];
	}
	want(n_strings > 0 && strings[0]->len == 0);
	if (whole)
		print_whole();
	else
		add_up();
}
