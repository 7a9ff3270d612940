/*
 * The lane loop of a reception: SNR of each of the 52 subcarriers, for host SIMD and for a device's lanes. See
 * weir/lanes.h.
 */
#pragma once

#include "models/wireless/fading.h"
#include "weir/wide.h"

/* Item i is a subcarrier: term 0 its SNR, term 1 exp(-SNR / beta). */
WEIR_WIDE_FN void wireless_subcarrier(const void *world, const void *subject, const weir_event *event,
                                      weir_wide item, weir_wide *term)
{
    const wireless_world *const w = (const wireless_world *)world;
    const wireless_fading *const f = (const wireless_fading *)subject;
    const wireless_path *const path = (const wireless_path *)(f + 1);
    const double t = (double)event->time_ps * 1e-12;
    const double beta = wireless_rate_of(w, WEIR_PAYLOAD(wireless_frame, event)->kind)->beta;
    /* 26 subcarriers on each side of the carrier, which itself is left out */
    const weir_wide_bits below = weir_wide_less(item, weir_wide_of(25.5));
    const weir_wide k = item - weir_wide_choose(below, weir_wide_of(26.0), weir_wide_of(25.0));
    weir_wide re = weir_wide_of(0.0), im = re;
    for (uint32_t i = 0; i < w->n_sinusoids; i++) {
        const double turns = path[i].doppler_hz * t + path[i].phase;
        const weir_wide x = turns + k * path[i].slope;
        re += weir_wide_cos_turns(x);
        im += weir_wide_sin_turns(x);
    }
    const double sight = f->sight.doppler_hz * t + f->sight.phase;
    re = re * f->diffuse + f->straight * weir_wide_cos_turns(weir_wide_of(sight));
    im = im * f->diffuse + f->straight * weir_wide_sin_turns(weir_wide_of(sight));
    term[0] = f->snr * (re * re + im * im);
    term[1] = weir_wide_exp_negative(-term[0] / beta);
}
