# heapcore.bash: completion of heapcore for bash.

_heapcore()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	local commands='stats info mappings goroutines types histogram histo
		objects object globals reachable retained suspects allocs
		objgraph verify dump diff series read
		help version'
	local common='--core --exe --sysroot --allow-mismatch --snapshot --json --top
		--bytes --output --force --threads --memory-limit --no-color
		--quiet --verbose --debug --no-sandbox --help --version'
	local command= word own= i

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[[ $word != -* && " ${commands//[$'\n\t']/ } " == *" $word "* ]] &&
			command=$word && break
	done
	case $prev in
	--by) COMPREPLY=($(compgen -W 'type package size goroutine global' -- "$cur")); return ;;
	--format) COMPREPLY=($(compgen -W 'dot json graphml' -- "$cur")); return ;;
	--sysroot) COMPREPLY=($(compgen -d -- "$cur")); return ;;
	-c | --core | -e | --exe | -o | --output | --pprof)
		COMPREPLY=($(compgen -f -- "$cur")); return ;;
	-n | --top | -j | --threads | --memory-limit | --min-size | --len | \
		--snapshot | --with | --from | --to | --of | --threshold | --depth | --type) return ;;
	help) COMPREPLY=($(compgen -W "$commands" -- "$cur")); return ;;
	esac
	case $command in
	goroutines) own='--group --folded --pprof --with --retained' ;;
	stats) own='--types' ;;
	types | histogram | histo) own='--by --garbage --min-size --type --retained' ;;
	objects) own='--min-size --type --live --garbage' ;;
	globals) own='--type --retained' ;;
	allocs) own='--folded --pprof --held' ;;
	suspects) own='--threshold' ;;
	retained) own='--of --by --garbage' ;;
	reachable) own='--all-roots --type' ;;
	diff) own='--threshold' ;;
	dump) own='--format --values --append' ;;
	objgraph) own='--by --from --to --depth --format --full' ;;
	read) own='--len' ;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$common $own" -- "$cur"))
	elif [[ -z $command ]]; then
		COMPREPLY=($(compgen -W "$commands" -- "$cur"))
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -F _heapcore heapcore
