#!/bin/sh
# profiles.sh: --pprof writes what the program would have written of itself:
# held against the records of its heap dumps, and against its own profiles,
# which `go tool pprof` reads both.
# shellcheck disable=SC3045 # ulimit -c: every sh that we know has it
. "${0%/*}/lib.sh"
command -v zstd >/dev/null || { skip 'profiles' 'no zstd'; finish; }
FORMATS=$BUILD/cli/tests/formats

# merged: lines "V V V V SIZE FRAME..." of the same size and frames as one.
merged() {
	awk '{
			v = $1 " " $2 " " $3 " " $4
			split(v, a)
			$1 = $2 = $3 = $4 = ""
			for (i = 1; i <= 4; i++)
				sum[$0, i] += a[i]
			seen[$0]
		}
		END { for (k in seen)
			printf "%d %d %d %d%s\n", sum[k, 1], sum[k, 2],
				sum[k, 3], sum[k, 4], k }' | sort
}

# theirs FILE: the records that the runtime printed, scaled as runtime/pprof
# does (protomem.go, scaleHeapSample), as ours prints them: no frames of the
# runtime on the way to the allocator unless all are, and not where goroutines
# begin. The innermost frame has no line, which the runtime takes elsewhere.
theirs() {
	awk -v rate=2048 '
		function put(n,   scale, i, from, line) {
			if (!size)
				return
			scale = 1 / (1 - exp(-size / rate))
			from = 1
			while (from <= n && name[from] ~ \
					/^(runtime\.|internal\/runtime\/)/)
				from++
			if (from > n)
				from = 1
			line = sprintf("%d %d %d %d %d",
				int(allocs * scale),
				int(allocs * size * scale),
				int((allocs - frees) * scale),
				int((allocs - frees) * size * scale), size)
			for (i = from; i <= n; i++)
				if (name[i] != "runtime.goexit")
					line = line " " place[i]
			if (allocs)
				print line
		}
		/^[0-9]/ { put(n); size = $1; allocs = $2; frees = $3; n = 0
			next }
		{ n++; place[n] = $NF; sub(/^\t/, ""); name[n] = $1 }
		END { put(n) }' "$1" | first_without_line | merged
}

# first_without_line: the sixth word is the innermost frame.
first_without_line() {
	awk '{ sub(/:[0-9]+$/, ":", $6); print }'
}

# ours FILE: the same of a heap profile, as the reader prints it whole.
ours() {
	awk '/^sample / {
			line = $2 " " $3 " " $4 " " $5
			sub(/^\[bytes=/, "", $6)
			sub(/\]$/, "", $6)
			line = line " " $6
			for (i = 7; i <= NF; i++) {
				sub(/.*@/, "", $i)
				sub(/\+$/, "", $i)
				line = line " " $i
			}
			print line
		}' "$1" | first_without_line | merged
}

same() {
	echo "$1, $2"
	[ -n "$1" ] && [ "$1" = "$2" ]
}

# reads FILE: the profile is one by its description; ./whole is its text.
reads() {
	"$FORMATS" stacks "$1" >whole || { tail -n 1 whole; return 1; }
}

# counted: the sum of the first values in ./whole.
counted() {
	awk '/^sample / { n += $2 } END { print n + 0 }' whole
}

