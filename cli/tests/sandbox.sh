#!/bin/sh
# sandbox.sh: the sandbox changes no answer, and is there while work is done.
set -u
. "$(dirname "$0")/lib.sh"

core=$TESTDATA/cores/1.26-amd64/heap.core.zst
exe=exe
zstd -qdf "$TESTDATA/cores/1.26-amd64/exe.zst" -o exe
chmod +x exe

same() {
	"$HEAPCORE" "$@" "$core" $exe >with 2>with.err || [ $? = 1 ]
	"$HEAPCORE" "$@" --no-sandbox "$core" $exe >without 2>without.err ||
		[ $? = 1 ]
	cmp with without && [ -s with ]
}

for c in stats info mappings goroutines types objects globals verify objgraph; do
	claim "$c: the same with and without" same $c
	claim "$c -v: with four threads, too" \
		"$HEAPCORE" $c -v -j 4 -o "$c.out" "$core" $exe
done

# The answer waits in a pipe that nobody reads yet.
mkfifo pipe
zstd -qdf "$core" -o plain.core
"$HEAPCORE" objects --json plain.core $exe >pipe &
pid=$!
exec 3<pipe
read -r line <&3
mode=$(sed -n 's/^Seccomp:[[:space:]]*//p' /proc/$pid/status 2>/dev/null)
case $BUILD in
*address* | *coverage* | *thread*)
	skip 'the filter is on' 'not in this build' ;;
*)
	if grep -q '^Seccomp:' /proc/self/status 2>/dev/null &&
		[ -n "$mode" ]; then
		claim 'the filter is on' [ "$mode" = 2 ]
	else
		skip 'the filter is on' 'this system does not say'
	fi ;;
esac
exec 3<&-
wait $pid 2>/dev/null
finish
