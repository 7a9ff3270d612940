# Bash completion of weir. Installed as share/bash-completion/completions/weir, or: source weir.bash
# The words of $1 that begin with $cur, the word under the cursor.
_weir_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_weir()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local common='--help --version' overrides='--seed --run --duration --engine --threads --lp-size --device --set' options
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _weir_words "run check verify analyze topology routes info help version $common"
        return
    fi
    local engines='sequential conservative gpu check'
    local -A values=(
        [--engine]="auto $engines"
        [--against]="$engines conservative:threads="
        [--device]='auto cpu cuda'
        [--metric]='hops delay weight inverse-rate'
        [--algorithm]='auto trees bit-parallel batched floyd-warshall fw-paper'
        [--format]='graphml brite dot edges csv'
        [--from]='graphml brite brite-conf cch weights latencies as-rel sndlib inet orbis edges'
    )
    case $prev in
    -o | --output)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --lps | --events | --lookahead | --seed | --run | --duration | --threads | --lp-size | --set | --pairs | --pair)
        return
        ;;
    --?*)
        if [ -n "${values[$prev]-}" ]; then
            _weir_words "${values[$prev]}"
            return
        fi
        ;;
    esac
    case $command in
    run) options="--output --force --json --no-progress --quiet --verbose $overrides $common" ;;
    check) options="--schema --quiet --verbose $overrides $common" ;;
    verify) options="--against --no-progress --quiet --verbose $overrides $common" ;;
    analyze)
        if [ "$COMP_CWORD" -eq 2 ]; then
            _weir_words 'parallelism'
            return
        fi
        options="--lps --events --lookahead --output --force --no-progress --quiet --verbose $overrides $common"
        ;;
    routes)
        options="--output --force --metric --algorithm --device --threads --from --pairs --pair --verify --json --quiet --verbose $common"
        ;;
    topology)
        if [ "$COMP_CWORD" -eq 2 ]; then
            _weir_words 'models names generate convert info'
            return
        fi
        case ${COMP_WORDS[2]} in
        models) options="--quiet --verbose $common" ;;
        names) options="--set --seed --from --json --quiet --verbose $common" ;;
        generate) options="--set --seed --output --format --force --plot --json --quiet --verbose $common" ;;
        convert) options="--from --output --format --force --plot --quiet --verbose $common" ;;
        *) options="--from --plot --json --quiet --verbose $common" ;;
        esac
        ;;
    help)
        _weir_words 'run check verify analyze topology routes info version'
        return
        ;;
    *) options="--quiet --verbose $common" ;;
    esac
    if [[ $cur == -* ]]; then
        _weir_words "$options"
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _weir weir
