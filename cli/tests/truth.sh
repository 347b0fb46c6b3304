#!/bin/sh
# truth.sh: what the program says of real cores is what the dead process and
# its runtime said of themselves (testdata/README.md).
. "${0%/*}/lib.sh"
command -v zstd >/dev/null || { skip 'what the runtime said' 'no zstd'; finish; }

# truth NAME FILE: a figure of the process's own memory statistics.
truth() {
	sed -n "/^{\"memstats\"/s/.*\"$1\":\([0-9]*\).*/\1/p" "$2"
}

# ours KEY NAME FILE: they are the same figure.
same_figure() {
	got=$("$JSON" get stats.json "heap.$1")
	want=$(truth "$2" "$3")
	echo "$1 $got, $2 $want"
	[ -n "$want" ] && [ "$got" = "$want" ]
}

one_heap() {
	dir=$1
	name=$(basename "$dir")
	zstd -qdf "$dir/heap.core.zst" -o c.core || return
	zstd -qdf "$dir/heap.objects.zst" -o said || return
	claim "$name: stats" exits 0 stats --json c.core exe
	cp out stats.json
	claim "$name: HeapAlloc" \
		same_figure heap_alloc_bytes HeapAlloc "$dir/heap.truth"
	claim "$name: HeapInuse" \
		same_figure heap_inuse_bytes HeapInuse "$dir/heap.truth"
	claim "$name: StackInuse" \
		same_figure stack_inuse_bytes StackInuse "$dir/heap.truth"
	claim "$name: objects" exits 0 objects --json c.core exe
	claim "$name: as many as HeapObjects" sh -c '
		[ "$("$1" lines out)" = "$2" ]' - "$JSON" \
		"$(truth HeapObjects "$dir/heap.truth")"
	sed 's/.*"0x\([0-9a-f]*\)", "size": \([0-9]*\).*/\1 \2/' out |
		sort >ours
	sort said >theirs
	claim "$name: each is in the runtime's heap dump, of that size" sh -c '
		[ -s ours ] && ! comm -23 ours theirs | grep .'
}

# functions FILE: those of the first goroutine of a Go traceback, without
# arguments; the traceback calls runtime.gopanic "panic".
functions() {
	awk '/^goroutine / { if (n++) exit; next }
		n && /^created by / { exit }
		n && /^[^\t].*\)$/ {
			sub(/\([^()]*(\{[^}]*\}[^()]*)*\)$/, "")
			sub(/^panic$/, "runtime.gopanic"); print
		}' "$1"
}

subsequence() {
	awk 'NR == FNR { want[++n] = $0; next }
		at < n && $0 == want[at + 1] { at++ }
		END { if (at < n) { print "not found: " want[at + 1]; exit 1 } }' \
		"$1" "$2"
}

one_death() {
	dir=$1 mode=$2
	name=$(basename "$dir")/$mode
	zstd -qdf "$dir/$mode.core.zst" -o c.core || return
	zstd -qdf "$dir/$mode.trace.zst" -o trace || return
	first=$(grep -E '^(panic|fatal error): ' trace | head -n 1)
	claim "$name: stats" exits 0 stats --json c.core exe
	claim "$name: the crash text is what it printed" test \
		"$("$JSON" get out crash)" = "$first"
	claim "$name: goroutines" exits 0 goroutines --json c.core exe
	claim "$name: the first goroutine is the one that died" test \
		"$("$JSON" get out goroutines.0.id)" = "$(sed -n \
		's/^goroutine \([0-9]*\) .*/\1/p' trace | head -n 1)"
	functions trace >want
	"$JSON" each out goroutines.0.frames function >got
	claim "$name: with the functions that it printed, in order" sh -c '
		[ -s want ]'
	claim "$name: ... all of them" subsequence want got
}

some=
for dir in "$TESTDATA"/cores/*/; do
	dir=${dir%/}
	zstd -qdf "$dir/exe.zst" -o exe 2>/dev/null || continue
	[ -f "$dir/heap.objects.zst" ] && some=1 && one_heap "$dir"
	for mode in panic error nil index fatal; do
		[ -f "$dir/states-$mode.trace.zst" ] &&
			one_death "$dir" states-$mode
	done
done
[ "$some" ] || skip 'what the runtime said' 'no cores in testdata'
finish
