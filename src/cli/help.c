/* Help texts, made from the tables of commands and options. */
#include "cli/cli.h"

#include <stdio.h>

#include "cli/options.h"

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

static void print_commands(void)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    for (size_t i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", commands[i].name, commands[i].operands);
        printf("  weir %-20s  %s\n", name, commands[i].summary);
    }
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
        printf("\n%s", command->details);
    printf("\nOptions:\n");
    for (size_t i = 0; i < cli_n_options; i++)
        if (cli_takes_option(command, &cli_options[i]))
            print_option(&cli_options[i]);
    printf("\nExamples:\n%s", command->examples);
}
