#!/bin/sh
# calls.sh: wrong calls, wrong files: one clear line each, and the status.
. "${0%/*}/lib.sh"

# Calls that nobody can answer: exit 2.
claim 'no arguments: how to call it, on standard error' exits 2
claim '... and that is the usage' grep -q '^usage: heapcore COMMAND' err
claim 'an unknown command that is near one' \
	fails 2 "unknown command 'statz'; did you mean 'stats'\\?" statz
claim 'an unknown command that is near none' \
	fails 2 "unknown command 'frobnicate' .*heapcore help" frobnicate
: >core.x
claim 'a file in the place of the command' \
	fails 2 "unknown command 'core.x'; .*heapcore stats core.x" core.x
claim 'a long option that is near one' \
	fails 2 "unknown option '--jsom'; did you mean '--json'\\?" stats --jsom
claim 'a long option that is near none' \
	fails 2 "unknown option '--frobnicate'" stats --frobnicate
claim 'an unknown letter' fails 2 "unknown option '-Z'" stats -Z
claim 'an option of another command' \
	fails 2 'stats has no option --depth \(objgraph has\)' stats --depth 3
claim 'an option without its value' \
	fails 2 '--top needs a value: --top N' stats --top
claim 'a letter without its value' \
	fails 2 '-n needs a value: -n N' stats -n
claim 'a value for an option that takes none' \
	fails 2 '--json takes no value' stats --json=yes
claim 'a number that is none' \
	fails 2 "--top N: 'many' is not a number" stats -n many
claim 'a size that is none' \
	fails 2 "--min-size SIZE: 'big' is not a size" objects --min-size big
claim 'an address that is none' \
	fails 2 "--from ADDR: 'here' is not an address" objgraph --from here
claim 'a missing argument' \
	fails 2 'read needs an argument: heapcore read ADDR' read
claim 'a core where the address belongs' \
	fails 2 "'core.x' is not an address; it comes first" read core.x
claim 'one argument too many' \
	fails 2 "'four' is one argument too many" stats one two four
claim 'even more arguments' \
	fails 2 "'3' is one argument too many" stats 1 2 3 4 5
claim 'a core named twice' \
	fails 2 "CORE is named twice: 'a' and 'b'" stats -c a b
claim 'a pattern that is none' \
	fails 2 "--with '\\(': " goroutines --with '('
claim 'a format that is none' \
	fails 2 "--format 'gif': it is one of dot, json, graphml" \
	objgraph --format gif
claim 'a pattern of types that is none' \
	fails 2 "--type '\[': " types --type '['
claim 'nothing to count by' \
	fails 2 "--by 'colour': it is one of " types --by colour
claim 'a graph of sizes' \
	fails 2 "objgraph --by 'size': it is one of type, package" \
	objgraph --by size
claim 'a graph of types from an object' \
	fails 2 '--by draws all types' objgraph --by type --from 0x10
claim 'help about an unknown command' \
	fails 2 "unknown command 'statz'" help statz
claim 'two filters that leave nothing' \
	fails 2 '--live and --garbage leave nothing' objects --live --garbage
mkdir empty
claim 'no core here' sh -c 'cd empty && "$HEAPCORE" stats 2>../err; [ $? = 2 ]'
claim '... says where it looked' grep -q '^heapcore: no core: give one' err

# Files that nobody can read: exit 3.
claim 'no such core' \
	fails 3 'no-such-file: cannot read: .*No such file' stats no-such-file
claim 'a directory' fails 3 'empty: .*directory' stats empty
claim 'an empty file' fails 3 'core.x: .*empty' stats core.x
echo 'hello, this is some text' >text
claim 'a text file' fails 3 'text: unsupported: .*not a core' stats text
head -c 100 /dev/urandom >noise
claim 'noise' fails 3 'noise: ' stats noise
claim 'an executable in place of a core' \
	fails 3 '.*: unsupported: is an executable' stats "$(readlink -f /bin/sh)"
claim 'a core that may not be read' sh -c '
	[ "$(id -u)" = 0 ] && exit 0
	: >secret && chmod 0 secret
	"$HEAPCORE" stats secret 2>err; [ $? = 3 ] && grep -q denied err'
"$MKCORE" core.c plain
claim 'a core of no Go program: stats says so' \
	exits 3 stats core.c
claim '... in one line' \
	grep -Eq '^heapcore: core.c: unsupported: no language runtime' err
claim 'a core of no Go program: mappings still answers' \
	shows '^3 mappings' mappings core.c
claim 'a core of no Go program: info still answers' \
	shows 'SIGSEGV \(11\): address not mapped' info core.c
claim 'memory that the core left out' \
	exits 3 read 0x7010 core.c
claim '... says so with the address' \
	grep -Eq '^heapcore: core.c: not in the core: .*\(at 0x7010\)' err
claim 'memory that was never mapped' exits 3 read 0x10 core.c
claim 'an executable that is not there' \
	exits 3 stats core.c no-such-exe
claim '... is named' grep -q 'no-such-exe' err
claim 'too little memory is a line, not a crash' \
	exits 3 mappings core.c --memory-limit 1k
claim '... that says so' grep -q 'memory' err

# Calls that work.
claim 'options go anywhere' shows '"schema": 1' --json mappings core.c -n 1
claim 'options may be joined' exits 0 -qn1 mappings core.c
claim '-- ends the options' fails 3 '-x: cannot read' stats -- -x
claim 'the core from an option' exits 0 mappings --core core.c
claim 'the core from the environment' \
	env HEAPCORE_CORE=core.c "$HEAPCORE" mappings
claim 'the newest core here is taken' exits 0 mappings
claim '... and named on standard error' \
	grep -Eq '^heapcore: core: (\./)?core\.c \(the newest here\)' err
claim 'the core from standard input' sh -c '"$HEAPCORE" mappings - <core.c'
claim 'quiet is quiet' sh -c '"$HEAPCORE" mappings -q core.c 2>err &&
	! [ -s err ]'
claim 'help' shows '^  reachable ADDR ' help
claim '--help' shows '^usage: heapcore COMMAND' --help
claim 'help of a command has an example' \
	shows '^example: heapcore read ' help read
claim '--help of a command' shows '^usage: heapcore objgraph' objgraph --help
claim 'help by alias' shows '^usage: heapcore stats' help breakdown
claim 'version' shows '^heapcore [0-9]+\.[0-9]+' version
claim '--version' shows '^heapcore [0-9]' --version
finish
