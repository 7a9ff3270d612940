/*
 * The wireless model's channel against theory: the model's SNRs are those of a slow sum with libm; over many
 * links the autocorrelation is J0, levels are crossed as often and fades last as long as Rayleigh's should,
 * powers have Rician moments, and frequencies decorrelate as an exponential delay profile says.
 */
#include <complex.h>
#include <math.h>

#include "diag.h"
#include "base/cpu_features.h"
#include "models/wireless/lanes.h"
#include "models/wireless/params.h"
#include "models/wireless/stats.h"
#include "models/wireless/wireless.h"
#include "models/usual/wireless.h"

typedef struct channel {
    wi_wireless *made;
    weir_sim *sim;
    const wireless_world *world;
} channel;

static channel start(weir_diag *diag, const wireless_params *params, uint64_t seed)
{
    channel c;
    weir_setup setup;
    expect_ok(diag, wi_wireless_new(diag, params, &c.made));
    wi_wireless_setup(c.made, &setup);
    setup.seed = seed;
    expect_ok(diag, weir_sim_new(diag, &setup, &c.sim));
    c.world = wi_wireless_world(c.made);
    return c;
}

static void end(channel c)
{
    weir_sim_free(c.sim);
    wi_wireless_free(c.made);
}

/* Doppler of `hertz`, everybody at the same distance. */
static wireless_params params_of(uint32_t n_nodes, double hertz, double k, double delay_s)
{
    wireless_params p;
    usual_wireless(&p);
    p.n_nodes = n_nodes;
    p.packets_per_s = 0.0;
    p.speed_m_s = hertz * 299792458.0 / p.carrier_hz;
    p.rician_k = k;
    p.delay_spread_s = delay_s;
    return p;
}

static void *slot_of(channel c, uint32_t link)
{
    return weir_sim_slot(c.sim, WIRELESS_POOL_FADING, link);
}

/* Complex gain by the equation, with libm. */
static double complex gain(channel c, uint32_t link, double t_s, double subcarrier)
{
    const double two_pi = 6.283185307179586;
    wireless_fading *f = slot_of(c, link);
    const wireless_path *p = wireless_paths(f);
    double complex h = 0.0;
    for (uint32_t i = 0; i < c.world->n_sinusoids; i++)
        h += cexp(I * two_pi * (p[i].doppler_hz * t_s + p[i].phase + subcarrier * p[i].slope));
    return h * f->diffuse + f->straight * cexp(I * two_pi * (f->sight.doppler_hz * t_s + f->sight.phase));
}

/* Power relative to its mean, by the model itself: item 0 is subcarrier -26. */
static double power(channel c, uint32_t link, weir_time t_ps)
{
    struct {
        weir_event event;
        wireless_frame frame;
    } e = {.event.time_ps = t_ps};
    double sum[2];
    wireless_subcarriers_host(c.world, slot_of(c, link), &e.event, 1, sum);
    return sum[0] / ((wireless_fading *)slot_of(c, link))->snr;
}

static void snrs_are_the_equations(void **state)
{
    static const double ks[] = {0.0, 3.0};
    for (int v = 0; v < 2; v++) {
        const wireless_params p = params_of(4, 20.0, ks[v], 100e-9);
        const channel c = start(*state, &p, 3);
        for (uint32_t link = 0; link < 12; link++)
            for (int i = 0; i < 20; i++) {
                const weir_time t = i * 123457 * WEIR_PS_PER_US;
                const double snr = ((wireless_fading *)slot_of(c, link))->snr;
                double mean, effective, sum = 0.0, exps = 0.0;
                for (int k = -26; k <= 26; k++)
                    if (k != 0) {
                        const double s = snr * pow(cabs(gain(c, link, (double)t * 1e-12, k)), 2.0);
                        sum += s / 52.0;
                        exps += exp(-s / 10.0) / 52.0;
                    }
                wi_wireless_channel(c.made, c.sim, link, t, &mean, &effective);
                assert_true(fabs(mean / sum - 1.0) < 1e-9);
                assert_true(fabs(effective / (-10.0 * log(exps)) - 1.0) < 1e-9);
            }
        end(c);
    }
}

