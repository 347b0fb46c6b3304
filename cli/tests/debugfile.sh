#!/bin/sh
# debugfile.sh: debug information beside a stripped executable is as good as in
# it.
set -u
. "$(dirname "$0")/lib.sh"

if ! command -v objcopy >/dev/null; then
	skip 'separate debug files' 'no objcopy'
	finish
fi
zstd -qdf "$TESTDATA/cores/1.26-amd64/exe.zst" -o whole
zstd -qdf "$TESTDATA/cores/1.26-amd64/heap.core.zst" -o core.1
mkdir dir
objcopy --only-keep-debug whole dir/exe.debug 2>/dev/null
objcopy --strip-all whole dir/exe 2>/dev/null
(cd dir && objcopy --add-gnu-debuglink=exe.debug exe 2>/dev/null)

same() {
	"$HEAPCORE" "$@" -q core.1 whole >want || return
	"$HEAPCORE" "$@" -q core.1 dir/exe >got || return
	sed 's/whole/dir\/exe/' want | cmp - got
}
for c in types globals; do
	claim "$c: the same with a separate debug file" same $c
done

# A file of another build is no better than none.
mv dir/exe.debug dir/right
"$HEAPCORE" globals -q core.1 dir/exe >none
cp "$(readlink -f /bin/sh)" dir/exe.debug
"$HEAPCORE" globals -q core.1 dir/exe >other
claim 'another file of that name is not taken' cmp none other
claim 'without one the answer is another' sh -c '! cmp -s got none'
finish
