/* Completion of bash: tables, then a function that is the same whatever they hold. */
#include "cli/pages/pages.h"

#include <string.h>

static const char head[] = "# Bash completion of weir, made from its tables of commands and options.\n"
                           "# Installed as share/bash-completion/completions/weir; or: source weir.bash\n";

static const char body[] =
    "# The words of $1 that begin with $cur, the word under the cursor; or files, or folders.\n"
    "_weir_offer()\n"
    "{\n"
    "    case $1 in\n"
    "    '<files>')\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "        ;;\n"
    "    '<folders>')\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
    "        ;;\n"
    "    '<models> <files>') mapfile -t COMPREPLY < <(compgen -W \"$_weir_models\" -f -- \"$cur\") ;;\n"
    "    *) mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\") ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_weir()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        _weir_offer \"${_weir_words[weir]} --help --version\"\n"
    "        return\n"
    "    fi\n"
    "    if [ -n \"${_weir_words[$command]-}\" ]; then\n"
    "        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
    "            _weir_offer \"${_weir_words[$command]} --help\"\n"
    "            return\n"
    "        fi\n"
    "        command+=\" ${COMP_WORDS[2]}\"\n"
    "    fi\n"
    "    [ -n \"${_weir_options[$command]-}\" ] || return\n"
    "    if [ -n \"${_weir_values[$prev]+takes}\" ]; then\n"
    "        _weir_offer \"${_weir_values[$prev]}\"\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        _weir_offer \"${_weir_options[$command]}\"\n"
    "    elif [ -n \"${_weir_operands[$command]-}\" ]; then\n"
    "        _weir_offer \"${_weir_operands[$command]}\"\n"
    "    fi\n"
    "}\n"
    "complete -F _weir weir\n";

static void put_options(FILE *out, const cli_command *command)
{
    fprintf(out, "    ['%s']='", command->name);
    const char *between = "";
    for (size_t i = 0; i < cli_n_options; i++)
        if (cli_takes_option(command, &cli_options[i])) {
            fprintf(out, "%s--%s", between, cli_options[i].name);
            between = " ";
        }
    fputs("'\n", out);
}

static void put_values(FILE *out)
{
    fputs("declare -gA _weir_values=(\n", out);
    for (size_t i = 0; i < cli_n_options; i++) {
        const cli_option *option = &cli_options[i];
        if (option->value && option->letter)
            fprintf(out, "    ['-%c']='%s'\n", option->letter, option->words ? option->words : "");
        if (option->value)
            fprintf(out, "    ['--%s']='%s'\n", option->name, option->words ? option->words : "");
    }
    fputs(")\n", out);
}

static void put_operands(FILE *out, const cli_command *commands, size_t n)
{
    fputs("declare -gA _weir_operands=(\n", out);
    for (size_t i = 0; i < n; i++) {
        const cli_operand operand = cli_operand_of(&commands[i]);
        if (operand == CLI_NO_OPERAND)
            continue;
        fprintf(out, "    ['%s']=", commands[i].name);
        if (operand == CLI_MODEL)
            fputs("$_weir_models", out);
        else if (operand == CLI_COMMAND)
            fputs("${_weir_words[weir]}", out);
        else
            fputs(operand == CLI_FILE ? "'<files>'" : "'<models> <files>'", out);
        fputs("\n", out);
    }
    fputs(")\n", out);
}

void cli_write_bash(FILE *out)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    fprintf(out, "%s_weir_models='", head);
    cli_write_models(out);
    fputs("'\ndeclare -gA _weir_words=(\n    ['weir']='", out);
    cli_write_words(out, NULL);
    fputs("'\n", out);
    for (size_t i = 0; i < n; i++)
        if (cli_first_of_group(i)) {
            char group[64];
            snprintf(group, sizeof group, "%.*s", (int)cli_group_length(&commands[i]), commands[i].name);
            fprintf(out, "    ['%s']='", group);
            cli_write_words(out, group);
            fputs("'\n", out);
        }
    fputs(")\ndeclare -gA _weir_options=(\n", out);
    for (size_t i = 0; i < n; i++)
        put_options(out, &commands[i]);
    fputs(")\n", out);
    put_values(out);
    put_operands(out, commands, n);
    fputs(body, out);
}
