#!/bin/sh
# retained.sh: what is held adds up, and leaks are named.
. "${0%/*}/lib.sh"
command -v zstd >/dev/null || { skip 'retained' 'no zstd'; finish; }

# sum KEY: adds up the values of KEY in the list of holders in ./out.
sum() {
	"$JSON" each out holders "$1" | awk '{ n += $1 } END { print n + 0 }'
}

# adds_up TOTAL-KEYS...: holders of ./out against the sums of stats.json.
adds_up() {
	want=0
	for key in "$@"; do
		want=$((want + $("$JSON" get stats.json "heap.$key")))
	done
	got=$(sum retained_bytes)
	echo "holders: $got, stats: $want, total:" \
		"$("$JSON" get out total_bytes)"
	[ "$got" = "$want" ] && [ "$("$JSON" get out total_bytes)" = "$want" ]
}

one_core() {
	name=$(basename "$1")/$2
	zstd -qdf "$1/$2.core.zst" -o c.core 2>/dev/null || return
	exits 0 stats --json c.core exe || return
	cp out stats.json
	claim "$name: retained" exits 0 retained --json c.core exe
	claim "$name: valid" "$JSON" valid out
	claim "$name: holders keep all live bytes" adds_up live_bytes
	claim "$name: of garbage" exits 0 retained --garbage --json c.core exe
	claim "$name: dead bytes have their holders too" \
		adds_up garbage_bytes unswept_bytes
}

some=
for dir in "$TESTDATA"/cores/*/; do
	dir=${dir%/}
	zstd -qdf "$dir/exe.zst" -o exe 2>/dev/null || continue
	for mode in dirty heap gc-mark gc-sweep states-abrt; do
		[ -f "$dir/$mode.core.zst" ] || continue
		one_core "$dir" $mode
		some=1
	done
done
[ "$some" ] || { skip 'retained' 'no cores in testdata'; finish; }

LEAK=$TESTDATA/cores/1.26-amd64
zstd -qdf "$LEAK/leak-2.core.zst" -o leak.core
zstd -qdf "$LEAK/exe.zst" -o exe
claim 'the leaking variable holds most' sh -c '
	"$1" retained -n 1 leak.core exe | grep -q "global .*main\.gCache$"' \
	- "$HEAPCORE"
claim 'below it is the map that grows' shows 'map\[int\]\*main\.session' \
	retained -n 5 leak.core exe
exits 0 retained --by type --json leak.core exe
claim 'the sessions that the program counted' sh -c '
	"$1" each out holders name >names && "$1" each out holders count >counts &&
	paste -d" " counts names | grep -qx "400 main.session"' - "$JSON"
for by in type package goroutine global; do
	claim "--by $by" exits 0 retained --by $by --json leak.core exe
	claim "--by $by: valid" "$JSON" valid out
	claim "--by $by for people" exits 0 retained --by $by leak.core exe
done
claim 'no other --by' fails 2 ".*one of type, package, goroutine, global" \
	retained --by size leak.core exe
exits 0 retained --json -n 1 leak.core exe
exits 0 retained --by global --json leak.core exe
object=$("$HEAPCORE" objects --type '^main.session$' --json -n 1 leak.core exe |
	sed 's/.*"address": "\([0-9a-fx]*\)".*/\1/')
claim '--of an object' exits 0 retained --of "$object" --json leak.core exe
claim '--of: valid' "$JSON" valid out
claim '--of: itself first' test "$("$JSON" get out of.object)" = "$object"
claim '--of: a variable at the top' sh -c '
	"$1" each out above kind | tail -n 1 | grep -qx global' - "$JSON"
claim '--of for people' shows 'retained by global .*main\.gCache' \
	retained --of "$object" leak.core exe
claim '--of what is none' fails 3 '.*unsupported.*no live object.*' \
	retained -q --of 0x10 leak.core exe
for command in types globals goroutines; do
	claim "$command --retained" exits 0 $command --retained --json \
		leak.core exe
	claim "$command --retained: valid" "$JSON" valid out
	claim "$command --retained has the key" grep -q '"retained_bytes"' out
	claim "$command --retained for people" exits 0 $command --retained \
		leak.core exe
done
"$HEAPCORE" retained --json -j 1 leak.core exe >one
"$HEAPCORE" retained --json -j 8 leak.core exe >eight
claim 'any number of threads finds the same' cmp one eight
finish