/* Both directions of a pair see the same channel; different pairs do not. */
static void channels_are_reciprocal(void **state)
{
    const wireless_params p = params_of(6, 5.0, 1.0, 50e-9);
    const channel c = start(*state, &p, 4);
    for (uint32_t l = 0; l < c.world->n_links; l++) {
        const uint32_t back = wireless_links(c.world)[l].back;
        assert_int_equal(wireless_links(c.world)[back].back, l);
        assert_true(power(c, l, WEIR_PS_PER_S) == power(c, back, WEIR_PS_PER_S));
        for (uint32_t m = 0; m < c.world->n_links; m++)
            if (m != l && m != back)
                assert_true(power(c, l, WEIR_PS_PER_S) != power(c, m, WEIR_PS_PER_S));
    }
    end(c);
}

/* E[h(t) h*(t + tau)] = J0(2 pi f tau) for Rayleigh, over 780 pairs: standard error below 0.03. */
static void autocorrelation_is_bessels(void **state)
{
    const wireless_params p = params_of(40, 10.0, 0.0, 0.0);
    const channel c = start(*state, &p, 5);
    for (double x = 0.0; x < 2.0; x += 0.1) { /* tau in 1 / f */
        double complex sum = 0.0;
        for (uint32_t l = 0; l < c.world->n_links; l++)
            sum += gain(c, l, 1.0, 0.0) * conj(gain(c, l, 1.0 + x / 10.0, 0.0));
        sum /= c.world->n_links;
        const double want = j0(2.0 * 3.14159265358979 * x);
        if (!(fabs(creal(sum) - want) < 0.07 && fabs(cimag(sum)) < 0.07))
            fail_msg("tau f = %g: %g%+gi; J0 is %g", x, creal(sum), cimag(sum), want);
    }
    end(c);
}

/* E[h(f) h*(f + d)] = 1 / (1 + 2 pi j d s) for delays that are exponential with mean s. */
static void frequencies_decorrelate(void **state)
{
    const double spread_s = 100e-9;
    const wireless_params p = params_of(40, 10.0, 0.0, spread_s);
    const channel c = start(*state, &p, 6);
    for (int k = 0; k <= 52; k += 4) {
        double complex sum = 0.0;
        for (uint32_t l = 0; l < c.world->n_links; l++)
            sum += gain(c, l, 1.0, -26.0) * conj(gain(c, l, 1.0, -26.0 + k));
        sum /= c.world->n_links;
        const double complex want = 1.0 / (1.0 - I * 2.0 * 3.14159265358979 * k * 312500.0 * spread_s);
        if (!(cabs(sum - want) < 0.08))
            fail_msg("%d subcarriers apart: %g%+gi, want %g%+gi", k, creal(sum), cimag(sum), creal(want),
                     cimag(want));
    }
    end(c);
}

/*
 * Rayleigh: upward crossings of rho times the root mean square come sqrt(2 pi) f rho exp(-rho^2) times a second, and
 * a fade below it lasts (exp(rho^2) - 1) / (rho f sqrt(2 pi)) (Clarke; Jakes). 90 pairs, 200 / f each, sampled 60
 * times a Doppler period. 16 sinusoids are nearly Gaussian; 6 % is asked, at the deep level 12 %.
 */
