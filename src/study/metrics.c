/* What a study of a scenario can measure, from the tables of its results. */
#include <errno.h>
#include <string.h>

#include "scenario/document/document.h"
#include "study/plan/study.h"

/* Prints a line: what to write, the unit, and what it means. Slashes of a name lead into parts of
 * summary.json. */
static void print_column(FILE *out, const wi_result_column *column, const char *before, const char *after)
{
    char name[300];
    snprintf(name, sizeof name, "%s%s%s", before, column->name, after);
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '.' : *c;
    fprintf(out, "  %-44s %-8s %s\n", name, column->units && column->units[0] ? column->units : "-",
            column->doc ? column->doc : "");
}

static void print_table(FILE *out, const wi_result_table *table, const char *name)
{
    char before[200];
    const bool series = table->kind == WI_RESULT_SERIES;
    const int length = (int)strcspn(name, table->kind == WI_RESULT_CSV ? "." : "");
    snprintf(before, sizeof before,
             table->kind == WI_RESULT_SUMMARY ? "%.*s."
             : series                         ? "mean(series.%.*s."
                                              : "mean(%.*s.",
             length, name);
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].type != WI_CSV_TEXT)
            print_column(out, &table->columns[i], before, table->kind == WI_RESULT_SUMMARY ? "" : ")");
}

/* classes.NAME is there for each class. */
static void print_classes(FILE *out, const weir_scenario *scenario, const wi_result_table *table)
{
    static const char classes[] = "classes.NAME";
    for (size_t i = 0; i < scenario->n_traffic; i++) {
        char name[200];
        snprintf(name, sizeof name, "classes.%.100s%.80s", scenario->traffic[i].name.text,
                 table->name + sizeof classes - 1);
        print_table(out, table, name);
    }
}

weir_status weir_study_list_metrics(const weir_study *s, FILE *out)
{
    const wi_result_table *const *all = wi_subject_of(s->scenario)->results;
    fprintf(out, "# Figures; and columns of tables and time series, by a statistic: mean, sd, min, max, sum, "
                 "count, median, p0 to p100, pooled,\n"
                 "# of time series also steady, cut, halfwidth; `where COLUMN = TEXT [and ...]` behind a "
                 "column chooses rows. A run has those that apply to it.\n");
    for (; all && *all; all++) {
        if (strncmp((*all)->name, "classes.", 8) == 0)
            print_classes(out, s->scenario, *all);
        else if ((*all)->kind != WI_RESULT_PACKETS)
            print_table(out, *all, (*all)->name);
    }
    if (fflush(out) != 0 || ferror(out))
        return weir_fail(s->diag, WEIR_E_IO, "the list of metrics cannot be written: %s", strerror(errno));
    return WEIR_OK;
}
