# bash completion for pica(1), pica-scenes(1) and picad(1). Verbs, options and their values come from the programs.

# Reads the table of a command, lines "option --name= ARG words" and "form ARGUMENTS", into variables of the caller:
# options, a line each, those that take a value with "="; arguments, a line each: "asm SOURCE...", "CAPTURE..."; kinds: what
# an option takes, as its help names it: FILE, N, ...; values: words that it takes.
_pica_read_table() {
	local line name kind words
	options='' arguments=''
	while IFS= read -r line; do
		if [[ $line == 'form '* ]]; then
			arguments+=${line#form }$'\n'
		elif [[ $line == 'option '* ]]; then
			read -r name kind words <<<"${line#option }"
			options+=$name$'\n'
			if [[ -z $words && $kind == *'|'* && $kind != *[^a-z0-9.\|-]* ]]; then
				words=${kind//|/ }
			fi
			kinds[${name%=}]=$kind values[${name%=}]=$words
		fi
	done < <("$@" --complete 2>/dev/null)
}

_pica_verbs() {
	"$1" --help 2>/dev/null | sed -n '/^Verbs /,/^$/s/^  \([a-z-]*\) .*/\1/p'
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

# Sets option to the one whose value is completed, and cur to the typed part of it. Bash splits "--option=value" into
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
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} option='' options arguments kind
	local -A kinds values
	COMPREPLY=()
	_pica_read_table "$program"
	_pica_option "$options"
	[[ -z $option ]] || kind=${kinds[$option]-}
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
	*) COMPREPLY=($(compgen -W "${values[$option]-}" -- "$cur")) ;;
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
	local options arguments
	local -A kinds values
	_pica_read_table "$program" ${verb:+"$verb"}
	[[ -n $options ]] || return # no such verb
	_pica_option "$options"
	# A verb with actions: the first word after it is one of them.
	for ((i = i + 1; i < COMP_CWORD; i++)); do
		if [[ -n $verb && $'\n'$arguments == *$'\n'"${COMP_WORDS[i]} "* ]]; then
			action=${COMP_WORDS[i]}
			break
		fi
	done
	if [[ $option == --output || $option == --connect || ${COMP_WORDS[COMP_CWORD - 1]} == -o ]]; then
		_pica_files "$cur" ''
	elif [[ -n $option && ${kinds[$option]-} == @(FILE|FOLDER|DIR|PATH) ]]; then
		_pica_files "$cur" ''
	elif [[ -n $option ]]; then
		COMPREPLY=($(compgen -W "${values[$option]-}" -- "$cur"))
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
			arguments=$(sed '/^[a-z]\{1,\} /d' <<<"$arguments") # alternatives to an action
			[[ -n $arguments ]] || return
		fi
		if [[ $arguments == *LIST* && ($cur == @* || ${COMP_WORDS[COMP_CWORD - 1]} == @) ]]; then
			_pica_files "${cur#@}" ''
			# Bash splits "@list" into two words, and replaces both.
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
