/*
 * label: slow statistics
 *
 * Fluid against packets on the paper's twelve nodes with all four flows, for 45 s after 15 s: queues, goodput
 * and loss of each class by the calibrated model, for two of the six pairs of RED mode and ACK policy.
 * bench_hybrid_packets runs all of them with ten seeds, and docs/fluid.md has its figures; the tolerances
 * here leave room for one seed's noise, 5 % of a queue or loss.
 */
#include "diag.h"
#include "fluid_judge.h"
#include "output/scratch.h"

static void near(double got, double wanted, double share, const judge_cell *cell, const char *what, int which)
{
    if (fabs(got / wanted - 1.0) > share)
        fail_msg("RED %s, %d segments an ACK: %s %d is %g as fluid, %g as packets, want within %g %%",
                 cell->mode, cell->segments_per_ack, what, which, got, wanted, 100.0 * share);
}

static void fluid_is_near_packets(void **state)
{
    (void)state;
    static const judge_cell cells[] = {{"bernoulli", 1, 4}, {"wait", 2, 4}};
    assert_non_null(scratch_make());
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        judged by[2];
        weir_diag *diag = weir_diag_new();
        for (int m = JUDGE_PACKETS; m <= JUDGE_CALIBRATED; m++)
            expect_ok(diag, judge_run(diag, WEIR_SOURCE_DIR "/examples/papers/000/twelve-nodes.yaml",
                                      scratch_path("judge"), &cells[k], (judge_model)m, 1, &by[m]));
        weir_diag_free(diag);
        for (int i = 0; i < JUDGE_PORTS; i++)
            near(by[1].queue_bytes[i], by[0].queue_bytes[i], 0.15, &cells[k], "queue", i);
        for (int i = 0; i < JUDGE_CLASSES; i++) {
            near(by[1].goodput_bps[i], by[0].goodput_bps[i], 0.10, &cells[k], "goodput", i);
            near(by[1].loss[i], by[0].loss[i], 0.20, &cells[k], "loss", i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fluid_is_near_packets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
