/* CSV is read back to the byte, whatever texts are in it; and what ends the reading is said with its line. */
#include "diag.h"
#include "output/csv_read.h"
#include "output/scratch.h"
#include "splitmix.h"

static const char *put(const char *name, const char *text, size_t size)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", scratch_folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
    return path;
}

/* Random rows, quoted as RFC 4180 has it where they must be or by chance, come back as they were. */
static void csv_reads_what_was_written(void **state)
{
    (void)state;
    enum { ROUNDS = 300, ROWS = 6, COLUMNS = 5, LENGTH = 6 };
    static const char alphabet[] = "a,\"\n b;";
    uint64_t seed = 11;
    for (int round = 0; round < ROUNDS; round++) {
        char field[ROWS][COLUMNS][LENGTH + 1], text[4096];
        size_t used = 0;
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++) {
                const int n = (int)(rnd(&seed) % (LENGTH + 1));
                for (int i = 0; i < n; i++)
                    field[r][c][i] = alphabet[rnd(&seed) % (sizeof alphabet - 1)];
                field[r][c][n] = '\0';
                const bool quoted = strpbrk(field[r][c], ",\"\n") || rnd(&seed) % 4 == 0;
                if (quoted)
                    text[used++] = '"';
                for (int i = 0; i < n; i++) {
                    if (field[r][c][i] == '"')
                        text[used++] = '"';
                    text[used++] = field[r][c][i];
                }
                if (quoted)
                    text[used++] = '"';
                text[used++] = c + 1 < COLUMNS ? ',' : '\n';
            }
        weir_diag *diag = weir_diag_new();
        wi_csv_reader *reader;
        char **got;
        size_t n;
        expect_ok(diag, wi_csv_reader_open(diag, put("t.csv", text, used), &reader));
        char *const *const names = wi_csv_names(reader, &n);
        assert_int_equal(n, COLUMNS);
        for (int r = 0; r < ROWS; r++) {
            assert_true(r == 0 || wi_csv_read(reader, &got));
            for (int c = 0; c < COLUMNS; c++)
                assert_string_equal(r ? got[c] : names[c], field[r][c]);
        }
        assert_false(wi_csv_read(reader, &got));
        expect_ok(diag, wi_csv_reader_close(diag, reader));
        weir_diag_free(diag);
    }
}

static void csv_says_what_is_wrong(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    wi_csv_reader *reader;
    char **got;
    assert_int_equal(wi_csv_reader_open(diag, "/no/such/file", &reader), WEIR_E_IO);
    assert_null(reader);
    assert_false(wi_csv_read(reader, &got));
    expect_ok(diag, wi_csv_reader_open(diag, put("t.csv", "a,b\n1,\"x", 8), &reader));
    assert_int_equal(wi_csv_column(reader, "b"), 1);
    assert_int_equal(wi_csv_column(reader, "c"), SIZE_MAX);
    assert_false(wi_csv_read(reader, &got));
    assert_int_equal(wi_csv_reader_close(diag, reader), WEIR_E_FORMAT);
    expect_message(diag, "quote");
    assert_int_equal(weir_diag_get(diag, weir_diag_count(diag) - 1)->line, 2);
    weir_diag_free(diag);
}

static int make_folder(void **state)
{
    (void)state;
    return scratch_make() ? 0 : -1;
}

static int remove_folder(void **state)
{
    char line[100];
    (void)state;
    snprintf(line, sizeof line, "rm -rf %s", scratch_folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(csv_reads_what_was_written),
                                       cmocka_unit_test(csv_says_what_is_wrong)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
