/* Time series in HDF5: instants are gathered into blocks of whole chunks, so that each chunk is compressed
 * once. */
#include "output/series.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/h5_file.h"
#include "output/recorder.h"

enum {
    BLOCK_VALUES =
        64 * 1024, /* values of one column that a block holds, about; 512 KiB, half of HDF5's chunk cache */
    BLOCK_INSTANTS_MAX = 1024
};

struct wi_series_table {
    wi_series_table *next;
    wi_series *series;
    wi_recorder_table *recorded; /* null: not kept in memory */
    uint64_t number;             /* among the series' tables */
    char *name;
    hid_t group, time;
    hid_t *column; /* [n_columns] datasets */
    size_t n_columns, n_rows;
    size_t block;     /* instants a block */
    size_t used;      /* instants in the block now */
    uint64_t written; /* instants in the file */
    double *times;    /* [block] */
    double *values;   /* [n_columns][block][n_rows] */
    wi_owned memory;  /* of all these */
};

struct wi_series {
    wi_out *file; /* null: memory only */
    wi_recorder *recorder;
    /* number of a table, time, row, of all that was appended; null: not kept for checkpoints */
    wi_out *spool;
    char *name;
    hid_t h5;
    wi_series_table *tables;
};

static weir_status h5_fail(weir_diag *diag, const wi_series *series, const char *what)
{
    char text[256];
    wi_h5_error(text, sizeof text);
    return weir_fail(diag, WEIR_E_IO, "%s: %s: %s", series->name, what,
                     text[0] ? text : "HDF5 gives no reason");
}

weir_status wi_series_open(weir_diag *diag, const wi_sinks *to, const char *name, wi_series **out)
{
    *out = NULL;
    if (!to->folder && !to->recorder)
        return WEIR_OK;
    wi_series *series = calloc(1, sizeof *series);
    if (!series || !(series->name = strdup(name))) {
        free(series);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %s", name);
    }
    series->h5 = H5I_INVALID_HID;
    series->recorder = to->recorder;
    weir_status st = to->folder ? wi_out_open(diag, to->folder, name, &series->file) : WEIR_OK;
    if (st == WEIR_OK && to->saves)
        st = wi_out_open_nameless(diag, to->folder, &series->spool);
    if (series->file && st == WEIR_OK) {
        const wi_h5_quiet before = wi_h5_begin();
        series->h5 = wi_h5_create(series->file);
        if (series->h5 < 0)
            st = h5_fail(diag, series, "cannot be begun");
        wi_h5_end(before);
    }
    if (st != WEIR_OK) {
        wi_series_drop(series);
        return st;
    }
    *out = series;
    return WEIR_OK;
}

/* A string type that holds `length` bytes; HDF5 has none of length 0. */
static hid_t string_type(size_t length)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

