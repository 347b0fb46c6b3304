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
	sum=$(sed -n "s/.*\"size\": \([0-9]*\), .*\"live\": true.*/\1/p" \
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
		grep -c "^	o[0-9a-f]* -> ")
	xml=$("$HEAPCORE" objgraph -q core.demo exe --format graphml |
		grep -c "key=\"offset\">")
	[ $json = $dot ] && [ $json = $xml ] && [ $json -gt 100 ]'
if command -v dot >/dev/null; then
	claim 'Graphviz reads the DOT' sh -c '"$HEAPCORE" objgraph -q \
		core.demo exe --full | dot -Tcanon >/dev/null'
else
	skip 'Graphviz reads the DOT' 'no dot'
fi

# Without the executable there are no functions: that is said once.
mkdir -p alone && ln -f core.demo alone/core.1
claim 'without the executable: one finding about functions' sh -c '
	cd alone && "$HEAPCORE" stats -q --json core.1 >../alone.json &&
	"$1" each ../alone.json findings kind | sort >../kinds
	[ "$(grep -c "^no functions$" ../kinds)" = 1 ]' - "$JSON"
claim '... none about each stack' sh -c '! grep "^bad stack$" kinds'
claim '... and stacks still keep objects alive' sh -c '
	[ $("$1" get alone.json heap.live_objects) -ge $(($("$1" get stats.json \
		heap.live_objects) * 9 / 10)) ]' - "$JSON"

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
for tool in gzip xz lz4; do
	if command -v $tool >/dev/null; then
		claim "a $tool core is the same core" sh -c '
			$2 -1 -c core.demo >packed 2>/dev/null &&
			"$HEAPCORE" stats --json packed exe >g.json 2>/dev/null &&
			grep -v "\"core\"" g.json >a &&
			grep -v "\"core\"" stats.json >b && cmp a b' - "$JSON" $tool
	else
		skip "a $tool core is the same core" "no $tool"
	fi
done
mkdir beside && cp exe beside/zoo && cp core.demo beside/core.1
claim 'the executable beside the core is found' exits 0 stats beside/core.1
claim '... and named' \
	grep -Eq '^heapcore: executable: beside/zoo \(found through' err
claim 'the newest core here, with its executable' sh -c '
	cd beside && "$HEAPCORE" stats --json 2>../err | grep -v "\"core\"" |
		grep -v "\"exe\"" >../a
	grep -v "\"core\"" ../stats.json | grep -v "\"exe\"" >../b
	cmp ../a ../b && grep -q "core: .*core.1 (the newest here)" ../err'
claim 'the executable from the environment' sh -c '
	HEAPCORE_EXE=exe "$HEAPCORE" stats core.demo 2>err >a &&
	grep -q "executable: exe (from .HEAPCORE_EXE)" err'
claim 'an executable that the environment names wrongly is refused' sh -c '
	HEAPCORE_EXE=/bin/sh "$HEAPCORE" stats core.demo 2>err >a
	[ $? = 3 ] && grep -q "does not match" err'
claim '--allow-mismatch goes on' exits 0 info --allow-mismatch core.demo \
	"$(readlink -f /bin/sh)"
claim 'too little memory for the heap is one line' sh -c '
	"$HEAPCORE" objects core.demo exe --memory-limit 1M >out 2>err
	[ $? = 3 ] && [ ! -s out ] && grep -q "memory limit" err'
# Without the program: no functions, so stacks are scanned word by word, but
# the heap's objects are the same, and the tree adds up to the same sums.
mkdir lone && cp core.demo lone/core.1
claim 'no executable: answered, with a finding' sh -c '
	cd lone && "$HEAPCORE" stats -q --json core.1 >../lone.json &&
	"$1" each ../lone.json findings kind | grep -qx "no executable"' - "$JSON"
claim 'no executable: every byte is accounted for' sh -c '
	for key in memory.bytes memory.saved_bytes heap.heap_alloc_bytes; do
		[ "$("$1" get lone.json $key)" = \
			"$("$1" get stats.json $key)" ] || exit 1
	done' - "$JSON"
claim 'no executable: the same objects' sh -c '
	"$HEAPCORE" objects -q --json core.demo exe |
		sed "s/.*\(\"address\": [^,]*, \"size\": [0-9]*\).*/\1/" >a &&
	cd lone && "$HEAPCORE" objects -q --json core.1 |
		sed "s/.*\(\"address\": [^,]*, \"size\": [0-9]*\).*/\1/" >../b
	cmp ../a ../b && [ -s ../a ]'
claim 'no executable: a line names what would help' sh -c '
	cd lone && "$HEAPCORE" goroutines core.1 2>&1 >/dev/null |
		grep -q "no executable found: name it with -e EXE"'

# The core is cut short by somebody else while it is being read: the answer
# waits in a pipe, then the file is truncated.
cp core.demo shrinks
at=$(head -n 1 objects.jsonl | cut -d'"' -f4)
if mkfifo slow; then
	"$HEAPCORE" read -q "$at" shrinks exe --len 2M >slow 2>err &
	pid=$!
	exec 3<slow
	sleep 1
	: >shrinks
	cat <&3 >drained
	exec 3<&-
	wait $pid
	rc=$?
	claim 'a core that shrinks while it is read ends in one line' sh -c '
		[ $1 = 3 ] && [ "$(wc -l <err)" = 1 ] &&
		grep -q "^heapcore: .*cut short" err' - $rc
else
	skip 'a core that shrinks while it is read' 'no named pipes here'
fi
if command -v script >/dev/null; then
	claim 'headings are bold on a terminal' sh -c '
		script -qec "\"$HEAPCORE\" stats core.demo exe" /dev/null \
			</dev/null | grep -q "$(printf "\033\\[1m")MEMORY"'
	claim '... not with NO_COLOR' sh -c '
		! NO_COLOR=1 script -qec "\"$HEAPCORE\" stats core.demo exe" \
			/dev/null </dev/null | grep -q "$(printf "\033\\[1m")"'
	claim '... nor with --no-color' sh -c '
		! script -qec "\"$HEAPCORE\" stats core.demo exe --no-color" \
			/dev/null </dev/null | grep -q "$(printf "\033\\[1m")"'
else
	skip 'headings are bold on a terminal' 'no script'
fi
claim 'no escape sequence reaches a pipe' sh -c '
	! "$HEAPCORE" stats core.demo exe 2>&1 | grep -q "$(printf "\033")"'
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
