// json.c: checks JSON and takes values out of it, for the shell tests.
//
//	json valid FILE       one value and nothing else
//	json lines FILE       JSON Lines; prints how many
//	json get FILE PATH    a value: heap.live_bytes, findings.0.kind; arrays
//	                      and objects print how many items they have
//	json keys FILE [PATH] the keys of an object, in order
//	json each FILE PATH KEY   the value of KEY of each item of an array
//	json spans FILE PATH FROM TO   the sum of TO - FROM of each item
//	json sums FILE        every parent in "memory" is its children's sum
#include "cli/tests/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "rb");
	size_t cap = 1 << 16, n = 0;
	char *text = malloc(cap);
	if (!f || !text) {
		fprintf(stderr, "json: cannot read %s\n", path);
		exit(2);
	}
	for (size_t got; (got = fread(text + n, 1, cap - n, f)) > 0;) {
		n += got;
		if (n == cap) {
			cap *= 2;
			text = realloc(text, cap);
			if (!text)
				exit(2);
		}
	}
	fclose(f);
	*ret_len = n;
	return text;
}

// has_fraction looks for a number that is no integer: heapcore writes none.
static bool has_fraction(const struct value *v)
{
	if (v->kind == V_NUMBER)
		return strpbrk(v->text, ".eE") != NULL;
	for (const struct value *c = v->first; c; c = c->next)
		if (has_fraction(c))
			return true;
	return false;
}

static struct value *parse(const char *path, const char *text, size_t len)
{
	const char *why;
	size_t at;
	struct value *v = json_read(text, len, &why, &at);
	if (!v) {
		fprintf(stderr, "json: %s: %s at byte %zu\n", path, why, at);
		exit(1);
	}
	if (has_fraction(v)) {
		fprintf(stderr, "json: %s: not only integers\n", path);
		exit(1);
	}
	return v;
}

static int count_lines(const char *path, const char *text, size_t len)
{
	size_t n = 0;
	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		if (!end) {
			fprintf(stderr, "json: the last line has no end\n");
			return 1;
		}
		size_t line = (size_t)(end - text);
		if (parse(path, text, line)->kind != V_OBJECT)
			return 1;
		text += line + 1;
		len -= line + 1;
		n++;
	}
	printf("%zu\n", n);
	return 0;
}

static struct value *step(struct value *v, const char *word)
{
	size_t i = v->kind == V_ARRAY ? strtoul(word, NULL, 10) : 0;
	for (struct value *c = v->first; c; c = c->next)
		if (v->kind == V_OBJECT ? strcmp(c->key, word) == 0 : i-- == 0)
			return c;
	return NULL;
}

static struct value *walk(struct value *v, char *path)
{
	for (char *word = strtok(path, "."); word && v;
	     word = strtok(NULL, "."))
		v = step(v, word);
	if (!v)
		exit(1);
	return v;
}

static void print(const struct value *v)
{
	static const char *const words[] = { "null", "true", "false" };
	if (v->kind <= V_FALSE)
		puts(words[v->kind]);
	else if (v->kind >= V_ARRAY)
		printf("%zu\n", v->n);
	else
		puts(v->text);
}

static int print_keys(const struct value *v)
{
	for (const struct value *c = v->first; c; c = c->next)
		puts(c->key ? c->key : "-");
	return 0;
}

static int print_each(const struct value *v, char *key)
{
	for (struct value *c = v->first; c; c = c->next) {
		struct value *got = step(c, key);
		if (got)
			print(got);
		else
			puts("-");
	}
	return 0;
}

static int print_spans(const struct value *v, char *from, char *to)
{
	unsigned long long sum = 0;
	for (struct value *c = v->first; c; c = c->next) {
		struct value *a = step(c, from), *b = step(c, to);
		if (!a || !b)
			return 1;
		sum += strtoull(b->text, NULL, 0) - strtoull(a->text, NULL, 0);
	}
	printf("%llu\n", sum);
	return 0;
}

static unsigned long long number(struct value *v, const char *key)
{
	struct value *n = step(v, key);
	if (!n || n->kind != V_NUMBER) {
		fprintf(stderr, "json: no number '%s'\n", key);
		exit(1);
	}
	return strtoull(n->text, NULL, 10);
}

// wrong_sums counts the nodes whose children do not add up to them.
static int wrong_sums(struct value *node)
{
	unsigned long long bytes = 0, saved = 0;
	int wrong = 0;
	struct value *children = step(node, "children");
	if (!children)
		return 0;
	for (struct value *c = children->first; c; c = c->next) {
		bytes += number(c, "bytes");
		saved += number(c, "saved_bytes");
		wrong += wrong_sums(c);
	}
	if (bytes == number(node, "bytes") &&
	    saved == number(node, "saved_bytes"))
		return wrong;
	fprintf(stderr, "json: the parts of '%s' are %llu, %llu\n",
		step(node, "name")->text, bytes, saved);
	return wrong + 1;
}

int main(int argc, char **argv)
{
	size_t len;
	if (argc < 3)
		return 2;
	char empty[] = "";
	char *path = argc > 3 ? argv[3] : empty;
	char *text = read_file(argv[2], &len);
	if (strcmp(argv[1], "lines") == 0)
		return count_lines(argv[2], text, len);
	struct value *v = parse(argv[2], text, len);
	if (strcmp(argv[1], "get") == 0)
		print(walk(v, path));
	else if (strcmp(argv[1], "keys") == 0)
		return print_keys(walk(v, path));
	else if (strcmp(argv[1], "each") == 0 && argc > 4)
		return print_each(walk(v, path), argv[4]);
	else if (strcmp(argv[1], "spans") == 0 && argc > 5)
		return print_spans(walk(v, path), argv[4], argv[5]);
	else if (strcmp(argv[1], "sums") == 0)
		return wrong_sums(walk(v, strdup("memory"))) != 0;
	return 0;
}
