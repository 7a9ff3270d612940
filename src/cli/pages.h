/* The manual page, and what completions of shells ask: both read the tables of commands and options. */
#pragma once

#include <stdio.h>

#include "cli/terminal/cli.h"
#include "cli/terminal/options.h"

/* Writes weir(1), for man. Checks nothing: the caller asks ferror. */
void cli_write_man(FILE *out);
/* Prints what may stand for the last of the words behind `weir`: a line each, with a tab and what it does behind it; <files>
 * or <folders> where those may. Returns the exit code. */
int cli_complete(int n, char *const *words);
