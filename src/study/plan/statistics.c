/* Means, intervals and quantiles. Sums and products of doubles alone, in a fixed order: the same bits everywhere. */
#include <math.h>
#include <stdlib.h>

#include "study/plan/study.h"
#include "base/memory.h"
#include "base/order.h"

/*
 * P(T <= t) of Student's t, by its finite series (Abramowitz and Stegun, 26.7.3 and 26.7.4): with theta = atan(t /
 * sqrt(v)), A = P(|T| < t) is for even v: sin (1 + 1/2 cos^2 + 1*3/(2*4) cos^4 + ... up to cos^(v-2)), and for odd v:
 * 2/pi (theta + sin (cos + 2/3 cos^3 + ... up to cos^(v-2))).
 */
static double student(double t, uint32_t freedom)
{
    const double v = freedom, c2 = v / (v + t * t), sine = t / sqrt(v + t * t);
    const bool odd = freedom % 2 == 1;
    double term = odd ? sqrt(c2) : 1.0, sum = freedom > 1 ? term : 0.0;
    for (uint32_t k = odd ? 3 : 2; k + 1 < freedom + (odd ? 1 : 0) && term > 1e-18; k += 2) {
        term *= c2 * ((double)k - 1.0) / (double)k;
        sum += term;
    }
    const double inside = odd ? 2.0 / 3.14159265358979323846 * (atan(t / sqrt(v)) + sine * sum) : sine * sum;
    return 0.5 + 0.5 * inside;
}

double wi_student_quantile(double p, uint32_t freedom)
{
    double low = 0.0, high = 1.0;
    if (!(p > 0.5))
        return 0.0;
    while (student(high, freedom) < p && high < 1e18)
        high *= 2.0;
    for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
        const double middle = low + (high - low) / 2.0;
        if (student(middle, freedom) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

void wi_summarise(const double *values, uint32_t n, double confidence, wi_summary *out)
{
    double sum = 0.0, squares = 0.0, least = (double)INFINITY, most = (double)-INFINITY;
    *out = (wi_summary){.mean = (double)NAN, .sd = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    for (uint32_t i = 0; i < n; i++) {
        if (isnan(values[i]))
            continue;
        sum += values[i];
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
        out->n++;
    }
    if (out->n == 0)
        return;
    out->mean = fmin(fmax(sum / out->n, least), most); /* equal values have no spread by rounding */
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            squares += (values[i] - out->mean) * (values[i] - out->mean);
    if (out->n < 2)
        return;
    out->sd = sqrt(squares / (out->n - 1));
    const double half =
        wi_student_quantile(0.5 + confidence / 2.0, out->n - 1) * out->sd / sqrt((double)out->n);
    out->low = out->mean - half;
    out->high = out->mean + half;
}

double wi_summary_p(const wi_summary *sum)
{
    if (sum->n < 2 || !(sum->sd > 0.0))
        return (double)NAN;
    return fmax(0.0, 2.0 * (1.0 - student(fabs(sum->mean) * sqrt((double)sum->n) / sum->sd, sum->n - 1)));
}

void wi_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, wi_order_double);
}

typedef struct ranked {
    double p; /* first, so that wi_order_double orders these too */
    uint32_t at;
} ranked;

/* Holm: the k-th smallest p times the number of those that are not smaller, and at least the value before it. */
bool wi_holm(const double *p, uint32_t n, double *out)
{
    WI_FREED ranked *order = malloc(((size_t)n + 1) * sizeof *order);
    uint32_t left = 0;
    double before = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (double)NAN;
        if (order && !isnan(p[i]))
            order[left++] = (ranked){p[i], i};
    }
    if (order)
        qsort(order, left, sizeof *order, wi_order_double);
    for (uint32_t k = 0; k < left; k++)
        before = out[order[k].at] = fmin(1.0, fmax(before, (left - k) * order[k].p));
    return order != NULL;
}

double wi_quantile(const double *sorted, uint32_t n, double q)
{
    if (n == 0)
        return (double)NAN;
    const double at = q * (n - 1), whole = floor(at);
    const uint32_t i = (uint32_t)whole;
    return i + 1 < n ? sorted[i] + (at - whole) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/*
 * B of n values lie below the quantile, and B is binomial(n, q). The l-th smallest is above it with probability
 * P(B < l): the largest l with at most alpha / 2; the u-th is below it with P(B >= u): the smallest such u. Masses are
 * taken relative to the most likely count and outwards from it, so that none underflows that matters; both ranks lie
 * outside of it.
 */
void wi_order_interval(uint32_t n, double q, double confidence, uint32_t *low, uint32_t *high)
{
    const double odds = q / (1.0 - q);
    const uint32_t mode = (uint32_t)fmin(floor((n + 1.0) * q), n);
    double below = 0.0, above = 0.0, p = 1.0;
    for (uint32_t k = mode; k > 0 && p > 0.0; k--)
        below += p *= (double)k / ((double)(n - k + 1) * odds);
    p = 1.0;
    for (uint32_t k = mode; k < n && p > 0.0; k++)
        above += p *= (double)(n - k) / (double)(k + 1) * odds;
    const double alpha = (1.0 - confidence) / 2.0 * (1.0 + below + above);
    p = 1.0;
    for (*low = mode; *low > 0 && below > alpha; --*low)
        below -= p *= (double)*low / ((double)(n - *low + 1) * odds);
    p = 1.0;
    for (*high = mode + 1; *high <= n && above > alpha; ++*high)
        above -= p *= (double)(n - *high + 1) / (double)*high * odds;
    if (*high > n)
        *high = 0;
}
