// v8.c: V8's .heapsnapshot, which DevTools and memlab read.
//
// Source: chrome-devtools-frontend 1.0.1705227, HeapSnapshotLoader.ts and
// HeapSnapshot.ts; memlab 2.0.5, HeapParser: numbers are uint32, strings come
// last, node 0 is the root and has synthetic children only.
#include "libheap/dump/export.h"
#include "libheap/dump/wire.h"

#include <string.h>

#define N_FIELDS 7u
#define NODES_MAX (UINT32_MAX / N_FIELDS)
#define CLOSE_IDS (UINT64_C(1) << 34) // bytes of heap whose addresses are ids

enum { NODE_STRING = 2, NODE_OBJECT = 3, NODE_CLOSURE = 5, NODE_NATIVE = 8,
       NODE_SYNTHETIC = 9 };
enum { EDGE_CONTEXT = 0, EDGE_ELEMENT = 1, EDGE_PROPERTY = 2,
       EDGE_INTERNAL = 3 };

static const char meta[] =
	"{\"snapshot\":{\"meta\":{"
	"\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
	"\"edge_count\",\"trace_node_id\",\"detachedness\"],"
	"\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\","
	"\"closure\",\"regexp\",\"number\",\"native\",\"synthetic\","
	"\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\","
	"\"object shape\"],\"string\",\"number\",\"number\",\"number\","
	"\"number\",\"number\"],"
	"\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
	"\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\","
	"\"hidden\",\"shortcut\",\"weak\"],\"string_or_number\",\"node\"],"
	"\"trace_function_info_fields\":[\"function_id\",\"name\","
	"\"script_name\",\"script_id\",\"line\",\"column\"],"
	"\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\","
	"\"size\",\"children\"],"
	"\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"
	"\"location_fields\":[\"object_index\",\"script_id\",\"line\","
	"\"column\"]},\"node_count\":";

// struct piece is the rest of an object too large for a number of the format.
struct piece {
	uint64_t object, left;
};

// struct v8 is the file being written.
// Shape: nodes are heads, objects, pieces; of_type is the node type of each
//        type plus 1, 0 where not known yet; name the string of its class.
struct v8 {
	struct export *e;
	struct wire *w;
	uint32_t *count;
	struct { VEC(struct piece); } pieces;
	uint8_t *of_type;
	uint64_t *name;
	taddr base;
	bool close;   // ids are made of addresses
	bool first;   // of an array
	uint64_t next; // object whose edges come next
	uint64_t piece;
};

static void number(struct v8 *v, uint64_t n)
{
	if (!v->first)
		wire_u8(v->w, ',');
	v->first = false;
	wire_decimal(v->w, n);
}

static void node(struct v8 *v, unsigned type, uint64_t name, uint64_t id,
		 uint64_t size, uint64_t edges)
{
	if (!v->first)
		wire_u8(v->w, '\n');
	number(v, type);
	number(v, name);
	number(v, id);
	number(v, size);
	number(v, edges);
	number(v, 0);
	number(v, 0);
}

static void edge(struct v8 *v, unsigned type, uint64_t name, uint64_t to)
{
	if (!v->first)
		wire_u8(v->w, '\n');
	number(v, type);
	number(v, name);
	number(v, to * N_FIELDS);
}

// class_of finds how objects of a type are shown. A class that begins with
// '<' would be cut at its first blank.
static void class_of(struct v8 *v, uint32_t type)
{
	struct export *e = v->e;
	char *mark = pool_mark(e->names);
	const char *text = export_type(e, type);
	unsigned kind = NODE_OBJECT;
	if (strcmp(text, "unknown") == 0)
		kind = NODE_NATIVE;
	else if (strcmp(text, "string (data)") == 0)
		kind = NODE_STRING;
	else if (strncmp(text, "closure ", 8) == 0)
		kind = NODE_CLOSURE;
	if (text[0] == '<')
		text = pool_printf(e->names, "(%s)", text);
	v->of_type[type] = (uint8_t)(kind + 1);
	v->name[type] = strings_number(e->strings, text);
	pool_rewind(e->names, mark);
}

