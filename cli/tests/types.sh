#!/bin/sh
# types.sh: types, globals, objects by type and what holds a type agree with
# each other and with what the program said of its objects.
. "${0%/*}/lib.sh"
if ! unpack_demo; then
	skip 'types' 'no core of Go 1.26 in testdata'
	finish
fi
CORE='core.demo exe'
TRUTH=$DEMO/heap.truth

# sum FILE ARRAY KEY: the sum of a key over an array.
sum() {
	"$JSON" each "$1" "$2" "$3" | awk '{ s += $1 } END { printf "%d", s }'
}

# said SET: how many objects the program made for a set, and of which type.
said() { sed -n "/\"set\":\"$1\",/s/.*\"addresses\":\[\([^]]*\).*/\1/p" \
	"$TRUTH" | tr ',' '\n' | grep -c 0x; }
said_type() { sed -n "/\"set\":\"$1\",/s/.*\"type\":\"\([^\"]*\)\".*/\1/p" \
	"$TRUTH"; }

"$HEAPCORE" stats -q --json $CORE >stats.json
claim 'types: valid, with live objects as stats has them' sh -c '
	"$HEAPCORE" types -q --json core.demo exe >types.json &&
	for key in live_objects live_bytes; do
		[ "$("$1" get types.json $key)" = \
			"$("$1" get stats.json heap.$key)" ] || exit 1
	done' - "$JSON"
claim 'types add up to them' test \
	"$(sum types.json types count) $(sum types.json types bytes)" = \
	"$("$JSON" get stats.json heap.live_objects) $("$JSON" get stats.json \
	heap.live_bytes)"
claim 'no type is listed twice' sh -c '
	"$1" each types.json types type >names
	[ -s names ] && ! sort names | uniq -d | grep .' - "$JSON"
for by in package size; do
	claim "--by $by adds up too" sh -c '
		"$HEAPCORE" types -q --json --by $2 core.demo exe >by.json &&
		[ "$("$1" each by.json $2s bytes | awk "{ s += \$1 }
			END { printf \"%d\", s }")" = \
			"$("$1" get stats.json heap.live_bytes)" ]' \
		- "$JSON" $by
done
claim 'histogram and histo are the same command' sh -c '
	for c in histogram histo; do
		"$HEAPCORE" $c -q --json core.demo exe | cmp - types.json || exit 1
	done'
claim 'one thread and eight give the same types' sh -c '
	for j in 1 8; do
		"$HEAPCORE" objects --json -q -j $j core.demo exe >objects.$j ||
			exit 1
	done
	[ -s objects.1 ] && cmp objects.1 objects.8'
claim '--min-size leaves small ones out' sh -c '
	"$HEAPCORE" types -q --json --by size --min-size 1k core.demo exe >out
	"$1" each out sizes size >sizes
	[ -s sizes ] && ! awk "\$1 < 1024" sizes | grep .' - "$JSON"
claim '-n cuts, and says how much is left out' \
	shows '^… [0-9,]+ more of [0-9,]+ objects, ' types -n 3 $CORE
claim 'stats --types has the first ones' sh -c '
	"$HEAPCORE" stats -q --types -n 5 --json core.demo exe >out &&
	"$1" each out types type >a && head -n 5 names | cmp - a' - "$JSON"
claim 'stats alone has none' sh -c '
	! "$1" keys stats.json | grep -qx types' - "$JSON"

for set in 'map value' 'channel buffer' 'list of stack objects' 'global'; do
	type=$(said_type "$set")
	n=$(said "$set")
	claim "as many $type as the program made" sh -c '
		"$HEAPCORE" types -q --json --type "^$2\$" core.demo exe >out
		[ "$("$1" each out types count)" = "$3" ]' - "$JSON" "$type" "$n"
	claim "objects --type lists them" sh -c '
		"$HEAPCORE" objects -q --json --type "^$1\$" core.demo exe |
			sed "s/.*\"\(0x[0-9a-f]*\)\", \"size\".*/\1/" |
			sort >got
		sed -n "/\"set\":\"$2\",/p" "$3" | grep -o "0x[0-9a-f]*" |
			sort | diff - got' - "$type" "$set" "$TRUTH"
	claim "reachable --type has them all" sh -c '
		"$HEAPCORE" reachable -q --json --type "^$2\$" core.demo exe \
			>out && "$1" valid out &&
		[ "$("$1" get out count)" = "$3" ]' - "$JSON" "$type" "$n"
	claim "... each below the root that holds it" sh -c '
		while read -r at; do
			"$HEAPCORE" reachable -q --json $at core.demo exe >p &&
			echo "$("$1" get p paths.0.root.kind)" \
				"$("$1" get p paths.0.root.name)"
		done <got | sed "s/0x[0-9a-f]*/0x…/g" | sort | uniq -c |
			awk "{ print \$1 }" | sort >want
		"$1" each out holders root >roots
		"$1" each out holders count | paste - roots |
			awk -F "\t" "\$2 != \"-\" { print \$1 }" | sort |
			diff want -' - "$JSON"
done
claim 'reachable --type of no live object: no' \
	exits 1 reachable --type '^no such type$' $CORE
claim '... nor of garbage' exits 1 reachable --type '^main.tGarbage$' $CORE
claim 'reachable --type for people: root, field, type' \
	shows 'global main.gMap$' reachable --type '^main.tMapValue$' $CORE

claim 'globals: valid JSON' sh -c '
	"$HEAPCORE" globals -q --json core.demo exe >globals.json &&
	"$1" valid globals.json' - "$JSON"
claim 'globals come in address order, each once' sh -c '
	"$1" each globals.json globals address | sed "s/^0x/0000000000000000/
		s/.*\(................\)$/\1/" >order
	[ -s order ] && sort -c order' - "$JSON"
claim 'globals --type' shows ' main.gMap  map\[string\]\*main.tMapValue$' \
	globals --type '^map\[string\]' $CORE
claim 'a path names variable, key and types' \
	shows '\[2\]map.group\[string\]\*main.tMapValue  \["one"\]$' reachable \
	"$(sed -n '/"set":"map value"/s/.*addresses":\["\([^"]*\).*/\1/p' \
		"$TRUTH")" $CORE

at=$(head -n 1 got)
claim 'object: what it is, in words' \
	shows "^$at: main.tGlobal, [0-9]+ B, live\$" object "$at" $CORE
claim '... of an address inside' \
	shows "is byte 0x8 of it, \\.[A-Za-z]+\$" object \
	"$(printf '0x%x' $((at + 8)))" $CORE
claim 'object of no object: no' exits 1 object 0x10 $CORE
claim '... in words' grep -q 'is in no object of the heap' out
claim '... as JSON' sh -c '
	"$HEAPCORE" object -q --json 0x10 core.demo exe >out
	[ $? = 1 ] && [ "$("$1" get out address)" = null ]' - "$JSON"
claim 'a stripped program has types too' sh -c '
	strip -s exe -o exe.stripped 2>/dev/null || exit 0
	"$HEAPCORE" types -q --json core.demo exe.stripped >out &&
	"$1" each out types type | grep -qx main.tIface' - "$JSON"
for c in types 'types --by package' globals "object $at" \
		'reachable --type main' 'objgraph --by type'; do
	claim "$c: two runs print the same" sh -c '
		"$HEAPCORE" $1 core.demo exe >a 2>/dev/null
		"$HEAPCORE" $1 core.demo exe -j 1 >b 2>/dev/null
		[ -s a ] && cmp a b' - "$c"
done
finish
