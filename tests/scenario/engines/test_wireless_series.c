/*
 * The channels of the wireless mesh as a time series (`channels: all`): powers decorrelate as the square of Bessel's J0, as
 * those of a Rayleigh channel do (Jakes), over 45 pairs; both directions are alike; the better the effective SNR, the fewer
 * frames are lost; values are the same on every engine, and taking them changes no digest. Too many are refused.
 */
#include "diag.h"

#include <math.h>

#include "scenario/load.h"
#include "weir/session.h"

enum { NODES = 10, SAMPLES = 500 };

#define MESH(nodes, more)                                                               \
    "weir: 1\nduration: 1s\noutput: {interval: 2ms}\nmodel: {wireless: {nodes: " #nodes \
    ", packets_per_s: 2, speed_m_s: 5, delay_spread_ns: 0, channels: all" more "}}\n"

static weir_session *finished(weir_diag *diag, weir_scenario *scenario)
{
    weir_session *session = NULL;
    weir_run_options options;
    weir_run_options_init(&options);
    options.no_output = true;
    options.keep_series = true;
    expect_ok(diag, weir_session_open(diag, scenario, &options, &session));
    expect_ok(diag, weir_session_advance(session, weir_session_end(session)));
    return session;
}

static const double *series(weir_session *session, const char *column, int from, int to)
{
    char row[32];
    weir_session_samples samples;
    snprintf(row, sizeof row, "%d->%d", from, to);
    assert_int_equal(weir_session_series(session, "channels", column, row, &samples), WEIR_OK);
    assert_int_equal(samples.n, SAMPLES);
    return samples.value;
}

static double power(double decibels)
{
    return pow(10.0, decibels / 10.0);
}

/* Sums over all pairs of the autocovariance at `lag` samples and of the variance, each of the pair's own mean. */
static double correlation(weir_session *session, int lag)
{
    double covariance = 0.0, variance = 0.0;
    for (int a = 0; a < NODES; a++)
        for (int b = a + 1; b < NODES; b++) {
            const double *snr = series(session, "snr_mean_db", a, b);
            double mean = 0.0;
            for (int i = 0; i < SAMPLES; i++)
                mean += power(snr[i]) / SAMPLES;
            for (int i = 0; i + lag < SAMPLES; i++) {
                const double x = power(snr[i]) / mean - 1.0;
                covariance += x * (power(snr[i + lag]) / mean - 1.0) / (SAMPLES - lag);
                variance += x * x / (SAMPLES - lag);
            }
        }
    return covariance / variance;
}

static void powers_decorrelate_as_jakes(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = good(MESH(10, ""), NULL, 0);
    weir_session *session = finished(diag, scenario);
    const double doppler_hz = 5.0 / 299792458.0 * 2.4e9;
    for (int lag = 1; lag <= 8; lag++) {
        const double j = j0(2.0 * M_PI * doppler_hz * lag * 2e-3), got = correlation(session, lag);
        if (!(fabs(got - j * j) < 0.08))
            fail_msg("lag %d ms: %.3f, want %.3f", 2 * lag, got, j * j);
    }
    weir_session_close(session);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

static void columns_agree(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = good(MESH(10, ""), NULL, 0);
    weir_session *session = finished(diag, scenario);
    const double *snr = series(session, "snr_effective_db", 0, 1),
                 *back = series(session, "snr_effective_db", 1, 0);
    const double *lost = series(session, "packet_error_rate", 0, 1),
                 *mean = series(session, "snr_mean_db", 0, 1);
    int faded = 0;
    for (int i = 0; i < SAMPLES; i++) {
        /* Without delay spread all subcarriers are alike; the mapping has a ceiling, where nothing is lost. */
        assert_true(snr[i] == back[i] && snr[i] <= mean[i] + 1e-6);
        assert_true(mean[i] > 25.0 || fabs(snr[i] - mean[i]) < 1e-6);
        faded += mean[i] <= 25.0;
        assert_true(lost[i] >= 0.0 && lost[i] <= 1.0);
        for (int k = 0; k < i; k++)
            assert_true(snr[i] < snr[k] ? lost[i] >= lost[k] : lost[i] <= lost[k]);
    }
    assert_true(faded > 0);
    weir_session_close(session);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

static void engines_agree(void **state)
{
    static const char *const sets[][2] = {{"engine.type=check", "engine.threads=1"},
                                          {"engine.type=conservative", "engine.threads=2"},
                                          {"model.wireless.channels=none", "engine.threads=1"}};
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *first = good(MESH(10, ""), NULL, 0);
    weir_session *want = finished(diag, first);
    weir_run_result of_first;
    for (size_t e = 0; e < 3; e++) {
        weir_run_result result;
        weir_scenario *scenario = good(MESH(10, ""), sets[e], 2);
        weir_session *got = finished(diag, scenario);
        for (int a = 0; a < NODES && e < 2; a++)
            for (int b = 0; b < NODES; b++)
                if (a != b)
                    assert_memory_equal(series(got, "packet_error_rate", a, b),
                                        series(want, "packet_error_rate", a, b), SAMPLES * sizeof(double));
        expect_ok(diag, weir_session_finish(got, &result));
        if (e == 0)
            expect_ok(diag, weir_session_finish(want, &of_first));
        assert_true(result.event_digest == of_first.event_digest &&
                    result.state_digest == of_first.state_digest);
        weir_run_result_free(&result);
        weir_session_close(got);
        weir_scenario_free(scenario);
    }
    weir_run_result_free(&of_first);
    weir_session_close(want);
    weir_scenario_free(first);
    weir_diag_free(diag);
}

static void too_many_are_refused(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = good(MESH(400, ""), NULL, 0);
    weir_run_options options;
    weir_session *session = NULL;
    weir_run_options_init(&options);
    options.no_output = true;
    options.keep_series = true;
    assert_int_equal(weir_session_open(diag, scenario, &options, &session), WEIR_E_ARG);
    assert_null(session);
    expect_message(diag, "channels: all of 159600 links");
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(powers_decorrelate_as_jakes),
                                       cmocka_unit_test(columns_agree), cmocka_unit_test(engines_agree),
                                       cmocka_unit_test(too_many_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
