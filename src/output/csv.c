/* CSV tables with typed columns. */
#include "output/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/out.h"
#include "output/number.h"

struct wi_csv {
    wi_out *file;
    size_t n_columns;
    size_t at;                  /* column of the next cell */
    wi_result_column columns[]; /* [n_columns] */
};

/* Quotes stand only where RFC 4180 asks for them. */
static void put_text(wi_out *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        wi_out_text(file, text);
        return;
    }
    wi_out_text(file, "\"");
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        wi_out_write(file, text, (size_t)(quote - text));
        wi_out_text(file, "\"\"");
    }
    wi_out_text(file, text);
    wi_out_text(file, "\"");
}

static void next_cell(wi_csv *csv)
{
    csv->at = (csv->at + 1) % csv->n_columns;
    wi_out_text(csv->file, csv->at == 0 ? "\n" : ",");
}

weir_status wi_csv_begin(weir_diag *diag, wi_out *file, const wi_result_column *columns, size_t n_columns,
                         wi_csv **out)
{
    wi_csv *csv = calloc(1, sizeof *csv + n_columns * sizeof *columns);
    *out = NULL;
    if (n_columns == 0 || !csv) {
        const weir_status st =
            csv ? weir_fail(diag, WEIR_E_ARG, "%s: a table without columns", wi_out_name(file))
                : weir_fail(diag, WEIR_E_NOMEM, "no memory for %s", wi_out_name(file));
        wi_out_drop(file);
        free(csv);
        return st;
    }
    csv->file = file;
    csv->n_columns = n_columns;
    memcpy(csv->columns, columns, n_columns * sizeof *columns);
    for (size_t i = 0; i < n_columns; i++) {
        put_text(csv->file, columns[i].name);
        next_cell(csv);
    }
    *out = csv;
    return WEIR_OK;
}

weir_status wi_csv_open(weir_diag *diag, const char *folder, const char *name,
                        const wi_result_column *columns, size_t n_columns, wi_csv **out)
{
    wi_out *file;
    *out = NULL;
    return wi_out_open(diag, folder, name, &file) ?: wi_csv_begin(diag, file, columns, n_columns, out);
}

weir_status wi_csv_table(weir_diag *diag, const char *folder, const wi_result_table *table, wi_csv **out)
{
    return wi_csv_open(diag, folder, table->name, table->columns, table->n_columns, out);
}

static void put_cell(wi_csv *csv, wi_column_type type, wi_cell value)
{
    char text[WI_NUMBER_MAX] = "";
    if (type == WI_CSV_DOUBLE)
        wi_format_double(value.DOUBLE, text);
    else if (type == WI_CSV_U64 && value.U64 != WI_NO_COUNT)
        wi_format_whole(value.U64, text);
    else if (type == WI_CSV_SECONDS && value.SECONDS != WI_NO_TIME)
        wi_format_seconds(value.SECONDS, text);
    put_text(csv->file, type == WI_CSV_TEXT && value.TEXT ? value.TEXT : text);
    next_cell(csv);
}

void wi_csv_cells(wi_csv *csv, size_t n, const wi_cell *cells)
{
    for (size_t i = 0; i < n; i++)
        put_cell(csv, csv->columns[csv->at].type, cells[i]);
}

void wi_csv_row(wi_csv *csv, const wi_cell *row)
{
    wi_csv_cells(csv, csv->n_columns, row);
}

void wi_csv_archive(wi_csv *csv, wi_archiver *k)
{
    if (!csv)
        return;
    wi_archive_section(k, wi_out_name(csv->file));
    wi_archive_file(k, csv->file);
}

static weir_status write_table(weir_diag *diag, const char *folder, const wi_result_table *table,
                               const void *results)
{
    wi_csv *csv;
    weir_status status = wi_csv_table(diag, folder, table, &csv) ?: table->rows(results, csv);
    if (status == WEIR_OK)
        return wi_csv_close(diag, csv);
    wi_csv_drop(csv);
    return status;
}

weir_status wi_csv_write(weir_diag *diag, const char *folder, const wi_result_table *const *tables,
                         const void *results)
{
    weir_status status = WEIR_OK;
    for (; *tables && status == WEIR_OK; tables++)
        if ((*tables)->rows && (!(*tables)->wanted || (*tables)->wanted(results)))
            status = write_table(diag, folder, *tables, results);
    return status;
}

weir_status wi_csv_close(weir_diag *diag, wi_csv *csv)
{
    if (!csv)
        return WEIR_OK;
    const weir_status used = csv->at == 0
                                 ? WEIR_OK
                                 : weir_fail(diag, WEIR_E_ARG, "%s: the last row has %zu of %zu cells",
                                             wi_out_name(csv->file), csv->at, csv->n_columns);
    const weir_status closed = wi_out_close(diag, csv->file);
    free(csv);
    return closed ?: used;
}

void wi_csv_drop(wi_csv *csv)
{
    if (csv)
        wi_out_drop(csv->file);
    free(csv);
}
