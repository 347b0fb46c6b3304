// formats_parquet.c: a reader of flat Parquet files: the footer by Thrift's
// compact protocol, then the pages of the columns asked for.
#include "cli/tests/formats.h"

enum { BOOL_TRUE = 1, BOOL_FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST,
       SET, MAP, STRUCT };

// struct value is a field of any type; children of structs and lists.
struct value {
	unsigned type, id;
	uint64_t number; // zigzag undone
	const uint8_t *bytes;
	struct value *child;
	uint64_t n;
};

static void read_value(struct value *v, unsigned type, unsigned depth);

static void add_child(struct value *v, unsigned id, unsigned type,
		      unsigned depth)
{
	v->child = realloc(v->child, (v->n + 1) * sizeof(*v->child));
	struct value *c = &v->child[v->n++];
	memset(c, 0, sizeof(*c));
	c->id = id;
	read_value(c, type, depth + 1);
}

static void read_value(struct value *v, unsigned type, unsigned depth)
{
	uint64_t head, n;
	want(depth < 16);
	v->type = type;
	switch (type) {
	case BOOL_TRUE:
	case BOOL_FALSE:
		break;
	case I16:
	case I32:
	case I64:
		n = uleb();
		v->number = n >> 1 ^ -(n & 1);
		break;
	case BINARY:
		v->n = uleb();
		v->bytes = take(v->n);
		break;
	case LIST:
		head = number(1);
		n = head >> 4 == 15 ? uleb() : head >> 4;
		while (n-- > 0)
			add_child(v, 0, head & 15, depth);
		break;
	case STRUCT:
		for (unsigned id = 0; (head = number(1));) {
			want(head >> 4 != 0);
			id += (unsigned)(head >> 4);
			add_child(v, id, head & 15, depth);
		}
		break;
	default:
		want(false && "a type that is known");
	}
}

static const struct value *get(const struct value *v, unsigned id)
{
	for (uint64_t i = 0; i < v->n; i++)
		if (v->child[i].id == id)
			return &v->child[i];
	want(false && "a field that is there");
	return NULL;
}

static struct value footer;

static void parquet_open(void)
{
	const uint8_t *whole = end;
	want(memcmp(take(4), "PAR1", 4) == 0);
	want(end - start >= 12 && memcmp(end - 4, "PAR1", 4) == 0);
	at = end - 8;
	uint64_t len = number(4);
	at = whole - 8 - len;
	end = whole - 8;
	read_value(&footer, STRUCT, 0);
	want(at == end);
	end = whole;
}

// column_of returns the number of a column.
static uint64_t column_of(const char *name)
{
	const struct value *schema = get(&footer, 2);
	for (uint64_t i = 1; i < schema->n; i++) {
		const struct value *text = get(&schema->child[i], 4);
		if (text->n == strlen(name) &&
		    memcmp(text->bytes, name, text->n) == 0)
			return i - 1;
	}
	want(false && "a column of that name");
	return 0;
}

// page unpacks a column's page of a row group; at .. end are then its values.
static void page(struct pool *pool, const struct value *group, uint64_t column)
{
	struct hc_err err;
	struct value head = { 0 };
	const struct value *meta = get(&get(group, 1)->child[column], 3);
	uint64_t from = get(meta, 9)->number;
	at = start + from;
	read_value(&head, STRUCT, 0);
	uint64_t raw = get(&head, 2)->number, packed = get(&head, 3)->number;
	want(get(meta, 4)->number == 6);
	want(get(get(&head, 5), 1)->number == get(group, 3)->number);
	struct bytes in = { take(packed), packed, 0 };
	want((uint64_t)(at - start) - from == get(meta, 7)->number);
	want(get(meta, 6)->number == get(meta, 7)->number - packed + raw);
	uint8_t *out = pool_new(pool, uint8_t, raw + 1);
	want(unpack_zstd(in, out, raw, &err) == HC_OK);
	at = out;
	end = out + raw;
}

static uint64_t *column(struct pool *pool, const struct value *group,
			const char *name)
{
	uint64_t n = get(group, 3)->number;
	uint64_t *v = calloc(n + 1, 8);
	page(pool, group, column_of(name));
	for (uint64_t i = 0; i < n; i++)
		v[i] = number(8);
	want(at == end);
	return v;
}

// read_parquet adds up objects (or types, which has names) of one file.
void read_parquet(struct pool *pool)
{
	parquet_open();
	const struct value *groups = get(&footer, 4);
	bool types = get(&footer, 2)->n == 6;
	uint64_t rows = 0;
	for (uint64_t g = 0; g < groups->n; g++) {
		const struct value *group = &groups->child[g];
		uint64_t n = get(group, 3)->number;
		uint64_t *bytes = column(pool, group, types ? "bytes" : "size");
		uint64_t *counts = types ? column(pool, group, "objects") :
					   NULL;
		if (types)
			page(pool, group, column_of("name"));
		for (uint64_t i = 0; i < n; i++) {
			uint64_t len = types ? number(4) : 3;
			const void *name = types ? (const void *)take(len) :
						   "all";
			count(row_of(copy(name, len)),
			      types ? counts[i] : 1, bytes[i]);
		}
		rows += n;
	}
	want(rows == get(&footer, 3)->number);
	print(types);
}
