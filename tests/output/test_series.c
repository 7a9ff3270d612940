/* Pinned down: what is appended reads back, over block borders and for no rows; the same content gives the
 * same bytes; and at whatever byte the disk fills up there is an error, not a crash (HDF5 on its own crashes
 * at exit then). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <cmocka.h>
#include <hdf5.h>

#include "output/results/remove_tree.h"
#include "output/scratch.h"
#include "output/series.h"

static const wi_result_column columns[] = {WI_SAMPLE("queue_bytes", "bytes", "held"),
                                           WI_SAMPLE("utilization", "1", "share")};
static const wi_result_table ports_table = WI_RESULT(SERIES, "ports", columns),
                             flows_table = WI_RESULT(SERIES, "flows", columns);
static const char *const rows[] = {"Seattle->Denver", "a", "Zürich->Genève"};

static int setup(void **state)
{
    (void)state;
    return scratch_make() ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return wi_remove_tree(scratch_folder);
}

/* The value of a cell: instant t, row r, column c. Irregular, so that it compresses badly. */
static double value(size_t t, size_t r, size_t c)
{
    return (double)((t * 2654435761u + r * 40503u + c) % 1000003u) / 7.0;
}

/* A file with two tables: `instants` of 3 rows, and one of no rows. */
static weir_status write_file(weir_diag *diag, const char *name, size_t instants)
{
    wi_series *series;
    wi_series_table *ports, *none;
    weir_status st = wi_series_open(diag, &(wi_sinks){.folder = scratch_folder}, name, &series);
    if (st != WEIR_OK)
        return st;
    st = wi_series_table_add(diag, series, &ports_table, rows, 3, &ports);
    if (st == WEIR_OK)
        st = wi_series_table_add(diag, series, &flows_table, NULL, 0, &none);
    for (size_t t = 0; st == WEIR_OK && t < instants; t++) {
        double values[3][2];
        for (size_t r = 0; r < 3; r++)
            for (size_t c = 0; c < 2; c++)
                values[r][c] = value(t, r, c);
        st = wi_series_append(diag, ports, (weir_time)t * WEIR_PS_PER_MS, &values[0][0]);
        if (st == WEIR_OK)
            st = wi_series_append(diag, none, (weir_time)t * WEIR_PS_PER_MS, NULL);
    }
    if (st == WEIR_OK)
        return wi_series_close(diag, series);
    const weir_status closed = wi_series_close(diag, series);
    return closed != WEIR_OK ? closed : st;
}

static void check_units(hid_t set, const char *units)
{
    char text[16] = "";
    const hid_t attribute = H5Aopen(set, "units", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    assert_true(H5Tget_size(type) < sizeof text);
    assert_true(H5Aread(attribute, type, text) >= 0);
    assert_string_equal(text, units);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void check_column(hid_t h5, const char *name, size_t c, size_t instants)
{
    hsize_t size[2];
    const hid_t set = H5Dopen2(h5, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 2);
    assert_int_equal(size[0], instants);
    assert_int_equal(size[1], 3);
    double *back = calloc(instants * 3 + 1, sizeof *back);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    for (size_t t = 0; t < instants; t++)
        for (size_t r = 0; r < 3; r++)
            assert_true(back[t * 3 + r] == value(t, r, c));
    check_units(set, columns[c].units);
    free(back);
    H5Sclose(space);
    H5Dclose(set);
}

static void check_times_and_names(hid_t h5, size_t instants)
{
    hsize_t size;
    hid_t set = H5Dopen2(h5, "ports/time_s", H5P_DEFAULT);
    double *back = calloc(instants + 1, sizeof *back);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    for (size_t t = 0; t < instants; t++)
        assert_true(back[t] == (double)t / 1e3); /* to the last digit */
    check_units(set, "s");
    free(back);
    H5Dclose(set);
    set = H5Dopen2(h5, "ports/name", H5P_DEFAULT);
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    char names[3][16];
    assert_int_equal(H5Tget_size(type), 16); /* "Zürich->Genève" in UTF-8 */
    assert_int_equal(H5Sget_simple_extent_dims(space, &size, NULL), 1);
    assert_int_equal(size, 3);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
    assert_memory_equal(names[0], "Seattle->Denver", 16);
    assert_memory_equal(names[1], "a\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    assert_memory_equal(names[2], rows[2], 16);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

static void reads_back(void **state)
{
    (void)state;
    const size_t lengths[] = {0, 1, 1024, 5000};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(write_file(NULL, "series.h5", lengths[i]), WEIR_OK);
        const hid_t h5 = H5Fopen(scratch_path("series.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(h5 >= 0);
        check_column(h5, "ports/queue_bytes", 0, lengths[i]);
        check_column(h5, "ports/utilization", 1, lengths[i]);
        check_times_and_names(h5, lengths[i]);
        H5Fclose(h5);
    }
}

static char *read_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static void same_content_same_bytes(void **state)
{
    (void)state;
    size_t n[2];
    assert_int_equal(write_file(NULL, "a.h5", 3000), WEIR_OK);
    sleep(1); /* times of creation, if there were any, have a resolution of a second */
    assert_int_equal(write_file(NULL, "b.h5", 3000), WEIR_OK);
    char *a = read_bytes(scratch_path("a.h5"), &n[0]), *b = read_bytes(scratch_path("b.h5"), &n[1]);
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(a, b, n[0]);
    free(a);
    free(b);
}

static void bad_arguments(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    wi_series *series;
    wi_series_table *table;
    assert_int_equal(wi_series_open(diag, &(wi_sinks){.folder = "/nowhere"}, "series.h5", &series),
                     WEIR_E_IO);
    assert_null(series);
    assert_int_equal(wi_series_open(diag, &(wi_sinks){.folder = scratch_folder}, "series.h5", &series),
                     WEIR_OK);
    assert_int_equal(wi_series_table_add(diag, series, &(wi_result_table){.name = "t"}, rows, 3, &table),
                     WEIR_E_ARG);
    assert_int_equal(wi_series_table_add(diag, series, &ports_table, rows, 3, &table), WEIR_OK);
    assert_int_equal(wi_series_table_add(diag, series, &ports_table, rows, 3, &table), WEIR_E_IO); /* twice */
    assert_null(table);
    wi_series_drop(series);
    weir_diag_free(diag);
}

/* In a process of its own, which must also end well: that is where HDF5 would crash. */
static void write_with_limit(rlim_t bytes, size_t instants)
{
    weir_diag *diag = weir_diag_new();
    const struct rlimit limit = {bytes, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    const weir_status st = write_file(diag, "series.h5", instants);
    const size_t n = weir_diag_count(diag);
    const char *file = n > 0 ? weir_diag_get(diag, n - 1)->file : NULL;
    const bool named = file && strstr(file, "series.h5");
    weir_diag_free(diag);
    exit(st == WEIR_E_IO && named ? 0 : 1);
}

static void disk_full_at_any_byte(void **state)
{
    (void)state;
    const size_t instants = 6000;
    struct stat whole;
    assert_int_equal(write_file(NULL, "series.h5", instants), WEIR_OK);
    assert_int_equal(stat(scratch_path("series.h5"), &whole), 0);
    for (rlim_t limit = 0; limit < (rlim_t)whole.st_size; limit += limit < 4096 ? 307 : 7919) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            write_with_limit(limit, instants);
        int status = -1;
        waitpid(child, &status, 0);
        if (status != 0)
            fail_msg("with a limit of %lu bytes: wait status %#x", (unsigned long)limit, (unsigned)status);
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(reads_back),
        CASE(same_content_same_bytes),
        CASE(bad_arguments),
        CASE(disk_full_at_any_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
