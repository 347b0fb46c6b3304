#!/bin/bash
# Makes one folder of cores/ anew.
#
#	make.sh GO NAME [MODE...]
#
# GO is a toolchain's bin/go. NAME says the rest: VERSION-ARCH[-VARIANT], for
# example 1.26-amd64, 1.24-arm64, 1.22-amd64-pie, 1.25-amd64-greenteagc. A
# mode makes MODE.core.zst and what belongs to it (README.md): heap, dirty,
# maps, maps-many, states-DEATH, states-gcore, gc-mark, gc-sweep, leak. The
# default is heap and states-abrt. With KEEP set, what else is in the folder
# stays. Plain copies go to $PLAIN/NAME when PLAIN is set.
#
# Needs zstd; gdb for the modes where a debugger takes the core; qemu-aarch64
# for arm64. The kernel must write cores as "core" to the current directory
# (/proc/sys/kernel/core_pattern).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
go=$1 name=$2
shift 2
[ $# -gt 0 ] || set -- heap states-abrt
IFS=- read -r version arch variant <<< "$name"

to=$here/cores/$name
work=/tmp/zoo
[ -n "${KEEP:-}" ] || rm -rf "$to" ${PLAIN:+"$PLAIN/$name"}
rm -rf "$work"
mkdir -p "$to" "$work"
ulimit -c unlimited

# Nothing of the maker's own environment may end up in a core.
buildenv=(env -i PATH="$PATH" HOME="$HOME" GOTOOLCHAIN=local GOARCH="$arch" CGO_ENABLED=0
	${GOCACHE:+GOCACHE="$GOCACHE"})
runenv=(env -i GOTRACEBACK=crash GOMAXPROCS=2)
case $version in
1.18 | 1.19 | 1.20 | 1.21 | 1.22 | 1.23)
	# there a new MemProfileRate takes hold only after the next sample
	runenv+=(GODEBUG=memprofilerate=1)
	;;
esac
flags=(-trimpath -buildvcs=false)
run=()
case $arch in
arm64) run=(qemu-aarch64) ;;
esac
case $variant in
'') ;;
pie) flags+=(-buildmode=pie) ;;
cgo) buildenv+=(CGO_ENABLED=1) ;;
piecgo) buildenv+=(CGO_ENABLED=1) flags+=(-buildmode=pie) ;;
*) buildenv+=(GOEXPERIMENT="${variant//+/,}") ;;
esac
# Some builds have DWARF as Go makes it, compressed, some have it uncompressed;
# those with neither have a symbol table, to save room.
case $name in
1.19-* | 1.2[0135]-amd64) flags+=(-ldflags=-compressdwarf=false) ;;
1.18-* | 1.2?-amd64 | 1.2[27]-arm64 | 1.22-amd64-pie | 1.27-amd64-cgo) ;;
*) flags+=(-ldflags=-w) ;;
esac
case $name in
1.2[27]-amd64) flags+=(-tags=reflectmade) ;;
esac

(cd "$here/progs/zoo" && "${buildenv[@]}" "$go" build "${flags[@]}" -o $work/zoo .)
# the host's own Go serves for the tool that reads heap dumps
(cd "$here/progs/dumplist" && "${HOSTGO:-go}" build -o $work/dumplist .)
cd $work

# keep MODE puts away what the program left behind.
keep() {
	local f
	mv core "$1.core"
	for f in truth trace; do
		[ -s $f ] && mv $f "$1.$f"
	done
	[ ! -s dump ] || ./dumplist objects dump > "$1.objects"
	if [ "$1" = heap ]; then
		./dumplist memprof dump > "$1.memprof"
		mv dump "$1.heapdump"
	fi
	rm -f dump
}

# die MODE ARGUMENT... runs the program to its death.
die() {
	local mode=$1
	shift
	"${runenv[@]}" timeout 60 "${run[@]}" ./zoo "$@" > truth 2> trace || true
	[ ${#run[@]} = 0 ] || mv qemu_zoo_*.core core
	keep "$mode"
}

# alive MODE ARGUMENT... has a debugger take the core of the live program,
# which then prints its traceback on SIGQUIT.
alive() {
	local mode=$1 pid
	shift
	(ulimit -c 0; exec "${runenv[@]}" ./zoo "$@") > truth 2> trace &
	pid=$!
	sleep 2
	# without the first page of each ELF file, but for two versions
	case $version in
	1.18 | 1.26) ;;
	*) echo 0x23 > /proc/$pid/coredump_filter ;;
	esac
	gdb -nx -batch -p $pid -ex "generate-core-file core" > gdb.log 2>&1
	kill -QUIT $pid
	wait $pid || true
	keep "$mode"
}

# stopped MODE COMMAND... runs "zoo gc" below a debugger, which stops it with the
# commands and then ends it with a signal that it does not catch. The truth is what gdb saw.
stopped() {
	local mode=$1
	shift
	{
		echo "set pagination off"
		echo "set startup-with-shell off"
		echo "set disable-randomization off"
		echo "handle SIGURG nostop noprint pass"
		printf '%s\n' "$@"
		echo "print 'runtime.gcphase'"
		echo "bt 3"
		echo "signal SIGSYS"
	} > commands
	"${runenv[@]}" SHELL=/bin/sh PATH="$PATH" gdb -nx -batch -x commands --args ./zoo gc > gdb.log 2>&1 || true
	grep -E '^\$1 =|^#' gdb.log > "$mode.truth"
	keep "$mode"
}

# leak takes two cores of one process, with growth between them.
leak() {
	local pid
	mkfifo in
	(ulimit -c 0; exec "${runenv[@]}" ./zoo leak) < in > truth 2> trace &
	pid=$!
	exec 3> in
	sleep 1
	echo 0x23 > /proc/$pid/coredump_filter
	gdb -nx -batch -p $pid -ex "generate-core-file core" > gdb.log 2>&1
	cp truth leak-1.truth
	mv core leak-1.core
	printf xxx >&3
	sleep 1
	gdb -nx -batch -p $pid -ex "generate-core-file core" > gdb.log 2>&1
	cp truth leak-2.truth
	mv core leak-2.core
	exec 3>&-
	wait $pid || true
	rm -f truth trace in
}

for mode; do
	case $mode in
	heap | dirty) die $mode $mode dump ;;
	maps) die maps maps dump few ;;
	maps-many) die maps-many maps dump ;;
	states-gcore) alive $mode states wait dump ;;
	states-*) die $mode states "${mode#states-}" dump ;;
	gc-mark) stopped $mode "break runtime.greyobject" run "continue 1500" ;;
	gc-sweep) stopped $mode "break runtime.sweepone" run "continue 1000" ;;
	leak) leak ;;
	esac
done

mv zoo exe
rm -f dumplist commands gdb.log
if [ -n "${PLAIN:-}" ]; then
	mkdir -p "$PLAIN/$name"
	cp --sparse=always ./* "$PLAIN/$name/"
fi
for f in *; do
	case $f in
	*.truth) mv "$f" "$to/" ;;
	exe) zstd -qf --ultra -22 --long=24 "$f" -o "$to/$f.zst" ;;
	*) zstd -qf -19 --long=24 "$f" -o "$to/$f.zst" ;;
	esac
done
cd "$here"
chmod 644 "$to"/*
rm -rf $work
du -ab "$to" | sort -n
