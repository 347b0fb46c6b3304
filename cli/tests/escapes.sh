#!/bin/sh
# escapes.sh: names out of a hostile core are text to whoever reads them.
. "${0%/*}/lib.sh"
"$MKCORE" core.evil
"$MKCORE" core.nice plain
tab=$(printf '\t')

# harmless FILE: no control bytes but line feeds, no C1, no bidi controls.
harmless() {
	! tr -d '\n' <"$1" | grep -q '[[:cntrl:]]' &&
		! grep -q "$(printf '\302\233')" "$1" &&
		! grep -q "$(printf '\342\200\256')" "$1" &&
		! grep -q "$(printf '\377')" "$1"
}

for c in info mappings; do
	run $c core.evil
	claim "$c: the names are harmless on a terminal" harmless out
	claim "$c: so are the notes" harmless err
	claim "$c: nothing is lost of them" grep -q '\\x1b' out
	run $c core.evil --json
	claim "$c: the JSON is valid" "$JSON" valid out
	claim "$c: the JSON is harmless on a terminal" harmless out
done
claim 'a name comes back out of the JSON' sh -c '
	"$HEAPCORE" info core.evil --json >i.json 2>/dev/null
	"$1" get i.json command >got
	printf "./\033]0;owned\007 \"<&>\" \357\277\275\n" >want
	cmp want got' - "$JSON"
cp core.nice "$(printf 'core.\033[31m')"
run stats "$(printf 'core.\033[31m')"
claim 'file names in errors are harmless too' harmless err
run "$(printf 'st\033[31mats')"
claim 'and so is what was typed' harmless err
run stats "--x${tab}y"
claim 'and options' harmless err
finish
