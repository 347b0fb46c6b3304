# check.sh: every build, every test and every house rule, one after the other.
# Read by bootstrap (JOBS is its own).

SANITIZERS=address,undefined

# stage TEXT COMMAND...: runs it under a heading; the first failure ends all.
stage() {
	printf '\n== %s\n' "$1"
	shift
	start=$(date +%s)
	"$@" || die "failed: $*"
	printf '== %d s\n' $(($(date +%s) - start))
}

run_checks() {
	make="make --no-print-directory -j $JOBS"
	plain=build/gcc
	sane=build/gcc-$(echo $SANITIZERS | tr , +)
	# shellcheck disable=SC2086 # a command with its options
	{
	stage 'gcc, warnings are errors' $make CC=gcc WERROR=1 tests
	stage 'clang, warnings are errors' $make CC=clang WERROR=1 tests
	stage 'gcc with sanitizers' \
		$make CC=gcc WERROR=1 SAN=$SANITIZERS tests
	stage 'layers, sizes, banned calls' $make CC=gcc layers size banned
	}
	stage 'tests' .ci/tests $plain
	stage 'tests with sanitizers' .ci/tests $sane
	printf '\n'
	cat $plain/test-logs/*.sum $sane/test-logs/*.sum | awk '
		{ p += $1; f += $2; s += $3 }
		END { printf "%d passed, %d failed, %d skipped\n", p, f, s }'
}
