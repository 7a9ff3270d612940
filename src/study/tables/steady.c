/*
 * One long run by itself: where its warm-up ends, and how sure the mean of the rest is.
 *
 * MSER-5: of the means of five samples each, z[0..n), the first d are cut for which the sum of squares of the others about
 * their mean, over (n - d)^2, is least: the squared half-width of their mean, were they independent. A least value beyond
 * the half says that the run was too short to tell. Batch means: what is left is cut into 20 batches, whose means are
 * nearly independent where batches are much longer than the correlation; Student's interval of them.
 */
#include <math.h>
#include <stddef.h>

#include "study/tables/column.h"

enum { FIVE = 5, BATCHES = 20 };

static double mean_of(const double *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

size_t wi_mser5(const double *values, size_t n)
{
    const size_t batches = n / FIVE;
    double sum = 0.0, squares = 0.0, least = (double)INFINITY;
    size_t cut = SIZE_MAX;
    if (batches < 4)
        return SIZE_MAX;
    const double about = mean_of(values, n); /* so that squares of small numbers are summed */
    for (size_t d = batches; d-- > 0;) {
        const double z = mean_of(&values[d * FIVE], FIVE) - about, left = (double)(batches - d);
        sum += z;
        squares += z * z;
        const double spread = fmax(0.0, squares - sum * sum / left) / (left * left);
        if (left >= FIVE && spread <= least) { /* of few, chance makes the spread small */
            least = spread;
            cut = d;
        }
    }
    return 2 * cut <= batches ? cut * FIVE : SIZE_MAX;
}

double wi_batch_means(const double *values, size_t n, double confidence)
{
    double means[BATCHES];
    const size_t each = n / BATCHES;
    wi_summary sum;
    if (each == 0)
        return (double)NAN;
    for (size_t i = 0; i < BATCHES; i++) /* the oldest few that fill no batch go with the warm-up */
        means[i] = mean_of(&values[n - (BATCHES - i) * each], each);
    wi_summarise(means, BATCHES, confidence, &sum);
    return (sum.high - sum.low) / 2.0;
}
