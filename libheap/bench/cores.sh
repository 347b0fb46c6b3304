# cores.sh: the Go program in heaps/ and cores of it, for who measures. The
# caller has set $here, this folder, and $out, where they are kept.
# shellcheck shell=sh disable=SC2154

if ! command -v go >/dev/null 2>&1; then
	echo 'bench: no go here: it makes the heaps that are measured' >&2
	exit 0
fi
if [ -z "$(find "$out/heaps" -newer "$here/heaps/main.go" 2>/dev/null)" ]; then
	(cd "$here/heaps" && GOFLAGS=-mod=mod go build -o heaps.exe .)
	mv "$here/heaps/heaps.exe" "$out/heaps"
	rm -f "$out"/*.core # of another program now
fi

# make_core SHAPE N: $out/SHAPE-N.core and .objects
make_core() {
	[ -s "$out/$1-$2.core" ] && return
	dir=$(mktemp -d "$out/dying.XXXXXX")
	exe=$(cd "$out" && pwd)/heaps
	(cd "$dir" && ulimit -c unlimited && GOTRACEBACK=crash "$exe" "$1" "$2" \
		>objects 2>trace) 2>/dev/null || true
	for core in "$dir"/core*; do
		[ -f "$core" ] || { rm -rf "$dir"; return 1; }
		mv "$core" "$out/$1-$2.core"
		mv "$dir/objects" "$out/$1-$2.objects"
	done
	rm -rf "$dir"
}