static bool put_units(hid_t dataset, const char *units)
{
    const hid_t type = string_type(strlen(units));
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(dataset, "units", type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = attribute >= 0 && H5Awrite(attribute, type, units) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static hid_t dataset_properties(void)
{
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);
    return properties;
}

/* The names of the rows, as one array of equally long strings. */
static bool put_names(const wi_series_table *table, const char *const *rows)
{
    size_t width = 1;
    for (size_t i = 0; i < table->n_rows; i++)
        width = strlen(rows[i]) > width ? strlen(rows[i]) : width;
    WI_FREED char *text = calloc(table->n_rows + 1, width);
    if (!text)
        return false;
    for (size_t i = 0; i < table->n_rows; i++)
        memcpy(text + i * width, rows[i], strlen(rows[i]));
    const hsize_t count = table->n_rows;
    const hid_t type = string_type(width);
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t properties = dataset_properties();
    const hid_t set = H5Dcreate2(table->group, "name", type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    const bool ok = set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

/* A dataset that grows along its first dimension; rank 1 for the times, 2 for a column. */
static hid_t growing(const wi_series_table *table, const char *name, const char *units, int rank)
{
    const size_t rows = table->n_rows > 0 ? table->n_rows : 1;
    const size_t rows_a_chunk = BLOCK_VALUES / table->block;
    const hsize_t now[2] = {0, table->n_rows};
    const hsize_t most[2] = {H5S_UNLIMITED, rows};
    const hsize_t chunk[2] = {table->block, rows < rows_a_chunk ? rows : rows_a_chunk};
    const hid_t space = H5Screate_simple(rank, now, most);
    const hid_t properties = dataset_properties();
    H5Pset_chunk(properties, rank, chunk);
    H5Pset_shuffle(properties);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        H5Pset_deflate(properties, 1);
    hid_t set = H5Dcreate2(table->group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    H5Sclose(space);
    if (set >= 0 && !put_units(set, units)) {
        H5Dclose(set);
        set = H5I_INVALID_HID;
    }
    return set;
}

static bool create_group(wi_series_table *table)
{
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(properties, false);
    table->group = H5Gcreate2(table->series->h5, table->name, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    return table->group >= 0;
}

static bool create_sets(wi_series_table *table, const wi_result_column *columns, const char *const *rows)
{
    if (!create_group(table) || !put_names(table, rows))
        return false;
    table->time = growing(table, "time_s", "s", 1);
    bool ok = table->time >= 0;
    for (size_t i = 0; ok && i < table->n_columns; i++) {
        table->column[i] = growing(table, columns[i].name, columns[i].units, 2);
        ok = table->column[i] >= 0;
    }
    return ok;
}

/* HDF5 closes datasets and groups with the file. */
static void table_free(wi_series_table *table)
{
    wi_owned_free(&table->memory);
    free(table);
}

static wi_series_table *table_new(wi_series *series, const char *name, size_t n_columns, size_t n_rows)
{
    wi_series_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    const size_t rows = n_rows > 0 ? n_rows : 1;
    const size_t fit = BLOCK_VALUES / rows;
    table->block = fit < 1 ? 1 : fit > BLOCK_INSTANTS_MAX ? BLOCK_INSTANTS_MAX : fit;
    table->series = series;
    table->n_columns = n_columns;
    table->n_rows = n_rows;
    table->name = wi_take(&table->memory, strlen(name) + 1, 1);
    table->column = wi_take(&table->memory, n_columns, sizeof *table->column);
    table->times = wi_take(&table->memory, table->block, sizeof *table->times);
    table->values = wi_take(&table->memory, n_columns * table->block * rows, sizeof *table->values);
    if (table->memory.failed) {
        table_free(table);
        return NULL;
    }
    strcpy(table->name, name);
    return table;
}

weir_status wi_series_table_add(weir_diag *diag, wi_series *series, const wi_result_table *of,
                                const char *const *rows, size_t n_rows, wi_series_table **out)
{
    const char *const name = of->name;
    const size_t n_columns = of->n_columns;
    *out = NULL;
    if (n_columns == 0)
        return weir_fail(diag, WEIR_E_ARG, "%s: table '%s' has no columns", series->name, name);
    wi_series_table *table = table_new(series, name, n_columns, n_rows);
    if (!table)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for table '%s' of %zu rows", series->name, name,
                         n_rows);
    weir_status st = WEIR_OK;
    if (series->recorder) {
        table->recorded = wi_recorder_add(series->recorder, of, rows, n_rows);
        if (!table->recorded)
            st = weir_fail(diag, WEIR_E_NOMEM, "%s: no memory to keep table '%s'", series->name, name);
    }
    if (series->file && st == WEIR_OK) {
        const wi_h5_quiet before = wi_h5_begin();
        if (!create_sets(table, of->columns, rows))
            st = h5_fail(diag, series, "a table cannot be made");
        wi_h5_end(before);
    }
    if (st != WEIR_OK) {
        table_free(table);
        return st;
    }
    table->number = series->tables ? series->tables->number + 1 : 0;
    table->next = series->tables;
    series->tables = table;
    *out = table;
    return WEIR_OK;
}

/* Extends a dataset by `count` instants and writes them from `from`. */
static bool extend(hid_t set, int rank, uint64_t written, size_t count, size_t rows, const double *from)
{
    const hsize_t size[2] = {written + count, rows};
    const hsize_t start[2] = {written, 0};
    const hsize_t part[2] = {count, rows};
    if (H5Dset_extent(set, size) < 0)
        return false;
    const hid_t space = H5Dget_space(set);
    const hid_t memory = H5Screate_simple(rank, part, NULL);
    const bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL) >= 0 &&
                    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, from) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return ok;
}

static weir_status write_block(weir_diag *diag, wi_series_table *table)
{
    if (table->used == 0)
        return WEIR_OK;
    const size_t column_values = table->block * table->n_rows;
    const wi_h5_quiet before = wi_h5_begin();
    bool ok = extend(table->time, 1, table->written, table->used, table->n_rows, table->times);
    for (size_t i = 0; ok && table->n_rows > 0 && i < table->n_columns; i++)
        ok = extend(table->column[i], 2, table->written, table->used, table->n_rows,
                    table->values + i * column_values);
    const weir_status st = ok ? WEIR_OK : h5_fail(diag, table->series, "a block cannot be written");
    wi_h5_end(before);
    table->written += table->used;
    table->used = 0;
    return st;
}

static size_t row_bytes(const wi_series_table *table)
{
    return table->n_rows * table->n_columns * sizeof(double);
}

weir_status wi_series_append(weir_diag *diag, wi_series_table *table, weir_time now_ps, const double *values)
{
    const double now_s =
        (double)now_ps / 1e12; /* the nearest: 0.05 is 0.05, where times 1e-12 is a digit off */
    if (table->recorded && !wi_recorder_append(table->recorded, now_s, values))
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory to keep table '%s'", table->series->name,
                         table->name);
    if (table->series->spool) {
        wi_out_write(table->series->spool, &table->number, sizeof table->number);
        wi_out_write(table->series->spool, &now_ps, sizeof now_ps);
        wi_out_write(table->series->spool, values, row_bytes(table));
    }
    if (!table->series->file)
        return WEIR_OK;
    if (wi_out_failed(table->series->file))
        return weir_fail(diag, WEIR_E_IO, "%s: cannot be written: %s", table->series->name,
                         strerror(wi_out_error(table->series->file)));
    table->times[table->used] = now_s;
    for (size_t c = 0; c < table->n_columns; c++) {
        double *to = table->values + (c * table->block + table->used) * table->n_rows;
        for (size_t r = 0; r < table->n_rows; r++)
            to[r] = values[r * table->n_columns + c];
    }
    if (++table->used < table->block)
        return WEIR_OK;
    return write_block(diag, table);
}

/* In the order in which they were appended, all tables together: on it depends where HDF5 puts its chunks. */
static void read_row(wi_series *series, wi_archiver *k, double *values)
{
    uint64_t number = 0;
    weir_time at_ps = 0;
    wi_series_table *table = series->tables;
    wi_archive(k, &number, sizeof number);
    wi_archive(k, &at_ps, sizeof at_ps);
    while (table && table->number != number)
        table = table->next;
    if (!table) {
        wi_archiver_fail(k, weir_fail_at(k->diag, WEIR_E_FORMAT, wi_saved_path(k->from), 0, 0,
                                         "section '%s' has a row of table %llu, which this run lacks",
                                         k->part.name, (unsigned long long)number));
        return;
    }
    wi_archive(k, values, row_bytes(table));
    if (!k->part.is_short)
        wi_archiver_fail(k, wi_series_append(k->diag, table, at_ps, values));
}

void wi_series_archive(wi_series *series, wi_archiver *k)
{
    char section[WI_SAVED_NAME];
    size_t most = 0;
    if (!series)
        return;
    snprintf(section, sizeof section, "rows %s", series->name);
    if (!wi_archiver_reads(k) && !series->spool)
        return;
    wi_archive_section(k, section);
    if (!wi_archiver_reads(k)) {
        wi_archive_file(k, series->spool);
        if (wi_out_failed(series->spool))
            wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_IO,
                                          "%s: what checkpoints keep cannot be written or read back: %s",
                                          section, strerror(wi_out_error(series->spool))));
        return;
    }
    for (const wi_series_table *t = series->tables; t; t = t->next)
        most = row_bytes(t) > most ? row_bytes(t) : most;
    WI_FREED double *values = malloc(most + 1);
    if (!values)
        wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for a row of %s", series->name));
    while (k->status == WEIR_OK && k->part.left > 0)
        read_row(series, k, values);
}

