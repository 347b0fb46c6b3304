#!/bin/sh
# fixtures.sh: on a core of every version in testdata the answers hold
# together: sums, counts, objects the runtime knew, goroutines by group.
. "${0%/*}/lib.sh"
command -v zstd >/dev/null || { skip 'cores of every version' 'no zstd'; finish; }

# holds COMMAND-LINE: a test in its own shell with $JSON and $HEAPCORE.
holds() {
	JSON=$JSON sh -c "$1"
}

one_core() {
	dir=$1 mode=$2
	name=$(basename "$dir")/$mode
	zstd -qdf "$dir/$mode.core.zst" -o c.core 2>/dev/null || return
	claim "$name: stats" exits 0 stats --json c.core exe
	cp out stats.json
	claim "$name: the tree adds up" "$JSON" sums stats.json
	claim "$name: unattributed is under 2 % of what was saved" holds '
		all=$("$JSON" get stats.json memory.saved_bytes)
		rest=$(sed "s/{/\n/g" stats.json | sed -n \
			"s/.*\"unattributed\".*\"saved_bytes\": \([0-9]*\).*/\1/p")
		[ $((rest * 50)) -lt $all ]'
	claim "$name: objects" exits 0 objects --json c.core exe
	claim "$name: lists and sums are of the same objects" holds '
		n=$("$JSON" lines out) || exit 1
		[ $n = $(($("$JSON" get stats.json heap.live_objects) +
			$("$JSON" get stats.json heap.garbage_objects) +
			$("$JSON" get stats.json heap.unswept_objects))) ]'
	claim "$name: goroutines" exits 0 goroutines --json c.core exe
	claim "$name: valid, and as many as stats counts" holds '
		"$JSON" valid out &&
		[ "$("$JSON" get out goroutines)" = \
			"$("$JSON" get stats.json goroutines)" ]'
	claim "$name: info" exits 0 info --json c.core exe
	claim "$name: valid" "$JSON" valid out
}

some=
for dir in "$TESTDATA"/cores/*/; do
	dir=${dir%/}
	zstd -qdf "$dir/exe.zst" -o exe 2>/dev/null || continue
	for mode in heap states-abrt gc-mark; do
		[ -f "$dir/$mode.core.zst" ] || continue
		one_core "$dir" $mode
		some=1
	done
done
[ "$some" ] || skip 'cores of every version' 'no cores in testdata'
finish
