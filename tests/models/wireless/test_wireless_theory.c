/*
 * The wireless model against theory: losses follow the analytical curves, without fading and averaged over
 * Rayleigh's; frames collide as often as ALOHA's formulas say. label: slow
 */
#include <math.h>

#include "models/wireless/errors.h"
#include "models/wireless/wireless_run.h"

/* No fading: losses at every rate are the packet error rate at the mean SNR, which is in the world. Powers in steps
 * of half a dB; where the curve says between 2 and 98 %, 4 standard deviations. */
static void losses_are_the_curve(void **state)
{
    static const uint32_t rates[] = {6, 9, 12, 18, 24, 36, 48, 54};
    int looked = 0;
    for (int i = 0; i < 8; i++)
        for (double dbm = -20.0; dbm < 30.0; dbm += 0.5) {
            wireless_params p = steady(dbm);
            p.n_nodes = 2;
            p.rate_mbps = rates[i];
            p.packets_per_s = 300.0;
            p.replies = WIRELESS_NO_REPLIES;
            p.speed_m_s = 0.0;
            wi_wireless *made;
            expect_ok(*state, wi_wireless_new(*state, &p, &made));
            const wireless_world *w = wi_wireless_world(made);
            const double want = wireless_packet_errors(&w->data_rate, wireless_links(w)[0].snr, 8 * 1028);
            wi_wireless_free(made);
            if (want < 0.02 || want > 0.98)
                continue;
            running r = run(*state, &p, 5, WEIR_ENGINE_SEQUENTIAL, 0, 4.0);
            const double n = (double)(r.stats.intact + r.stats.lost), got = (double)r.stats.lost / n;
            if (!(fabs(got - want) < 4.0 * sqrt(want * (1.0 - want) / n) + 0.01 * want))
                fail_msg("%u Mbit/s, %g dBm: %g of %g frames lost; want %g", rates[i], dbm, got, n, want);
            looked++;
            end(r);
        }
    assert_true(looked >= 12);
}

/* Flat Rayleigh fading: losses are the curve's mean over exponential SNRs. 45 pairs, half-second samples at 100 Hz
 * Doppler: nearly independent; 3,000 of them for each pair. */
static void losses_average_over_rayleigh(void **state)
{
    wireless_params p = plain();
    p.n_nodes = 10;
    p.placement = WIRELESS_GIVEN;
    p.delay_spread_s = 0.0;
    p.speed_m_s = 12.5;
    p.packets_per_s = 2.0;
    p.replies = WIRELESS_NO_REPLIES;
    double zero[10] = {0}; /* all within a metre: one SNR */
    p.x_m = p.y_m = zero;
    p.tx_dbm = -37.0;
    running r = run(*state, &p, 6, WEIR_ENGINE_SEQUENTIAL, 0, 300.0);
    const wireless_world *w = wi_wireless_world(r.made);
    const double mean = wireless_links(w)[0].snr;
    double want = 0.0;
    const int parts = 200000;
    for (int i = 0; i < parts; i++) {
        const double u = (i + 0.5) / parts;
        want += wireless_packet_errors(&w->data_rate, -mean * log(u), 8 * 1028) / parts;
    }
    const double got = 1.0 - r.stats.delivery_ratio;
    assert_true(want > 0.1 && want < 0.9);
    if (!(fabs(got / want - 1.0) < 0.03))
        fail_msg("lost %g, the mean of the curve is %g (mean SNR %g)", got, want, mean);
    end(r);
}

/*
 * Poisson arrivals of G frames a frame time, all nodes in range, no noise: a frame is spoilt unless no other one
 * starts in its slot, exp(-G), or within a frame time before or after, exp(-2 G) (Abramson; Roberts). Slots
 * are as long as a frame and its propagation; the frame's own node counts, too.
 */
static void collisions_follow_the_formulas(void **state)
{
    static const double loads[] = {0.1, 0.5, 1.0, 1.5};
    for (int v = 0; v < 8; v++) {
        const int slotted = v % 2;
        const double load = loads[v / 2];
        wireless_params p = steady(60.0);
        p.n_nodes = 12;
        p.access = slotted ? WIRELESS_SLOTTED : WIRELESS_ALOHA;
        p.replies = WIRELESS_NO_REPLIES;
        p.poisson = 1;
        const double slot_s = slotted ? 364e-6 + 60.0 / 299792458.0 + 1e-9 : 364e-6;
        p.packets_per_s = load / slot_s / p.n_nodes;
        running r = run(*state, &p, 21 + (uint64_t)v, WEIR_ENGINE_SEQUENTIAL, 0, 3.0);
        const double want = exp(-(slotted ? 1.0 : 2.0) * load), n = (double)r.stats.sent[WIRELESS_DATA];
        /* frames of one slot share their fate, so it is frames that are independent, not receptions */
        const double within = 5.0 * sqrt(want * (1.0 - want) / n) + 0.002;
        if (!(fabs(r.stats.delivery_ratio - want) < within))
            fail_msg("%s, load %g: %g delivered, want %g within %g", slotted ? "slotted" : "pure", load,
                     r.stats.delivery_ratio, want, within);
        end(r);
    }
}

/* Listening first: nearly all get through where pure ALOHA loses two thirds. */
static void listening_helps(void **state)
{
    double ratio[2];
    for (int csma = 0; csma < 2; csma++) {
        wireless_params p = steady(60.0);
        p.n_nodes = 12;
        p.access = csma ? WIRELESS_CSMA : WIRELESS_ALOHA;
        p.replies = WIRELESS_NO_REPLIES;
        p.poisson = 1;
        p.window = 64;
        p.packets_per_s = 0.5 / 364e-6 / p.n_nodes;
        running r = run(*state, &p, 2, WEIR_ENGINE_SEQUENTIAL, 0, 2.0);
        ratio[csma] = r.stats.delivery_ratio;
        end(r);
    }
    if (!(ratio[1] > 0.9 && ratio[0] < 0.4))
        fail_msg("delivered %g with carrier sense, %g without", ratio[1], ratio[0]);
}

/* Stations that always have packets, all in range: a round is the least back-off of `n`, each even from 1 to `window`, a
 * frame and DIFS; its frame is intact where nobody else drew the least. Packets of a node wait in line. */
static void saturated_stations_share_the_air(void **state)
{
    for (uint32_t n = 2; n <= 10; n += 4) {
        wireless_params p = steady(60.0);
        p.n_nodes = n;
        p.access = WIRELESS_CSMA;
        p.replies = WIRELESS_NO_REPLIES;
        p.packets_per_s = 4000.0;
        p.window = 32;
        running r = run(*state, &p, 3, WEIR_ENGINE_SEQUENTIAL, 0, 4.0);
        double alone = 0.0, slots = 0.0;
        for (uint32_t k = 1; k <= p.window; k++) {
            alone += n / (double)p.window * pow((p.window - k) / (double)p.window, n - 1);
            slots += pow((p.window - k + 1) / (double)p.window, n);
        }
        const double want = 4.0 / (364e-6 + 34e-6 + 9e-6 * slots) * alone;
        const double got = (double)r.stats.intact / (n - 1);
        if (!(fabs(got / want - 1.0) < 0.01))
            fail_msg("%u stations: %g frames intact, want %g", n, got, want);
        end(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_the_curve),
        cmocka_unit_test(losses_average_over_rayleigh),
        cmocka_unit_test(collisions_follow_the_formulas),
        cmocka_unit_test(listening_helps),
        cmocka_unit_test(saturated_stations_share_the_air),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