static void on_object(void *ctx, uint64_t n, struct heap_ref ref)
{
	struct v8 *v = ctx;
	struct export *e = v->e;
	uint32_t type = heap_type_of(e->heap, ref);
	uint64_t size = heap_ref_size(e->heap, ref);
	uint64_t edges = v->count[n];
	type = type < e->n_types ? type : 0;
	if (!v->of_type[type])
		class_of(v, type);
	uint64_t id = v->close ? ((heap_ref_at(e->heap, ref) - v->base) >> 3)
							 << 1 | 1 :
				 2 * n + 3;
	if (size > UINT32_MAX) {
		edges += (size - 1) / UINT32_MAX;
		size = UINT32_MAX;
	}
	node(v, v->of_type[type] - 1u, v->name[type], id, size, edges);
}

static unsigned head_type(const struct head *h)
{
	return h->kind >= HEAD_OWNER ? NODE_NATIVE : NODE_SYNTHETIC;
}

static void write_nodes(struct v8 *v)
{
	struct export *e = v->e;
	uint64_t more = strings_number(e->strings, "(more of the object)");
	wire_text(v->w, "\"nodes\":[");
	v->first = true;
	for (uint64_t i = 0; i < e->heads.n; i++) {
		const struct head *h = &e->heads.at[i];
		// A frame's bytes are of a stack: the heap's sum is of objects.
		node(v, head_type(h), h->name, i ? 2 * i : 1, 0, h->n_edges);
	}
	export_objects(e, on_object, v);
	for (uint64_t i = 0; i < v->pieces.n; i++)
		node(v, NODE_NATIVE, more, 2 * (e->heads.n + i),
		     v->pieces.at[i].left < UINT32_MAX ?
			     v->pieces.at[i].left :
			     UINT32_MAX,
		     0);
	wire_text(v->w, "],\n");
}

static void head_edges(struct v8 *v)
{
	struct export *e = v->e;
	for (uint64_t i = 0; i < e->heads.n; i++) {
		const struct head *h = &e->heads.at[i];
		for (uint64_t k = 0; k < h->n_edges; k++) {
			const struct head_edge *x =
				&e->edges.at[h->first_edge + k];
			unsigned type = x->name.is_index	? EDGE_ELEMENT :
					h->kind == HEAD_FRAME	? EDGE_CONTEXT :
					x->to < e->heads.n	? EDGE_INTERNAL :
								  EDGE_PROPERTY;
			edge(v, type, x->name.value, x->to);
		}
	}
}

// piece_edges writes the edges to the pieces of objects before `object`.
static void piece_edges(struct v8 *v, uint64_t object)
{
	struct export *e = v->e;
	while (v->piece < v->pieces.n &&
	       v->pieces.at[v->piece].object < object) {
		edge(v, EDGE_ELEMENT, v->piece,
		     e->heads.n + e->n_objects + v->piece);
		v->piece++;
	}
}

static void on_edge(void *ctx, const struct export_edge *x)
{
	struct v8 *v = ctx;
	piece_edges(v, x->from);
	struct word_name name = export_word(v->e, x->source, x->offset);
	edge(v, name.is_index ? EDGE_ELEMENT : EDGE_PROPERTY,
	     name.is_index && name.value > UINT32_MAX ? 0 : name.value,
	     v->e->heads.n + x->to);
}

static void write_edges(struct v8 *v)
{
	wire_text(v->w, "\"edges\":[");
	v->first = true;
	head_edges(v);
	export_edges(v->e, on_edge, v);
	piece_edges(v, UINT64_MAX);
	wire_text(v->w, "],\n");
}

// utf8_len returns the bytes of the well-formed character at text, or 0.
static unsigned utf8_len(const uint8_t *t)
{
	unsigned n = *t < 0x80 ? 1 : *t >= 0xc2 && *t < 0xe0 ? 2 :
		     (*t & 0xf0) == 0xe0 ? 3 : *t >= 0xf0 && *t < 0xf5 ? 4 : 0;
	for (unsigned i = 1; i < n; i++)
		if ((t[i] & 0xc0) != 0x80)
			return 0;
	if ((n == 3 && ((*t == 0xe0 && t[1] < 0xa0) ||
			(*t == 0xed && t[1] > 0x9f))) ||
	    (n == 4 && ((*t == 0xf0 && t[1] < 0x90) ||
			(*t == 0xf4 && t[1] > 0x8f))))
		return 0;
	return n;
}

