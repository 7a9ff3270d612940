/* A number out of a table of a results folder. */
#ifndef TEST_SCENARIO_CSV_CELL_H
#define TEST_SCENARIO_CSV_CELL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CSV_LINE = 4096 };

/* Where cell `column` (from 0) of a line begins; null past the end. No cell that is looked for is quoted. */
static inline const char *csv_at(const char *line, int column)
{
    for (; line && column > 0; column--)
        line = (line = strchr(line, ',')) ? line + 1 : NULL;
    return line;
}

static inline int csv_is(const char *cell, const char *text)
{
    const size_t n = strlen(text);
    return cell && strncmp(cell, text, n) == 0 && strchr(",\n", cell[n]) != NULL;
}

/* The number under `column` in the first row whose cell under `key` reads `value`; NaN where there is none.
 */
static inline double csv_cell(const char *folder, const char *file, const char *key, const char *value,
                              const char *column)
{
    char path[CSV_LINE], line[CSV_LINE];
    int key_at = -1, at = -1;
    double found = (double)NAN;
    if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
        return found;
    FILE *f = fopen(path, "r");
    if (!f)
        return found;
    if (fgets(line, sizeof line, f))
        for (int i = 0; csv_at(line, i); i++) {
            key_at = csv_is(csv_at(line, i), key) ? i : key_at;
            at = csv_is(csv_at(line, i), column) ? i : at;
        }
    while (key_at >= 0 && at >= 0 && isnan(found) && fgets(line, sizeof line, f))
        if (csv_is(csv_at(line, key_at), value) && csv_at(line, at))
            found = strtod(csv_at(line, at), NULL);
    fclose(f);
    return found;
}

#endif
