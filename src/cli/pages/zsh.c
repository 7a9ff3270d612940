/* Completion of zsh: one call of _arguments a command. */
#include "cli/pages/pages.h"

#include <string.h>

/* A text within single quotes and, as _arguments wants them, without its own meaning of [, ] and :. */
static void put_doc(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            fputs("'\\''", out);
        else if (*c == '[' || *c == ']' || *c == ':' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else
            fputc(*c, out);
    }
}

static void put_value(FILE *out, const cli_option *option)
{
    fputs(":", out);
    put_doc(out, option->value);
    if (!option->words)
        fputs(": ", out);
    else if (strcmp(option->words, CLI_FILES) == 0)
        fputs(":_files", out);
    else if (strcmp(option->words, CLI_FOLDERS) == 0)
        fputs(":_files -/", out);
    else {
        fputs(":(", out);
        put_doc(out, option->words);
        fputs(")", out);
    }
    if (option->kind == CLI_TWO)
        fputs(": : ", out);
}

/* Options that may be repeated have a * before them. */
static void put_option(FILE *out, const cli_option *option)
{
    const bool often = option->kind == CLI_TWO || option->kind == CLI_ASSIGNMENT;
    fputs(" \\\n            ", out);
    if (option->letter)
        fprintf(out, "'(-%c --%s)'{-%c,--%s}", option->letter, option->name, option->letter, option->name);
    else
        fprintf(out, "%s--%s", often ? "\\*" : "", option->name);
    fputs("'[", out);
    put_doc(out, option->doc);
    fputs("]", out);
    if (option->value)
        put_value(out, option);
    fputs("'", out);
}

static void put_operand(FILE *out, const cli_command *command)
{
    const cli_operand operand = cli_operand_of(command);
    if (operand == CLI_NO_OPERAND)
        return;
    fputs(" \\\n            '*:", out);
    put_doc(out, command->operands);
    if (operand == CLI_FILE)
        fputs(":_files'", out);
    else if (operand == CLI_MODEL_OR_FILE)
        fputs(":{ compadd $models; _files }'", out);
    else {
        fputs(":(", out);
        if (operand == CLI_MODEL)
            cli_write_models(out);
        else
            cli_write_words(out, NULL);
        fputs(")'", out);
    }
}

static void put_case(FILE *out, const cli_command *command)
{
    fprintf(out, "    '%s')\n        _arguments -s", command->name);
    for (size_t i = 0; i < cli_n_options; i++)
        if (cli_takes_option(command, &cli_options[i]))
            put_option(out, &cli_options[i]);
    put_operand(out, command);
    fputs("\n        ;;\n", out);
}

/* 'name:what it does' of the commands, or of the second words of a group. */
static void put_list(FILE *out, const char *name, const char *group)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    const size_t length = group ? strlen(group) : 0;
    fprintf(out, "    %s=(\n", name);
    for (size_t i = 0; i < n; i++) {
        const size_t own = cli_group_length(&commands[i]);
        if (group ? own != length || strncmp(commands[i].name, group, length) != 0 : own > 0)
            continue;
        fprintf(out, "        '%s:", commands[i].name + (group ? length + 1 : 0));
        put_doc(out, commands[i].summary);
        fputs("'\n", out);
    }
    for (size_t i = 0; !group && i < n; i++)
        if (cli_first_of_group(i)) {
            const int own = (int)cli_group_length(&commands[i]);
            fprintf(out, "        '%.*s:commands that begin with %.*s'\n", own, commands[i].name, own,
                    commands[i].name);
        }
    fputs("    )\n", out);
}

void cli_write_zsh(FILE *out)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    fputs("#compdef weir\n"
          "# Zsh completion of weir, made from its tables of commands and options.\n"
          "# Installed as share/zsh/site-functions/_weir; elsewhere it wants a folder of $fpath.\n"
          "_weir()\n{\n    local -a commands models\n    local command=$words[2]\n    models=(",
          out);
    cli_write_models(out);
    fputs(")\n", out);
    put_list(out, "commands", NULL);
    fputs("    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n        return\n    fi\n"
          "    shift words\n    (( CURRENT-- ))\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; i < n; i++)
        if (cli_first_of_group(i)) {
            char group[64];
            snprintf(group, sizeof group, "%.*s", (int)cli_group_length(&commands[i]), commands[i].name);
            fprintf(out, "    %s)\n", group);
            put_list(out, "commands", group);
            fputs("    ;|\n", out);
        }
    const char *between = "    ";
    for (size_t i = 0; i < n; i++)
        if (cli_first_of_group(i)) {
            fprintf(out, "%s%.*s", between, (int)cli_group_length(&commands[i]), commands[i].name);
            between = "|";
        }
    fputs(")\n        if (( CURRENT == 2 )); then\n"
          "            _describe command commands\n            return\n        fi\n"
          "        command+=\" $words[2]\"\n"
          "        shift words\n        (( CURRENT-- ))\n        ;;\n"
          "    esac\n    case $command in\n",
          out);
    for (size_t i = 0; i < n; i++)
        put_case(out, &commands[i]);
    fputs("    esac\n}\n"
          "[[ $funcstack[1] = _weir ]] && _weir \"$@\" || { (( $+functions[compdef] )) && compdef _weir weir "
          "}\n",
          out);
}
