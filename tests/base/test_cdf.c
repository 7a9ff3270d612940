/* The reader of empirical distributions: the variants of the format, and each thing that can be wrong with a
 * file. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weir/cdf.h"
#include "base/dist/cdf.h"
#include "skip.h"

static weir_cdf *load(const char *path)
{
    weir_diag *diag = weir_diag_new();
    weir_cdf *cdf = NULL;
    if (weir_cdf_load(diag, path, &cdf) != WEIR_OK)
        fail_msg("%s", weir_diag_get(diag, 0)->text);
    assert_int_equal(weir_diag_count(diag), 0);
    weir_diag_free(diag);
    return cdf;
}

static void percent_scale(void **state)
{
    (void)state;
    weir_cdf *cdf = load(WEIR_TEST_DATA "/percent.txt");
    static const weir_cdf_point want[] = {{0, 0}, {1000, 0.5}, {10000, 0.9}, {1e6, 1}};
    assert_int_equal(cdf->n, 4);
    assert_memory_equal(cdf->points, want, sizeof want);
    assert_false(cdf->step);
    assert_true(isnan(cdf->stated_mean));
    /* 0.5 * 500 + 0.4 * 5500 + 0.1 * 505000 */
    assert_true(fabs(weir_cdf_mean(cdf->points, cdf->n, false) - 52950) < 1e-6);
    weir_cdf_free(cdf);
    weir_cdf_free(NULL);
}

static void step_with_mean_line(void **state)
{
    (void)state;
    weir_cdf *cdf = load(WEIR_TEST_DATA "/step_with_mean.txt");
    assert_int_equal(cdf->n, 3);
    assert_true(cdf->step);
    assert_true(cdf->stated_mean == 2600.5);
    assert_true(cdf->points[0].x == 100 && cdf->points[0].p == 0.1);
    assert_true(fabs(weir_cdf_mean(cdf->points, cdf->n, true) - 3610) < 1e-9); /* 10 + 600 + 3000 */
    weir_cdf_free(cdf);
}

static void commas_and_carriage_returns(void **state)
{
    (void)state;
    weir_cdf *cdf = load(WEIR_TEST_DATA "/comma.csv");
    static const weir_cdf_point want[] = {{64, 0}, {1500, 0.5}, {9000, 1}};
    assert_int_equal(cdf->n, 3);
    assert_memory_equal(cdf->points, want, sizeof want);
    weir_cdf_free(cdf);
}

static void repeats_and_jumps(void **state)
{
    (void)state;
    static const char text[] = "1 0.2\n1 0.2\n5 0.6\n5 0.8\n7 0.8\n9 1\n9 1\n20 1";
    static const weir_cdf_point want[] = {{1, 0.2}, {1, 0.2}, {5, 0.6}, {5, 0.8}, {7, 0.8}, {9, 1}};
    weir_cdf *cdf;
    assert_int_equal(wi_cdf_read(wi_source_memory(NULL, "t", text, strlen(text)), &cdf), WEIR_OK);
    assert_int_equal(cdf->n, 6);
    assert_memory_equal(cdf->points, want, sizeof want);
    weir_cdf_free(cdf);
    assert_int_equal(wi_cdf_read(wi_source_memory(NULL, "t", "5 1", 3), &cdf), WEIR_OK); /* a constant */
    assert_int_equal(cdf->n, 1);
    weir_cdf_free(cdf);
    /* rounded in print: within a ten-thousandth of the end is the end */
    assert_int_equal(wi_cdf_read(wi_source_memory(NULL, "t", "1 0.5\n2 0.99999", 15), &cdf), WEIR_OK);
    assert_true(cdf->points[1].p == 1);
    weir_cdf_free(cdf);
}

