/* Reader of empirical distributions. The formats are described in weir/cdf.h. */
#include "base/dist/cdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units/decimal.h"
#include "base/file/file.h"
#include "base/memory.h"

enum { FILE_MAX = 64 << 20, LINE_NUMBERS = 3 };

typedef struct reader {
    weir_diag *diag;
    const char *name;
    int line;
    weir_cdf *cdf;
} reader;

static bool is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_gap(const char *p, const char *end)
{
    while (p < end && is_gap(*p))
        p++;
    return p;
}

static weir_status bad_line(const reader *r, const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && n < 20 && !is_gap(p[n]) && p[n] >= 0x20 && p[n] < 0x7f)
        n++;
    if (n == 0)
        return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0,
                            "this is not a line of a CDF; want `size cumulative`");
    return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0,
                        "'%.*s' is not a number; want `size cumulative`", (int)n, p);
}

/* The numbers of one line, at most LINE_NUMBERS of them, between blanks or a comma. */
static weir_status split_line(const reader *r, const char *p, const char *end, double *numbers, int *n)
{
    *n = 0;
    for (p = skip_gap(p, end); p < end && *n < LINE_NUMBERS; p = skip_gap(p, end)) {
        const char *start = p;
        if (*n > 0 && *p == ',')
            p = skip_gap(p + 1, end);
        if (!wi_read_double(&p, end, &numbers[*n]) || (p < end && !is_gap(*p) && *p != ','))
            return bad_line(r, start, end);
        (*n)++;
    }
    return WEIR_OK;
}

static weir_status add_point(reader *r, double x, double y)
{
    weir_cdf *cdf = r->cdf;
    if (x < 0 || y < 0)
        return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0,
                            "%.17g %.17g: want no negative value", x, y);
    if (cdf->n > 0) {
        const weir_cdf_point last = cdf->points[cdf->n - 1];
        if (x < last.x)
            return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0,
                                "size %.17g is below the %.17g before it; sizes may not fall", x, last.x);
        if (y < last.p)
            return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0,
                                "cumulative value %.17g is below the %.17g before it; want a rising column",
                                y, last.p);
    }
    if (!wi_grow_one(&cdf->points, cdf->n, sizeof *cdf->points))
        return weir_fail(r->diag, WEIR_E_NOMEM, "%s: no memory for more than %u points", r->name, cdf->n);
    cdf->points[cdf->n++] = (weir_cdf_point){x, y};
    return WEIR_OK;
}

static weir_status take_line(reader *r, const char *p, const char *end)
{
    const char *comment = memchr(p, '#', (size_t)(end - p));
    double v[LINE_NUMBERS];
    int n;
    weir_status st = split_line(r, p, comment ? comment : end, v, &n);
    if (st != WEIR_OK || n == 0)
        return st;
    if (n == 2)
        return add_point(r, v[0], v[1]);
    if (n == 1 && r->cdf->n == 0 && isnan(r->cdf->stated_mean)) {
        if (v[0] < 0)
            return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0,
                                "the mean is %.17g; want none below 0", v[0]);
        r->cdf->stated_mean = v[0];
        r->cdf->step = true;
        return WEIR_OK;
    }
    return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0, "%s; want `size cumulative`",
                        n == 1 ? "one number" : "more than two numbers");
}

/* Bring the column to 0..1 and take out points that add no share: the sampler divides by differences. */
static weir_status finish(reader *r)
{
    weir_cdf *cdf = r->cdf;
    if (cdf->n == 0)
        return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, 0, 0, "no points; want lines `size cumulative`");
    const double last = cdf->points[cdf->n - 1].p;
    double scale = 0;
    if (fabs(last - 1) <= 1e-4)
        scale = last;
    else if (fabs(last - 100) <= 1e-2)
        scale = last;
    else
        return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0,
                            "the last cumulative value is %.17g; want 1 or 100", last);
    uint32_t n = 0;
    for (uint32_t i = 0; i < cdf->n; i++) {
        const weir_cdf_point point = {cdf->points[i].x, cdf->points[i].p / scale};
        if (n > 0 && point.p == cdf->points[n - 1].p) {
            if (point.p < 1)
                cdf->points[n++] = point; /* a flat stretch: no values between these two */
            continue;
        }
        cdf->points[n++] = point;
    }
    cdf->n = n;
    return WEIR_OK;
}

static weir_status parse(reader *r, const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *p = text; p < end; r->line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;
        const weir_status st = take_line(r, p, stop);
        if (st != WEIR_OK)
            return st;
        p = newline ? newline + 1 : end;
    }
    r->line--; /* the last one, for what is wrong at the end */
    return finish(r);
}

weir_status wi_cdf_parse(weir_diag *diag, const char *name, const char *text, size_t size, weir_cdf **out)
{
    *out = NULL;
    weir_cdf *cdf = calloc(1, sizeof *cdf);
    if (!cdf)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory: wanted %zu bytes", name, sizeof *cdf);
    cdf->stated_mean = NAN;
    reader r = {.diag = diag, .name = name, .line = 1, .cdf = cdf};
    const weir_status st = parse(&r, text, size);
    if (st != WEIR_OK) {
        weir_cdf_free(cdf);
        return st;
    }
    *out = cdf;
    return WEIR_OK;
}

weir_status weir_cdf_load(weir_diag *diag, const char *path, weir_cdf **out)
{
    char *text;
    size_t size;
    *out = NULL;
    weir_status st = wi_file_read(diag, path, FILE_MAX, &text, &size);
    if (st != WEIR_OK)
        return st;
    st = wi_cdf_parse(diag, path, text, size, out);
    free(text);
    return st;
}

void weir_cdf_free(weir_cdf *cdf)
{
    if (!cdf)
        return;
    free(cdf->points);
    free(cdf);
}

double weir_cdf_mean(const weir_cdf_point *points, uint32_t n, bool step)
{
    double sum = points[0].x * points[0].p;
    for (uint32_t i = 1; i < n; i++) {
        const double x = step ? points[i].x : 0.5 * (points[i - 1].x + points[i].x);
        sum += x * (points[i].p - points[i - 1].p);
    }
    return sum;
}
