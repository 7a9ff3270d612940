/* When does the bottleneck's queue first pass half of its limit? Run a scenario step by step and look. */
#include <stdio.h>

#include <weir/session.h>

static const char text[] =
    "weir: 1\n"
    "duration: 5s\n"
    "output: {interval: 50ms, ports: all}\n"
    "topology:\n"
    "  generate: {model: dumbbell, left: 4, bottleneck_rate: 10Mbps, bottleneck_delay: 20ms}\n"
    "  queue: {limit: 100kB}\n"
    "traffic:\n"
    "  - {name: bulk, pairs: [[l0, r0], [l1, r1], [l2, r2], [l3, r3]], tcp: {}}\n";

int main(void)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    weir_session *session = NULL;
    weir_run_options options;
    weir_session_samples queue = {0};
    double goodput_bps = 0.0;
    weir_run_options_init(&options);
    options.no_output = true;
    options.keep_series = true;
    weir_status status =
        weir_scenario_parse(diag, "session.c", text, sizeof text - 1, NULL, NULL, 0, &scenario);
    if (status == WEIR_OK)
        status = weir_session_open(diag, scenario, &options, &session);
    while (status == WEIR_OK && weir_session_now(session) < weir_session_end(session)) {
        status = weir_session_advance(session, weir_session_now(session) + 50 * WEIR_PS_PER_MS);
        if (status == WEIR_OK)
            status = weir_session_series(session, "ports", "queue_bytes", "left->right", &queue);
        if (status == WEIR_OK && queue.value[queue.n - 1] > 50e3)
            break;
    }
    if (status == WEIR_OK)
        status = weir_session_metric(session, "classes.bulk.goodput_bps", &goodput_bps);
    if (status == WEIR_OK)
        printf("at %.2f s: queue %.0f %s, goodput so far %.2f Mbit/s\n", queue.time_s[queue.n - 1],
               queue.value[queue.n - 1], queue.units, 1e-6 * goodput_bps);
    for (size_t i = 0; i < weir_diag_count(diag); i++)
        fprintf(stderr, "%s\n", weir_diag_get(diag, i)->text);
    weir_session_close(session);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return status != WEIR_OK;
}
