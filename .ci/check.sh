# check.sh: every build, every test and every house rule, one after the other.
# Read by bootstrap (die and JOBS are its own).

SANITIZERS=address,undefined

# stage TEXT COMMAND...: runs it under a heading. A failure is kept for the
# end, so that one run shows all there is to see.
failures=
stage() {
	title=$1
	shift
	printf '\n== %s\n' "$title"
	start=$(date +%s)
	"$@" || failures="$failures
    $title"
	printf '== %s: %d s\n' "$title" $(($(date +%s) - start))
}

run_make() {
	make --no-print-directory -k -j "$JOBS" WERROR=1 "$@"
}

run_checks() {
	plain=build/gcc
	sane=build/gcc-$(echo $SANITIZERS | tr , +)
	rm -rf $plain/test-logs "$sane/test-logs"

	stage 'build with gcc' run_make CC=gcc tests
	stage 'tests' .ci/tests $plain
	stage 'build with sanitizers' run_make CC=gcc SAN=$SANITIZERS tests
	stage 'tests with sanitizers' .ci/tests "$sane"
	stage 'build with clang' run_make CC=clang tests
	stage 'layers, sizes, banned calls' run_make CC=gcc layers size banned

	printf '\n'
	if [ -n "$failures" ]; then
		printf 'failed:%s\n' "$failures"
	fi
	cat $plain/test-logs/*.sum "$sane"/test-logs/*.sum | awk '
		{ p += $1; f += $2; s += $3 }
		END { printf "%d passed, %d failed, %d skipped\n", p, f, s }'
	[ -z "$failures" ]
}
