#!/bin/sh
# cut.sh: a core cut at 25 points: a partial answer with a finding, or one
# clear line; never a crash, never more memory or time.
. "${0%/*}/lib.sh"
if ! unpack_demo; then
	skip 'cut cores' 'no core of Go 1.26 in testdata'
	finish
fi
len=$(wc -c <core.demo)

# partial COMMAND: exit 0 and the cut is named, or exit 3 and an error line.
partial() {
	run "$@" core.cut exe
	case $RC in
	0 | 1) grep -q 'truncated' out err ;;
	3) grep -q '^heapcore: core.cut: ' err ;;
	*) echo "exit $RC: heapcore $*"; cat err; return 1 ;;
	esac
}

i=0
while [ $i -lt 25 ]; do
	# from the last page backwards: the file ends in the middle of things
	head -c $((len * i / 25 + 64 + i * 13)) core.demo >core.cut
	for c in stats info mappings goroutines types globals; do
		claim "$c of $i/25 of a core" partial $c
	done
	claim "stats --json of $i/25 is whole and adds up" sh -c '
		"$HEAPCORE" stats --json core.cut exe >out 2>/dev/null
		"$1" valid out && "$1" sums out' - "$JSON"
	i=$((i + 1))
done
finish
