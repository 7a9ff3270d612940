/* Quantiles of the samples of all replications; see pool.h. */
#include "study/plan/pool.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "study/plan/study.h"

/* ---- what a run keeps ---- */

static const uint64_t top = UINT64_C(1) << 63;

/* Whole numbers in the order of the doubles: a unit is the last binary digit. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    value += 0.0; /* no negative zero */
    memcpy(&bits, &value, sizeof bits);
    return bits & top ? ~bits : bits | top;
}

static double value_of(uint64_t key)
{
    const uint64_t bits = key & top ? key & ~top : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t distinct(const uint64_t *key, size_t n, unsigned cut)
{
    size_t count = n > 0;
    for (size_t i = 1; i < n; i++)
        count += key[i] >> cut != key[i - 1] >> cut;
    return count;
}

/* "CUT DIFFERENCE*COUNT ...", in hexadecimal: digits that were cut, and each value less the one before; no *1. */
static void write_keys(FILE *out, const uint64_t *key, size_t n, unsigned cut)
{
    uint64_t before = 0;
    fprintf(out, "%x", cut);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && key[next] >> cut == key[i] >> cut;)
            next++;
        fprintf(out, " %llx", (unsigned long long)((key[i] >> cut) - before));
        if (next - i > 1)
            fprintf(out, "*%zx", next - i);
        before = key[i] >> cut;
    }
}

char *wi_pool_text(const double *values, size_t n)
{
    WI_FREED uint64_t *key = malloc((n + 1) * sizeof *key);
    char *text = NULL;
    size_t kept = 0, bytes;
    unsigned cut = 0;
    FILE *out = key ? open_memstream(&text, &bytes) : NULL;
    for (size_t i = 0; out && i < n; i++)
        if (isfinite(values[i]))
            key[kept++] = key_of(values[i]);
    if (out) {
        qsort(key, kept, sizeof *key, wi_order_u64);
        while (distinct(key, kept, cut) > WI_POOL_VALUES)
            cut++;
        write_keys(out, key, kept, cut);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    return text;
}

/* Hexadecimal digits, without what strtoull takes besides. */
static bool read_hex(const char **at, uint64_t *out)
{
    char *end;
    if (!isxdigit((unsigned char)**at))
        return false;
    *out = strtoull(*at, &end, 16);
    *at = end;
    return true;
}

/* Reads one value and its count; false at the end, and where the text is none of those above. */
static bool next_value(const char **at, unsigned cut, uint64_t *key, double *value, uint64_t *count)
{
    const char *from = *at + 1;
    uint64_t step;
    if (**at != ' ' || !read_hex(&from, &step) || step > (UINT64_MAX >> cut) - *key)
        return false;
    *key += step;
    *count = 1;
    if (*from == '*' && (++from, !read_hex(&from, count) || *count == 0 || *count > UINT32_MAX))
        return false;
    *value = value_of((*key << cut) | (cut ? UINT64_C(1) << (cut - 1) : 0));
    if (!isfinite(*value))
        return false;
    *at = from;
    return true;
}

static bool begin_text(const char **at, unsigned *cut)
{
    uint64_t number = 64;
    const bool good = read_hex(at, &number) && number < 64;
    *cut = (unsigned)number % 64;
    return good;
}

/* How many values a text has; SIZE_MAX: it is none. */
static size_t count_values(const char *text)
{
    unsigned cut;
    uint64_t key = 0, count;
    double value;
    size_t n = 0;
    if (!begin_text(&text, &cut))
        return SIZE_MAX;
    while (next_value(&text, cut, &key, &value, &count))
        n++;
    return *text == '\0' && n <= WI_POOL_VALUES ? n : SIZE_MAX;
}

bool wi_pool_is(const char *text)
{
    return count_values(text) != SIZE_MAX;
}

/* ---- of all replications ---- */

typedef struct sample {
    double value;
    uint64_t count;
    uint32_t run;
} sample;

struct wi_pool {
    sample *sample; /* [n] ascending */
    double *size;   /* [n_runs] samples of a replication */
    double all;
    size_t n;
    uint32_t n_runs; /* with samples */
};

WI_ORDER_BY(by_sample, sample, WI_ORDER(x->value, y->value))

static void add_run(wi_pool *p, const char *text)
{
    unsigned cut;
    uint64_t key = 0, count;
    double value, size = 0.0;
    (void)begin_text(&text, &cut);
    for (; next_value(&text, cut, &key, &value, &count); size += (double)count)
        p->sample[p->n++] = (sample){value, count, p->n_runs};
    p->all += size;
    p->size[p->n_runs] = size;
    p->n_runs += size > 0.0;
}

wi_pool *wi_pool_make(const char *const *texts, uint32_t n)
{
    wi_pool *p = calloc(1, sizeof *p);
    size_t room = 0;
    for (uint32_t i = 0; i < n; i++)
        room += texts[i] && wi_pool_is(texts[i]) ? count_values(texts[i]) : 0;
    if (!p || !(p->sample = malloc((room + 1) * sizeof *p->sample)) ||
        !(p->size = malloc(((size_t)n + 1) * sizeof *p->size))) {
        wi_pool_free(p);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (texts[i] && wi_pool_is(texts[i]))
            add_run(p, texts[i]);
    qsort(p->sample, p->n, sizeof *p->sample, by_sample);
    return p;
}

void wi_pool_free(wi_pool *p)
{
    if (p) {
        free(p->sample);
        free(p->size);
    }
    free(p);
}

/* The least value with this share of all at or below it. */
static double at_share(const wi_pool *p, double share)
{
    double below = 0.0;
    if (!(share > 0.0) || share > 1.0)
        return (double)NAN;
    for (size_t i = 0; i < p->n; i++)
        if ((below += (double)p->sample[i].count) >= share * p->all)
            return p->sample[i].value;
    return p->n ? p->sample[p->n - 1].value : (double)NAN;
}

/* Of the share of samples at or below a value, replications being what is independent; NaN: too few, or no memory. */
static double standard_error(const wi_pool *p, double value)
{
    double *const below = calloc((size_t)p->n_runs + 1, sizeof *below), sum = 0.0, squares = 0.0;
    if (!below || p->n_runs < 2) {
        free(below);
        return (double)NAN;
    }
    for (size_t i = 0; i < p->n && p->sample[i].value <= value; i++) {
        below[p->sample[i].run] += (double)p->sample[i].count;
        sum += (double)p->sample[i].count;
    }
    for (uint32_t r = 0; r < p->n_runs; r++) {
        const double off = below[r] - sum / p->all * p->size[r];
        squares += off * off;
    }
    free(below);
    return sqrt(squares * p->n_runs / (p->n_runs - 1.0)) / p->all;
}

/* The value, or the next below where it is the largest: all samples lie at or below that one, which tells nothing. */
static double where_shares_vary(const wi_pool *p, double value)
{
    size_t i = p->n;
    if (i > 0 && value == p->sample[i - 1].value)
        while (i > 0 && p->sample[i - 1].value == value)
            i--;
    return i > 0 && i < p->n ? p->sample[i - 1].value : value;
}

wi_pool_quantile wi_pool_find(const wi_pool *p, double q, double confidence)
{
    wi_pool_quantile out = {at_share(p, q), (double)NAN, (double)NAN};
    const double ground = where_shares_vary(p, out.value), error = standard_error(p, ground);
    if (isnan(error))
        return out;
    const double half = wi_student_quantile(0.5 + confidence / 2.0, p->n_runs - 1) * error;
    out.low = at_share(p, q - half);
    out.high = ground < out.value ? (double)NAN : at_share(p, q + half);
    return out;
}
