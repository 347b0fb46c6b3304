// suspectpools.c: what sync.Pools hold: objects that nobody uses, until two
// collections have passed without them.
#include "libheap/go/suspects/suspects.h"

#include <string.h>

// struct go_pools sums up the arrays that pools keep their objects in.
struct go_pools {
	uint64_t arrays, bytes, most;
	struct heap_ref largest;
};

// is_pool says whether objects of a type are such an array: sync.Pool's local
// and victim. Source: sync/pool.go (1.18–1.27).
static bool is_pool(struct go_look *look, go_typeid type, bool array)
{
	char *mark = pool_mark(&look->pool);
	bool is = go_look_keeps(look) && type && array &&
		  strcmp(go_type_name(look->types, type, &look->pool),
			 "sync.poolLocal") == 0;
	pool_rewind(&look->pool, mark);
	return is;
}

static void add_pool(struct go_look *look, const struct go_object *o)
{
	struct go_pools *pools = look->pools;
	uint64_t bytes = go_look_kept(look, o->ref);
	pools->arrays++;
	go_look_add(look, &pools->bytes, bytes);
	if (bytes > pools->most) {
		pools->most = bytes;
		pools->largest = o->ref;
	}
}

const struct go_way go_way_pools = { is_pool, add_pool };

enum hc go_pools_open(struct go_look *look)
{
	look->pools = pool_new(&look->pool, struct go_pools, 1);
	return look->pools ? HC_OK : HC_NONE;
}

void go_look_pools(struct go_look *look)
{
	const struct go_pools *pools = look->pools;
	if (pools->bytes && pools->bytes >= look->least)
		go_look_say(look, "pool contents", pools->bytes,
			    pools->arrays, &pools->largest,
			    "sync.Pools hold what was put into them and not "
			    "taken again; it goes when two collections have "
			    "passed");
}
