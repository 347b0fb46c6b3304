// formats.c: readers of the formats that `dump` writes, by their descriptions
// alone. usage: formats FORMAT FILE, where FORMAT is one of v8, moar2, moar3,
// pprof, go, parquet; stacks prints a profile whole (formats_pprof.c),
// goroutines counts those of a "go1.7 heap dump" that are not the runtime's.
// Prints how many objects there are, their bytes, and both by type where the
// format has types, in the order of names. Whatever is not as it should be
// ends it with a line and status 1.
#include "cli/tests/formats.h"

const uint8_t *at, *end, *start;

uint64_t number(unsigned width)
{
	uint64_t v = 0;
	want((size_t)(end - at) >= width);
	memcpy(&v, at, width);
	at += width;
	return v;
}

uint64_t uleb(void)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint64_t b = number(1);
		want(shift < 64);
		v |= (b & 127) << shift;
		if (b < 128)
			return v;
	}
}

const uint8_t *take(uint64_t n)
{
	const uint8_t *was = at;
	want((uint64_t)(end - at) >= n);
	at += n;
	return was;
}

// ---- sums by type ------------------------------------------------------------

struct row {
	const char *name;
	uint64_t count, bytes;
};
static struct row *rows;
static size_t n_rows, objects;
static uint64_t sum;

char *copy(const void *bytes, uint64_t len)
{
	char *s = malloc(len + 1);
	memcpy(s, bytes, len);
	s[len] = '\0';
	return s;
}

// row_of finds the row of a name, which a caller remembers by number.
size_t row_of(const char *name)
{
	size_t i = 0;
	while (i < n_rows && strcmp(rows[i].name, name))
		i++;
	if (i == n_rows) {
		rows = realloc(rows, ++n_rows * sizeof(*rows));
		rows[i] = (struct row){ name, 0, 0 };
	}
	return i;
}

void count(size_t row, uint64_t n, uint64_t bytes)
{
	rows[row].count += n;
	rows[row].bytes += bytes;
	objects += n;
	sum += bytes;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name,
		      ((const struct row *)b)->name);
}

void print(bool types)
{
	printf("%zu objects, %" PRIu64 " bytes\n", objects, sum);
	if (n_rows)
		qsort(rows, n_rows, sizeof(*rows), by_name);
	for (size_t i = 0; types && i < n_rows; i++)
		if (rows[i].count)
			printf("%" PRIu64 " %" PRIu64 " %s\n", rows[i].count,
			       rows[i].bytes, rows[i].name);
	for (size_t i = 0; i < n_rows; i++)
		rows[i].count = rows[i].bytes = 0;
	objects = sum = 0;
}

// reach wants every node to be reachable from node 0.
void reach(uint64_t n, const uint64_t *first, const uint64_t *to)
{
	uint64_t *stack = malloc(8 * (n + 1)), depth = 1, seen = 1;
	uint8_t *is = calloc(n + 1, 1);
	stack[0] = 0;
	is[0] = 1;
	while (depth > 0) {
		uint64_t v = stack[--depth];
		for (uint64_t i = first[v]; i < first[v + 1]; i++) {
			want(to[i] < n);
			if (is[to[i]])
				continue;
			is[to[i]] = 1;
			seen++;
			stack[depth++] = to[i];
		}
	}
	want(seen == n);
	free(stack);
	free(is);
}

// ---- V8 ------------------------------------------------------------------------

static void key(const char *name)
{
	const uint8_t *found = memmem(at, (size_t)(end - at), name,
				      strlen(name));
	want(found != NULL);
	at = found + strlen(name);
}

static bool decimal(uint64_t *ret)
{
	while (at < end && (*at == ',' || *at == '\n'))
		at++;
	want(at < end);
	if (*at < '0' || *at > '9')
		return false;
	*ret = 0;
	while (at < end && *at >= '0' && *at <= '9')
		*ret = 10 * *ret + (uint64_t)(*at++ - '0');
	want(*ret <= UINT32_MAX);
	return true;
}

static uint64_t *decimals(uint64_t n)
{
	uint64_t *v = malloc(8 * (n + 1)), more;
	for (uint64_t i = 0; i < n; i++)
		want(decimal(&v[i]));
	want(!decimal(&more) && number(1) == ']');
	return v;
}

static char *json_string(void)
{
	char *s = malloc((size_t)(end - at)), *to = s;
	want(number(1) == '"');
	while (at < end && *at != '"') {
		if (*at == '\\')
			at++;
		*to++ = (char)number(1);
	}
	*to = '\0';
	want(number(1) == '"');
	return realloc(s, (size_t)(to - s) + 1);
}

