#!/bin/sh
# files.sh: -o FILE appears whole or not at all; broken pipes are no error.
. "${0%/*}/lib.sh"
"$MKCORE" core.c plain
"$HEAPCORE" mappings -q core.c >want

nothing_left() {
	for f in fresh.* kept.* none.* ./*.??????; do
		[ -e "$f" ] && echo "left: $f" && return 1
	done
	return 0
}

claim '-o writes the answer' exits 0 mappings core.c -o fresh
claim '... the same as on standard output' cmp want fresh
claim '... and nothing to standard output' test ! -s out
claim '... with ordinary permissions' sh -c '
	umask 022; "$HEAPCORE" mappings -q core.c -o perm &&
	[ "$(ls -l perm | cut -c1-10)" = -rw-r--r-- ]'
echo mine >kept
claim 'an existing file is refused' \
	fails 3 'kept: cannot read: it exists already; -f replaces it' \
	mappings core.c -o kept
claim '... and untouched' grep -qx mine kept
claim '... but replaced with -f' exits 0 mappings core.c -fo kept
claim '... wholly' cmp want kept
claim 'a question that fails leaves no file' exits 3 read 0x10 core.c -o none
claim '... none at all' test ! -e none
claim '... and with -f not the old one harmed' sh -c '
	echo mine >kept; "$HEAPCORE" read 0x10 core.c -fo kept 2>/dev/null
	grep -qx mine kept'
claim 'a folder that is not there' \
	fails 3 'no/where: cannot read: ' mappings core.c -o no/where
claim 'a directory is no file' fails 3 '\.: .*directory' mappings core.c -o .
claim 'a device is written to' exits 0 mappings core.c -o /dev/null
claim '... and stays one' test -c /dev/null
claim 'minus is standard output' sh -c '
	"$HEAPCORE" mappings -q core.c -o - | cmp - want'
claim 'no temporary file is left behind' nothing_left
claim 'a full disk is an error' sh -c '
	[ -e /dev/full ] || exit 0
	"$HEAPCORE" mappings -q core.c >/dev/full 2>err; [ $? = 3 ] &&
	grep -q "cannot write: No space left" err'
claim 'a closed standard output is an error' sh -c '
	"$HEAPCORE" mappings -q core.c >&- 2>err; [ $? = 3 ]'
claim 'a reader who stops early is no error' sh -c '
	{ "$HEAPCORE" read 0x5000 core.c --len 1024; echo $? >rc; } 2>err |
		head -n 1 >/dev/null
	[ "$(cat rc)" = 0 ] && ! grep -qi pipe err'

# A signal in the middle: the core comes through a pipe that never ends.
if mkfifo pipe; then
	sleep 30 >pipe &
	sleeper=$!
	"$HEAPCORE" mappings - -o cut <pipe 2>/dev/null &
	pid=$!
	sleep 1
	kill -TERM $pid
	wait $pid 2>/dev/null
	rc=$?
	{ kill $sleeper; wait $sleeper; } 2>/dev/null
	claim 'a signal ends it by that signal' test $rc = 143
	claim '... and takes the temporary file along' sh -c '
		for f in cut*; do [ ! -e "$f" ] || exit 1; done'
else
	skip 'a signal takes the temporary file along' 'no named pipes here'
fi
finish
