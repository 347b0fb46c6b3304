#!/bin/sh
# secrets.sh: what the program computed with is in no file that `dump` writes,
# unless --values asks for it.
. "${0%/*}/lib.sh"
ZOO=$FIXTURES/1.26-amd64
[ -f "$ZOO/leak-2.core" ] || { skip 'secrets' 'no cores'; finish; }
INSIDE=$BUILD/cli/tests/inside

# has FILE MARKER: the text is in the file, packed or not.
has() { "$INSIDE" "$1" | grep -aqF -- "$2"; }
lacks() { ! has "$@"; }

known() { has "$core" "$1" || has "$ZOO/exe" "$1"; }

# no_secret CORE MARKER: the program's memory has the text (a literal is in the
# executable, which the core leaves out), and no dump does.
no_secret() {
	core=$ZOO/$1.core marker=$2
	claim "$1: \"$marker\" is in its memory" known "$marker"
	for format in heapcore v8 moar2 moar3 pprof go parquet; do
		rm -rf x.$format
		claim "$1: $format is written" exits 0 dump -q \
			--format $format "$core" "$ZOO/exe" -o x.$format
		for f in $(find x.$format -type f); do
			claim "$1: \"$marker\" is not in $f" \
				lacks "$f" "$marker"
		done
	done
}

# Tokens in a leaking map, what a map of strings holds, the text of a panic,
# and a goroutine's label.
no_secret leak-2 'session 150'
no_secret maps ' and \ in '
no_secret states-panic 'the zoo is closed'
no_secret states-abrt 'waits on a channel'

# The same search finds what is there: what was asked for, and names.
claim 'with --values: written' exits 0 dump -q --values \
	"$ZOO/states-panic.core" "$ZOO/exe" -o values.heapcore
claim 'it has the text of the panic' has values.heapcore 'the zoo is closed'
claim 'and the label' has values.heapcore 'waits on a channel'
for format in heapcore v8 moar2 moar3 go; do
	claim "$format has names of functions" has x.$format main.perish
done
claim 'parquet has names of functions' has x.parquet/frames.parquet main.perish
claim 'pprof has names of variables' has x.pprof main.g
finish