static void read_v8(void)
{
	uint64_t n, n_edges;
	key("\"node_count\":");
	want(decimal(&n));
	key("\"edge_count\":");
	want(decimal(&n_edges));
	key("\"nodes\":[");
	uint64_t *node = decimals(7 * n);
	key("\"edges\":[");
	uint64_t *edge = decimals(3 * n_edges);
	key("\"strings\":[");
	char **string = NULL;
	uint64_t n_strings = 0;
	while (*at == '"' || *at == ',' || *at == '\n') {
		if (*at != '"') {
			at++;
			continue;
		}
		string = realloc(string, (n_strings + 1) * sizeof(*string));
		string[n_strings++] = json_string();
	}
	uint64_t *first = malloc(8 * (n + 1)), *to = malloc(8 * (n_edges + 1));
	first[0] = 0;
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t *x = node + 7 * i;
		first[i + 1] = first[i] + x[4];
		want(x[1] < n_strings && x[0] < 15 && x[0] != 0 && x[0] != 1);
		if (x[2] % 2 && i)
			count(row_of(string[x[1]]), 1, x[3]);
	}
	want(first[n] == n_edges && node[0] == 9);
	for (uint64_t i = 0; i < n_edges; i++) {
		const uint64_t *x = edge + 3 * i;
		want(x[2] % 7 == 0);
		want(x[0] == 1 || x[1] < n_strings);
		to[i] = x[2] / 7;
	}
	for (uint64_t i = 0; i < first[1]; i++)
		want(node[7 * to[i]] == 9); // synthetic
	reach(n, first, to);
	print(true);
}

// ---- Go ------------------------------------------------------------------------

static void skip_fields(uint64_t len)
{
	while (uleb() != 0)
		want(uleb() + 8 <= len);
}

static void skip_numbers(unsigned n)
{
	while (n-- > 0)
		(void)uleb();
}

static uint64_t users; // goroutines that are not the runtime's own

// skip_bucket takes a record of the memory profile.
static void skip_bucket(void)
{
	skip_numbers(2);
	for (uint64_t n = uleb(); n > 0; n--) {
		take(uleb());
		take(uleb());
		skip_numbers(1);
	}
	skip_numbers(2);
}

static void read_goroutine(void)
{
	skip_numbers(5);
	users += uleb() == 0;
	skip_numbers(2);
	take(uleb());
	skip_numbers(4);
}

static void read_record(uint64_t tag)
{
	// Records that are so many numbers.
	static const unsigned plain[18] = {
		[7] = 5, [8] = 2, [9] = 3, [10] = 281, [11] = 5,
		[14] = 7, [15] = 6, [17] = 2,
	};
	uint64_t len;
	switch (tag) {
	case 1:
		(void)uleb();
		len = uleb();
		take(len);
		skip_fields(len);
		count(row_of("all"), 1, len);
		break;
	case 2:
		take(uleb());
		(void)uleb();
		break;
	case 3:
		skip_numbers(2);
		take(uleb());
		skip_numbers(1);
		break;
	case 4:
		read_goroutine();
		break;
	case 5:
		skip_numbers(3);
		len = uleb();
		take(len);
		skip_numbers(3);
		take(uleb());
		skip_fields(len);
		break;
	case 6:
		skip_numbers(4);
		take(uleb());
		take(uleb());
		(void)uleb();
		break;
	case 12:
	case 13:
		(void)uleb();
		len = uleb();
		take(len);
		skip_fields(len);
		break;
	case 16:
		skip_bucket();
		break;
	default:
		want(tag < 18 && plain[tag] && "a record that is known");
		skip_numbers(plain[tag]);
	}
}

static void read_go(bool goroutines)
{
	uint64_t tag;
	want(memcmp(take(16), "go1.7 heap dump\n", 16) == 0);
	while ((tag = uleb()))
		read_record(tag);
	want(at == end);
	if (goroutines)
		printf("%" PRIu64 " goroutines\n", users);
	else
		print(false);
}

int main(int argc, char **argv)
{
	struct pool pool;
	struct hc_err err;
	FILE *f = argc == 3 ? fopen(argv[2], "rb") : NULL;
	if (!f || pool_open(UINT64_C(1) << 36, &pool, &err))
		return 2;
	fseek(f, 0, SEEK_END);
	size_t len = (size_t)ftell(f);
	rewind(f);
	uint8_t *bytes = malloc(len + 1);
	want(fread(bytes, 1, len, f) == len);
	fclose(f);
	start = at = bytes;
	end = bytes + len;
	if (strcmp(argv[1], "v8") == 0)
		read_v8();
	else if (strcmp(argv[1], "moar2") == 0)
		read_moar2();
	else if (strcmp(argv[1], "moar3") == 0)
		read_moar3(&pool);
	else if (strcmp(argv[1], "pprof") == 0)
		read_pprof(&pool, false);
	else if (strcmp(argv[1], "stacks") == 0)
		read_pprof(&pool, true);
	else if (strcmp(argv[1], "parquet") == 0)
		read_parquet(&pool);
	else if (strcmp(argv[1], "go") == 0)
		read_go(false);
	else if (strcmp(argv[1], "goroutines") == 0)
		read_go(true);
	else
		return 2;
	return 0;
}
