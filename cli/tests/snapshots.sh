#!/bin/sh
# snapshots.sh: several dumps of one process in one file.
. "${0%/*}/lib.sh"
LEAK=$FIXTURES/1.26-amd64
[ -f "$LEAK/leak-1.core" ] || { skip 'snapshots' 'no cores'; finish; }
exe=$LEAK/exe

claim 'the first dump makes the file' \
	exits 0 dump --append -q "$LEAK/leak-1.core" "$exe" -o all.heapcore
claim 'as one without --append does' sh -c '
	"$HEAPCORE" dump -q "$1" "$2" -o one.heapcore &&
	cmp one.heapcore all.heapcore' - "$LEAK/leak-1.core" "$exe"
claim 'the second is added without -f' \
	exits 0 dump --append -q "$LEAK/leak-2.core" "$exe" -o all.heapcore
"$HEAPCORE" dump -q "$LEAK/leak-2.core" "$exe" -o two.heapcore
claim 'what was there is there still' \
	cmp -n "$(wc -c <one.heapcore)" one.heapcore all.heapcore
claim 'strings are shared: it is smaller than two files' sh -c '
	[ $(wc -c <all.heapcore) -lt \
		$(($(wc -c <one.heapcore) + $(wc -c <two.heapcore))) ]'
claim 'no temporary file is left' sh -c '[ "$(ls | grep -c all)" = 1 ]'

# same NUMBER FILE COMMAND...: the snapshot answers as a file of its own does.
same() {
	number=$1 file=$2
	shift 2
	"$HEAPCORE" "$@" -q --json all.heapcore --snapshot "$number" >a
	"$HEAPCORE" "$@" -q --json "$file" >b
	sed -i '/^  "core": /d' a b
	[ -s a ] && cmp a b
}
for command in stats info mappings goroutines types objects globals retained \
		'suspects --threshold 1' allocs; do
	# shellcheck disable=SC2086 # words
	claim "snapshot 1: $command" same 1 one.heapcore $command
	# shellcheck disable=SC2086
	claim "snapshot 2: $command" same 2 two.heapcore $command
done
claim 'unasked, the last one answers' sh -c '
	"$HEAPCORE" types -q two.heapcore >two.types &&
	"$HEAPCORE" types -q all.heapcore | cmp - two.types'
claim 'info says which of how many' \
	shows '^  snapshot *1 of 2$' info --snapshot 1 all.heapcore
claim 'info says when the core was written' \
	shows "^  written *$(date -u -r "$LEAK/leak-2.core" +%Y-%m-%dT%H:%M:%SZ)\$" \
	info all.heapcore
claim 'each taken out again is the file of its own' sh -c '
	"$HEAPCORE" dump -q --snapshot 1 all.heapcore -o 1.heapcore &&
	"$HEAPCORE" dump -q --snapshot 2 all.heapcore -o 2.heapcore &&
	cmp 1.heapcore one.heapcore && cmp 2.heapcore two.heapcore'

# beside COMMAND: of one file its snapshots are compared, as two files are.
beside() {
	"$HEAPCORE" "$1" -q --json all.heapcore >a
	"$HEAPCORE" "$1" -q --json one.heapcore two.heapcore >b
	[ "$(grep -o '"snapshot": [12],' a | tr -d '\n')" = \
		'"snapshot": 1,"snapshot": 2,' ] || return
	sed -i -e 's/"core": "[^"]*",//' -e 's/"snapshot": [12],//' a b
	tr -d ' \n' <a >a.bare && tr -d ' \n' <b >b.bare
	[ -s a ] && cmp a.bare b.bare
}
claim 'series of its snapshots' beside series
claim 'diff of the first and the last' beside diff

# In MoarVM's formats all snapshots go into one file.
# written FORMAT FILE: leaves what the reader finds in FILE.FORMAT.
written() {
	"$HEAPCORE" dump -qf --format "$1" "$2.heapcore" -o "$2.$1" &&
		"$BUILD/cli/tests/formats" "$1" "$2.$1" >"$2.$1.read"
}

# together FORMAT FILE PART...: in FILE is what each of the others has, in order.
together() {
	format=$1 whole=$2
	shift 2
	written "$format" "$whole" || { cat "$whole.$format.read"; return 1; }
	: >parts
	sum=0
	for part; do
		written "$format" "$part" || return
		cat "$part.$format.read" >>parts
		sum=$((sum + $(wc -c <"$part.$format")))
	done
	diff parts "$whole.$format.read" &&
		[ "$(wc -c <"$whole.$format")" -lt "$sum" ]
}

# Of a heap that is there already a third snapshot has no new names.
"$HEAPCORE" dump -q "$LEAK/leak-1.core" "$exe" -o three.heapcore
for n in 2 1; do
	"$HEAPCORE" dump --append -q "$LEAK/leak-$n.core" "$exe" \
		-o three.heapcore
done
for format in moar2 moar3; do
	claim "$format: both in one file, names shared" \
		together $format all one two
	claim "$format: the first one twice" \
		together $format three one two one
	claim "$format: one of them as from a file of its own" sh -c '
		for n in 1 2; do
			"$HEAPCORE" dump -qf --format $1 --snapshot $n \
				all.heapcore -o $n.$1 || exit
		done
		cmp 1.$1 one.$1 && cmp 2.$1 two.$1' - $format
done
claim 'other formats have the last one' sh -c '
	"$HEAPCORE" dump -q --format v8 all.heapcore -o all.v8 &&
	"$HEAPCORE" dump -q --format v8 two.heapcore -o two.v8 &&
	cmp all.v8 two.v8'

claim 'there is no third' fails 3 '.*has 2 snapshots; there is no number 3' \
	stats all.heapcore --snapshot 3
claim 'they are counted from 1' fails 2 '--snapshot: they are counted from 1' \
	stats all.heapcore --snapshot 0
claim 'a core has none' fails 3 '.*is no heap-dump file: it has no snapshots' \
	stats --snapshot 1 "$LEAK/leak-1.core" "$exe"
claim 'values are of all or none' fails 3 'all.heapcore: .*without --values' \
	dump --append --values -q "$LEAK/leak-2.core" "$exe" -o all.heapcore
claim 'other formats are not added to' fails 2 '--append adds to a file in the format heapcore' \
	dump --append --format v8 -q "$LEAK/leak-2.core" "$exe" -o all.heapcore
cp "$exe" other
claim 'what is no dump stays as it is' sh -c '
	"$HEAPCORE" dump --append -q "$1" "$2" -o other 2>err
	[ $? = 3 ] && grep -q "other: .*not a heap-dump file" err &&
	cmp other "$2"' - "$LEAK/leak-2.core" "$exe"
finish
