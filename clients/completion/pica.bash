# bash completion for pica(1), pica-scenes(1) and picad(1). Verbs, options and their values come from the programs.

# "option --name= ARG words" and "form ARGUMENTS" in lines.
_pica_table() {
	"$@" --complete 2>/dev/null
}

# Options of a verb (or of pica itself), a line each; those that take a value end in "=".
_pica_options() {
	sed -n 's/^option \(--[^ ]*\).*/\1/p' <<<"$1"
}

_pica_verbs() {
	"$1" --help 2>/dev/null | sed -n '/^Verbs /,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

# What follows the options: "asm SOURCE...", "CAPTURE...".
_pica_arguments() {
	sed -n 's/^form //p' <<<"$1"
}

# What an option takes, as its help names it: FILE, N, ...
_pica_kind() {
	sed -n "s/^option $1= \([^ ]*\).*/\1/p" <<<"$2"
}

# Words that an option takes.
_pica_values() {
	local words
	words=$(sed -n "s/^option $1= [^ ]* \(.*\)/\1/p" <<<"$2")
	[[ -n $words ]] || words=$(_pica_kind "$1" "$2" | sed -n '/^[a-z0-9.|-]*|[a-z0-9.|-]*$/s/|/ /gp')
	echo "$words"
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

# Sets option to the one whose value is asked for, and cur to what there is of it. Bash takes "--option=value" for
# three words.
_pica_option() {
	local last=${COMP_WORDS[COMP_CWORD - 1]}
	if [[ $cur == = ]]; then
		option=$last cur=''
	elif ((COMP_CWORD > 1)) && [[ $last == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $last == --* && $'\n'$1$'\n' == *$'\n'"$last="$'\n'* ]]; then
		option=$last # "--option value"
	fi
}

# Options that an action of batch refuses.
_pica_refused() {
	case $1 in
	plan) echo --bless --isa= --jobs= --json --memory= --shard= --threads= --timeout= --verbose ;;
	run) echo --bless --combiner= --float= --frames= --golden= --pictures= --pixels= --tolerance= --verify ;;
	merge)
		echo --bless --combiner= --float= --frames= --golden= --isa= --jobs= --memory= --pictures= --pixels= --shard= \
			--threads= --timeout= --tolerance= --verbose
		;;
	esac
}

_pica_offer_options() {
	COMPREPLY=($(compgen -W "$1" -- "$cur"))
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

# pica-scenes and picad, which have no verbs.
_pica_plain() {
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} option='' table options kind
	COMPREPLY=()
	table=$(_pica_table "$program")
	options=$(_pica_options "$table")
	_pica_option "$options"
	kind=$(_pica_kind "$option" "$table")
	if [[ ${COMP_WORDS[COMP_CWORD - 1]} == -o ]]; then
		_pica_files "$cur" ''
		return
	fi
	case ${program##*/}:$option:$kind in
	*::*)
		if [[ $cur == -* ]]; then
			_pica_offer_options "$options"
		elif [[ $program == *scenes ]]; then
			COMPREPLY=($(compgen -W "$("$program" --list | sed 's/[[:space:]].*//')" -- "$cur"))
		else
			_pica_files "$cur" .ctf .ctf.zst .pica
		fi
		;;
	pica-scenes:--format:*) COMPREPLY=($(compgen -W 'pica ctf ctf.zst' -- "$cur")) ;;
	*:FILE | *:DIR | *:PATH | *:PNG | *:NODE) _pica_files "$cur" '' ;;
	*:CAPTURE) _pica_files "$cur" .ctf .ctf.zst .pica ;;
	*) COMPREPLY=($(compgen -W "$(_pica_values "$option" "$table")" -- "$cur")) ;;
	esac
}

_pica() {
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} option='' verb='' action='' i word
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* ]]; then
			verb=${COMP_WORDS[i]}
			break
		fi
	done
	local command=("$program" ${verb:+"$verb"})
	local table options arguments
	if [[ -n $verb ]] && ! _pica_verbs "$program" | grep -qxF -- "$verb"; then
		return # it is refused, whatever follows
	fi
	table=$(_pica_table "${command[@]}")
	options=$(_pica_options "$table")
	_pica_option "$options"
	arguments=$(_pica_arguments "$table")
	# A verb with actions: the first word after it is one of them.
	for ((i = i + 1; i < COMP_CWORD; i++)); do
		if [[ -n $verb && $'\n'$arguments == *$'\n'"${COMP_WORDS[i]} "* ]]; then
			action=${COMP_WORDS[i]}
			break
		fi
	done
	if [[ $option == --output || $option == --connect || ${COMP_WORDS[COMP_CWORD - 1]} == -o ]]; then
		_pica_files "$cur" ''
	elif [[ -n $option && $(_pica_kind "$option" "$table") == @(FILE|FOLDER|DIR|PATH) ]]; then
		_pica_files "$cur" ''
	elif [[ -n $option ]]; then
		COMPREPLY=($(compgen -W "$(_pica_values "$option" "$table")" -- "$cur"))
	elif [[ $cur == -* ]]; then
		for word in $([[ $verb == batch ]] && _pica_refused "$action"); do
			options=$(grep -vxF -- "$word" <<<"$options")
		done
		_pica_offer_options "$options"
	elif [[ -z $verb ]]; then
		COMPREPLY=($(compgen -W "$(_pica_verbs "$program")" -- "$cur"))
	else
		[[ -n $action ]] && arguments=$(sed -n "s/^$action //p" <<<"$arguments")
		word=$(sed -n 's/^\([a-z]\{1,\}\) .*/\1/p' <<<"$arguments")
		if [[ -n $word ]]; then
			COMPREPLY=($(compgen -W "$word" -- "$cur"))
			arguments=$(sed '/^[a-z]\{1,\} /d' <<<"$arguments") # what may stand in place of an action
			[[ -n $arguments ]] || return
		fi
		if [[ $arguments == *LIST* && ($cur == @* || ${COMP_WORDS[COMP_CWORD - 1]} == @) ]]; then
			_pica_files "${cur#@}" ''
			# Bash takes "@list" for two words, and replaces both.
			COMPREPLY=("${COMPREPLY[@]/#/@}")
			compopt +o filenames 2>/dev/null # which would quote it
			return
		fi
		case $arguments in
		A\ *) _pica_files "$cur" .ctf .ctf.zst .pica .png .txt ;;
		PLAN*) _pica_files "$cur" .json ;;
		*LIST*) _pica_files "$cur" .ctf .ctf.zst .pica .txt ;;
		*CAPTURE*) _pica_files "$cur" .ctf .ctf.zst .pica ;;
		*SHBIN*) _pica_files "$cur" .shbin ;;
		*) _pica_files "$cur" '' ;;
		esac
	fi
}

complete -F _pica pica
complete -F _pica_plain pica-scenes picad
