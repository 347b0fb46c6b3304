#!/bin/sh
# graph.sh: parts of the object graph are what a search through the whole of
# it gives, and every format is well formed.
. "${0%/*}/lib.sh"
if ! unpack_demo; then
	skip 'the object graph' 'no core of Go 1.26 in testdata'
	finish
fi
GRAPH="$HEAPCORE objgraph -q core.demo exe"
$GRAPH --json >whole
# "from to" of every edge, and every node, of the whole graph
sed -n 's/.*"from": "\([^"]*\)".*"to": "\([^"]*\)".*/\1 \2/p' whole >edges
nodes() { sed -n 's/^ *{"address": "\([^"]*\)", "size".*/\1/p' "$1" | sort; }
nodes whole >nodes.all

# near START DEPTH: breadth first in awk over "from to" on standard input.
near() {
	awk -v start="$1" -v depth="$2" '
		{ next_of[$1] = next_of[$1] " " $2 }
		END {
			found[start]; level = start
			while (depth-- > 0 && level != "") {
				n = split(level, now, " "); level = ""
				for (i = 1; i <= n; i++) {
					m = split(next_of[now[i]], to, " ")
					for (k = 1; k <= m; k++) {
						if (to[k] in found) continue
						found[to[k]]
						level = level " " to[k]
					}
				}
			}
			for (f in found) print f
		}' | sort
}
back() { awk '{ print $2, $1 }' edges; }

# some objects with many ways on, and some with many ways back
cut -d' ' -f1 edges | sort | uniq -c | sort -rn | awk 'NR % 9 == 1 { print $2 }' |
	head -n 6 >heads
cut -d' ' -f2 edges | sort | uniq -c | sort -rn | awk 'NR % 9 == 1 { print $2 }' |
	head -n 6 >tails

from_is() {
	near "$1" "$2" <edges >want
	$GRAPH --from "$1" --depth "$2" --json >out && "$JSON" valid out &&
		nodes out >got && diff want got
}
to_is() {
	back | near "$1" "$2" >want
	$GRAPH --to "$1" --depth "$2" --json >out && "$JSON" valid out &&
		nodes out >got && diff want got
}
between_is() {
	near "$1" 4 <edges >a
	back | near "$2" 4 >b
	comm -12 a b >want
	$GRAPH --from "$1" --to "$2" --depth 4 --json >out &&
		nodes out >got && diff want got
}
while read -r at; do
	claim "--from $at, three steps" from_is "$at" 3
	claim "--from $at, all steps" sh -c '
		'"$GRAPH"' --from $0 --json >all && '"$GRAPH"' --from $0 \
			--depth 100000 --json | cmp - all' "$at"
done <heads
while read -r at; do
	claim "--to $at, two steps" to_is "$at" 2
done <tails
claim 'from one to the other: what is on the ways' \
	between_is "$(head -n 1 heads)" "$(near "$(head -n 1 heads)" 3 <edges |
		tail -n 1)"
claim 'every edge is between nodes' sh -c '
	tr " " "\n" <edges | sort -u | comm -13 nodes.all - | grep . && exit 1
	exit 0'
claim 'every root leads to a node' sh -c '
	sed -n "s/.*\"kind\".*\"to\": \"\([^\"]*\)\".*/\1/p" whole | sort -u >r
	[ -s r ] && ! comm -13 nodes.all r | grep .'
claim 'no object to start from is an error' exits 3 objgraph --from 0x10 \
	core.demo exe
claim '... that says so' grep -q 'no object' err
$GRAPH --full >whole.dot
claim 'DOT opens and closes' sh -c '
	head -n 1 whole.dot | grep -qx "digraph heap {" &&
	tail -n 1 whole.dot | grep -qx "}"'
claim 'DOT has nothing that is not a statement' sh -c '
	! sed "1d;\$d" whole.dot | grep -Ev \
	"^	(node \[|o[0-9a-f]+ \[label=\"|r[0-9]+ \[shape=|[or][0-9a-f]+ -> o[0-9a-f]+).*;\$"'
