#!/bin/sh
# diffs.sh: diff and series on two cores of one process whose cache grew from
# 100 to 400 sessions.
. "${0%/*}/lib.sh"
export JSON
LEAK=$FIXTURES/1.26-amd64
[ -f "$LEAK/leak-1.core" ] || { skip 'diff' 'no cores'; finish; }
A=$LEAK/leak-1.core B=$LEAK/leak-2.core
"$HEAPCORE" dump -q "$A" "$LEAK/exe" -o a.heapcore
"$HEAPCORE" dump -q "$B" "$LEAK/exe" -o b.heapcore

# is KEY VALUE: what the JSON in out has there.
is() {
	"$JSON" get out "$1"
	[ "$("$JSON" get out "$1")" = "$2" ]
}

claim 'diff of two cores' exits 0 diff "$A" "$B" -e "$LEAK/exe" --json
claim 'valid JSON' "$JSON" valid out
cp out cores.json
claim 'the type that leaks is named first' is types.0.type main.session
claim 'there were as many before as the program said' is types.0.count_a 100
claim 'and as many after' is types.0.count_b 400
claim 'its holder is named first' sh -c '
	"$JSON" get out holders.0.name | grep -q "main\.gCache"'
REMEMBERS=$(grep -n '= &session{' "$TESTDATA/progs/zoo/gc.go" | sed 's/:.*//')
claim 'where it was allocated is named first' \
	is sites.0.stack.0.function 'main.(*cache).remember'
claim 'with the line' is sites.0.stack.0.line "$REMEMBERS"
claim 'and its caller' is sites.0.stack.1.function main.leakMode
claim 'sites are sorted by growth' sh -c '
	"$JSON" each out sites estimated_bytes_growth >n && sort -rnc n'
claim 'new and gone objects make the difference' sh -c '
	n=$("$JSON" get out new_objects) g=$("$JSON" get out gone_objects)
	a=$("$JSON" get out a.live_objects) b=$("$JSON" get out b.live_objects)
	[ $((b - a)) = $((n - g)) ]'
claim 'new and gone bytes, too' sh -c '
	n=$("$JSON" get out new_bytes) g=$("$JSON" get out gone_bytes)
	a=$("$JSON" get out a.live_bytes) b=$("$JSON" get out b.live_bytes)
	[ $((b - a)) = $((n - g)) ]'
claim 'diff of two dumps' exits 0 diff a.heapcore b.heapcore --json
claim 'says the same' sh -c '
	grep -v "\"core\":" cores.json >a && grep -v "\"core\":" out >b &&
	diff a b'
claim 'for people' shows '\+[0-9.]+ KB .* 100 +400 +main\.session' \
	diff -q a.heapcore b.heapcore
claim 'for people: where it was allocated' grep -Eq \
	"^ +\\+[0-9.]+ KB .*  main\\.\(\*cache\)\\.remember  .*gc\.go:$REMEMBERS$" out
claim 'a change above the threshold is a no' exits 1 diff -q --threshold 10 \
	a.heapcore b.heapcore
claim 'one below it is none' exits 0 diff -q --threshold 200 a.heapcore \
	b.heapcore
claim 'nothing changed' exits 0 diff -q --threshold 0 a.heapcore a.heapcore
claim 'and it says so' grep -q 'nothing changed' out
claim 'diff needs two' fails 2 'diff needs two files' diff
claim 'one heap is not two' fails 3 'a.heapcore: .*is one heap only' \
	diff a.heapcore
claim 'nor is a core' fails 3 '.*leak-1.core: .*is one heap only' diff "$A"
claim 'a file that is not there is named' fails 3 'gone.core: cannot read' \
	diff a.heapcore gone.core
claim 'series' exits 0 series -q --json a.heapcore b.heapcore b.heapcore
claim 'valid JSON' "$JSON" valid out
claim 'what never shrinks comes first' is types.0.never_shrinks true
claim 'a series for people' shows '\^ .* main\.session' series -q -n all \
	a.heapcore b.heapcore
claim 'what shrinks is not marked' sh -c '
	"$HEAPCORE" series -q -n all b.heapcore a.heapcore >out &&
	! grep -q "^^.*main\.session" out'
claim 'a series of as many files as a call may have' sh -c '
	for i in $(seq 62); do set -- "$@" a.heapcore; done
	"$HEAPCORE" series -q --json "$@" b.heapcore >out'
claim 'has them all' [ "$("$JSON" get out cores)" = 63 ]

# Executables are for all files, or for one each. A wrong one is refused.
OLD=$FIXTURES/1.25-amd64
if [ -f "$OLD/heap.core" ]; then
	claim 'executables in the order of the cores' exits 0 diff -q \
		"$LEAK/heap.core" "$OLD/heap.core" -e "$LEAK/exe" \
		--exe="$OLD/exe"
	claim 'the other way round the first is a wrong one' fails 3 \
		'.*1.26-amd64/heap.core: does not match' diff -q \
		"$LEAK/heap.core" "$OLD/heap.core" -e "$OLD/exe" \
		-e "$LEAK/exe"
	claim 'one for all is a wrong one for the second' fails 3 \
		'.*1.25-amd64/heap.core: does not match' diff -q \
		"$LEAK/heap.core" "$OLD/heap.core" -e "$LEAK/exe"
	claim 'in a series, too' exits 0 series -q -e "$OLD/exe" \
		"$OLD/heap.core" "$LEAK/heap.core" -e "$LEAK/exe" \
		"$OLD/heap.core" -e "$OLD/exe"
else
	skip 'executables in the order of the cores' 'no second core'
fi
claim 'more executables than files' fails 2 \
	'3 executables for 2 files: name one .*, or one for each' \
	diff a b -e 1 -e 2 -e 3
claim 'fewer executables than files' fails 2 \
	'2 executables for 3 files' series a b c -e 1 -e 2
claim 'two executables for one core' fails 2 \
	"EXE is named twice: '1' and '2'" stats core -e 1 -e 2
finish
