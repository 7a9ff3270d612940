/* series.h5, opened for reading: its tables, their rows, and a column block by block. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <hdf5.h>

enum { WI_H5_TABLES_MAX = 32, WI_H5_COLUMNS_MAX = 32, WI_H5_NAME_MAX = 256 };

typedef struct wi_h5_table {
    char name[WI_H5_NAME_MAX];
    hid_t group;
    size_t instants, rows, n_columns;
    char column[WI_H5_COLUMNS_MAX][WI_H5_NAME_MAX];
} wi_h5_table;

/* Between wi_h5_begin and wi_h5_end of output/h5_file.h, all of it. */

/* Negative where it cannot be opened. */
hid_t wi_h5_open(const char *path);
/* The tables of a file; those that are no tables of numbers over time are left out. Each group is to be closed. */
size_t wi_h5_tables(hid_t file, wi_h5_table *tables);
/* The names of a table's rows: [rows] texts in one block for free(); null where there are none. */
char **wi_h5_names(const wi_h5_table *table);
/* `n` instants of a column from `first` on: to [n][rows]. */
bool wi_h5_read(const wi_h5_table *table, const char *column, size_t first, size_t n, double *to);
/* The attribute `units` of a column; empty where there is none. */
void wi_h5_units(const wi_h5_table *table, const char *column, char *out, size_t size);
