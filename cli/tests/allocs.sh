#!/bin/sh
# allocs.sh: sites are those that the runtime printed of itself, and all their
# views add up to the same.
. "${0%/*}/lib.sh"
command -v zstd >/dev/null || { skip 'allocs' 'no zstd'; finish; }

# theirs FILE: a line a record: size, allocs, frees, then file:line of all
# frames but the innermost, whose line the runtime takes elsewhere.
theirs() {
	awk '/^[0-9]/ { if (line) print line; line = $0; n = 0; next }
		n++ { line = line " " $NF }
		END { if (line) print line }' "$1" | sort
}

# ours FILE: the same of the sites in JSON that are published.
ours() {
	awk 'function number(key) {
			match($0, "\"" key "\": [0-9]+")
			return substr($0, RSTART + length(key) + 4,
				RLENGTH - length(key) - 4)
		}
		/"stack": \[/ {
			line = number("size") " " number("alloc_objects") \
				" " number("free_objects")
			rest = $0
			n = 0
			while (match(rest,
				/"file": "[^"]*", "line": [0-9]+/)) {
				frame = substr(rest, RSTART + 9, RLENGTH - 9)
				rest = substr(rest, RSTART + RLENGTH)
				sub(/", "line": /, ":", frame)
				if (n++)
					line = line " " frame
			}
			print line
		}' "$1" | sort
}

# added COLUMN-KEY: the sum over the sites of ./all.json.
added() {
	"$JSON" each all.json sites "$1" | awk '{ n += $1 } END { print n + 0 }'
}

folded() {
	awk '{ n += $NF } END { print n + 0 }' "$1"
}

same() {
	echo "$1, $2"
	[ -n "$1" ] && [ "$1" = "$2" ]
}

one_core() {
	dir=$1 mode=$2 name=$(basename "$1")/$2
	zstd -qdf "$dir/$mode.core.zst" -o c.core 2>/dev/null || return
	claim "$name: JSON" exits 0 allocs --held --json c.core exe
	cp out all.json
	claim "$name: valid" "$JSON" valid all.json
	if zstd -qdf "$dir/$mode.memprof.zst" -o said 2>/dev/null; then
		theirs said >want
		ours all.json >got
		claim "$name: the runtime has records" test -s want
		claim "$name: each is a site, by size, counts, files and lines" \
			sh -c '! comm -23 want got | grep .'
		claim "$name: the rate that the program set" \
			same "$("$JSON" get all.json profiling)" 'rate 2048'
	fi
	claim "$name: folded" exits 0 allocs --folded c.core exe
	cp out folded
	claim "$name: all folded lines are the sites" \
		same "$(folded folded)" "$(added estimated_now_bytes)"
	claim "$name: for people" exits 0 allocs --bytes -n all c.core exe
	claim "$name: the tree has the same sum" same \
		"$(folded folded)" "$(sed -n '1s/ .*//p' out)"
	claim "$name: what is held are the live samples" same \
		"$("$JSON" each all.json held live_samples |
			awk '{ n += $1 } END { print n + 0 }')" \
		"$("$JSON" get all.json coverage.sampled_objects)"
	claim "$name: which are the sites' ones" same \
		"$(added live_samples)" \
		"$("$JSON" get all.json coverage.sampled_objects)"
}

some=
for dir in "$TESTDATA"/cores/*/; do
	dir=${dir%/}
	zstd -qdf "$dir/exe.zst" -o exe 2>/dev/null || continue
	one_core "$dir" heap && some=1
done
[ "$some" ] || { skip 'allocs' 'no cores in testdata'; finish; }

unpack_demo
claim 'a global holds what its builder allocated' sh -c '
	"$1" allocs --held -n all core.demo exe |
	grep -A1 "main\.buildGlobals .*\[160.0 KB\]" |
	grep -q "held by global main.gLarge"' - "$HEAPCORE"
claim 'frames of the runtime before the call are left out' sh -c '
	! "$1" allocs --folded core.demo exe |
	grep "main\..*;runtime\.mallocgc"' - "$HEAPCORE"
claim 'as many lines as asked for' sh -c '
	[ "$("$1" allocs -n 7 core.demo exe | grep -c " zoo/\| runtime/\|\[")" = 7 ]' \
	- "$HEAPCORE"
claim '-n in JSON: the largest' sh -c '
	"$1" allocs --json -n 1 core.demo exe >one &&
	[ "$("$2" each one sites size)" = 163840 ]' - "$HEAPCORE" "$JSON"
large=$("$HEAPCORE" objects --json --min-size 160K core.demo exe |
	sed -n 's/.*"address": "\([^"]*\)", "size": 163840.*/\1/p' | head -n 1)
claim 'a sampled object tells where it was allocated' sh -c '
	"$1" object "$2" core.demo exe | grep -A2 "^ALLOCATED AT" |
	grep -q "main\.buildGlobals  zoo/heap.go"' - "$HEAPCORE" "$large"
claim '... in JSON' sh -c '
	"$1" object --json "$2" core.demo exe >one && "$3" valid one &&
	"$3" each one allocated.stack function | grep -qx main.buildGlobals' \
	- "$HEAPCORE" "$large" "$JSON"
claim 'goroutines --folded has each goroutine once' sh -c '
	"$1" goroutines --folded core.demo exe | awk "{ n += \$NF } END { print n }" >n &&
	"$1" goroutines --json core.demo exe >all &&
	[ "$(cat n)" = "$("$2" get all goroutines)" ]' - "$HEAPCORE" "$JSON"
claim 'goroutines --folded --with' sh -c '
	"$1" goroutines --folded --with main.stackArray core.demo exe >f &&
	[ "$(wc -l <f)" = 1 ] && grep -q "main.stackArray" f' - "$HEAPCORE"
finish
