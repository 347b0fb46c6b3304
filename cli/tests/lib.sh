# lib.sh: what the shell tests share: numbered claims and a scratch folder.
# shellcheck shell=sh disable=SC2034 # read by the tests

LC_ALL=C
export LC_ALL
: "${HEAPCORE:?the program}" "${TESTDATA:?the folder testdata}" "${BUILD:?}"
unset HEAPCORE_CORE HEAPCORE_EXE NO_COLOR
JSON=$BUILD/cli/tests/json
MKCORE=$BUILD/cli/tests/mkcore
N=0
BAD=0
DIR=$(mktemp -d "${TMPDIR:-/tmp}/heapcore-test.XXXXXX") || exit 3
trap 'rm -rf "$DIR"' EXIT
cd "$DIR" || exit 3

# claim TEXT COMMAND...: one test, which holds if the command succeeds.
claim() {
	claim_text=$1
	shift
	N=$((N + 1))
	if "$@" >claim.log 2>&1; then
		echo "ok $N - $claim_text"
	else
		echo "not ok $N - $claim_text"
		sed 's/^/# /' claim.log
		BAD=1
	fi
}

skip() {
	N=$((N + 1))
	echo "ok $N - $1 # skip $2"
}

finish() {
	echo "1..$N"
	exit $BAD
}

# run ARGUMENT...: the program; leaves out, err and $RC.
run() {
	"$HEAPCORE" "$@" >out 2>err
	RC=$?
}

# exits STATUS ARGUMENT...: the program ends with that status.
exits() {
	exits_want=$1
	shift
	run "$@"
	[ "$RC" = "$exits_want" ] && return
	echo "exit $RC, not $exits_want: heapcore $*"
	cat err
	return 1
}

# fails STATUS PATTERN ARGUMENT...: that status, nothing on standard output,
# and one line of ours on standard error, which matches the pattern.
fails() {
	fails_pattern=$2
	fails_status=$1
	shift 2
	exits "$fails_status" "$@" || return
	if [ -s out ]; then
		echo 'there is something on standard output'
		return 1
	fi
	cat err
	[ "$(wc -l <err)" = 1 ] && grep -Eq "^heapcore: $fails_pattern" err
}

# shows PATTERN ARGUMENT...: exit 0, and a line of the answer matches.
shows() {
	shows_pattern=$1
	shift
	exits 0 "$@" || return
	grep -Eq -- "$shows_pattern" out && return
	cat out
	return 1
}

# unpack_demo: core and exe of the newest version in testdata, as ./core.demo
# and ./exe, or failure when there is none.
unpack_demo() {
	DEMO=$TESTDATA/cores/1.26-amd64
	[ -f "$DEMO/heap.core.zst" ] && [ -f "$DEMO/exe.zst" ] &&
		command -v zstd >/dev/null || return 1
	zstd -qdf "$DEMO/heap.core.zst" -o core.demo &&
		zstd -qdf "$DEMO/exe.zst" -o exe && chmod +x exe
}
