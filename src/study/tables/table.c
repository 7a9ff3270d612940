/* One table of a study; see table.h. */
#include "study/tables/table.h"

#include <stdio.h>

static void add(wi_table *t, const char *name, wi_column_type type)
{
    if (t->n < t->room)
        t->column[t->n++] = (wi_result_column){name, type};
}

void wi_table_add(wi_table *t, size_t n, const wi_result_column *columns)
{
    for (size_t i = 0; i < n; i++)
        add(t, columns[i].name, columns[i].type);
}

void wi_table_add_named(wi_table *t, const char *name)
{
    snprintf(t->name[t->names], WI_TABLE_NAME, "%s", name);
    add(t, t->name[t->names++], WI_CSV_DOUBLE);
}

void wi_table_add_params(wi_table *t, const weir_study *s)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        add(t, s->params[i].name, WI_CSV_TEXT);
}

void wi_table_put_params(const weir_study *s, wi_csv *csv, const wi_point *p)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        WI_CSV_PUT(csv, {.TEXT = p->value[i]});
}
