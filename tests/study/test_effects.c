/*
 * effects.csv: the half fraction of a 2^4 design in the solutions to Montgomery's Design and Analysis of Experiments (2012),
 * problem 8.1, with its effects; intervals of effects over replications; what is no such design has no table.
 */
#include "study/small.h"

#include <math.h>

#include "study/tables/table.h"

/* I = ABCD; the yields of its eight runs, and what the solution has for the effects. */
static const char design[] = "study.vary=[{name: A, values: [-1, 1]}, {name: B, values: [-1, 1]}, "
                             "{name: C, values: [-1, 1]}, {name: D, values: [-1, 1]}]",
                  fraction[] = "study.constraints=[A * B * C * D == 1]";
static const struct {
    const char *run;
    double yield;
} yields[] = {{"----", 90}, {"+--+", 72}, {"-+-+", 87}, {"++--", 83},
              {"--++", 99}, {"+-+-", 81}, {"-++-", 88}, {"++++", 80}};
static const struct {
    const char *effect, *aliases;
    double value;
} effects[] = {{"A", " + B x C x D", -12}, {"B", " + A x C x D", -1}, {"C", " + A x B x D", 4},
               {"D", " + A x B x C", -1},  {"A x B", " + C x D", 6},  {"A x C", " + B x D", -1},
               {"B x C", " + A x D", -5}};

static weir_study *opened(weir_diag *diag, const char *const *sets)
{
    weir_study *s = NULL;
    write_file("s.yaml", PHOLD);
    expect_ok(diag, open_with(diag, "s.yaml", sets, &s));
    return s;
}

/* Replication r of a run yields what the book has, and r more or less by turns, so that means are the book's. */
static void fill(weir_study *s, uint32_t replications)
{
    for (uint32_t i = 0; i < s->n_points; i++) {
        wi_point *p = &s->points[i];
        char run[5] = "";
        for (int k = 0; k < 4; k++)
            run[k] = p->value[k][0] == '-' ? '-' : '+';
        for (uint32_t r = 0; r < replications; r++) {
            wi_row *row = wi_row_new(s);
            for (size_t k = 0; k < 8; k++)
                if (strcmp(yields[k].run, run) == 0)
                    row->metric[0] = yields[k].yield +
                                     (run[0] == '+' ? 1.0 : -1.0) * ((double)r - (replications - 1) / 2.0);
            assert_false(isnan(row->metric[0]));
            assert_true(wi_point_put(p, r, row));
        }
    }
}

static void as_the_book_has_it(void **state)
{
    static const char *const sets[] = {design, fraction, "study.replications=3", "study.metrics=[events]",
                                       NULL};
    static const wi_result_column columns[] = {{"metric", WI_CSV_TEXT},       {"effect", WI_CSV_TEXT},
                                               {"aliases", WI_CSV_TEXT},      {"n", WI_CSV_U64},
                                               {"difference", WI_CSV_DOUBLE}, {"sd", WI_CSV_DOUBLE},
                                               {"low", WI_CSV_DOUBLE},        {"high", WI_CSV_DOUBLE},
                                               {"p", WI_CSV_DOUBLE},          {"p_holm", WI_CSV_DOUBLE}};
    weir_diag *diag = weir_diag_new();
    weir_study *s = opened(diag, sets);
    wi_csv *csv = NULL;
    (void)state;
    assert_int_equal(s->n_points, 8);
    assert_true(wi_table_effects.has(s));
    fill(s, 3);
    expect_ok(diag, wi_csv_open(diag, ".", "effects.csv", columns, 10, &csv));
    expect_ok(diag, wi_table_effects.rows(s, diag, csv));
    expect_ok(diag, wi_csv_close(diag, csv));
    char *text = read_text("effects.csv");
    for (size_t i = 0; i < 7; i++) {
        char line[200];
        /* A's spread is that of its replications, 2 r: sd 2; t(2) = 4.302653 of it over sqrt(3). */
        snprintf(line, sizeof line, "\nevents,%s,%s,3,%g,%s", effects[i].effect, effects[i].aliases,
                 effects[i].value, i == 0 ? "2,-16.968" : "0,");
        if (!strstr(text, line))
            fail_msg("no line '%s' in\n%s", line + 1, text);
    }
    free(text);
    weir_study_free(s);
    weir_diag_free(diag);
}

static void others_have_none(void **state)
{
    static const char *const no[][3] = {{"study.vary=[{name: A, values: [1, 2, 3]}]", NULL},
                                        {design, "study.constraints=[A + B + C + D > -3]", NULL},
                                        {NULL}};
    static const char *const with[] = {
        "study.vary=[{name: A, values: [1, 2]}, {name: B, values: [3, 4], with: A}, {name: C, is: A + 1}]",
        NULL};
    weir_diag *diag = weir_diag_new();
    (void)state;
    for (int i = 0; i < 3; i++) {
        weir_study *s = opened(diag, no[i]);
        assert_false(wi_table_effects.has(s));
        weir_study_free(s);
    }
    weir_study *s = opened(diag, with);
    assert_true(wi_table_effects.has(s));
    weir_study_free(s);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_book_has_it),
                                       cmocka_unit_test(others_have_none)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}
