// graph_json.c: the graph in JSON: nodes, roots, edges.
#include "cli/graph.h"

#include <string.h>

static void begin(struct graph *g)
{
	json_begin(&g->json, g->out);
	if (g->note)
		json_text(&g->json, "note", g->note);
}

static void section(struct graph *g, const char *name)
{
	if (strcmp(name, "nodes") != 0)
		json_close(&g->json, ']');
	json_open(&g->json, name, '[');
}

static void node(struct graph *g, taddr at, uint64_t size, const char *type)
{
	json_open(&g->json, NULL, '{');
	json_addr(&g->json, "address", at);
	json_u64(&g->json, "size", size);
	json_text(&g->json, "type", type);
	json_close(&g->json, '}');
}

static void root(struct graph *g, const struct heap_root *from,
		 const struct heap_root_text *text, taddr to)
{
	struct json *j = &g->json;
	json_open(j, NULL, '{');
	json_text(j, "kind",
		  heap_root_kind_name((enum heap_root_kind)from->kind));
	json_text(j, "name", text->name);
	json_text(j, "owner", text->owner);
	json_text(j, "function", text->function);
	if (from->at)
		json_addr(j, "address", from->at);
	else
		json_null(j, "address");
	json_addr(j, "to", to);
	json_close(j, '}');
}

static void edge(struct graph *g, taddr from, uint64_t offset,
		 const char *field, taddr to)
{
	json_open(&g->json, NULL, '{');
	json_addr(&g->json, "from", from);
	json_u64(&g->json, "offset", offset);
	json_text(&g->json, "field", field);
	json_addr(&g->json, "to", to);
	json_close(&g->json, '}');
}

static void end(struct graph *g)
{
	json_close(&g->json, ']');
	json_end(&g->json);
}

const struct graph_format graph_json = { "json", begin, section, node,
					 root,   edge,  end };
