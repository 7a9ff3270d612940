/* Plans: what a file says is sent, and every mistake is named with its line. */
#include "interconnect_run.h"
#include "models/interconnect/jobs/plan.h"

static weir_status parse(weir_diag *diag, const char *text, wi_ic_plan *plan)
{
    return wi_ic_plan_read(wi_source_memory(diag, "p.txt", text, strlen(text)), plan);
}

static void what_a_plan_says_is_sent(void **state)
{
    weir_diag *diag = *state;
    wi_ic_plan plan;
    expect_ok(diag, parse(diag, "# a plan\n1e-6 0 5 100\n\n0.000002,5,0,10000 # back\n0 7 1 64\n", &plan));
    assert_int_equal(plan.n, 3);
    assert_int_equal(plan.ranks, 8);
    assert_int_equal(plan.entry[1].time_ps, 2 * WEIR_PS_PER_US);
    assert_int_equal(plan.entry[1].line, 4);
    ic_job job;
    ic_params p;
    ic_job_init(&job);
    wi_ic_params_init(&p);
    job.pattern = IC_PLANNED;
    job.n_ranks = plan.ranks;
    job.plan = plan.entry;
    job.n_plan = plan.n;
    p.jobs = &job;
    p.n_jobs = 1;
    fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
    fabric_run(diag, f, 100 * WEIR_PS_PER_US);
    assert_int_equal(fabric_count(f, IC_COUNT_MESSAGES), 3);
    assert_int_equal(fabric_count(f, IC_COUNT_PACKETS), 1 + 3 + 1);
    assert_int_equal(fabric_count(f, IC_COUNT_CHUNKS), 2 + 157 + 1);
    fabric_end(f);
    wi_ic_plan_free(&plan);
}

static void mistakes_are_named_with_their_line(void **state)
{
    static const char *const cases[][2] = {
        {"0 1 2 3\nx 1 2 3\n", "there is no time"}, {"-1 1 2 3\n", "the time is not between"},
        {"nan 1 2 3\n", "there is no time"},        {"0 a 2 3\n", "the source is no rank"},
        {"0 1 -2 3\n", "the target is no rank"},    {"0 1 2 0\n", "the size is not between"},
        {"0 1 2 99999999999\n", "the size is not"}, {"0 1 2\n", "3 fields"},
        {"0 1 1 3\n", "a rank sends to itself"},    {"0 1 2 3 4\n", "5 fields"},
        {"# nothing\n", "there is no message"},     {"0 1 2.5 3\n", "the target is no rank"}};
    weir_diag *diag = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wi_ic_plan plan;
        assert_int_equal(parse(diag, cases[i][0], &plan), WEIR_E_FORMAT);
        expect_message(diag, cases[i][1]);
        assert_int_equal(weir_diag_get(diag, weir_diag_count(diag) - 1)->line, i == 0 ? 2 : 1);
        wi_ic_plan_free(&plan);
    }
    wi_ic_plan plan;
    assert_int_equal(wi_ic_plan_read(wi_source_file(diag, "/nowhere/plan.txt"), &plan), WEIR_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_plan_says_is_sent),
                                       cmocka_unit_test(mistakes_are_named_with_their_line)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
