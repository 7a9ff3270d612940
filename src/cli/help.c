/* Help texts, made from the tables of commands and options. */
#include "cli/terminal/cli.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal/options.h"

static void print_option(const cli_option *option)
{
    char name[64];
    snprintf(name, sizeof name, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    if (option->letter)
        printf("  -%c, %-18s  %s\n", option->letter, name, option->doc);
    else
        printf("      %-18s  %s\n", name, option->doc);
}

static void print_command(const cli_command *command)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", command->name, command->operands);
    printf("  weir %-20s  %s\n", name, command->summary);
}

static void print_commands(void)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    for (size_t i = 0; i < n; i++)
        print_command(&commands[i]);
}

bool cli_help_group(const char *word)
{
    size_t n, length = strlen(word), found = 0;
    const cli_command *commands = cli_commands(&n);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(commands[i].name, word, length) != 0 || commands[i].name[length] != ' ')
            continue;
        if (found++ == 0)
            printf("Usage: weir %s COMMAND [OPTIONS]\n\n", word);
        print_command(&commands[i]);
    }
    if (found)
        printf("\nweir %s COMMAND --help tells more.\n", word);
    return found > 0;
}

/* In lines of at most so many columns, with an empty one before. */
static void print_paragraph(const char *text)
{
    enum { COLUMNS = 110 };
    size_t column = 0;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, " ");
        const bool breaks = column == 0 || column + 1 + length > COLUMNS;
        printf("%s%.*s", breaks ? "\n" : " ", (int)length, at);
        column = breaks ? length : column + 1 + length;
        at += length + strspn(at + length, " ");
    }
    putchar('\n');
}

void cli_help(const cli_command *command)
{
    if (!command) {
        printf("weir %s: simulates large networks, packet by packet where it matters.\n\n", WEIR_VERSION);
        printf("Usage: weir COMMAND [OPTIONS]\n\n");
        print_commands();
        printf("\nweir COMMAND --help tells more. A first run:\n"
               "  weir run examples/abilene/abilene.yaml\n\n"
               "Exit: 0 good, 1 the run failed or was stopped, 2 bad usage or scenario.\n");
        return;
    }
    printf("weir %s: %s.\n\nUsage: weir %s%s%s%s\n", command->name, command->summary, command->name,
           command->takes ? " [OPTIONS]" : "", command->operands[0] ? " " : "", command->operands);
    if (command->details)
        print_paragraph(command->details);
    printf("\nOptions:\n");
    for (size_t i = 0; i < cli_n_options; i++)
        if (cli_takes_option(command, &cli_options[i]))
            print_option(&cli_options[i]);
    printf("\nExamples:\n%s", command->examples);
}
