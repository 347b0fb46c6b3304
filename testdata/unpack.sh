#!/bin/sh
# unpack.sh: unpacks the cores of testdata and strips their executables, for
# the tests.
#
# usage: testdata/unpack.sh FOLDER
# FOLDER/NAME/ gets what cores/NAME has, unpacked (sparse), and exe.stripped:
# the twin without symbols and debug information. Where no strip knows the
# architecture, that one is left out, and a line says so.
set -eu
cd "$(dirname "$0")/cores"
to=$1

# newer A B: A is to be made from B.
newer() {
	[ ! -e "$1" ] || [ -n "$(find -H "$2" -newer "$1")" ]
}

# strip_exe EXE TO: with the first strip that takes it.
strip_exe() {
	for s in strip aarch64-linux-gnu-strip x86_64-linux-gnu-strip \
			llvm-strip; do
		command -v "$s" >/dev/null 2>&1 || continue
		"$s" -s "$1" -o "$2.new" 2>/dev/null && mv "$2.new" "$2" &&
			return
	done
	rm -f "$2.new"
	echo "no strip here takes $1: no stripped twin"
}

for dir in *; do
	mkdir -p "$to/$dir"
	for f in "$dir"/*; do
		out=$to/${f%.zst}
		newer "$out" "$f" || continue
		# The last step is atomic: two builds may run side by side.
		case $f in
		*.zst) zstd -qdf --sparse -o "$out.$$" "$f" ;;
		*) cp "$f" "$out.$$" ;;
		esac
		touch "$out.$$"
		mv "$out.$$" "$out"
	done
	exe=$to/$dir/exe
	if newer "$exe.stripped" "$exe"; then
		strip_exe "$exe" "$exe.stripped"
	fi
done