$GRAPH --format graphml >whole.xml
claim 'GraphML opens and closes what it opens' sh -c '
	for tag in graphml graph node edge data; do
		[ "$(grep -o "<$tag[ >]" whole.xml | wc -l)" = "$(($(grep -o \
		"</$tag>" whole.xml | wc -l) + $(grep -c "<$tag [^>]*/>" \
		whole.xml)))" ] || { echo $tag; exit 1; }
	done'
# A larger heap, as one node for all objects of a type.
if zstd -qdf "$DEMO/gc-mark.core.zst" -o core.demo 2>/dev/null; then
	claim 'over 2,000 objects: a note on standard error' \
		exits 0 objgraph core.demo exe
	claim '... with how many there are' grep -Eq \
		'^heapcore: [0-9,]+ live objects are too many to draw: ' err
	cp out grouped
	claim '... and in the file' grep -Eq '// [0-9,]+ live objects' grouped
	"$HEAPCORE" stats -q --json core.demo exe >stats.json
	claim '... whose nodes stand for every live object' sh -c '
		n=$(sed "s/,\([0-9]\)/\1/g" grouped |
			sed -n "s/.*n\([0-9]*\) objects.*/\1/p" |
			awk "{ s += \$1 } END { print s }")
		[ "$n" = "$("$1" get stats.json heap.live_objects)" ]' - "$JSON"
	claim '... and whose edges for every edge' sh -c '
		n=$(tr -d , <grouped | sed -n \
			"s/.*t[0-9]* -> t.*label=.\([0-9]*\).*/\1/p" |
			awk "{ s += \$1 } END { print s }")
		[ "$n" = "$('"$GRAPH"' --json | grep -c "\"offset\"")" ]'
	claim '--by type has the counts of types' sh -c '
		'"$GRAPH"' --by type --json >by.json && "$1" valid by.json &&
		"$HEAPCORE" types -q core.demo exe --json >types.json &&
		for key in type count bytes; do
			"$1" each by.json nodes $key >a
			"$1" each types.json types $key >b
			cmp a b || exit 1
		done' - "$JSON"
	claim '--by type: every root, and every edge' sh -c '
		sum() { "$JSON" each by.json "$1" count | awk "{ s += \$1 }
			END { print s }"; }
		'"$GRAPH"' --json >each.json
		[ "$(sum edges)" = "$("$JSON" get each.json edges)" ] &&
		[ "$(sum roots)" = "$("$JSON" get each.json roots)" ]'
	claim '--by package adds types up' sh -c '
		'"$GRAPH"' --by package --json >by.json &&
		"$HEAPCORE" types -q --by package core.demo exe --json \
			>types.json &&
		"$1" each by.json nodes bytes >a &&
		"$1" each types.json packages bytes | cmp - a' - "$JSON"
	claim '--by type as GraphML has as many nodes' sh -c '
		[ "$('"$GRAPH"' --by type --format graphml |
			grep -c "<data key=\"kind\">type<")" = \
			"$("$HEAPCORE" types -q core.demo exe --json |
			grep -c "\"type\"")" ]'
	claim '--full draws each' sh -c '
		[ "$('"$GRAPH"' --full | grep -c "^	o[0-9a-f]* \[")" = \
			"$("$1" get stats.json heap.live_objects)" ]' - "$JSON"
	claim 'of a part no more than 2,000 are drawn, the nearest' sh -c '
		at=$('"$GRAPH"' --json | sed -n "s/.*\"from\": \"\([^\"]*\).*/\1/p" |
			sort | uniq -c | sort -rn | awk "NR <= 15 { print \$2 }" |
			while read -r a; do
				n=$('"$GRAPH"' --from $a --json |
					grep -c "\"size\"")
				[ $n -gt 2000 ] && echo $a && break
			done)
		[ "$at" ] || { echo no such object; exit 1; }
		[ "$('"$GRAPH"' --from $at | grep -c "^	o[0-9a-f]* \[")" = 2000 ]'
else
	skip 'a larger heap' 'no such core'
fi
if command -v xmllint >/dev/null; then
	claim 'GraphML is XML' xmllint --noout whole.xml
else
	skip 'GraphML is XML' 'no xmllint'
fi
finish
