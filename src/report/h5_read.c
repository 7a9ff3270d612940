#include "report/h5_read.h"

#include <stdlib.h>
#include <string.h>

hid_t wi_h5_open(const char *path)
{
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

/* Extents of a dataset: how many dimensions, at most 2; 0: it is none of ours. */
static int extents(hid_t group, const char *name, hsize_t size[2])
{
    const hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    int n = 0;
    size[0] = size[1] = 1;
    if (set < 0)
        return 0;
    const hid_t space = H5Dget_space(set);
    if (H5Sget_simple_extent_ndims(space) <= 2)
        n = H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    H5Dclose(set);
    return n < 0 ? 0 : n;
}

static bool name_of(hid_t group, hsize_t i, char *out)
{
    const ssize_t n =
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, out, WI_H5_NAME_MAX, H5P_DEFAULT);
    return n > 0 && n < WI_H5_NAME_MAX;
}

static size_t links_in(hid_t group)
{
    H5G_info_t info;
    return H5Gget_info(group, &info) >= 0 ? (size_t)info.nlinks : 0;
}

static bool open_table(hid_t file, wi_h5_table *t)
{
    hsize_t size[2];
    t->group = H5Gopen2(file, t->name, H5P_DEFAULT);
    if (t->group < 0)
        return false;
    if (extents(t->group, "time_s", size) != 1) {
        H5Gclose(t->group);
        return false;
    }
    t->instants = (size_t)size[0];
    t->rows = 0;
    t->n_columns = 0;
    const size_t n = links_in(t->group);
    for (size_t i = 0; i < n && t->n_columns < WI_H5_COLUMNS_MAX; i++) {
        char *name = t->column[t->n_columns];
        if (!name_of(t->group, i, name) || strcmp(name, "time_s") == 0 || strcmp(name, "name") == 0)
            continue;
        if (extents(t->group, name, size) != 2 || size[0] != t->instants || size[1] == 0 ||
            (t->rows && size[1] != t->rows))
            continue;
        t->rows = (size_t)size[1];
        t->n_columns++;
    }
    if (t->n_columns && t->instants)
        return true;
    H5Gclose(t->group);
    return false;
}

size_t wi_h5_tables(hid_t file, wi_h5_table *tables)
{
    size_t found = 0;
    const size_t n = links_in(file);
    for (size_t i = 0; i < n && found < WI_H5_TABLES_MAX; i++)
        if (name_of(file, i, tables[found].name) && open_table(file, &tables[found]))
            found++;
    return found;
}

char **wi_h5_names(const wi_h5_table *t)
{
    hsize_t size[2];
    char **names = NULL;
    if (extents(t->group, "name", size) != 1 || size[0] != t->rows)
        return NULL;
    const hid_t set = H5Dopen2(t->group, "name", H5P_DEFAULT);
    const hid_t type = H5Dget_type(set);
    const size_t width = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && width > 0 && width < 1 << 16) {
        const size_t index = t->rows * sizeof *names;
        char *block = calloc(1, index + t->rows * (width + 1) + width);
        char *text = block ? block + index : NULL;
        if (block && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
            names = (char **)(void *)block;
            for (size_t i = t->rows; i-- > 0;) { /* apart, so that each ends with a zero */
                memmove(text + i * (width + 1), text + i * width, width);
                text[i * (width + 1) + width] = '\0';
                names[i] = text + i * (width + 1);
            }
        } else {
            free(block);
        }
    }
    H5Tclose(type);
    H5Dclose(set);
    return names;
}

bool wi_h5_read(const wi_h5_table *t, const char *column, size_t first, size_t n, double *to)
{
    const bool times = strcmp(column, "time_s") == 0;
    const hsize_t from[2] = {first, 0}, count[2] = {n, t->rows};
    const hid_t set = H5Dopen2(t->group, column, H5P_DEFAULT);
    if (set < 0)
        return false;
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(times ? 1 : 2, count, NULL);
    const bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                    H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, to) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    return ok;
}

void wi_h5_units(const wi_h5_table *t, const char *column, char *out, size_t size)
{
    char text[64] = "";
    out[0] = '\0';
    const hid_t set = H5Dopen2(t->group, column, H5P_DEFAULT);
    if (set >= 0 && H5Aexists(set, "units") > 0) {
        const hid_t attribute = H5Aopen(set, "units", H5P_DEFAULT);
        const hid_t type = H5Aget_type(attribute);
        if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
            H5Tget_size(type) < sizeof text && H5Aread(attribute, type, text) >= 0) {
            strncpy(out, text, size - 1);
            out[size - 1] = '\0';
        }
        H5Tclose(type);
        H5Aclose(attribute);
    }
    if (set >= 0)
        H5Dclose(set);
}