one_core() {
	name=$(basename "$1")
	zstd -qdf "$1/heap.core.zst" -o c.core 2>/dev/null || return
	claim "$name: allocs" exits 0 allocs -q -f --pprof a.pprof c.core exe
	claim "$name: it is a profile" reads a.pprof
	if zstd -qdf "$1/heap.memprof.zst" -o said 2>/dev/null; then
		theirs said >want
		ours whole >got
		claim "$name: the runtime has records" test -s want
		claim "$name: its records are the samples" diff want got
		claim "$name: the period is the rate that it set" \
			grep -qx 'period space bytes 2048' whole
	fi
	claim "$name: goroutines" \
		exits 0 goroutines -q -f --pprof g.pprof c.core exe
	claim "$name: that is a profile" reads g.pprof
	if zstd -qdf "$1/heap.heapdump.zst" -o said 2>/dev/null; then
		claim "$name: as many as the runtime wrote down" same \
			"$(counted) goroutines" \
			"$("$FORMATS" goroutines said)"
	fi
	claim "$name: a dump" exits 0 dump -q -f --values c.core exe -o d.heapcore
	claim "$name: allocs of the dump" sh -c '
		"$HEAPCORE" allocs -q --pprof - d.heapcore | cmp - a.pprof'
	claim "$name: goroutines of the dump" sh -c '
		"$HEAPCORE" goroutines -q --pprof - d.heapcore | cmp - g.pprof'
}

