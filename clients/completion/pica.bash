# bash completion for pica(1). Verbs, options and what they take come from --help.

# With the options that --help leaves out, where there are such.
_pica_help() {
	"$@" --help-all 2>/dev/null || "$@" --help 2>/dev/null
}

# Options of a verb (or of pica itself), a line each; those that take a value end in "=".
_pica_options() {
	_pica_help "$@" | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z0-9-]*=\{0,1\}\).*/\2/p'
}

_pica_verbs() {
	"$1" --help 2>/dev/null | sed -n '/^Verbs /,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# What stands behind the options in the lines of usage: "asm SOURCE...", "CAPTURE...".
_pica_arguments() {
	"$@" --help 2>/dev/null | sed -n '/^\(Usage\|  or\): /s/.*\[OPTION\.\.\.\] //p'
}

# Values of an option: what its help writes as a|b, else what is known here.
_pica_values() {
	local option=$1
	shift
	case $option in
	--a | --b)
		echo isa=c isa=emul isa=sse4.1 threads=0 float=f24 float=f32 combiner=nearest combiner=truncate
		;;
	--eye) echo left right both ;;
	--format) echo png ppm qoi y4m hash none ;;
	--frames) echo last all ;;
	--group) echo interrupt raster texture combiner framebuffer lighting geometry gsh vsh ;;
	--isa) echo c emul sse4.1 ;;
	--progress) echo auto always never ;;
	--screen) echo top bottom both ;;
	*) _pica_help "$@" | sed -n "s/^ .*$option=\([a-z0-9|]*|[a-z0-9|]*\).*/\1/p" | tr '|' ' ' ;;
	esac
}

# What an option takes, as its help names it: FILE, N, ...
_pica_kind() {
	local option=$1
	shift
	_pica_help "$@" | sed -n "s/^ .*$option=\([^ ]*\).*/\1/p"
}

# Files whose names end in one of the given words, and folders.
_pica_files() {
	local cur=$1 name ending
	shift
	compopt -o filenames 2>/dev/null
	while IFS= read -r name; do
		for ending in "$@"; do
			if [[ -d $name || $name == *"$ending" ]]; then
				COMPREPLY+=("$name")
				break
			fi
		done
	done < <(compgen -f -- "$cur")
}

_pica() {
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} option='' verb='' action='' i word
	COMPREPLY=()
	# Bash takes "--option=value" for three words.
	if [[ $cur == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 1]} cur=''
	elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* ]]; then
			verb=${COMP_WORDS[i]}
			break
		fi
	done
	local command=("$program" ${verb:+"$verb"})
	local options arguments
	options=$(_pica_options "${command[@]}")
	if [[ -z $option && ${COMP_WORDS[COMP_CWORD - 1]} == --* && $'\n'$options$'\n' == \
			*$'\n'"${COMP_WORDS[COMP_CWORD - 1]}="$'\n'* ]]; then
		option=${COMP_WORDS[COMP_CWORD - 1]} # "--option value"
	fi
	if [[ $option == --output || $option == --connect || ${COMP_WORDS[COMP_CWORD - 1]} == -o ]]; then
		_pica_files "$cur" ''
	elif [[ -n $option && $(_pica_kind "$option" "${command[@]}") == @(FILE|FOLDER|DIR|PATH) ]]; then
		_pica_files "$cur" ''
	elif [[ -n $option ]]; then
		COMPREPLY=($(compgen -W "$(_pica_values "$option" "${command[@]}")" -- "$cur"))
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	elif [[ -z $verb ]]; then
		COMPREPLY=($(compgen -W "$(_pica_verbs "$program")" -- "$cur"))
	else
		arguments=$(_pica_arguments "${command[@]}")
		# A verb with actions: the first word behind it is one of them.
		for ((i = i + 1; i < COMP_CWORD; i++)); do
			if grep -q "^${COMP_WORDS[i]} " <<<"$arguments"; then
				action=${COMP_WORDS[i]}
				break
			fi
		done
		[[ -n $action ]] && arguments=$(sed -n "s/^$action //p" <<<"$arguments")
		word=$(sed -n 's/^\([a-z]\{1,\}\) .*/\1/p' <<<"$arguments")
		if [[ -n $word ]]; then
			COMPREPLY=($(compgen -W "$word" -- "$cur"))
			arguments=$(sed '/^[a-z]\{1,\} /d' <<<"$arguments") # what may stand in place of an action
			[[ -n $arguments ]] || return
		fi
		case $arguments in
		PLAN*) _pica_files "$cur" .json ;;
		*LIST*) _pica_files "$cur" .ctf .ctf.zst .pica .txt ;;
		*CAPTURE*) _pica_files "$cur" .ctf .ctf.zst .pica ;;
		*SHBIN*) _pica_files "$cur" .shbin ;;
		*) _pica_files "$cur" '' ;;
		esac
	fi
}

complete -F _pica pica
