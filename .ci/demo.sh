# demo.sh: one real core of testdata, asked the first question.
# Read by bootstrap (say and die are its own).

DEMO=testdata/cores/1.26-amd64

run_demo() {
	exe=build/demo/exe
	core=
	for c in $DEMO/heap.core.zst $DEMO/*.core.zst; do
		[ -f "$c" ] && core=$c && break
	done
	[ -n "$core" ] || die "no core in $DEMO"
	mkdir -p build/demo
	zstd -qdf $DEMO/exe.zst -o $exe
	chmod +x $exe
	printf '\n$ heapcore stats %s %s\n' "$core" "$exe"
	build/gcc/heapcore stats "$core" "$exe"
}
