/* Completion of fish: a line a command and option. */
#include "cli/pages/pages.h"

#include <string.h>

/* Within single quotes. */
static void put_doc(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        fprintf(out, *c == '\'' || *c == '\\' ? "\\%c" : "%c", *c);
}

static void put_command(FILE *out, const cli_command *command)
{
    const size_t group = cli_group_length(command);
    fputs("complete -c weir -f -n '__weir_after", out);
    if (group)
        fprintf(out, " %.*s", (int)group, command->name);
    fprintf(out, "' -a '%s' -d '", command->name + (group ? group + 1 : 0));
    put_doc(out, command->summary);
    fputs("'\n", out);
}

static void put_option(FILE *out, const cli_command *command, const cli_option *option)
{
    fprintf(out, "complete -c weir -n '__weir_is %s' -l %s", command->name, option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (option->value && option->words && option->words[0] != '<')
        fprintf(out, " -x -a '%s'", option->words);
    else if (option->value)
        fputs(!option->words                            ? " -x"
              : strcmp(option->words, CLI_FOLDERS) == 0 ? " -x -a '(__fish_complete_directories)'"
                                                        : " -r -F",
              out);
    fputs(" -d '", out);
    put_doc(out, option->doc);
    fputs("'\n", out);
}

static void put_operand(FILE *out, const cli_command *command)
{
    const cli_operand operand = cli_operand_of(command);
    if (operand == CLI_NO_OPERAND)
        return;
    fprintf(out, "complete -c weir -n '__weir_is %s'", command->name);
    if (operand == CLI_FILE || operand == CLI_MODEL_OR_FILE)
        fputs(" -F", out);
    if (operand != CLI_FILE)
        fputs(" -a '", out);
    if (operand == CLI_COMMAND)
        cli_write_words(out, NULL);
    else if (operand != CLI_FILE)
        cli_write_models(out);
    fputs(operand == CLI_FILE ? "\n" : "'\n", out);
}

void cli_write_fish(FILE *out)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    fputs("# Fish completion of weir, made from its tables of commands and options.\n"
          "# Installed as share/fish/vendor_completions.d/weir.fish; or: source weir.fish\n"
          "# Does the command line begin with weir and these words?\n"
          "function __weir_is\n"
          "    set -l line (commandline -opc)\n"
          "    set -l last (math 1 + (count $argv))\n"
          "    test (count $line) -ge $last; and test \"$line[2..$last]\" = \"$argv\"\n"
          "end\n"
          "# Are these all, so that a command's name comes next?\n"
          "function __weir_after\n"
          "    set -l line (commandline -opc)\n"
          "    test (count $line) -eq (math 1 + (count $argv)); or return 1\n"
          "    test (count $argv) -eq 0; or test \"$line[2]\" = \"$argv\"\n"
          "end\n"
          "complete -c weir -f\n",
          out);
    for (size_t i = 0; i < n; i++) {
        if (cli_first_of_group(i))
            fprintf(out, "complete -c weir -f -n __weir_after -a '%.*s' -d 'commands that begin with it'\n",
                    (int)cli_group_length(&commands[i]), commands[i].name);
        put_command(out, &commands[i]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < cli_n_options; k++)
            if (cli_takes_option(&commands[i], &cli_options[k]))
                put_option(out, &commands[i], &cli_options[k]);
        put_operand(out, &commands[i]);
    }
}
