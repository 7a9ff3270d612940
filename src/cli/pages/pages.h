/*
 * The manual page and the completions of shells, written from the tables of commands and options.
 *
 * tools/cli-pages.c makes the files that are installed. Functions write to `out` and check nothing: the
 * caller asks ferror.
 */
#ifndef WI_CLI_PAGES_PAGES_H
#define WI_CLI_PAGES_PAGES_H

#include <stdio.h>

#include "cli/terminal/cli.h"
#include "cli/terminal/options.h"

/* weir(1), for man. */
void cli_write_man(FILE *out);
void cli_write_bash(FILE *out);
void cli_write_zsh(FILE *out);
void cli_write_fish(FILE *out);

/* What completion offers for an operand of a command. */
typedef enum cli_operand { CLI_NO_OPERAND, CLI_FILE, CLI_MODEL, CLI_MODEL_OR_FILE, CLI_COMMAND } cli_operand;
cli_operand cli_operand_of(const cli_command *command);

/* The length of a command's first word where it has two, as "topology info"; else 0. */
size_t cli_group_length(const cli_command *command);
/* Is this the first command of its first word? */
bool cli_first_of_group(size_t place);
/* The names of all commands' first words, or (`group`) of the second ones of a group, blanks between. */
void cli_write_words(FILE *out, const char *group);
/* The names of all models of topologies, blanks between. */
void cli_write_models(FILE *out);

#endif
