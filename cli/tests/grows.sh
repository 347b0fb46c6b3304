#!/bin/sh
# grows.sh: diff and series name what grew and where it was allocated, in two
# cores of a program that says what it leaks (testdata/progs/grows).
. "${0%/*}/lib.sh"
export JSON

GO=${GO:-$(command -v go)}
if [ -z "$GO" ] || ! command -v gcore >/dev/null; then
	skip 'grows' 'no go, or no gcore'
	finish
fi
case $("$GO" env GOVERSION 2>/dev/null) in
go1.1[89]* | go1.2*) ;;
*) skip 'grows' 'a go of another version'; finish ;;
esac
for tag in profile noprofile; do
	(cd "$TESTDATA/progs/grows" && GOFLAGS=-mod=mod GOPROXY=off \
		"$GO" build -trimpath -tags $tag -o "$DIR/$tag" .) \
		>build.log 2>&1 && continue
	skip 'grows' "go does not build here: $(tail -n 1 build.log)"
	finish
done

# said N: waits until the program has said N lines, to ./truth.
said() {
	for _ in $(seq 200); do
		[ "$(wc -l <truth)" -ge "$1" ] && return
		sleep 0.05
	done
	return 1
}

# take NAME: a core of process $pid, as NAME.core.
take() {
	echo 0x23 >/proc/$pid/coredump_filter
	gcore -o taken "$pid" >gcore.log 2>&1 && mv "taken.$pid" "$1.core"
}

# cores EXE NAME...: NAME.core after one line, the next one four lines later.
cores() {
	rm -f in truth
	mkfifo in && : >truth
	env -i HOME="$DIR" GOMAXPROCS=2 "./$1" <in >truth &
	pid=$!
	shift
	exec 3>in
	lines=1 got=0
	for name; do
		said $lines && take "$name" && printf xxxx >&3 || got=1
		lines=$((lines + 4))
	done
	exec 3>&-
	wait $pid
	return $got
}

if ! cores profile a b; then
	skip 'grows' "no cores: $(tail -n 1 gcore.log)"
	finish
fi
sed -n 1p truth >a.truth
sed -n 5p truth >b.truth

# is KEY VALUE, in ./out; truth KEY: the growth that the program said.
is() {
	echo "$1: $("$JSON" get out "$1"), not $2"
	[ "$("$JSON" get out "$1")" = "$2" ]
}
of() {
	"$JSON" get "$1.truth" "$2"
}
grew() {
	echo $(($(of b "$1") - $(of a "$1")))
}

# names_it: ./out of diff has the leak at the top of each table.
names_it() {
	is types.0.type "$(of a type)" && is types.0.count_a "$(of a count)" &&
		is types.0.count_b "$(of b count)" &&
		is types.0.bytes_growth "$(grew bytes)" &&
		"$JSON" get out holders.0.name | grep -q 'main\.gOffice' &&
		is sites.0.stack.0.function main.issue &&
		is sites.0.stack.0.line "$(of a line)" &&
		is sites.0.stack.1.function main.work &&
		is sites.0.estimated_objects_a "$(of a profile_objects)" &&
		is sites.0.estimated_objects_b "$(of b profile_objects)" &&
		is sites.0.estimated_bytes_growth "$(grew profile_bytes)"
}

claim 'the program leaked what its profile says' test \
	"$(grew count) $(grew bytes)" = \
	"$(grew profile_objects) $(grew profile_bytes)"
claim 'diff' exits 0 diff --json a.core b.core -e profile
claim 'valid JSON' "$JSON" valid out
claim 'type, holder and allocation site of the leak come first' names_it
grep -v '"core":' out >whole
claim 'for people' shows "\\+.*KB +$(of a count) +2,500  main\\.issue .*main\\.go:$(of a line)" \
	diff -q a.core b.core -e profile
claim 'with what called it' grep -Eq '^ +main\.work .*main\.go:' out
claim 'one row of each' exits 0 diff -n 1 --json a.core b.core -e profile
claim 'is one site' is sites 1
for side in a b; do
	"$HEAPCORE" dump -q $side.core -e profile -o $side.heapcore
done
claim 'dumps' exits 0 diff --json a.heapcore b.heapcore
claim 'say the same' sh -c 'grep -v "\"core\":" out | cmp - whole'
claim 'series' exits 0 series --json a.heapcore a.core b.core -e profile
claim 'valid JSON' "$JSON" valid out
claim 'it names the site first' is sites.0.stack.0.function main.issue
claim 'which never shrinks' is sites.0.never_shrinks true
claim 'as many as the program said' is sites.0.estimated_objects.1 \
	"$(of a profile_objects)"
claim '... in the end' is sites.0.estimated_bytes.2 "$(of b profile_bytes)"
claim 'series for people' shows '^\^ .*  main\.issue .*main\.go:' series -q \
	a.core b.core -e profile

# Without a profile on one side there is nothing to compare.
claim 'a program without a profile' cores noprofile c
claim 'no sites of two' exits 0 diff --json c.core c.core -e noprofile
claim 'valid JSON' "$JSON" valid out
claim 'are no key' sh -c '! grep -q "\"sites\"" out'
claim 'the types are there' sh -c '
	"$JSON" each out types type | grep -qx main.ticket'
claim 'no sites of one and another' exits 0 diff -q a.heapcore c.core \
	-e noprofile
claim 'are no table' sh -c '! grep -q "ALLOCATED BY" out'
claim 'in whatever order' exits 0 diff -q c.core a.heapcore -e noprofile
claim 'are no table, either' sh -c '! grep -q "ALLOCATED BY" out'

# A limit that is too low for retained sizes, but not for the rest.
limited() {
	for k in $(seq 40 -1 4); do
		run "$@" --json -j 1 --memory-limit $((k * 250))K \
			a.heapcore b.heapcore
		[ $RC = 0 ] && grep -q '"note"' out && LIMIT=$((k * 250))K &&
			return
	done
	return 1
}
claim 'less memory leaves retained sizes out' limited diff
claim 'valid JSON' "$JSON" valid out
claim 'it says so' sh -c '"$JSON" get out note |
	grep -q "^what types and holders retain is left out: .*heapcore: "'
claim 'no holders' sh -c '! grep -q "\"holders\"" out'
claim 'no retained sizes' sh -c '! grep -q "\"retained_" out'
claim 'the type is there' is types.0.type "$(of a type)"
claim 'with its numbers' is types.0.bytes_growth "$(grew bytes)"
claim 'the site is there' is sites.0.estimated_bytes_growth \
	"$(grew profile_bytes)"
claim 'so are the new objects' is new_objects \
	"$("$JSON" get whole new_objects)"
claim 'for people in one line' shows \
	'^what types and holders retain is left out: ' diff -q -j 1 \
	--memory-limit "$LIMIT" a.heapcore b.heapcore
claim 'and no table of holders' sh -c '! grep -q "RETAINED" out'
claim 'the threshold holds all the same' exits 1 diff -q -j 1 \
	--threshold 1 --memory-limit "$LIMIT" a.heapcore b.heapcore
claim 'and so does a higher one' exits 0 diff -q -j 1 \
	--threshold 100 --memory-limit "$LIMIT" a.heapcore b.heapcore
claim 'series, too' limited series
claim 'valid JSON' "$JSON" valid out
claim 'no holders' sh -c '! grep -q "\"holders\"" out'
claim 'the bytes are there' is types.0.bytes.1 "$(of b bytes)"
finish
