#!/bin/sh
# formats.sh: the same heap through every format has the same objects, bytes
# and types, as readers of our own and of others find them.
. "${0%/*}/lib.sh"
unpack_demo || { skip 'formats' 'no zstd or no cores'; finish; }
FORMATS=$BUILD/cli/tests/formats

# types_of_core: what `types` counts, in the form of the readers.
types_of_core() {
	"$HEAPCORE" types -q --json -n all core.demo exe >types.json &&
		sed 's/{"type":/\n&/g' types.json | sed -n \
'/"type":/s/.*"type": "\([^"]*\)".*"count": \([0-9]*\).*"bytes": \([0-9]*\).*/\2 \3 \1/p' |
		sort -k 3 >types.core
}

reads() {
	"$FORMATS" "$1" "$2" >read.out || { cat read.out; return 1; }
	head -n 1 read.out
	[ "$(head -n 1 read.out)" = "$(cat sums)" ]
}

same_types() {
	sed 1d read.out | sort -k 3 >types.read
	diff types.core types.read
}

"$HEAPCORE" stats -q --json core.demo exe >stats.json
echo "$("$JSON" get stats.json heap.live_objects) objects," \
	"$("$JSON" get stats.json heap.live_bytes) bytes" >sums
claim 'types of the core' types_of_core
claim 'a dump' exits 0 dump -q core.demo exe -o demo.heapcore
for f in v8 moar2 moar3 pprof go; do
	claim "$f: written" exits 0 dump -q --format $f core.demo exe -o x.$f
	claim "$f: as many objects and bytes" reads $f x.$f
	case $f in
	v8|moar?) claim "$f: the same types" same_types ;;
	esac
	claim "$f: the same from a dump" sh -c "
		\"\$HEAPCORE\" dump -q --format $f demo.heapcore -o y.$f &&
		cmp x.$f y.$f"
done
claim 'parquet: written' exits 0 dump -q --format parquet core.demo exe -o tables
claim 'parquet: as many objects and bytes' reads parquet \
	tables/objects-0000.parquet
claim 'parquet: the same in the table of types' reads parquet \
	tables/types.parquet
claim 'parquet: the same types' same_types
claim 'parquet: the same from a dump' sh -c '
	"$HEAPCORE" dump -q --format parquet demo.heapcore -o tables.2 &&
	diff -r tables tables.2'
claim 'parquet: a folder that exists is refused' fails 3 \
	'tables: cannot read: it exists already' \
	dump -q --format parquet core.demo exe -o tables
claim 'parquet: but replaced with -f' exits 0 dump -qf --format parquet \
	core.demo exe -o tables
claim 'parquet: nothing is left behind' sh -c '! ls -d tables.?????? 2>&-'
claim 'a format that is not known' fails 2 "--format 'x': it is one of" \
	dump --format x core.demo exe -o z

# Readers of others, where they are.
if command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q usage; then
	claim 'go tool pprof reads it whole' sh -c '
		go tool pprof -raw x.pprof >raw &&
		awk "/^Samples:/ { on = 1; next } /^Locations/ { on = 0 }
			on && /^ +[0-9]+ +[0-9]+:/ {
				n += \$1; sub(\":\", \"\", \$2); b += \$2 }
			END { printf \"%d objects, %d bytes\\n\", n, b }" raw |
			cmp - sums'
else
	skip 'go tool pprof' 'it is not here'
fi
if command -v node >/dev/null; then
	claim 'a JSON parser reads the V8 snapshot' node -e '
		const d = JSON.parse(require("fs").readFileSync("x.v8"));
		const f = d.snapshot.meta.node_fields.length;
		if (d.nodes.length !== f * d.snapshot.node_count) throw 1;
		if (d.edges.length !== 3 * d.snapshot.edge_count) throw 2;'
else
	skip 'a JSON parser' 'node is not here'
fi
finish
