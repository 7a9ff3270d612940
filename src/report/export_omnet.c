/*
 * A run as OMNeT++ 6 writes results (Simulation Manual, appendix "Result File Formats"): a .sca file of scalars, one for each number
 * of each row of ports.csv and flows.csv, and a .vec file of vectors, one for each row and column of series.h5.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/h5_file.h"
#include "report/export.h"
#include "report/h5_read.h"
#include "weir/version.h"

enum { VALUES_AT_ONCE = 1 << 20 };

/* A name in quotes, where it needs any. */
static void put_name(wi_out *file, const char *name)
{
    const bool bare = *name && !strpbrk(name, " \t\"\\");
    if (bare) {
        wi_out_text(file, name);
        return;
    }
    wi_out_text(file, "\"");
    for (; *name; name++)
        wi_export_put(file, strchr("\"\\", *name) ? "\\%c" : "%c", *name);
    wi_out_text(file, "\"");
}

static void put_head(wi_out *file, const char *run)
{
    const char *slash = strrchr(run, '/');
    wi_out_text(file, "version 3\nrun ");
    put_name(file, slash && slash[1] ? slash + 1 : run);
    wi_export_put(file, "\nattr simulator weir\nattr version %s\n", weir_version());
}

/* Scalars of a table's rows; a module's name is that of the row, or `prefix` and its number. */
static weir_status put_scalars(weir_diag *diag, const char *run, const char *name, const char *column,
                               const char *prefix, wi_out *file, bool *any)
{
    wi_csv_reader *t;
    weir_status status = wi_export_open(diag, run, name, &t);
    size_t n;
    char *const *const names = wi_csv_names(t, &n), **field;
    const size_t named = wi_csv_column(t, column);
    while (status == WEIR_OK && wi_csv_read(t, &field)) {
        char module[400];
        *any = true;
        snprintf(module, sizeof module, "%s%s", prefix, wi_csv_field(t, named));
        for (size_t i = 0; i < n; i++) {
            char *end;
            if (i == named || !*field[i])
                continue;
            (void)strtod(field[i], &end);
            if (*end) /* a word */
                continue;
            wi_out_text(file, "scalar ");
            put_name(file, module);
            wi_export_put(file, " %s %s\n", names[i], field[i]);
        }
    }
    const weir_status closed = wi_csv_reader_close(diag, t);
    return status ?: closed;
}

weir_status wi_export_sca(weir_diag *diag, const char *run, wi_out *file)
{
    bool any = false;
    put_head(file, run);
    WI_RETURN_IF_FAILED(put_scalars(diag, run, "ports.csv", "port", "", file, &any)
                            ?: put_scalars(diag, run, "flows.csv", "flow", "flow.", file, &any));
    return any ? WEIR_OK
               : weir_fail(diag, WEIR_E_ARG, "%s has no port and no flow; its series are vec's", run);
}

/* The vectors of one column, numbered from `first` on: their names, then their values, instant by instant. */
static bool put_column(const wi_h5_table *t, const char *column, char **names, const double *times,
                       size_t first, wi_out *file)
{
    char units[64];
    const size_t block = VALUES_AT_ONCE / (t->rows ? t->rows : 1) + 1;
    WI_FREED double *values = malloc(block * t->rows * sizeof *values);
    if (!values)
        return false;
    wi_h5_units(t, column, units, sizeof units);
    for (size_t r = 0; r < t->rows; r++) {
        wi_export_put(file, "vector %zu ", first + r);
        put_name(file, names[r]);
        wi_export_put(file, " %s.%s TV\n", t->name, column);
        if (*units) {
            wi_out_text(file, "attr unit ");
            put_name(file, units);
            wi_out_text(file, "\n");
        }
    }
    for (size_t at = 0; at < t->instants; at += block) {
        const size_t n = t->instants - at < block ? t->instants - at : block;
        if (!wi_h5_read(t, column, at, n, values))
            return false;
        for (size_t r = 0; r < t->rows; r++)
            for (size_t i = 0; i < n; i++)
                if (!isnan(values[i * t->rows + r]))
                    wi_export_put(file, "%zu\t%.17g\t%.17g\n", first + r, times[at + i],
                                  values[i * t->rows + r]);
    }
    return true;
}

/* Times are the column `time_s`, of one value an instant. */
static bool put_table(const wi_h5_table *t, size_t *next, wi_out *file)
{
    WI_FREED double *times = malloc((t->instants + 1) * sizeof *times);
    WI_FREED char **names = wi_h5_names(t);
    if (!times || !names || !wi_h5_read(t, "time_s", 0, t->instants, times))
        return t->rows == 0;
    for (size_t k = 0; k < t->n_columns; k++) {
        if (!put_column(t, t->column[k], names, times, *next, file))
            return false;
        *next += t->rows;
    }
    return true;
}

weir_status wi_export_vec(weir_diag *diag, const char *run, wi_out *file)
{
    char path[4200];
    wi_h5_table tables[WI_H5_TABLES_MAX];
    size_t next = 0;
    bool good = true;
    snprintf(path, sizeof path, "%s/series.h5", run);
    put_head(file, run);
    const wi_h5_quiet quiet = wi_h5_begin();
    const hid_t h5 = wi_h5_open(path);
    const size_t n = h5 >= 0 ? wi_h5_tables(h5, tables) : 0;
    for (size_t i = 0; i < n; i++) {
        good = good && put_table(&tables[i], &next, file);
        H5Gclose(tables[i].group);
    }
    if (h5 >= 0)
        H5Fclose(h5);
    wi_h5_end(quiet);
    if (h5 < 0)
        return weir_fail(diag, WEIR_E_IO, "%s cannot be opened", path);
    if (!good)
        return weir_fail(diag, WEIR_E_IO, "%s: a series of it cannot be read", path);
    return next > 0 ? WEIR_OK
                    : weir_fail(diag, WEIR_E_ARG,
                                "%s has no series; `output.ports` and `output.cwnd` ask for some", run);
}
