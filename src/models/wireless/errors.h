/*
 * From SNR to packet error rate.
 *
 * Uncoded bit error rates of Gray-mapped M-QAM (Proakis, Digital Communications, chapter on performance in
 * AWGN); the union bound of the convolutional code 133, 171 (octal) and its punctured versions with a
 * hard-decision Viterbi decoder: Pe <= 1 / (2 k) sum c_d D^d with D = sqrt(4 p (1 - p)), the form of ns-3's
 * NistErrorRateModel. The c_d, total information weights of all paths of weight d, come from the code's trellis,
 * which tests/models/wireless/test_wireless_errors.c walks; published tables differ from them by up to 0.1 % from the
 * sixth term of 3/4 and the eighth of 2/3 on.
 */
#pragma once

#include <math.h>

#include "models/wireless/world.h"
#include "weir/math.h"

enum { WIRELESS_CODE_1_2, WIRELESS_CODE_2_3, WIRELESS_CODE_3_4, WIRELESS_CODES, WIRELESS_CODE_TERMS = 10 };

/* erfc(x) for x >= 0, within 1e-10 of it. Our own interpolation of erfc(x) exp(x^2) / t at Chebyshev's points
 * in t = 2 / (2 + x). */
WEIR_FN double wireless_erfc(double x)
{
    const double t = 2.0 / (2.0 + x);
    double p = 0x1.befc8cf6de68dp-13;
    if (!(x < 26.0))
        return 0.0;
    p = 0x1.dc290d23b0803p-6 + t * p;
    p = -0x1.dcc97a9ad33ddp-3 + t * p;
    p = 0x1.96c45da17a526p-1 + t * p;
    p = -0x1.8240020772364p+0 + t * p;
    p = 0x1.b33b9c77e18e5p+0 + t * p;
    p = -0x1.1fa0e84dcbf90p+0 + t * p;
    p = 0x1.e0f1bdd7ae505p-2 + t * p;
    p = -0x1.d676e08598843p-3 + t * p;
    p = 0x1.28e9a79fdd7b4p-5 + t * p;
    p = 0x1.3b938b7d91897p-4 + t * p;
    p = 0x1.6a9e8aa643427p-3 + t * p;
    p = 0x1.f967442ceaf78p-3 + t * p;
    p = 0x1.20de09ea8c61bp-2 + t * p;
    p = 0x1.20dd725fdbc25p-2 + t * p;
    return t * p * weir_exp(-x * x);
}

/* Half of the squared distance between neighbours, in units of the noise: bit errors fall as erfc(sqrt(snr /
 * scale)). BPSK 1, QPSK 2, 16-QAM 10, 64-QAM 42. */
WEIR_FN double wireless_scale(uint32_t bits)
{
    return bits == 1 ? 1.0 : 2.0 / 3.0 * (double)((1u << bits) - 1u);
}

/* Uncoded bit error rate at a symbol's SNR. */
WEIR_FN double wireless_bit_errors(uint32_t bits, double snr)
{
    const double side = bits == 1 ? 2.0 : (double)(1u << (bits / 2)); /* sqrt(M) */
    const double share = bits == 1 ? 0.5 : 2.0 / (double)bits * (1.0 - 1.0 / side);
    return share * wireless_erfc(sqrt(snr / wireless_scale(bits)));
}

/* Bit error rate after the decoder; at most 1/2. */
WEIR_FN double wireless_coded_errors(uint32_t code, double p)
{
    static const double weight[WIRELESS_CODES][WIRELESS_CODE_TERMS] = {
        {36, 211, 1404, 11633, 77433, 502690, 3322763, 21292910, 134365911, 0},
        {3, 70, 285, 1276, 6160, 27128, 117019, 498835, 2103480, 8781268},
        {42, 201, 1492, 10469, 62935, 379546, 2252394, 13064540, 75080308, 427474864},
    };
    const double square = 4.0 * p * (1.0 - p);
    const double d = sqrt(square);
    /* of 1/2 all weights are even, from 10 on; of 2/3 from 6, of 3/4 from 5 on */
    const double step = code == WIRELESS_CODE_1_2 ? square : d;
    double power = square * square * (code == WIRELESS_CODE_3_4 ? d : square);
    double sum = 0.0;
    if (code == WIRELESS_CODE_1_2)
        power = power * square * square;
    for (int i = 0; i < WIRELESS_CODE_TERMS; i++) {
        sum += weight[code][i] * power;
        power *= step;
    }
    sum /= 2.0 * (double)(code + 1); /* k = 1, 2, 3 bits in */
    return sum < 0.5 ? sum : 0.5;
}

/* Packet error rate of `bits` bits at a flat SNR. */
WEIR_FN_APART double wireless_packet_errors(const wireless_rate *rate, double snr, uint32_t bits)
{
    const double e = wireless_coded_errors(rate->code, wireless_bit_errors(rate->bits, snr));
    return 1.0 - weir_exp((double)bits * weir_log(1.0 - e));
}

/* The effective SNR: the flat one whose exp(-snr / beta) is the subcarriers' mean. */
WEIR_FN double wireless_effective_snr(double mean_of_exp, double beta)
{
    const double snr = -beta * weir_log(mean_of_exp);
    return snr > 0.0 ? snr : 0.0;
}
