// dot.c: the graph in DOT, for Graphviz.
#include "cli/graph.h"

static void begin(struct graph *g)
{
	out_text(g->out, "digraph heap {\n");
	if (g->note) {
		out_text(g->out, "\t// ");
		out_name(g->out, g->note);
		out_text(g->out, "\n");
	}
	out_text(g->out, "\tnode [shape=box, fontname=monospace];\n");
}

static void section(struct graph *g, const char *name)
{
	(void)g;
	(void)name;
}

static void node(struct graph *g, taddr at, uint64_t size, const char *type)
{
	out_printf(g->out, "\to%" PRIx64 " [label=\"", at);
	out_escaped(g->out, ESCAPE_DOT, type);
	out_printf(g->out, "\\n0x%" PRIx64 "\\n%s\"];\n", at,
		   word_size(size, g->out->exact).at);
}

static void root(struct graph *g, const struct heap_root *from,
		 const struct heap_root_text *text, taddr to)
{
	out_printf(g->out, "\tr%" PRIu64 " [shape=hexagon, label=\"%s\\n",
		   g->n_roots,
		   heap_root_kind_name((enum heap_root_kind)from->kind));
	out_escaped(g->out, ESCAPE_DOT, text->name);
	if (text->function) {
		out_text(g->out, "\\n");
		out_escaped(g->out, ESCAPE_DOT, text->function);
	}
	if (text->owner) {
		out_text(g->out, "\\n");
		out_escaped(g->out, ESCAPE_DOT, text->owner);
	}
	out_printf(g->out, "\"];\n\tr%" PRIu64 " -> o%" PRIx64 ";\n",
		   g->n_roots, to);
}

static void edge(struct graph *g, taddr from, uint64_t offset,
		 const char *field, taddr to)
{
	out_printf(g->out, "\to%" PRIx64 " -> o%" PRIx64 " [label=\"", from,
		   to);
	if (*field)
		out_escaped(g->out, ESCAPE_DOT, field);
	else
		out_printf(g->out, "+0x%" PRIx64, offset);
	out_text(g->out, "\"];\n");
}

static void end(struct graph *g)
{
	out_text(g->out, "}\n");
}

const struct graph_format graph_dot = { "dot", begin, section, node,
					root,  edge,  end };
