/* Pinned down: csv_cell, by which other tests read tables, gives NaN for whatever is not a number that is
 * there. */
#include "scenario/csv_cell.h"
#include "diag.h"
#include "output/scratch.h"

static double cell(const char *text, const char *key, const char *value, const char *column)
{
    FILE *f = fopen(scratch_path("t.csv"), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return csv_cell(scratch_folder, "t.csv", key, value, column);
}

#define HEAD "port,queue,loss\n"

static void numbers(void **state)
{
    (void)state;
    assert_non_null(scratch_make());
    assert_true(cell(HEAD "a,1,2\nb,3,4.5\nb,5,6\n", "port", "b", "queue") == 3);
    assert_true(cell(HEAD "a,1,2\nb,3,4.5\n", "port", "b", "loss") == 4.5);
    assert_true(cell(HEAD "aa,1,2\na,3,4\n", "port", "a", "queue") == 3);
    assert_true(cell("name," HEAD "\"x, y\",a,7,8\n", "port", "a", "queue") == 7);
    assert_true(cell("port,queue,loss\r\na,1,2\r\n", "port", "a", "loss") == 2);
}

static void whatever_is_missing_is_nan(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",                     /* no header */
        HEAD,                   /* no row */
        HEAD "b,1,2\n",         /* another row */
        HEAD "a,1\n",           /* a row that ends early */
        HEAD "a\n",             /* earlier still */
        HEAD "a,1,\nb,3,4\n",   /* an empty cell; the next row is not to be read instead */
        HEAD "a,1,\na,3,4\n",   /* nor a second of that name */
        HEAD "a,1, \n",         /* blanks */
        HEAD "a,1,two\n",       /* a word */
        HEAD "a,1,2 packets\n", /* a number and a word */
        HEAD "a,1,nan\n",       /* and what says so itself */
        "port,queue\na,1,2\n",  /* no such column */
        "queue,loss\na,2\n",    /* no such key */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!isnan(cell(texts[i], "port", "a", "loss")))
            fail_msg("%zu: %s", i, texts[i]);
    assert_true(isnan(csv_cell(scratch_folder, "none.csv", "port", "a", "loss")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),
                                       cmocka_unit_test(whatever_is_missing_is_nan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
