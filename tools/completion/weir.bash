# Bash completion of weir. Installed as share/bash-completion/completions/weir, or: source weir.bash
_weir()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local common='--help --version' overrides='--seed --run --duration --engine --threads --lp-size --device --set' options
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "run check verify analyze topology routes info help version $common" -- "$cur")
        return
    fi
    case $prev in
    --engine)
        mapfile -t COMPREPLY < <(compgen -W 'auto sequential check' -- "$cur")
        return
        ;;
    --device)
        mapfile -t COMPREPLY < <(compgen -W 'auto cpu cuda' -- "$cur")
        return
        ;;
    --metric)
        mapfile -t COMPREPLY < <(compgen -W 'hops delay weight inverse-rate' -- "$cur")
        return
        ;;
    --algorithm)
        mapfile -t COMPREPLY < <(compgen -W 'auto trees bit-parallel batched floyd-warshall fw-paper' -- "$cur")
        return
        ;;
    --format)
        mapfile -t COMPREPLY < <(compgen -W 'graphml brite dot edges' -- "$cur")
        return
        ;;
    --from)
        mapfile -t COMPREPLY < <(compgen -W 'graphml brite brite-conf cch weights latencies as-rel sndlib inet orbis edges' -- "$cur")
        return
        ;;
    -o | --output)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --against)
        mapfile -t COMPREPLY < <(compgen -W 'sequential check conservative:threads=' -- "$cur")
        return
        ;;
    --lps | --events | --lookahead | --seed | --run | --duration | --threads | --lp-size | --set | --pairs)
        return
        ;;
    esac
    case $command in
    run) options="--output --force --json --no-progress --quiet --verbose $overrides $common" ;;
    check) options="--schema --quiet --verbose $overrides $common" ;;
    verify) options="--against --no-progress --quiet --verbose $overrides $common" ;;
    analyze)
        if [ "$COMP_CWORD" -eq 2 ]; then
            mapfile -t COMPREPLY < <(compgen -W 'parallelism' -- "$cur")
            return
        fi
        options="--lps --events --lookahead --output --force --no-progress --quiet --verbose $overrides $common"
        ;;
    routes)
        options="--output --force --metric --algorithm --device --threads --pairs --verify --json --quiet --verbose $common"
        ;;
    topology)
        if [ "$COMP_CWORD" -eq 2 ]; then
            mapfile -t COMPREPLY < <(compgen -W 'models generate convert info' -- "$cur")
            return
        fi
        case ${COMP_WORDS[2]} in
        models) options="--quiet --verbose $common" ;;
        generate) options="--set --seed --output --format --force --plot --json --quiet --verbose $common" ;;
        convert) options="--from --output --format --force --plot --quiet --verbose $common" ;;
        *) options="--from --plot --json --quiet --verbose $common" ;;
        esac
        ;;
    help)
        mapfile -t COMPREPLY < <(compgen -W 'run check verify analyze topology routes info version' -- "$cur")
        return
        ;;
    *) options="--quiet --verbose $common" ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _weir weir
