#!/bin/sh
# cores.sh: every command on a real core: valid JSON, sums that add up, the
# same answer twice, formats that agree, and what is left of a cut core.
. "${0%/*}/lib.sh"
if ! unpack_demo; then
	skip 'every command on a real core' 'no core of Go 1.26 in testdata'
	finish
fi
CORE='core.demo exe'

json_ok() {
	exits 0 "$@" --json || return
	"$JSON" valid out || return
	[ "$(head -n 3 out | tr -d ' \n')" = "{\"heapcore\":\"$VERSION\",\"schema\":1," ]
}
VERSION=$("$HEAPCORE" version | cut -d' ' -f2)

for c in stats info mappings goroutines objgraph; do
	claim "$c: valid JSON with the header first" json_ok $c $CORE
	cp out $c.json
done
claim 'goroutines --group: valid JSON' json_ok goroutines --group $CORE
cp out group.json
claim 'objects: valid JSON Lines' sh -c '
	"$HEAPCORE" objects --json core.demo exe >objects.jsonl 2>/dev/null &&
	"$1" lines objects.jsonl >n.objects' - "$JSON"
claim 'the tree adds up in both figures' "$JSON" sums stats.json
claim 'the root is every mapping, in the process' sh -c '
	[ "$("$1" spans mappings.json mappings start end)" = \
		"$("$1" get stats.json memory.bytes)" ]' - "$JSON"
claim 'the root is every mapping, in the core' sh -c '
	sum=0
	for n in $("$1" each mappings.json mappings saved_bytes); do
		sum=$((sum + n))
	done
	[ $sum = "$("$1" get stats.json memory.saved_bytes)" ]' - "$JSON"
claim 'live, garbage and unswept are the listed objects' sh -c '
	n=$(($("$1" get stats.json heap.live_objects) +
		$("$1" get stats.json heap.garbage_objects) +
		$("$1" get stats.json heap.unswept_objects)))
	[ $n = "$(cat n.objects)" ] && [ $n -gt 0 ]' - "$JSON"
claim 'live bytes are those of the live objects' sh -c '
	sum=$(sed -n "s/.*\"size\": \([0-9]*\), \"live\": true.*/\1/p" \
		objects.jsonl | awk "{ s += \$1 } END { printf \"%d\", s }")
	[ "$sum" = "$("$1" get stats.json heap.live_bytes)" ]' - "$JSON"
claim 'objects come in address order, each once' sh -c '
	sed "s/.*\"0x\([0-9a-f]*\)\".*/000000000000\1/;s/.*\(................\)$/\1/" \
		objects.jsonl >order && sort -cu order'
claim 'as many goroutines as stats counts' sh -c '
	[ "$("$1" get goroutines.json goroutines)" = \
		"$("$1" get stats.json goroutines)" ]' - "$JSON"
claim 'groups hold every goroutine once' sh -c '
	sum=0
	for n in $("$1" each group.json groups count); do sum=$((sum + n)); done
	[ $sum = "$("$1" get stats.json goroutines)" ]' - "$JSON"
claim 'the graph has every live object' sh -c '
	[ "$("$1" get objgraph.json nodes)" = \
		"$("$1" get stats.json heap.live_objects)" ]' - "$JSON"
claim 'DOT, JSON and GraphML have the same edges' sh -c '
	json=$(grep -c "\"offset\"" objgraph.json)
	dot=$("$HEAPCORE" objgraph -q core.demo exe --full |
		grep -c "label=\"+0x")
	xml=$("$HEAPCORE" objgraph -q core.demo exe --format graphml |
		grep -c "key=\"offset\">")
	[ $json = $dot ] && [ $json = $xml ] && [ $json -gt 100 ]'
if command -v dot >/dev/null; then
	claim 'Graphviz reads the DOT' sh -c '"$HEAPCORE" objgraph -q \
		core.demo exe --full | dot -Tcanon >/dev/null'
else
	skip 'Graphviz reads the DOT' 'no dot'
fi

# The same answer twice, and whatever wraps the core.
for c in stats info mappings goroutines 'goroutines --group' objects objgraph; do
	claim "$c: two runs print the same" sh -c '
		"$HEAPCORE" $1 core.demo exe >a 2>/dev/null
		"$HEAPCORE" $1 core.demo exe -j 1 >b 2>/dev/null; cmp a b' - "$c"
done
claim 'a zstd core is the same core' sh -c '
	"$HEAPCORE" stats --json "$1" exe >z.json 2>/dev/null &&
	grep -v "\"core\"" z.json >a && grep -v "\"core\"" stats.json >b &&
	cmp a b' - "$DEMO/heap.core.zst"
claim 'a core from a pipe is the same core' sh -c '
	"$HEAPCORE" stats --json - exe <core.demo >p.json 2>/dev/null &&
	grep -v "\"core\"" p.json >a && grep -v "\"core\"" stats.json >b &&
	cmp a b'
claim 'lists are cut for people, with the rest counted' \
	shows '^… [0-9,]+ more objects' objects $CORE
claim '-n cuts JSON too' sh -c '
	[ "$("$HEAPCORE" objects --json -n 7 core.demo exe | wc -l)" = 7 ]'
claim 'an object by size' sh -c '
	! "$HEAPCORE" objects --json --min-size 1k core.demo exe |
		grep -E "\"size\": [0-9]{1,3},"'
claim 'a wrong executable is refused' exits 3 stats core.demo "$(readlink -f /bin/sh)"
claim '... in one line' \
	grep -Eq '^heapcore: core.demo: does not match: ' err
finish
