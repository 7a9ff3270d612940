/*
 * A report's tables: quantiles are those that sorting all values gives, and what is shown of a long table holds its largest
 * rows.
 */
#include <math.h>
#include <unistd.h>

#include <jansson.h>

#include "diag.h"
#include "report/report.h"
#include "report/values.h"
#include "splitmix.h"

static char folder[] = "/tmp/weir-report-XXXXXX";

static void put(const char *name, const char *text, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
}

/* x is what sorting gives at rank ceil(q n), for every q; the ends are the least and the greatest. */
static void quantiles_are_of_all_values(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 399, 400, 401, 1000, 54321};
    uint64_t seed = 3;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        wi_values v = {0};
        for (size_t i = 0; i < sizes[s]; i++)
            assert_true(wi_values_add(&v, (double)(rnd(&seed) % 1000)));
        json_t *out = json_object();
        assert_true(wi_values_quantiles(&v, out)); /* sorts v */
        const json_t *q = json_object_get(out, "y"), *x = json_object_get(out, "x");
        assert_int_equal(json_array_size(q), json_array_size(x));
        assert_true(json_array_size(q) <= 401 && json_number_value(json_array_get(q, 0)) == 0.0);
        double last = -1.0;
        for (size_t i = 0; i < json_array_size(q); i++) {
            const double share = json_number_value(json_array_get(q, i));
            const double rank = fmax(1.0, ceil(share * (double)v.n));
            assert_true(share > last && share <= 1.0);
            assert_true(json_number_value(json_array_get(x, i)) == v.value[(size_t)rank - 1]);
            last = share;
        }
        assert_true(last == 1.0);
        assert_true(wi_values_from_top(&v, 0) == v.value[v.n - 1]);
        json_decref(out);
        wi_values_free(&v);
    }
}

/* 10,000 flows in 100 rows: the 50 slowest are among them, the distribution is of all, and it says so. */
static void a_long_table_keeps_its_largest(void **state)
{
    (void)state;
    enum { FLOWS = 10000, SHOWN = 100 };
    char *text = malloc(FLOWS * 40), *at = text;
    assert_non_null(text);
    at += sprintf(at, "flow,class,completion_s\n");
    for (int i = 0; i < FLOWS; i++)
        at += sprintf(at, "%d,%s,%d\n", i, i == 5001 ? "rare" : i % 2 ? "odd" : "even", (i * 7919) % FLOWS);
    put("flows.csv", text, (size_t)(at - text));
    free(text);
    weir_diag *diag = weir_diag_new();
    json_t *t = wi_report_table(diag, folder, "flows.csv", SHOWN);
    expect_ok(diag, t ? WEIR_OK : WEIR_E_IO);
    const json_t *done = json_array_get(json_object_get(t, "data"), 2);
    assert_in_range(json_array_size(done), SHOWN / 2, SHOWN + 1);
    bool there[FLOWS] = {false};
    for (size_t i = 0; i < json_array_size(done); i++)
        there[json_integer_value(json_array_get(done, i))] = true;
    for (int slow = FLOWS - SHOWN / 2; slow < FLOWS; slow++)
        assert_true(there[slow]);
    assert_true(there[5001 * 7919 % FLOWS]); /* of a class of one */
    assert_int_equal(json_integer_value(json_object_get(t, "rows")), FLOWS);
    assert_non_null(strstr(json_string_value(json_object_get(t, "how")), "10000 rows"));
    const json_t *figure = json_array_get(json_object_get(t, "figures"), 0);
    assert_string_equal(json_string_value(json_object_get(figure, "name")), "cdf-flows-completion_s");
    const json_t *odd = json_array_get(json_object_get(figure, "series"), 1);
    assert_int_equal(json_integer_value(json_object_get(odd, "n")), FLOWS / 2 - 1);
    json_decref(t);
    weir_diag_free(diag);
}

/* Completion times by decade: 10 kB is of the decade up to it, 10,001 B of the next; what has no end, or no size, is of none. */
static void completions_by_size(void **state)
{
    (void)state;
    static const char text[] =
        "size_bytes,completion_s\n999,1\n1000,2\n1001,3\n10000,4\n10001,5\n5000,\n0,7\n,8\n";
    static const struct {
        const char *name;
        int n;
    } want[] = {{"up to 1 kB", 2}, {"up to 10 kB", 2}, {"up to 100 kB", 1}};
    weir_diag *diag = weir_diag_new();
    put("flows.csv", text, strlen(text));
    json_t *t = wi_report_table(diag, folder, "flows.csv", 10);
    expect_ok(diag, t ? WEIR_OK : WEIR_E_IO);
    const json_t *figure = json_array_get(json_object_get(t, "figures"), 1);
    assert_string_equal(json_string_value(json_object_get(figure, "name")), "cdf-flows-completion_s-by-size");
    assert_int_equal(json_array_size(json_object_get(figure, "series")), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *one = json_array_get(json_object_get(figure, "series"), i);
        assert_string_equal(json_string_value(json_object_get(one, "name")), want[i].name);
        assert_int_equal(json_integer_value(json_object_get(one, "n")), want[i].n);
    }
    json_decref(t);
    weir_diag_free(diag);
}

/* Rows that are too short or too long, cells that are no UTF-8, numbers that are none, no rows, no header. */
static void odd_tables_are_tables(void **state)
{
    (void)state;
    static const char *const odd[] = {"",
                                      "a\n",
                                      "a,b\n1\n1,2,3\n",
                                      "a,a\n1,x\nnan,inf\n",
                                      "\xff,b\n\xfe,1\n",
                                      "a\n\n\n",
                                      "class,completion_s\n,\nx,1e999\n",
                                      "a\r\n1\r\n"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        weir_diag *diag = weir_diag_new();
        put("odd.csv", odd[i], strlen(odd[i]));
        json_t *t = wi_report_table(diag, folder, "odd.csv", 10);
        assert_non_null(t);
        const json_t *columns = json_object_get(t, "columns"), *data = json_object_get(t, "data");
        assert_int_equal(json_array_size(columns), json_array_size(data));
        for (size_t c = 0; c < json_array_size(data); c++)
            assert_int_equal(json_array_size(json_array_get(data, c)),
                             json_array_size(json_array_get(data, 0)));
        char *text = json_dumps(t, 0);
        assert_non_null(text);
        free(text);
        json_decref(t);
        weir_diag_free(diag);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char text[100];
    snprintf(text, sizeof text, "rm -r %s", folder);
    return system(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_of_all_values),
        cmocka_unit_test(a_long_table_keeps_its_largest),
        cmocka_unit_test(completions_by_size),
        cmocka_unit_test(odd_tables_are_tables),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
