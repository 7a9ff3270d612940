/*
 * A class as fluid beside the same class as packets, over cells of a grid: goodput, losses and waits in queues of either, and
 * over all cells that ran the mean ratio and the worst, as docs/fluid.md has them.
 */
#ifndef TESTS_SCENARIO_BESIDE_PACKETS_H
#define TESTS_SCENARIO_BESIDE_PACKETS_H

#include "nightly.h"
#include "scenario/run_summary.h"

typedef struct measures {
    double goodput_bps, loss, wait_s;
} measures;

/* text: of one class, with "%s" where its fidelity stands. */
static inline measures measured(const char *text, const char *fidelity, const char *set, double base_s)
{
    char whole[1500];
    snprintf(whole, sizeof whole, text, fidelity);
    json_t *summary = summary_of(whole, &set, set ? 1 : 0, NULL);
    const measures m = {class_number(summary, 0, NULL, "goodput_bps"), class_number(summary, 0, NULL, "loss"),
                        class_number(summary, 0, NULL, "rtt_mean_s") - base_s};
    json_decref(summary);
    return m;
}

/* Ratios of a figure over the cells of a grid. */
typedef struct ratios {
    const char *what;
    double low, high; /* that it must be within */
    double least, most, log_sum;
    int n;
} ratios;

static inline void within(ratios *r, double fluid, double packets, const char *where)
{
    const double ratio = fluid / packets;
    print_message("  %s, %s: fluid %.4g, packets %.4g (%.3f)\n", r->what, where, fluid, packets, ratio);
    if (!(ratio >= r->low && ratio <= r->high))
        fail_msg("%s, %s: %g as fluid, %g as packets", r->what, where, fluid, packets);
    r->least = r->n == 0 || ratio < r->least ? ratio : r->least;
    r->most = r->n == 0 || ratio > r->most ? ratio : r->most;
    r->log_sum += log(ratio);
    r->n++;
}

static inline void told(const ratios *r)
{
    if (r->n > 0)
        print_message("%s: %.3f of packets' in the mean of %d, %.3f to %.3f\n", r->what,
                      exp(r->log_sum / r->n), r->n, r->least, r->most);
}

/* Whether a check of the scenario, as fluid, says `what` of its class, with file and line. */
static inline bool is_said(const char *text, const char *fidelity, const char *what)
{
    char whole[1500];
    bool said = false;
    weir_run_result result;
    weir_diag *diag = weir_diag_new();
    snprintf(whole, sizeof whole, text, fidelity);
    (void)run_text(diag, whole, WEIR_TEST_DATA, (const char *const[]){"duration=1ms", "output.warmup=0s"}, 2,
                   &result);
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        const weir_message *m = weir_diag_get(diag, i);
        said |= m->file && m->line > 0 && strstr(m->text, what);
    }
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return said;
}

#endif