static void write_string(struct wire *w, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	wire_u8(w, '"');
	for (const uint8_t *t = (const uint8_t *)text; *t;) {
		unsigned n = utf8_len(t);
		if (n == 0) {
			wire_text(w, "\xef\xbf\xbd");
			t++;
			continue;
		}
		if (*t < 0x20 || *t == 0x7f) {
			wire_text(w, "\\u00");
			wire_u8(w, (uint8_t)hex[*t >> 4]);
			wire_u8(w, (uint8_t)hex[*t & 15]);
			t++;
			continue;
		}
		if (*t == '"' || *t == '\\')
			wire_u8(w, '\\');
		wire_bytes(w, t, n);
		t += n;
	}
	wire_u8(w, '"');
}

static void write_strings(struct v8 *v)
{
	const struct strings *s = v->e->strings;
	wire_text(v->w, "\"trace_function_infos\":[],\n\"trace_tree\":[],\n"
			"\"samples\":[],\n\"locations\":[],\n\"strings\":[");
	for (uint64_t at = 1; at < s->n; at += strlen(s->at + at) + 1) {
		if (at > 1)
			wire_text(v->w, ",\n");
		write_string(v->w, s->at + at);
	}
	wire_text(v->w, "]}\n");
}

static void find_piece(void *ctx, uint64_t n, struct heap_ref ref)
{
	struct v8 *v = ctx;
	uint64_t size = heap_ref_size(v->e->heap, ref);
	while (size > UINT32_MAX && !v->e->nomem) {
		size -= UINT32_MAX;
		struct piece *p = vec_push(v->e->pool, &v->pieces);
		if (p)
			*p = (struct piece){ n, size };
		v->e->nomem |= !p;
	}
}

static enum hc write_all(struct v8 *v)
{
	uint64_t n_edges;
	struct export *e = v->e;
	HC_TRY(export_heads(e, true));
	HC_TRY(export_counts(e, &v->count, &n_edges));
	export_objects(e, find_piece, v);
	v->of_type = pool_new(e->pool, uint8_t, e->n_types + UINT64_C(1));
	v->name = pool_new(e->pool, uint64_t, e->n_types + UINT64_C(1));
	if (e->nomem || !v->of_type || !v->name)
		return hc_nomem(e->err);
	uint64_t n = e->heads.n + e->n_objects + v->pieces.n;
	if (n > NODES_MAX)
		return hc_fail(e->err, HC_LIMIT, 0,
			       "%" PRIu64 " nodes are more than the format can "
			       "number (%u)", n, NODES_MAX);
	wire_text(v->w, meta);
	wire_decimal(v->w, n);
	wire_text(v->w, ",\"edge_count\":");
	wire_decimal(v->w, e->edges.n + n_edges + v->pieces.n);
	wire_text(v->w, ",\"trace_function_count\":0},\n");
	write_nodes(v);
	write_edges(v);
	if (e->strings->failed)
		return hc_nomem(e->err);
	write_strings(v);
	return HC_OK;
}

enum hc dump_v8(struct heap *heap, const struct dump_sink *sink,
		struct pool *pool, struct pool *names, struct hc_err *err)
{
	struct export e;
	struct v8 v = { .e = &e };
	HC_TRY(export_open(heap, NULL, pool, names, &e, err));
	HC_TRY(wire_open(sink, pool, &v.w, err));
	if (e.n_regions > 0) {
		const struct heap_region *r = &e.regions[e.n_regions - 1];
		v.base = e.regions[0].base - 4096;
		v.close = r->base + r->slot * r->n_slots - v.base < CLOSE_IDS;
	}
	HC_TRY(write_all(&v));
	return wire_close(v.w, err);
}
