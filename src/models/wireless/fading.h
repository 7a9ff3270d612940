/*
 * The channel between two nodes, in one direction: what stays of it, drawn at the start.
 *
 * Frequency response at time t and frequency f: a sum of N paths from all around, each with a Doppler shift, a
 * phase and a delay, and for Rician fading one in the line of sight:
 *     h(t, f) = sqrt(1 / (N (K + 1))) sum_n exp(2 pi j (f_D cos(a_n) t + phi_n - f tau_n))
 *               + sqrt(K / (K + 1)) exp(2 pi j (f_D cos(a_0) t + phi_0))
 * with a_n = (2 pi n + theta_n) / N, phi_n and theta_n uniform over a turn, tau_n exponential: Clarke's model
 * as Xiao, Zheng and Beaulieu improved it (ICC 2003), with the delays of a Monte Carlo WSSUS channel. Over many
 * channels the autocorrelation in t is J0(2 pi f_D t) / (K + 1) and the line of sight's.
 */
#pragma once

#include <math.h>

#include "models/wireless/world.h"
#include "weir/math.h"

#define WIRELESS_SPACING_HZ 312500.0 /* between subcarriers */

typedef struct wireless_path {
    double doppler_hz; /* turns a second */
    double phase;      /* turns at time 0 */
    double slope;      /* turns a subcarrier */
} wireless_path;

/* A slot of the PHY's pool of links: followed by n_sinusoids paths. */
typedef struct wireless_fading {
    double snr;               /* mean, shadowing included */
    double diffuse, straight; /* amplitudes: of each path; of the line of sight */
    wireless_path sight;
} wireless_fading;

WEIR_FN wireless_path *wireless_paths(void *fading)
{
    return (wireless_path *)((wireless_fading *)fading + 1);
}

/* Both directions of a pair share a random stream of the pair's own, beyond those of entities. */
WEIR_FN weir_stream wireless_pair_stream(const weir_ctx *ctx, uint32_t n_nodes, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return weir_stream_make(ctx->seed, 0x80000000u + low * n_nodes + high, ctx->run);
}

/* Draw a link's channel into its slot. */
WEIR_FN void wireless_draw_fading(const wireless_world *w, weir_stream *stream, double snr, void *slot)
{
    wireless_fading *const f = (wireless_fading *)slot;
    wireless_path *const path = wireless_paths(slot);
    const double two_pi = 6.28318530717958647692, n = (double)w->n_sinusoids;
    const double u = weir_draw_unit_open(stream), v = weir_draw_unit(stream);
    const double normal = sqrt(-2.0 * weir_log(u)) * weir_cos(two_pi * v); /* Box and Muller */
    f->snr = snr * weir_exp(w->shadowing_db * normal * 0.230258509299404568402);
    f->diffuse = sqrt(1.0 / (n * (w->rician_k + 1.0)));
    f->straight = sqrt(w->rician_k / (w->rician_k + 1.0));
    f->sight.doppler_hz = w->doppler_hz * weir_cos(two_pi * weir_draw_unit(stream));
    f->sight.phase = weir_draw_unit(stream);
    f->sight.slope = 0.0;
    for (uint32_t i = 0; i < w->n_sinusoids; i++) {
        uint64_t angle, phase;
        weir_draw_pair(stream, &angle, &phase);
        const double turns = ((double)i + weir_unit_of_bits(angle) - 0.5) / n;
        const double delay_s = -w->delay_spread_s * weir_log(weir_draw_unit_open(stream));
        path[i].doppler_hz = w->doppler_hz * weir_cos(two_pi * turns);
        path[i].phase = weir_unit_of_bits(phase);
        path[i].slope = -WIRELESS_SPACING_HZ * delay_s;
    }
}
