/*
 * differences.csv: Holm's correction of paired comparisons with one baseline, by the example of four tests (p = 0.01, 0.04, 0.03,
 * 0.005; corrected 0.03, 0.06, 0.06, 0.02); and over 400 studies on common random numbers, intervals of differences that hold the true
 * one as often as they say, and how many studies call a difference of nothing real.
 */
#include "study/small.h"

#include <math.h>

#include "splitmix.h"
#include "study/plan/study.h"
#include "study/tables/table.h"

enum { SETS = 5 };

static weir_study *opened(weir_diag *diag, uint32_t replications)
{
    char runs[60];
    const char *const sets[] = {"study.vary=[{name: a, values: [0, 1, 2, 3, 4]}]", "study.baseline=[a=0]",
                                "study.metrics=[x = events]", runs, NULL};
    weir_study *s = NULL;
    snprintf(runs, sizeof runs, "study.replications=%u", replications);
    write_file("s.yaml", PHOLD);
    expect_ok(diag, open_with(diag, "s.yaml", sets, &s));
    assert_int_equal(s->n_points, SETS);
    for (uint32_t i = 0; i < SETS; i++)
        for (uint32_t r = 0; r < replications; r++)
            assert_true(wi_point_put(&s->points[i], r, wi_row_new(s)));
    return s;
}

static void set(weir_study *s, uint32_t point, uint32_t replication, double value)
{
    s->points[point].row[replication]->metric[0] = value;
}

typedef struct line {
    double low, high, p, p_holm;
} line;

/* Of sets 1 to 4, out[0] to out[3]. */
static void put(weir_diag *diag, const weir_study *s, line *out)
{
    wi_result_column column[16];
    wi_table t = {.column = column, .room = 16};
    wi_table_differences.columns(s, &t);
    expect_ok(diag, wi_csv_open(diag, ".", "d.csv", column, t.n, &t.csv));
    expect_ok(diag, wi_table_differences.rows(s, diag, t.csv));
    expect_ok(diag, wi_csv_close(diag, t.csv));
    char *text = read_text("d.csv");
    const char *at = text;
    for (int i = 0; i < SETS - 1; i++) {
        unsigned point, n;
        at = strchr(at, '\n') + 1;
        assert_int_equal(sscanf(at, "%u,%*u,x,0,%u,%*f,%*f,%*f,%lf,%lf,%*f,%lf,%lf", &point, &n, &out[i].low,
                                &out[i].high, &out[i].p, &out[i].p_holm),
                         6);
        assert_int_equal(point, i + 1);
    }
    free(text);
}

/* Two replications whose differences are d - 1 and d + 1 have t = d; with one degree of freedom p = 1 - 2 / pi atan d. */
static void holm_by_hand(void **state)
{
    static const double p[] = {0.01, 0.04, 0.03, 0.005}, want[] = {0.03, 0.06, 0.06, 0.02};
    weir_diag *diag = weir_diag_new();
    weir_study *s = opened(diag, 2);
    line got[SETS - 1];
    (void)state;
    for (uint32_t r = 0; r < 2; r++) {
        set(s, 0, r, 100.0 + r);
        for (uint32_t i = 0; i < 4; i++)
            set(s, i + 1, r, 100.0 + r + tan(1.5707963267948966 * (1.0 - p[i])) + (r ? 1.0 : -1.0));
    }
    put(diag, s, got);
    for (int i = 0; i < 4; i++)
        if (!(fabs(got[i].p - p[i]) < 1e-9) || !(fabs(got[i].p_holm - want[i]) < 1e-9))
            fail_msg("set %d: %.12g, %.12g; want %g, %g", i + 1, got[i].p, got[i].p_holm, p[i], want[i]);
    weir_study_free(s);
    weir_diag_free(diag);
}

static double normal(uint64_t *random)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++)
        sum += (double)(rnd(random) >> 11) * 0x1p-53;
    return sum;
}

/* Set 4 is 3 above the baseline, the others nothing; replications share a part of their noise. */
static void over_studies(void **state)
{
    enum { STUDIES = 400, RUNS = 10 };
    weir_diag *diag = weir_diag_new();
    weir_study *s = opened(diag, RUNS);
    uint64_t random = 29;
    int held = 0, wrong = 0, wrong_plain = 0, found = 0;
    (void)state;
    for (int k = 0; k < STUDIES; k++) {
        line got[SETS - 1];
        bool any = false, any_plain = false;
        for (uint32_t r = 0; r < RUNS; r++) {
            const double common = normal(&random);
            for (uint32_t i = 0; i < SETS; i++)
                set(s, i, r, 10.0 + (i == 4 ? 3.0 : 0.0) + common + normal(&random));
        }
        put(diag, s, got);
        for (int i = 0; i < 4; i++) {
            const double truth = i == 3 ? 3.0 : 0.0;
            held += got[i].low <= truth && truth <= got[i].high;
            any |= i < 3 && got[i].p_holm < 0.05;
            any_plain |= i < 3 && got[i].p < 0.05;
        }
        found += got[3].p_holm < 0.05;
        wrong += any;
        wrong_plain += any_plain;
    }
    print_message("  %.1f %% of intervals hold the difference; %.1f %% of studies call one of nothing real, "
                  "uncorrected %.1f %%\n",
                  25.0 * held / STUDIES, 100.0 * wrong / STUDIES, 100.0 * wrong_plain / STUDIES);
    assert_in_range(1000 * held / (4 * STUDIES), 930, 970);
    assert_true(wrong <= 0.08 * STUDIES && wrong_plain > 0.08 * STUDIES && found > 0.9 * STUDIES);
    weir_study_free(s);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holm_by_hand), cmocka_unit_test(over_studies)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}