some=
for dir in "$TESTDATA"/cores/*/; do
	zstd -qdf "${dir}exe.zst" -o exe 2>/dev/null || continue
	one_core "${dir%/}" && some=1
done
[ "$some" ] || { skip 'profiles' 'no cores in testdata'; finish; }

unpack_demo
zstd -qdf "$DEMO/states-abrt.core.zst" -o states.core
claim 'labels' sh -c '
	"$1" goroutines --pprof l.pprof states.core exe &&
	"$2" stacks l.pprof | grep -F "[what=waits_on_a_channel] [who=labelled]" |
	wc -l | grep -qx 2' - "$HEAPCORE" "$FORMATS"
claim 'no labels from a dump without values, and nothing else is another' sh -c '
	"$1" dump -q states.core exe -o states.heapcore &&
	"$1" goroutines --pprof n.pprof states.heapcore &&
	"$2" stacks l.pprof | sed "s/\[w[^]]*\] //g" | grep ^sample | sort >want &&
	"$2" stacks n.pprof | grep ^sample | sort >got && diff want got' \
	- "$HEAPCORE" "$FORMATS"
claim '--with chooses' sh -c '
	"$1" goroutines --with main.bigFrame --pprof - states.core exe >w &&
	"$2" stacks w | grep -c ^sample | grep -qx 1' - "$HEAPCORE" "$FORMATS"
claim 'an inlined call is a line of where it was inlined into' sh -c '
	"$1" stacks l.pprof |
	grep -q "mutex.go:[0-9]*+ sync.(\*Mutex).Lock@[^ ]*+ main.startStates"' \
	- "$FORMATS"
zstd -qdf "$DEMO/states-overflow.core.zst" -o deep.core
claim 'a stack of more than 2,048 calls is cut in the middle' sh -c '
	"$1" goroutines --pprof deep.pprof deep.core exe &&
	"$2" stacks deep.pprof |
	awk "/^sample/ && / main.overflow@.* .frames_left_out.@:0 main.overflow@.* main.statesMode@/ &&
			NF == 2 + 2049 { n++ }
		END { exit n != 1 }"' - "$HEAPCORE" "$FORMATS"

claim 'a file that exists is refused' fails 3 \
	'a.pprof: cannot read: it exists already; -f replaces it' \
	allocs --pprof a.pprof core.demo exe
claim '-f replaces it' sh -c '
	echo old >o.pprof && "$1" goroutines -f --pprof o.pprof states.core exe &&
	cmp o.pprof l.pprof' - "$HEAPCORE"
claim 'nothing is left behind' sh -c '! ls -d ./*.pprof.?????? 2>&-'
claim '-o names another output' fails 2 '.*does not go together with --output' \
	goroutines --pprof x -o y states.core exe
claim '--json asks for another answer' fails 2 '.*together with --json' \
	allocs --json --pprof x core.demo exe
claim 'other commands have no profile' fails 2 'stats has no option --pprof' \
	stats --pprof x core.demo exe

# What follows is built and dies here.
GO=${GO:-$(command -v go)}
if [ -z "$GO" ] || ! "$GO" tool pprof -h 2>&1 | grep -q usage; then
	skip 'go tool pprof' 'no go'
	finish
fi
claim 'go tool pprof reads allocs' sh -c '
	"$1" tool pprof -top a.pprof' - "$GO"
claim 'go tool pprof reads goroutines' sh -c '
	"$1" tool pprof -top g.pprof' - "$GO"
if [ "$(cat /proc/sys/kernel/core_pattern)" != core ]; then
	skip 'own profiles' 'the kernel writes cores elsewhere'
	finish
fi
case $("$GO" env GOVERSION 2>/dev/null) in
go1.1[89]* | go1.2*) ;;
*) skip 'own profiles' 'a go of another version'; finish ;;
esac
ulimit -c unlimited
ulimit -c 2>/dev/null | grep -qx unlimited ||
	{ skip 'own profiles' 'no cores'; finish; }
if ! (cd "$TESTDATA/progs/profiles" && GOFLAGS=-mod=mod GOPROXY=off \
		"$GO" build -trimpath -o "$DIR/profiles" .) >build.log 2>&1; then
	skip 'own profiles' "go does not build here: $(tail -n 1 build.log)"
	finish
fi

# die MODE: ./core is of a program that ran in that mode.
die() {
	rm -f core
	env -i HOME="$DIR" PATH="$PATH" GOTRACEBACK=crash GOMAXPROCS=2 \
		./profiles "$1" >/dev/null 2>&1
	[ -f core ]
}

# top OPTION... FILE: what pprof shows of a file, without when it was written.
top() {
	"$GO" tool pprof -top -nodecount=1000 -nodefraction=0 -edgefraction=0 \
		-unit=B "$@" 2>/dev/null | grep -v '^Time:'
}

# agree TYPE: both heap profiles look the same.
agree() {
	top -sample_index="$1" heap.own >want
	top -sample_index="$1" heap.ours >got
	grep -q 'main.fill' want && diff want got
}

# waiting FILE: the goroutines but the one that wrote it.
waiting() {
	"$FORMATS" stacks "$1" | grep '^sample .* main\.work@' | sort
}

# waiting_top FILE: what pprof shows of them.
waiting_top() {
	top -focus=main.work -relative_percentages "$1"
}

if die write; then
	"$HEAPCORE" allocs -q --pprof heap.ours core profiles
	for type in alloc_objects alloc_space inuse_objects inuse_space; do
		claim "pprof shows the same $type as the program's own" \
			agree $type
	done
	claim 'and the same by default' sh -c '
		"$1" tool pprof -top heap.own | grep -v "^Time" >want
		"$1" tool pprof -top heap.ours | diff want -' - "$GO"
	claim 'which is of the same executable' sh -c '
		"$1" stacks heap.own | grep "^mapping .*/profiles" >want
		"$1" stacks heap.ours | grep "^mapping" | diff want -' - "$FORMATS"
	"$HEAPCORE" goroutines -q --pprof goroutine.ours core profiles
	waiting goroutine.own >want
	waiting goroutine.ours >got
	claim 'the program had goroutines' grep -q main.waitDeep want
	claim 'the same goroutines, with labels' diff want got
	waiting_top goroutine.own >want
	waiting_top goroutine.ours >got
	claim 'pprof shows the same of them' diff want got
	claim 'as many in all' sh -c '
		for f in own ours; do
			"$1" tool pprof -top goroutine.$f |
			sed -n "s/.* of \([0-9]*\) total/\1/p"
		done | uniq | wc -l | grep -qx 1' - "$GO"
else
	skip 'own profiles' 'no core was written'
fi
if die early; then
	"$HEAPCORE" allocs -q --pprof early core profiles
	reads early
	claim 'before the first collection it is all there is' sh -c '
		grep -q "^sample 100 102400 100 102400 .*main.hundred@" whole'
else
	skip 'before the first collection' 'no core was written'
fi
finish
