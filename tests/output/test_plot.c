/*
 * Plots: well-formed SVG whatever the values are, with the points where their values say.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output/plot.h"
#include "output/results/remove_tree.h"
#include "output/scratch.h"

static char *plotted(const wi_plot *plots, size_t n)
{
    weir_diag *diag = weir_diag_new();
    assert_non_null(scratch_make());
    assert_int_equal(wi_plot_put(diag, scratch_folder, "p.svg", plots, n), WEIR_OK);
    char *text = read_text(scratch_path("p.svg"));
    wi_remove_tree(scratch_folder);
    weir_diag_free(diag);
    assert_non_null(text);
    assert_non_null(strstr(text, "</svg>"));
    return text;
}

static int circles(const char *text, int x[], int y[])
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, "<circle")); at++, n++)
        assert_int_equal(sscanf(at, "<circle r=\"26\" cx=\"%d\" cy=\"%d\"", &x[n], &y[n]), 2);
    return n;
}

/* On logarithmic axes a power law is a straight line: equal factors are equal steps. */
static void points_stand_where_they_should(void **state)
{
    static const double x[] = {1, 10, 100}, y[] = {2, 8, 32};
    const wi_curve curve = {NULL, x, y, 3};
    const wi_plot p = {"t", "x", "y", true, true, &curve, 1};
    int cx[8], cy[8];
    (void)state;
    char *text = plotted(&p, 1);
    assert_int_equal(circles(text, cx, cy), 3);
    assert_true(abs(cx[1] - cx[0] - (cx[2] - cx[1])) <= 1);
    assert_true(abs(cy[1] - cy[0] - (cy[2] - cy[1])) <= 1);
    assert_true(cx[2] > cx[0] && cy[2] < cy[0]);
    assert_non_null(strstr(text, ">64</text>")); /* powers of four, for two decades */
    free(text);
}

/* What has no place is left out; no values, one value, equal values and markup in texts do no harm. */
static void odd_values_do_no_harm(void **state)
{
    static const double x[] = {0, 1, NAN, 4, INFINITY}, y[] = {1, 1, 1, 1, 1};
    const wi_curve curves[] = {{"<i>", x, y, 5}, {NULL, x, y, 0}, {NULL, x + 1, y, 1}};
    const wi_plot plots[] = {{"a <b> & c", "x", "y", true, true, &curves[0], 1},
                             {"none", "x", "y", false, false, &curves[1], 1},
                             {"one", "x", "y", false, true, &curves[2], 1},
                             {"no curves", "x", "y", false, false, NULL, 0}};
    int cx[8], cy[8];
    (void)state;
    char *text = plotted(plots, 4);
    assert_int_equal(circles(text, cx, cy), 3); /* x = 1 and 4 of the first, the only one of the third */
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "<i>"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
}

/* Curves share axes that hold all of them; names are in the legend, in colours that differ. */
static void several_curves(void **state)
{
    static const double x[] = {1, 10}, low[] = {1, 1}, high[] = {5, 100};
    const wi_curve curves[] = {{"first", x, low, 2}, {"second", x, high, 2}};
    const wi_plot p = {"t", "x", "y", true, true, curves, 2};
    int cx[8], cy[8];
    (void)state;
    char *text = plotted(&p, 1);
    assert_int_equal(circles(text, cx, cy), 4);
    assert_int_equal(cx[1], cx[3]);
    assert_int_equal(cy[0], cy[1]);
    assert_true(cy[3] < cy[2] && cy[2] < cy[0]);
    const char *first = strstr(text, ">first</text>"), *second = strstr(text, ">second</text>");
    assert_true(first && second);
    assert_memory_not_equal(strstr(text, "stroke=\"#"), strstr(strstr(text, "stroke=\"#") + 1, "stroke=\"#"),
                            16);
    free(text);
}

/* Ticks stand at round numbers, and are told with the prefix of the unit that fits: intervals below zero, of microseconds. */
static void ticks_are_round_and_in_units_that_people_use(void **state)
{
    static const double x[] = {50e3, 1e6}, y[] = {147e-6, 430e-6}, low[] = {113e-6, -23.84e-6},
                        high[] = {181e-6, 884e-6};
    const wi_curve curve = {NULL, x, y, 2, low, high};
    const wi_plot p = {.title = "t",
                       .x_label = "buffer",
                       .y_label = "wait",
                       .curves = &curve,
                       .n_curves = 1,
                       .x_unit = "B",
                       .y_unit = "s"};
    (void)state;
    char *text = plotted(&p, 1);
    assert_non_null(strstr(text, ">wait (\u00b5s)</text>"));
    assert_non_null(strstr(text, ">buffer (MB)</text>"));
    for (size_t i = 0; i < 6; i++) {
        static const char *const ticks[] = {">-200<", ">0<", ">200<", ">1000<", ">0.2<", ">1<"};
        assert_non_null(strstr(text, ticks[i]));
    }
    assert_null(strstr(text, ">-0<"));
    free(text);
}

/* Over many decades ticks are few enough to be read, and each time has its own unit. */
static void logarithms_of_times(void **state)
{
    static const double x[] = {2e-11, 3e-2}, y[] = {0, 1};
    const wi_curve curve = {NULL, x, y, 2};
    const wi_plot p = {"t", "wait", "share", true, false, &curve, 1, .x_unit = "s"};
    (void)state;
    char *text = plotted(&p, 1);
    assert_non_null(strstr(text, ">100 ps</text>"));
    assert_non_null(strstr(text, ">10 ns</text>"));
    assert_non_null(strstr(text, ">10 ms</text>"));
    assert_null(strstr(text, ">1 ns</text>"));
    assert_non_null(strstr(text, ">wait</text>"));
    free(text);
}

static void a_folder_that_is_not_there(void **state)
{
    weir_diag *diag = weir_diag_new();
    const double one = 1;
    const wi_curve curve = {NULL, &one, &one, 1};
    const wi_plot p = {"t", "x", "y", false, false, &curve, 1};
    (void)state;
    assert_int_equal(wi_plot_put(diag, "/nowhere/at/all", "p.svg", &p, 1), WEIR_E_IO);
    assert_int_equal(weir_diag_errors(diag), 1);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_stand_where_they_should),
        cmocka_unit_test(odd_values_do_no_harm),
        cmocka_unit_test(several_curves),
        cmocka_unit_test(ticks_are_round_and_in_units_that_people_use),
        cmocka_unit_test(logarithms_of_times),
        cmocka_unit_test(a_folder_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
