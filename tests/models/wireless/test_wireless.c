/*
 * The wireless model: nothing is lost without being counted; delays add up; every engine gives the sequential
 * engine's digests; parameters out of range are named.
 */
#include <math.h>

#include "models/wireless/wireless.h"
#include "models/wireless/wireless_run.h"
#include "splitmix.h"

/* Packets stop at 0.9 s; at 1 s all frames have arrived. Whatever the access, every frame put on the air is counted
 * once at each of the others, every data frame is answered once, and every answer counted once where it was for. */
static void everything_is_counted(void **state)
{
    for (uint32_t access = WIRELESS_IDEAL; access <= WIRELESS_CSMA; access++)
        for (uint32_t replies = 0; replies <= WIRELESS_REPLIES_IN_TURN; replies++) {
            wireless_params p = plain();
            p.n_nodes = 4 + 2 * access;
            p.access = access;
            p.replies = replies;
            p.packets_per_s = 20.0;
            p.poisson = access % 2;
            p.speed_m_s = 10.0;
            p.end_ps = 900 * WEIR_PS_PER_MS;
            running r = run(*state, &p, 3 + access, WEIR_ENGINE_SEQUENTIAL, 0, 1.0);
            const wireless_stats *s = &r.stats;
            assert_true(s->packets > 60);
            assert_int_equal(s->sent[WIRELESS_DATA], s->packets);
            assert_int_equal(s->intact + s->lost, s->packets * (p.n_nodes - 1));
            assert_int_equal(s->received, s->intact);
            assert_int_equal(s->answered[0], replies ? s->intact : 0);
            assert_int_equal(s->answered[1], replies ? s->lost : 0);
            assert_int_equal(s->sent[WIRELESS_ACK], s->answered[0]);
            assert_int_equal(s->sent[WIRELESS_NACK], s->answered[1]);
            assert_int_equal(s->acks + s->nacks + s->answers_lost, s->answered[0] + s->answered[1]);
            assert_true(s->acks <= s->answered[0] && s->nacks <= s->answered[1]);
            assert_true(access != WIRELESS_IDEAL || s->spoilt == 0);
            assert_true(access >= WIRELESS_SLOTTED || s->waited == 0);
            assert_true(access != WIRELESS_SLOTTED || s->waited > 0);
            uint64_t intact = 0, lost = 0;
            for (uint32_t l = 0; l < p.n_nodes * (p.n_nodes - 1); l++) {
                const wireless_tally *t = weir_sim_slot(r.sim, WIRELESS_POOL_TALLY, l);
                intact += t->intact;
                lost += t->lost;
            }
            assert_int_equal(intact, s->intact);
            assert_int_equal(lost, s->lost);
            end(r);
        }
}

/* From application to application a packet takes four passages between modules, its time on the air and the way:
 * 24 Mbit/s, 1,028 bytes: 20 us and ceil(8,246 / 96) = 86 symbols of 4 us; 60 m: 200 ns, and the model's 1 ns. */
static void delays_add_up(void **state)
{
    wireless_params p = steady(40.0);
    p.n_nodes = 2;
    running r = run(*state, &p, 1, WEIR_ENGINE_SEQUENTIAL, 0, 20.0);
    assert_true(r.stats.received > 35);
    const double want_s = 4 * 10e-6 + 20e-6 + 86 * 4e-6 + 60.0 / 299792458.0 + 1e-9;
    assert_true(fabs(r.stats.mean_delay_s - want_s) < 2e-12);
    assert_true(r.stats.delivery_ratio == 1.0);
    assert_true(fabs(r.stats.throughput_bps - 8000.0 * (double)r.stats.received / 20.0) < 1e-6);
    end(r);
}

static wireless_params any(uint64_t *random)
{
    wireless_params p = plain();
    p.n_nodes = 2 + rnd_below(random, 14);
    p.placement = rnd_below(random, 3);
    p.size_m = 10.0 + rnd_below(random, 100);
    p.range_m = rnd_below(random, 2) ? 60.0 : 0.0;
    p.packets_per_s = 1.0 + rnd_below(random, 50);
    p.poisson = rnd_below(random, 2);
    p.packet_bytes = 1 + rnd_below(random, 2000);
    p.speed_m_s = rnd_below(random, 30);
    p.shadowing_db = rnd_below(random, 8);
    p.rician_k = rnd_below(random, 4);
    p.n_sinusoids = 4 + rnd_below(random, 20);
    p.rate_mbps = rnd_below(random, 2) ? 54 : 12;
    p.replies = rnd_below(random, 3);
    p.access = rnd_below(random, 4);
    p.series = rnd_below(random, 2);
    p.tx_dbm = 15.0 + rnd_below(random, 15);
    return p;
}

static void every_engine_agrees(void **state)
{
    uint64_t random = 31;
    for (int i = 0; i < 12; i++) {
        const wireless_params p = any(&random);
        const uint64_t seed = rnd(&random);
        const double seconds = 12.0 / p.n_nodes / p.packets_per_s * (p.replies ? 1.0 : 4.0);
        running want = run(*state, &p, seed, WEIR_ENGINE_SEQUENTIAL, 0, seconds);
        static const uint32_t threads[] = {1, 2, 5};
        for (int t = 0; t < 4; t++) {
            running got = run(*state, &p, seed, t == 3 ? WEIR_ENGINE_CHECK : WEIR_ENGINE_CONSERVATIVE,
                              t == 3 ? 0 : threads[t], seconds);
            assert_int_equal(weir_sim_events(got.sim), weir_sim_events(want.sim));
            if (weir_sim_event_digest(got.sim) != weir_sim_event_digest(want.sim) ||
                weir_sim_state_digest(got.sim) != weir_sim_state_digest(want.sim))
                fail_msg("case %d, setting %d: digests differ", i, t);
            end(got);
        }
        end(want);
    }
}

static void parameters_are_checked(void **state)
{
    wi_wireless *made;
    wireless_params p = plain();
    p.rate_mbps = 11;
    assert_int_equal(wi_wireless_new(*state, &p, &made), WEIR_E_ARG);
    expect_message(*state, "data rate of 11 Mbit/s; want 6, 9");
    p = plain();
    p.access = WIRELESS_SLOTTED;
    p.slot_ps = WEIR_PS_PER_US;
    assert_int_equal(wi_wireless_new(*state, &p, &made), WEIR_E_ARG);
    expect_message(*state, "want at least a data frame's");
    p = plain();
    p.n_nodes = 32768;
    p.placement = WIRELESS_GRID;
    p.size_m = 1.0;
    p.range_m = 2.5;
    assert_int_equal(wi_wireless_new(*state, &p, &made), WEIR_OK);
    wi_wireless_free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_counted),
        cmocka_unit_test(delays_add_up),
        cmocka_unit_test(every_engine_agrees),
        cmocka_unit_test(parameters_are_checked),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
