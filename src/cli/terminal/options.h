/* The table of options: parsing (options.c), help (help.c), manual page and completions (pages/) read it. */
#pragma once

#include "cli/terminal/cli.h"

/* How the value of an option is read. */
typedef enum cli_value_kind {
    CLI_ANY, /* no value, or one that others check */
    CLI_COUNT,
    CLI_COUNT_OR_AUTO,
    CLI_DEVICE,
    CLI_ASSIGNMENT,
    CLI_VARY,   /* a parameter of a study */
    CLI_LIST,   /* a text that `key`, a list, gets as one more item */
    CLI_NUMBER, /* above 0, a uint64_t in cli_args */
    CLI_TIME,   /* above 0, a weir_time in cli_args */
    CLI_TWO     /* takes the word behind its value, too */
} cli_value_kind;

typedef struct cli_option {
    const char *name;  /* long form */
    char letter;       /* short form; 0: none */
    const char *value; /* what the help calls its value; null: takes none */
    unsigned takes;    /* taken by commands with one of these cli_takes; 0: by all */
    const char *doc;
    const char *words; /* offered for the value, blanks between; CLI_FILES, CLI_FOLDERS; null: none */
    cli_value_kind kind;
    /* Where its text, its value by `kind`, or without one its flag, stands in cli_args, for commands with one of `stored`, or (0) all. For others
     * it sets the scenario's `key`, or what `kind` says. */
    size_t at;
    unsigned stored;
    const char *key;
} cli_option;

#define CLI_FILES "<files>"
#define CLI_FOLDERS "<folders>"

extern const cli_option cli_options[];
extern const size_t cli_n_options;

/* Whether a command takes an option. */
bool cli_takes_option(const cli_command *command, const cli_option *option);
