#!/bin/sh
# dumps.sh: a heap-dump file answers as its core does, holds no values, and
# shows every damage.
. "${0%/*}/lib.sh"
unpack_demo || { skip 'heap dumps' 'no zstd or no cores'; finish; }

# same COMMAND...: the JSON from x.heapcore is that from the core, but for the
# names of the files, fields, whose values are memory, and where objects were
# allocated; and so are the keys of maps, where a dump has only the slot.
same() {
	"$HEAPCORE" "$@" -q --json $core $exe >from.core 2>err
	want=$?
	"$HEAPCORE" "$@" -q --json x.heapcore >from.dump 2>>err
	got=$?
	for f in from.core from.dump; do
		sed -e '/^  "\(core\|exe\)": /d' -e '/^  "fields": \[\],/d' \
			-e '/^  "allocated": {$/,/^  },/d' \
			-e '/^  "fields": \[$/,/^  \],/d' \
			$f >$f.less
	done
	[ $want = $got ] || echo "exit $got, not $want"
	cat err
	awk 'BEGIN { field = "\"field\": \"([^\"\\\\]|\\\\.)*\"" }
		{
			if ((getline other <"from.dump.less") <= 0) exit 1
			mine = $0
			if (mine != other &&
			    other ~ /"field": "[^" ]*(slots|keys|elems)/) {
				gsub(field, "", mine)
				gsub(field, "", other)
			}
			if (mine != other) { print mine; print other; bad = 1 }
		}
		END { exit bad || (getline other <"from.dump.less") > 0 }' \
		from.core.less && [ $want = $got ]
}

# addresses: some objects of the core.
addresses() {
	"$HEAPCORE" objects -q --json "$core" "$exe" |
		sed -n 's/.*"address": "\(0x[0-9a-f]*\)".*/\1/p' |
		awk 'NR % 131 == 7' | head -n 3
}

one_dump() {
	core=$1 exe=$2 name=$3
	claim "$name: written" exits 0 dump -fq --values "$core" "$exe" \
		-o x.heapcore
	for command in stats info mappings goroutines 'goroutines --group' \
			types 'types --garbage' 'types --retained' objects \
			globals objgraph retained 'suspects --threshold 1' \
			allocs; do
		# shellcheck disable=SC2086 # words
		claim "$name: $command" same $command
	done
	for at in $(addresses); do
		claim "$name: reachable $at" same reachable "$at" --all-roots
		claim "$name: object $at" same object "$at"
	done
}

one_dump core.demo exe demo
for dir in "$FIXTURES"/*/; do
	dir=${dir%/}
	for mode in dirty states-abrt gc-mark; do
		[ -f "$dir/$mode.core" ] && [ -f "$dir/exe" ] &&
			one_dump "$dir/$mode.core" "$dir/exe" \
				"${dir##*/}/$mode"
	done
done

# What may be secret is only there when it is asked for.
claim 'no values: written' exits 0 dump -f core.demo exe -o x.heapcore
claim 'no values: the command line is not there' sh -c '
	"$HEAPCORE" info -q --json x.heapcore | grep -q "\"command\": \"\""'
claim 'a dump is needed where to write' fails 2 'dump writes a file' dump \
	core.demo exe
claim 'read says that there is no memory' fails 3 \
	'x.heapcore: unsupported: .*holds no memory' read 0xc000000000 x.heapcore
claim 'two dumps are the same' sh -c '
	"$HEAPCORE" dump -q -j 1 core.demo exe -o y.heapcore &&
	cmp x.heapcore y.heapcore'
claim 'a dump of a dump is the same' sh -c '
	"$HEAPCORE" dump -qf x.heapcore -o z.heapcore &&
	cmp x.heapcore z.heapcore'

# damaged NAME: stats of the file fails with one clear line.
damaged() {
	"$HEAPCORE" stats "$1" >out 2>err
	[ $? = 3 ] || { echo "exit $? for $1"; return 1; }
	[ -s out ] && echo 'an answer' && return 1
	[ "$(wc -l <err)" = 1 ] && grep -Eq \
		'(dump|its header|table of contents|is a core|an ELF|is text|of a format|empty)' err &&
		return
	cat err
	return 1
}

all_cuts() {
	size=$(wc -c <x.heapcore)
	for part in 0 1 15 16 31 32 63 64 500 $((size / 2)) $((size - 33)) \
			$((size - 32)) $((size - 1)); do
		head -c $part x.heapcore >cut
		damaged cut || { echo "cut to $part"; return 1; }
	done
	{ cat x.heapcore; echo; } >cut
	damaged cut
}

all_flips() {
	size=$(wc -c <x.heapcore)
	at=0
	while [ $at -lt "$size" ]; do
		byte=$(od -An -tu1 -j $at -N 1 x.heapcore)
		cp x.heapcore flipped
		# shellcheck disable=SC2059 # an octal escape
		printf "\\$(printf %03o $((byte ^ (1 << at % 8))))" |
			dd of=flipped bs=1 seek=$at conv=notrunc 2>/dev/null
		damaged flipped || { echo "byte $at"; return 1; }
		at=$((at + 1 + size / 300))
	done
}
claim 'every cut is found' all_cuts
claim 'every flipped bit is found' all_flips
finish
