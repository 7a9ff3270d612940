/* One screen of a run under way, as text of lines. */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* Lines of at most `columns` columns, at most `rows` of them (0: as many as there are), of a run's status.json. What others
 * have named (scenarios, nodes) is shown without control characters. */
void cli_screen_write(FILE *out, const json_t *status, int columns, int rows);
/* The same in one line, without a line feed. */
void cli_screen_line(FILE *out, const json_t *status);
