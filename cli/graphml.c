// graphml.c: the graph in GraphML, for yEd, Gephi, NetworkX.
//
// Source: GraphML 1.0, graphml.graphdrawing.org.
#include "cli/graph.h"

static void begin(struct graph *g)
{
	out_text(g->out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
	if (g->note) {
		out_text(g->out, "<desc>");
		out_escaped(g->out, ESCAPE_XML, g->note);
		out_text(g->out, "</desc>\n");
	}
	static const char *const keys[][3] = {
		{ "size", "node", "long" },     { "kind", "node", "string" },
		{ "name", "node", "string" },   { "owner", "node", "string" },
		{ "function", "node", "string" }, { "offset", "edge", "long" },
		{ "type", "node", "string" },   { "field", "edge", "string" },
	};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		out_printf(g->out, "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" "
			   "attr.type=\"%s\"/>\n", keys[i][0], keys[i][1],
			   keys[i][0], keys[i][2]);
	out_text(g->out, "<graph id=\"heap\" edgedefault=\"directed\">\n");
}

static void section(struct graph *g, const char *name)
{
	(void)g;
	(void)name;
}

static void data(struct graph *g, const char *key, const char *text)
{
	if (!text)
		return;
	out_printf(g->out, "<data key=\"%s\">", key);
	out_escaped(g->out, ESCAPE_XML, text);
	out_text(g->out, "</data>");
}

static void node(struct graph *g, taddr at, uint64_t size, const char *type)
{
	out_printf(g->out, "<node id=\"0x%" PRIx64 "\"><data key=\"kind\">"
		   "object</data><data key=\"size\">%" PRIu64 "</data>", at,
		   size);
	data(g, "type", type);
	out_text(g->out, "</node>\n");
}

static void root(struct graph *g, const struct heap_root *from,
		 const struct heap_root_text *text, taddr to)
{
	out_printf(g->out, "<node id=\"r%" PRIu64 "\">", g->n_roots);
	data(g, "kind", heap_root_kind_name((enum heap_root_kind)from->kind));
	data(g, "name", text->name);
	data(g, "owner", text->owner);
	data(g, "function", text->function);
	out_printf(g->out, "</node>\n<edge source=\"r%" PRIu64
		   "\" target=\"0x%" PRIx64 "\"/>\n", g->n_roots, to);
}

static void edge(struct graph *g, taddr from, uint64_t offset,
		 const char *field, taddr to)
{
	out_printf(g->out, "<edge source=\"0x%" PRIx64 "\" target=\"0x%" PRIx64
		   "\"><data key=\"offset\">%" PRIu64 "</data>", from, to,
		   offset);
	data(g, "field", *field ? field : NULL);
	out_text(g->out, "</edge>\n");
}

static void end(struct graph *g)
{
	out_text(g->out, "</graph>\n</graphml>\n");
}

const struct graph_format graph_graphml = { "graphml", begin, section, node,
					    root,      edge,  end };
