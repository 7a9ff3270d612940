/*
 * The wireless model's error rates: erfc against libm; the convolutional codes' weights against their trellis,
 * walked here; packet error rates against the same formulas with libm.
 */
#include <math.h>

#include "diag.h"
#include "models/wireless/errors.h"

static void erfc_is_libms(void **state)
{
    (void)state;
    double worst = 0.0;
    for (double x = 0.0; x < 26.0; x += 0.001)
        worst = fmax(worst, fabs(wireless_erfc(x) / erfc(x) - 1.0));
    if (!(worst < 1e-10))
        fail_msg("erfc is off by %g", worst);
    assert_true(wireless_erfc(26.5) == 0.0);
    assert_true(wireless_erfc(INFINITY) == 0.0);
}

/* Outputs of a step that puncturing leaves, by the step's place in the pattern. IEEE Std 802.11: 2/3 leaves B
 * out of every second step, 3/4 leaves B out of the second and A out of the third of three. */
static const int period[WIRELESS_CODES] = {1, 2, 3};
static const int keep_a[WIRELESS_CODES][3] = {{1}, {1, 1}, {1, 1, 0}};
static const int keep_b[WIRELESS_CODES][3] = {{1}, {1, 0}, {1, 0, 1}};

enum { STATES = 64, WEIGHTS = 32 };

/* weight[d]: information bits of all paths of weight d that leave state 0 and come back, over all places where
 * they may leave. g0 = 133, g1 = 171 (octal); the newest bit is the highest. */
static void walk(int code, double *weight)
{
    for (int start = 0; start < period[code]; start++) {
        static double paths[2][STATES][WEIGHTS], bits[2][STATES][WEIGHTS];
        memset(paths, 0, sizeof paths);
        memset(bits, 0, sizeof bits);
        int now = 0, more = 1;
        paths[0][0][0] = 1.0;
        for (int step = 0; more; step++, now ^= 1) {
            const int place = (start + step) % period[code];
            memset(paths[now ^ 1], 0, sizeof paths[0]);
            memset(bits[now ^ 1], 0, sizeof bits[0]);
            more = 0;
            for (int s = 0; s < STATES; s++)
                for (int d = 0; d < WEIGHTS; d++)
                    for (int in = 0; in < 2 && paths[now][s][d] > 0.0; in++) {
                        const unsigned all = (unsigned)in << 6 | (unsigned)s;
                        if (step == 0 && in == 0)
                            continue; /* a path leaves */
                        const int a = __builtin_parity(all & 0133) & keep_a[code][place];
                        const int b = __builtin_parity(all & 0171) & keep_b[code][place];
                        const int to = (int)(all >> 1), w = d + a + b;
                        const double n = paths[now][s][d], of = bits[now][s][d] + n * in;
                        if (w >= WEIGHTS)
                            continue;
                        if (to == 0) {
                            weight[w] += of;
                        } else {
                            paths[now ^ 1][to][w] += n;
                            bits[now ^ 1][to][w] += of;
                            more = 1;
                        }
                    }
        }
    }
}

/* With p small enough, 1 / (2 k) sum c_d D^d is what the model gives; c_d are read back from it one by one. */
static void weights_are_the_trellis(void **state)
{
    static const int least[WIRELESS_CODES] = {10, 6, 5};
    (void)state;
    for (int code = 0; code < WIRELESS_CODES; code++) {
        double weight[WEIGHTS] = {0};
        walk(code, weight);
        for (int d = 0; d < least[code]; d++)
            assert_true(weight[d] == 0.0);
        const double step = code == 0 ? 2 : 1;
        const int terms = code == 0 ? 9 : 10;
        for (double p = 1e-5; p < 0.01; p *= 2.0) {
            double sum = 0.0;
            for (int i = 0; i < terms; i++) {
                const int d = least[code] + (int)step * i;
                sum += weight[d] * pow(4.0 * p * (1.0 - p), 0.5 * d);
            }
            sum = fmin(0.5, sum / (2.0 * period[code]));
            const double got = wireless_coded_errors((uint32_t)code, p);
            if (!(fabs(got / sum - 1.0) < 1e-12))
                fail_msg("code %d at p = %g: %.15g, the trellis gives %.15g", code, p, got, sum);
        }
    }
}

static double reference(int bits, int code, double snr, int n_bits)
{
    const double m = pow(2.0, bits);
    const double p = bits == 1 ? 0.5 * erfc(sqrt(snr))
                               : 2.0 / bits * (1.0 - 1.0 / sqrt(m)) * erfc(sqrt(1.5 * snr / (m - 1.0)));
    return 1.0 - pow(1.0 - wireless_coded_errors((uint32_t)code, p), n_bits);
}

/* Eight rates over 40 dB: libm's curve; never rising; from 1 to 0. */
static void packet_errors_are_the_curve(void **state)
{
    static const int bits[] = {1, 1, 2, 2, 4, 4, 6, 6}, code[] = {0, 2, 0, 2, 0, 2, 1, 2};
    (void)state;
    for (int r = 0; r < 8; r++) {
        const wireless_rate rate = {.bits = (uint32_t)bits[r], .code = (uint32_t)code[r]};
        double last = 1.0;
        for (double db = -5.0; db < 35.0; db += 0.1) {
            const double snr = pow(10.0, db / 10.0);
            const double got = wireless_packet_errors(&rate, snr, 8224);
            const double want = reference(bits[r], code[r], snr, 8224);
            if (!(fabs(got - want) < 1e-7 && got <= last + 1e-12))
                fail_msg("rate %d at %g dB: %.12g, want %.12g, before it %.12g", r, db, got, want, last);
            last = got;
        }
        assert_true(last < 1e-6);
        assert_true(wireless_packet_errors(&rate, 0.0, 8224) == 1.0);
    }
}

/* Equal subcarriers: the effective SNR is theirs, whatever beta. One much weaker: it lies near the weakest. */
static void effective_snr_lies_between(void **state)
{
    (void)state;
    for (double beta = 1.0; beta < 50.0; beta *= 3.0) {
        assert_true(fabs(wireless_effective_snr(exp(-7.0 / beta), beta) - 7.0) < 1e-9);
        const double two = wireless_effective_snr(0.5 * (exp(-2.0 / beta) + exp(-20.0 / beta)), beta);
        assert_true(two > 2.0 && two < 11.0);
    }
    assert_true(wireless_effective_snr(1.0, 2.0) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(erfc_is_libms),
        cmocka_unit_test(weights_are_the_trellis),
        cmocka_unit_test(packet_errors_are_the_curve),
        cmocka_unit_test(effective_snr_lies_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
