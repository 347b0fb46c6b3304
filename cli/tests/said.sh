#!/bin/sh
# said.sh: `object` of every object of every core is valid, and values, map
# entries, types and counts are what the dead process said of itself; of the
# stripped twin, wherever a type is known at all.
. "${0%/*}/lib.sh"
command -v zstd >/dev/null || { skip 'what programs said' 'no zstd'; finish; }
SAID=$BUILD/cli/tests/said

some=
for dir in "$TESTDATA"/cores/*/; do
	dir=${dir%/}
	name=$(basename "$dir")
	zstd -qdf "$dir/exe.zst" -o exe 2>/dev/null || continue
	rm -f exe.stripped
	for strip in strip llvm-strip; do
		[ -e exe.stripped ] ||
			$strip -s exe -o exe.stripped 2>/dev/null || :
	done
	for truth in "$dir"/*.truth; do
		mode=$(basename "$truth" .truth)
		zstd -qdf "$dir/$mode.core.zst" -o c.core 2>/dev/null ||
			continue
		some=1
		all=
		case $mode in
		maps*) grep -aq debug_info exe && all=all ;;
		esac
		claim "$name/$mode: objects are as the program said" \
			"$SAID" c.core exe "$truth" $all
		[ -e exe.stripped ] || continue
		claim "$name/$mode: so they are stripped" \
			"$SAID" c.core exe.stripped "$truth"
	done
done
[ "$some" ] || skip 'what programs said' 'no cores in testdata'
finish
