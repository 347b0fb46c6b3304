// cmd_objgraph.c: `heapcore objgraph`: the object graph as a file.
#include "cli/commands.h"
#include "cli/graph_types.h"
#include "cli/types.h"

#include <stdio.h>
#include <string.h>

// Each step back is a pass over the heap.
#define DEPTH_BACK 5

// choose_format reads --format; --json alone means json.
static const struct graph_format *choose_format(const struct session *s)
{
	if (s->o.format && strcmp(s->o.format, "graphml") == 0)
		return &graph_graphml;
	if (s->o.format ? strcmp(s->o.format, "json") == 0 : s->o.json)
		return &graph_json;
	return &graph_dot;
}

static enum hc find_object(struct session *s, taddr at, struct heap_ref *ret)
{
	if (heap_find(s->heap, at, ret) == HC_OK)
		return HC_OK;
	return hc_fail(&s->err, HC_UNSUPPORTED, at,
		       "there is no object to draw");
}

// pick_near picks what --from and --to ask for; with both, what lies on the
// ways from the one to the other.
static enum hc pick_near(struct session *s, uint64_t max, uint64_t **ret,
			 bool *ret_cut)
{
	struct heap_ref object;
	uint64_t *from = NULL, *to = NULL;
	bool cut = false, both = option_given(&s->o, FROM) &&
				 option_given(&s->o, TO);
	bool deep = option_given(&s->o, DEPTH);
	if (both)
		max = UINT64_MAX; // of the way, not of each end
	if (option_given(&s->o, FROM)) {
		HC_TRY(find_object(s, s->o.from, &object));
		HC_TRY(graph_from(s, object, deep ? s->o.depth : UINT64_MAX,
				  max, &from, &cut));
	}
	if (option_given(&s->o, TO)) {
		HC_TRY(find_object(s, s->o.to, &object));
		HC_TRY(graph_to(s, object, deep ? s->o.depth : DEPTH_BACK,
				max, &to, &cut));
	}
	for (uint64_t i = 0; from && to && i < graph_words(s->heap); i++)
		from[i] &= to[i];
	*ret = from ? from : to;
	*ret_cut = cut;
	return HC_OK;
}

static enum hc draw_near(struct session *s, struct graph *g)
{
	uint64_t *pick;
	bool cut;
	uint64_t max = option_given(&s->o, TOP)	   ? s->o.top :
		       g->format == &graph_dot && !s->o.full ?
						     GRAPH_DRAWN_MAX :
						     UINT64_MAX;
	HC_TRY(pick_near(s, max, &pick, &cut));
	if (cut) {
		g->note = pool_printf(&s->pool, "only the %" PRIu64 " nearest "
				      "objects are drawn; --full draws all",
				      max);
		if (!s->o.quiet && g->note)
			complain("%s", g->note);
	}
	g->pick = pick;
	g->roots = option_given(&s->o, TO);
	return graph_write(g);
}

// draw_types draws the graph of types: of at most GRAPH_TYPES_MAX nodes as a
// drawing, else all, or as many as -n says.
static enum hc draw_types(struct session *s, const struct graph_format *format,
			  const char *note)
{
	struct type_graph g;
	bool by_package = s->o.by && strcmp(s->o.by, "package") == 0;
	uint64_t max = option_given(&s->o, TOP) ? s->o.top :
		       format == &graph_dot	? GRAPH_TYPES_MAX :
						  UINT32_MAX;
	HC_TRY(graph_types_find(s, by_package, max, &g));
	g.note = note;
	graph_types_write(&g, format);
	return HC_OK;
}

enum hc cmd_objgraph(struct session *s)
{
	struct graph g = { .s = s, .out = s->out, .roots = true };
	g.format = choose_format(s);
	HC_TRY(session_mark(s));
	if (s->o.by)
		return draw_types(s, g.format, NULL);
	HC_TRY(types_try(s));
	if (option_given(&s->o, FROM) || option_given(&s->o, TO))
		return draw_near(s, &g);
	g.pick = heap_live(s->heap);
	uint64_t n = graph_count(g.pick, graph_words(s->heap));
	if (g.format != &graph_dot || s->o.full || n <= GRAPH_DRAWN_MAX)
		return graph_write(&g);
	char note[160];
	snprintf(note, sizeof(note), "%s live objects are too many to draw: "
		 "one node stands for all of a type; --full draws each",
		 word_count(n).at);
	if (!s->o.quiet)
		complain("%s", note);
	return draw_types(s, g.format, note);
}