static weir_status h5_close(weir_diag *diag, wi_series *series)
{
    if (series->h5 < 0)
        return WEIR_OK;
    const wi_h5_quiet before = wi_h5_begin();
    const weir_status st = H5Fclose(series->h5) < 0 ? h5_fail(diag, series, "cannot be closed") : WEIR_OK;
    wi_h5_end(before);
    return st;
}

static void series_free(wi_series *series)
{
    while (series->tables) {
        wi_series_table *next = series->tables->next;
        table_free(series->tables);
        series->tables = next;
    }
    wi_out_drop(series->spool);
    free(series->name);
    free(series);
}

weir_status wi_series_close(weir_diag *diag, wi_series *series)
{
    if (!series)
        return WEIR_OK;
    weir_status st = WEIR_OK;
    for (wi_series_table *table = series->tables; table && st == WEIR_OK; table = table->next)
        st = write_block(diag, table);
    /* After a failed write HDF5's own complaints are echoes; the file knows the reason. */
    const bool disk_failed = series->file && wi_out_failed(series->file);
    const weir_status closed = h5_close(disk_failed ? NULL : diag, series);
    const weir_status synced = series->file ? wi_out_close(diag, series->file) : WEIR_OK;
    series_free(series);
    return st != WEIR_OK ? st : synced != WEIR_OK ? synced : closed;
}

void wi_series_drop(wi_series *series)
{
    if (!series)
        return;
    (void)!h5_close(NULL, series);
    wi_out_drop(series->file);
    series_free(series);
}
