#!/bin/sh
# paths.sh: why objects are alive, held against the core's own memory; and
# what is said of objects that are not.
. "${0%/*}/lib.sh"
WALK=$BUILD/cli/tests/walk

# sample N FILE: N lines of a file, spread evenly.
sample() {
	awk -v n="$1" '{ line[NR] = $0 }
		END { for (i = 0; i < n && i < NR; i++)
			print line[int(i * NR / (n < NR ? n : NR)) + 1] }' "$2"
}

# ask ADDRESS-FILE OPTION...: reachable of each, listed in asked.
ask() {
	file=$1
	shift
	: >asked
	while read -r at; do
		"$HEAPCORE" reachable -q "$at" core.demo exe --json "$@" \
			>"path.$at" 2>>err || return
		echo "$at path.$at" >>asked
	done <"$file"
}

# all_hold N ADDRESS-FILE OPTION...
all_hold() {
	n=$1
	shift
	ask "$@" || { cat err; return 1; }
	[ "$(wc -l <asked)" -ge "$n" ] || return
	"$WALK" core.demo exe objects <asked
}

no_path() {
	[ -s dead ] || { echo 'no dead objects'; return 1; }
	while read -r at; do
		exits 1 reachable "$at" --json core.demo exe || return
		[ "$("$JSON" get out live)" = false ] || return
		[ "$("$JSON" get out paths)" = 0 ] || return
		exits 1 reachable "$at" core.demo exe || return
		grep -Eq 'is garbage|is dead' out || return
	done <dead
}

if ! unpack_demo; then
	skip 'paths' 'no core of Go 1.26 in testdata'
	finish
fi
"$HEAPCORE" objects --json core.demo exe >objects 2>err
sed -n 's/.*"\(0x[0-9a-f]*\)".*true.*/\1/p' objects >live.all
sample 200 live.all >live
claim '200 live objects: each path is in memory, step by step' \
	all_hold 200 live
sample 40 live.all >few
claim 'so are five different paths' all_hold 40 few -n 5
claim 'so is one from every root' all_hold 40 few --all-roots
awk '{ printf "%s3\n", substr($1, 1, length($1) - 1) }' few >inside
claim 'an address inside an object means the object' all_hold 40 inside
claim 'no path is there twice' sh -c '
	while read -r at file; do
		sed -n "s/^ *{\"root\"/&/p" "$file" | sort | uniq -d | grep . &&
			exit 1
	done <asked
	exit 0'
claim 'for people: the object, a root, the steps' \
	shows 'is alive:$' reachable "$(head -n 1 live)" core.demo exe
claim 'an address in no object: no, and what it is' \
	exits 1 reachable 0x10 core.demo exe
claim '... in words' grep -q 'is in no object of the heap' out
claim '... as JSON' sh -c '
	"$HEAPCORE" reachable -q 0x10 core.demo exe --json >out
	[ $? = 1 ] && "$1" valid out && [ "$("$1" get out object)" = null ]' \
	- "$JSON"

# The core of a process that made garbage and died before it was collected.
if zstd -qdf "$DEMO/dirty.core.zst" -o core.demo 2>/dev/null; then
	"$HEAPCORE" objects --json --garbage core.demo exe >garbage 2>err
	sed -n 's/.*"\(0x[0-9a-f]*\)".*/\1/p' garbage >dead.all
	sample 50 dead.all >dead
	claim 'objects that nothing reaches: exit 1, no path' no_path
	claim 'objects --garbage lists just those' sh -c '
		[ "$(wc -l <garbage)" = "$("$HEAPCORE" objects --json core.demo \
			exe 2>/dev/null | grep -c "\"live\": false")" ]'
else
	skip 'objects that nothing reaches' 'no such core'
fi
finish
