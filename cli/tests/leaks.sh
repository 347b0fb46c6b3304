#!/bin/sh
# leaks.sh: suspects names what leaks, first, in programs made for it
# (testdata/progs/leaks), and in the cores of testdata.
# shellcheck disable=SC3045 # ulimit -c: every sh that we know has it
. "${0%/*}/lib.sh"

# first PATTERN...: the first suspect for people matches each pattern.
first() {
	"$HEAPCORE" suspects -q "$@" >out 2>err || { cat err; return 1; }
	awk '/^2\. /{exit} {print}' out >first
	cat first
}

LEAK=$TESTDATA/cores/1.26-amd64
if command -v zstd >/dev/null && [ -f "$LEAK/leak-2.core.zst" ]; then
	zstd -qdf "$LEAK/leak-2.core.zst" -o leak.core
	zstd -qdf "$LEAK/exe.zst" -o exe
	claim 'a core of testdata has suspects' first leak.core exe
	claim 'the variable is named' \
		grep -q '^1\. global .*main\.gCache keeps' first
	claim 'and what the program says that it has' \
		grep -q '400 objects of type main.session keep' first
	claim 'and the way to it' grep -q 'map\[int\]\*main\.session  \.' first
	exits 0 suspects --json leak.core exe
	claim 'JSON is valid' "$JSON" valid out
	claim 'JSON: the type' test "$("$JSON" get out suspects.0.type)" = \
		main.session
	exits 0 suspects --json --threshold 1 leak.core exe
	claim 'a lower threshold shows more' \
		test "$("$JSON" get out suspects)" -gt 3
	claim 'nothing keeps all of it' shows 'nothing keeps 99%' \
		suspects --threshold 99 leak.core exe
else
	skip 'suspects of a core of testdata' 'no zstd or no cores'
fi

# What follows is built and dies here.
GO=${GO:-$(command -v go)}
if [ -z "$GO" ] || [ "$(cat /proc/sys/kernel/core_pattern)" != core ]; then
	skip 'leaks' 'no go, or the kernel writes cores elsewhere'
	finish
fi
case $("$GO" env GOVERSION 2>/dev/null) in
go1.1[89]* | go1.2*) ;;
*) skip 'leaks' 'a go of another version'; finish ;;
esac
ulimit -c unlimited
ulimit -c 2>/dev/null | grep -qx unlimited || { skip leaks 'no cores'; finish; }
if ! (cd "$TESTDATA/progs/leaks" && GOFLAGS=-mod=mod GOPROXY=off \
		"$GO" build -trimpath \
		-o "$DIR/leaks" .) >build.log 2>&1; then
	skip 'leaks' "go does not build here: $(tail -n 1 build.log)"
	finish
fi

# leak MODE PATTERN...: the core of that mode has it as the first suspect.
leak() {
	mode=$1
	shift
	rm -f core
	env -i HOME="$DIR" PATH="$PATH" GOTRACEBACK=crash GOMAXPROCS=2 \
		./leaks "$mode" >/dev/null 2>&1
	[ -f core ] || { skip "$mode" 'no core was written'; return; }
	claim "$mode: there are suspects" first core leaks
	for pattern; do
		claim "$mode: $pattern" grep -Eq -- "$pattern" first
	done
	claim "$mode: a dump has the same suspects" stored core leaks
}

# stored CORE EXE: the suspects of a core are those of a dump of it. A dump
# finds what objects retain only when bounds on it do not do.
stored() {
	"$HEAPCORE" dump -fq --values "$@" -o x.heapcore || return 1
	"$HEAPCORE" suspects -q --threshold 1 "$@" >of.core || return 1
	"$HEAPCORE" suspects -q --threshold 1 x.heapcore >of.dump || return 1
	diff of.core of.dump
}

# also PATTERN...: a later suspect of the same core is that.
also() {
	for pattern; do
		claim "$mode, too: $pattern" grep -Eq -- "$pattern" out
	done
}

leak map '^1\. global main\.gSessions keeps' \
	'20,000 objects of type main\.session'
leak slice '^1\. global main\.gStack keeps' \
	'10,000 objects of type main\.job'
also '9997 objects hang on slots of \[\]\*main\.job behind the end'
leak goroutines '^1\. 5,000 goroutines .*chan receive' main.waitForever
leak bodies 'net/http\.\(\*persistConn\)\.readLoop'
also '100 objects of type net/http\.persistConn keep'
leak context '^1\. global main\.gContext keeps' \
	'20,000 objects of type context\.valueCtx'
also '20000 contexts with a value are alive'
leak pool '^1\. global main\.gPool keeps' 'objects of type bytes\.Buffer'
also 'sync\.Pools hold what was put into them'
leak closures '^1\. global main\.gHandlers keeps' \
	'objects of type closure main\.handlers\.func1'
also '20 large objects live because a closure main\.handlers\.func1'
leak queue '^1\. 0x[0-9a-f]* +chan \*main\.job keeps' \
	'^global main\.gQueue' \
	'5,000 objects of type main\.job' \
	'^  40 goroutines wait for something that it holds'
leak tickers '^1\. 3,000 goroutines' 'main\.\(\*watcher\)\.run'
also '3000 tickers are alive'
leak cache '^1\. global .*main\.gCache keeps' \
	'20,000 objects of type main\.answer' 'map\[string\]\*main\.answer'
leak strings '^1\. global main\.gNames keeps'
also '19999 strings have the same content .* "a name that is read'
leak emptied '^1\. global main\.gEmptied keeps'
also 'map\[int\]\[4\]int maps have room for [0-9]* entries and hold 10'
finish