static void fades_come_and_last_as_rayleighs(void **state)
{
    static const double rho[] = {0.1, 0.3, 0.7, 1.0, 1.4};
    const double f = 100.0, pi = 3.14159265358979;
    const wireless_params p = params_of(14, f, 0.0, 0.0);
    const channel c = start(*state, &p, 7);
    const weir_time step_ps = (weir_time)(1e12 / f / 60.0);
    enum { STEPS = 12000 };
    double crossings[5] = {0}, below[5] = {0}, samples = 0.0, square = 0.0;
    for (uint32_t l = 0; l < c.world->n_links; l++) {
        if (wireless_links(c.world)[l].back < l)
            continue; /* the same channel */
        double last = 0.0;
        for (int i = 0; i < STEPS; i++) {
            const double r = sqrt(power(c, l, i * step_ps));
            for (int v = 0; v < 5; v++) {
                crossings[v] += i > 0 && last < rho[v] && r >= rho[v];
                below[v] += r < rho[v];
            }
            square += r * r;
            samples += 1.0;
            last = r;
        }
    }
    end(c);
    assert_true(fabs(square / samples - 1.0) < 0.02);
    const double seconds = samples * (double)step_ps * 1e-12;
    for (int v = 0; v < 5; v++) {
        const double rate = crossings[v] / seconds, lasts = below[v] / crossings[v] * (double)step_ps * 1e-12;
        const double want = sqrt(2.0 * pi) * f * rho[v] * exp(-rho[v] * rho[v]);
        const double want_s = (exp(rho[v] * rho[v]) - 1.0) / (rho[v] * f * sqrt(2.0 * pi));
        const double within = v == 0 ? 0.12 : 0.06;
        if (!(fabs(rate / want - 1.0) < within && fabs(lasts / want_s - 1.0) < within))
            fail_msg("level %g: %g crossings a second of %g ms; theory %g, %g", rho[v], rate, lasts * 1e3,
                     want, want_s * 1e3);
    }
}

/* Rician powers: mean 1, variance (1 + 2 K) / (1 + K)^2. */
static void powers_have_rician_moments(void **state)
{
    static const double ks[] = {0.0, 1.0, 5.0, 20.0};
    for (int v = 0; v < 4; v++) {
        const double k = ks[v];
        const wireless_params p = params_of(20, 100.0, k, 0.0);
        const channel c = start(*state, &p, 8 + (uint64_t)v);
        double n = 0.0, sum = 0.0, squares = 0.0;
        for (uint32_t l = 0; l < c.world->n_links; l++)
            for (int i = 0; i < 400 && wireless_links(c.world)[l].back > l; i++) {
                const double x = power(c, l, i * 7919 * WEIR_PS_PER_US);
                n += 1.0;
                sum += x;
                squares += x * x;
            }
        const double mean = sum / n, variance = squares / n - mean * mean;
        const double want = (1.0 + 2.0 * k) / ((1.0 + k) * (1.0 + k));
        if (!(fabs(mean - 1.0) < 0.03 && fabs(variance / want - 1.0) < 0.08))
            fail_msg("K = %g: mean %g, variance %g; want 1, %g", k, mean, variance, want);
        end(c);
    }
}

/* Both host versions give the same bits. */
static void instruction_sets_agree(void **state)
{
    const wireless_params p = params_of(5, 30.0, 2.0, 70e-9);
    const channel c = start(*state, &p, 11);
    if (wi_have_avx2())
        for (int i = 0; i < 2000; i++) {
            struct {
                weir_event event;
                wireless_frame frame;
            } e = {.event.time_ps = i * 987654321987};
            double any[2], best[2];
            wi_wireless_lanes_any(c.world, slot_of(c, (uint32_t)i % 20), &e.event, (uint32_t)i % 61, any);
            wi_wireless_lanes_avx2(c.world, slot_of(c, (uint32_t)i % 20), &e.event, (uint32_t)i % 61, best);
            assert_memory_equal(any, best, sizeof any);
        }
    end(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snrs_are_the_equations),           cmocka_unit_test(channels_are_reciprocal),
        cmocka_unit_test(autocorrelation_is_bessels),       cmocka_unit_test(frequencies_decorrelate),
        cmocka_unit_test(fades_come_and_last_as_rayleighs), cmocka_unit_test(powers_have_rician_moments),
        cmocka_unit_test(instruction_sets_agree),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
