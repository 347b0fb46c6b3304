// graph_types_out.c: the graph of types in DOT, JSON and GraphML.
#include "cli/graph_types.h"

// each_root calls fn for every kind of root and node it leads to.
typedef void root_fn(const struct type_graph *g, void *ctx, unsigned kind,
		     uint32_t node, uint64_t count);
static void each_root(const struct type_graph *g, root_fn *fn, void *ctx)
{
	for (unsigned kind = 0; kind < HEAP_N_ROOT_KINDS; kind++) {
		for (uint32_t i = 0; i < g->n_nodes; i++) {
			uint64_t n = g->roots[i * HEAP_N_ROOT_KINDS + kind];
			if (n)
				fn(g, ctx, kind, i, n);
		}
	}
}

static const char *kind_name(unsigned kind)
{
	return heap_root_kind_name((enum heap_root_kind)kind);
}

static const char *node_name(const struct type_graph *g, uint32_t i)
{
	return *g->nodes[i].name ? g->nodes[i].name : "(of no package)";
}

// dot_root writes a root's node before its first edge.
static void dot_root(const struct type_graph *g, void *ctx, unsigned kind,
		     uint32_t node, uint64_t count)
{
	struct out *out = g->s->out;
	unsigned *last = ctx;
	if (*last != kind)
		out_printf(out, "\tr%u [shape=hexagon, label=\"%s\"];\n", kind,
			   kind_name(kind));
	*last = kind;
	out_printf(out, "\tr%u -> t%" PRIu32 " [label=\"%s\"];\n", kind, node,
		   word_count(count).at);
}

static void write_dot(const struct type_graph *g)
{
	struct out *out = g->s->out;
	unsigned none = HEAP_N_ROOT_KINDS;
	out_text(out, "digraph types {\n");
	if (g->note)
		out_printf(out, "\t// %s\n", g->note);
	out_text(out, "\tnode [shape=box, fontname=monospace];\n");
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct type_node *node = &g->nodes[i];
		out_printf(out, "\tt%" PRIu32 " [label=\"", i);
		out_escaped(out, ESCAPE_DOT, node_name(g, i));
		out_printf(out, "\\n%s objects\\n%s\"];\n",
			   word_count(node->count.objects).at,
			   word_size(node->count.bytes, out->exact).at);
	}
	each_root(g, dot_root, &none);
	for (uint64_t i = 0; i < g->n_edges; i++)
		out_printf(out, "\tt%" PRIu32 " -> t%" PRIu32
			   " [label=\"%s\"];\n", g->edges[i].from,
			   g->edges[i].to, word_count(g->edges[i].count).at);
	out_text(out, "}\n");
}

static void json_root(const struct type_graph *g, void *ctx, unsigned kind,
		      uint32_t node, uint64_t count)
{
	struct json *j = ctx;
	json_open(j, NULL, '{');
	json_text(j, "kind", kind_name(kind));
	json_text(j, "to", g->nodes[node].name);
	json_u64(j, "count", count);
	json_close(j, '}');
}

static void write_json(const struct type_graph *g)
{
	struct json j;
	json_begin(&j, g->s->out);
	json_open(&j, "nodes", '[');
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		json_open(&j, NULL, '{');
		json_text(&j, g->by_package ? "package" : "type",
			  g->nodes[i].name);
		json_u64(&j, "count", g->nodes[i].count.objects);
		json_u64(&j, "bytes", g->nodes[i].count.bytes);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "roots", '[');
	each_root(g, json_root, &j);
	json_close(&j, ']');
	json_open(&j, "edges", '[');
	for (uint64_t i = 0; i < g->n_edges; i++) {
		json_open(&j, NULL, '{');
		json_text(&j, "from", g->nodes[g->edges[i].from].name);
		json_text(&j, "to", g->nodes[g->edges[i].to].name);
		json_u64(&j, "count", g->edges[i].count);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_end(&j);
}

static void xml_root(const struct type_graph *g, void *ctx, unsigned kind,
		     uint32_t node, uint64_t count)
{
	struct out *out = g->s->out;
	unsigned *last = ctx;
	if (*last != kind)
		out_printf(out, "<node id=\"r%u\"><data key=\"kind\">%s</data>"
			   "</node>\n", kind, kind_name(kind));
	*last = kind;
	out_printf(out, "<edge source=\"r%u\" target=\"t%" PRIu32 "\"><data "
		   "key=\"words\">%" PRIu64 "</data></edge>\n", kind, node,
		   count);
}

static void write_xml(const struct type_graph *g)
{
	struct out *out = g->s->out;
	unsigned none = HEAP_N_ROOT_KINDS;
	out_text(out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
		 "<key id=\"kind\" for=\"node\" attr.name=\"kind\" "
		 "attr.type=\"string\"/>\n"
		 "<key id=\"name\" for=\"node\" attr.name=\"name\" "
		 "attr.type=\"string\"/>\n"
		 "<key id=\"count\" for=\"node\" attr.name=\"count\" "
		 "attr.type=\"long\"/>\n"
		 "<key id=\"bytes\" for=\"node\" attr.name=\"bytes\" "
		 "attr.type=\"long\"/>\n"
		 "<key id=\"words\" for=\"edge\" attr.name=\"words\" "
		 "attr.type=\"long\"/>\n"
		 "<graph id=\"types\" edgedefault=\"directed\">\n");
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		out_printf(out, "<node id=\"t%" PRIu32 "\"><data key=\"kind\">"
			   "type</data><data key=\"name\">", i);
		out_escaped(out, ESCAPE_XML, node_name(g, i));
		out_printf(out, "</data><data key=\"count\">%" PRIu64 "</data>"
			   "<data key=\"bytes\">%" PRIu64 "</data></node>\n",
			   g->nodes[i].count.objects,
			   g->nodes[i].count.bytes);
	}
	each_root(g, xml_root, &none);
	for (uint64_t i = 0; i < g->n_edges; i++)
		out_printf(out, "<edge source=\"t%" PRIu32 "\" target=\"t%"
			   PRIu32 "\"><data key=\"words\">%" PRIu64
			   "</data></edge>\n", g->edges[i].from,
			   g->edges[i].to, g->edges[i].count);
	out_text(out, "</graph>\n</graphml>\n");
}

void graph_types_write(const struct type_graph *g,
		       const struct graph_format *format)
{
	if (format == &graph_json)
		write_json(g);
	else if (format == &graph_graphml)
		write_xml(g);
	else
		write_dot(g);
}
