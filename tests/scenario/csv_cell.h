/* A number out of a table of a results folder. */
#ifndef TESTS_SCENARIO_CSV_CELL_H
#define TESTS_SCENARIO_CSV_CELL_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CSV_LINE = 4096 };

/* Where cell `column` (from 0) of a line begins; null past the end. A comma between quotes ends no cell; no
 * cell that is looked for is quoted. */
static inline const char *csv_at(const char *line, int column)
{
    bool quoted = false;
    for (; column > 0 && *line; line++) {
        quoted ^= *line == '"';
        column -= *line == ',' && !quoted;
    }
    return column == 0 ? line : NULL;
}

static inline int csv_is(const char *cell, const char *text)
{
    const size_t n = strlen(text);
    return cell && strncmp(cell, text, n) == 0 && strchr(",\r\n", cell[n]) != NULL;
}

/* The number that a cell holds; NaN where the cell is missing, empty, or anything else. */
static inline double csv_number(const char *cell)
{
    char *end = NULL;
    if (!cell || strchr(", \t\r\n", *cell))
        return (double)NAN;
    const double value = strtod(cell, &end);
    return end > cell && strchr(",\r\n", *end) ? value : (double)NAN;
}

/* The number under `column` in the first row whose cell under `key` reads `value`; NaN where file, column,
 * row or number is missing, or a line is too long: judge by what holds for good numbers alone, !(difference
 * <= bound).
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
    while (key_at >= 0 && at >= 0 && fgets(line, sizeof line, f) && strchr(line, '\n'))
        if (csv_is(csv_at(line, key_at), value)) {
            found = csv_number(csv_at(line, at));
            break;
        }
    fclose(f);
    return found;
}

#endif
