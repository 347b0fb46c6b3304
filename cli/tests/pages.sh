#!/bin/sh
# pages.sh: manual page and completions know every command and option.
cli=$(cd "${0%/*}/.." && pwd)
. "${0%/*}/lib.sh"
"$HEAPCORE" help --json >help.json
claim 'the table itself is valid JSON' "$JSON" valid help.json
commands=$("$JSON" each help.json commands name)
words=$("$HEAPCORE" help --json | tr ' ,[]' '\n\n\n\n' |
	sed -n 's/^"\([a-z-]*\)"$/\1/p' | sort -u)

for name in $commands; do
	claim "$name has a section in the manual page" \
		grep -Eq "^\.(SS|B|BI) .*\\b$name\\b" "$cli/man/heapcore.1"
	claim "$name is completed by bash, zsh and fish" sh -c '
		for f in heapcore.bash _heapcore heapcore.fish; do
			grep -qw -- "$1" "$2/completions/$f" || exit 1
		done' - "$name" "$cli"
	claim "$name has help with how to call it" \
		shows "^usage: heapcore $name" help "$name"
done
n=0
for option in $words; do
	"$HEAPCORE" stats "--$option" x 2>&1 | grep -q 'unknown option' &&
		continue # a command, an argument
	n=$((n + 1))
	claim "--$option is in the manual page" \
		grep -q -- "\\\\-\\\\-$(echo "$option" | sed 's/-/\\\\-/g')" \
		"$cli/man/heapcore.1"
	claim "--$option is completed" sh -c '
		grep -q -- "--$1" "$2/completions/heapcore.bash" &&
		grep -q -- "--$1" "$2/completions/_heapcore" &&
		grep -qw -- "$1" "$2/completions/heapcore.fish"' \
		- "$option" "$cli"
done
claim 'there are options at all' test $n -ge 20
if command -v mandoc >/dev/null; then
	claim 'the manual page has no errors' \
		mandoc -T lint -W error "$cli/man/heapcore.1"
else
	skip 'the manual page has no errors' 'no mandoc'
fi
if command -v bash >/dev/null; then
	claim 'bash reads its completion' bash -n "$cli/completions/heapcore.bash"
else
	skip 'bash reads its completion' 'no bash'
fi
finish