static void errors_name_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "f.txt: error: no points; want lines `size cumulative`"},
        {"# nothing\n\n", "f.txt: error: no points; want lines `size cumulative`"},
        {"12\n", "f.txt: error: no points; want lines `size cumulative`"},
        {"1 0\n2 x\n", "f.txt:2:3: error: 'x' is not a number; want `size cumulative`"},
        {"1 0\nsize cdf\n", "f.txt:2:1: error: 'size' is not a number; want `size cumulative`"},
        {"1 0\n2 0.5x\n", "f.txt:2:3: error: '0.5x' is not a number; want `size cumulative`"},
        {"1 0\n2 nan\n", "f.txt:2:3: error: 'nan' is not a number; want `size cumulative`"},
        {"1 0\n\n3 0.5 7\n", "f.txt:3: error: more than two numbers; want `size cumulative`"},
        {"1 0\n3\n", "f.txt:2: error: one number; want `size cumulative`"},
        {"1\n2\n", "f.txt:2: error: one number; want `size cumulative`"},
        {"-5\n", "f.txt:1: error: the mean is -5; want none below 0"},
        {"-1 0\n", "f.txt:1: error: -1 0: want no negative value"},
        {"5 0\n4 1\n", "f.txt:2: error: size 4 is below the 5 before it; sizes may not fall"},
        {"5 0.5\n6 0.25\n",
         "f.txt:2: error: cumulative value 0.25 is below the 0.5 before it; want a rising column"},
        {"5 0\n6 50\n", "f.txt:2: error: the last cumulative value is 50; want 1 or 100"},
        {"5 0\n6 0.9\n", "f.txt:2: error: the last cumulative value is 0.9; want 1 or 100"},
        {"5 0\n", "f.txt:1: error: the last cumulative value is 0; want 1 or 100"},
        {"\x01\x02", "f.txt:1:1: error: '?"
                     "?' is not a number; want `size cumulative`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_diag *diag = weir_diag_new();
        weir_cdf *cdf = (weir_cdf *)diag;
        assert_int_equal(
            wi_cdf_read(wi_source_memory(diag, "f.txt", cases[i].text, strlen(cases[i].text)), &cdf),
            WEIR_E_FORMAT);
        assert_null(cdf);
        assert_int_equal(weir_diag_count(diag), 1);
        char text[200];
        weir_message_format(weir_diag_get(diag, 0), text, sizeof text);
        assert_string_equal(text, cases[i].want);
        weir_diag_free(diag);
    }
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_cdf *cdf;
    assert_int_equal(weir_cdf_load(diag, "/nowhere/x.txt", &cdf), WEIR_E_IO);
    assert_null(cdf);
    assert_string_equal(weir_diag_get(diag, 0)->text, "/nowhere/x.txt: No such file or directory");
    assert_int_equal(weir_cdf_load(diag, WEIR_TEST_DATA, &cdf), WEIR_E_IO); /* a folder */
    weir_diag_free(diag);
}

/* The published files, where they are at hand: sizes known from their description. */
static void published_files(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t n;
        double last;
    } files[] = {
        {"cdf-hpcc/WebSearch_distribution.txt", 12, 3e7}, {"cdf-hpcc/AliStorage2019.txt", 9, 2e6},
        {"cdf-hpcc/FbHdp_distribution.txt", 20, 1e7},     {"cdf-hpcc/GoogleRPC2008.txt", 843, 15158197},
        {"cdf-trafficgenerator/DCTCP_CDF.txt", 12, 3e7},  {"cdf-trafficgenerator/FB_CDF.txt", 17, 1e6},
        {"cdf-trafficgenerator/VL2_CDF.txt", 13, 1e9},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[100];
        snprintf(name, sizeof name, "traffic/%s", files[i].name);
        weir_cdf *cdf = load(data_path(name));
        assert_true(cdf->n >= 2 && cdf->n <= files[i].n);
        assert_true(cdf->points[cdf->n - 1].x == files[i].last && cdf->points[cdf->n - 1].p == 1);
        assert_false(cdf->step);
        assert_true(weir_cdf_mean(cdf->points, cdf->n, false) > 0);
        weir_cdf_free(cdf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percent_scale),
        cmocka_unit_test(step_with_mean_line),
        cmocka_unit_test(commas_and_carriage_returns),
        cmocka_unit_test(repeats_and_jumps),
        cmocka_unit_test(errors_name_file_and_line),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(published_files),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
