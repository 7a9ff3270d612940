/* Reader of empirical distributions. The formats are described in weir/cdf.h. */
#include "base/dist/cdf.h"

#include <math.h>

#include "base/file/slice.h"
#include "base/memory.h"

#define WANT "want `size cumulative`"

static void add_point(wi_source *s, weir_cdf *cdf, double x, double y)
{
    const weir_cdf_point last = cdf->n ? cdf->points[cdf->n - 1] : (weir_cdf_point){0};
    if (x < 0 || y < 0)
        wi_fail(s, "%.15g %.15g: want no negative value", x, y);
    else if (x < last.x)
        wi_fail(s, "size %.15g is below the %.15g before it; sizes may not fall", x, last.x);
    else if (y < last.p)
        wi_fail(s, "cumulative value %.15g is below the %.15g before it; want a rising column", y, last.p);
    else if (!wi_grow_one(&cdf->points, cdf->n, sizeof *cdf->points))
        wi_no_memory(s, "points");
    else
        cdf->points[cdf->n++] = (weir_cdf_point){x, y};
}

static void take_line(wi_source *s, weir_cdf *cdf, const wi_slice *field, size_t n)
{
    char shown[WI_SHOWN];
    double v[2] = {0};
    for (size_t i = 0; i < n && i < 2; i++)
        if (!wi_slice_number(field[i], &v[i])) {
            wi_fail_slice(s, field[i], "'%s' is not a number; " WANT, wi_shown(field[i], shown));
            return;
        }
    if (n == 2) {
        add_point(s, cdf, v[0], v[1]);
    } else if (n > 2 || cdf->n > 0 || !isnan(cdf->stated_mean)) {
        wi_fail(s, "%s; " WANT, n == 1 ? "one number" : "more than two numbers");
    } else if (v[0] < 0) {
        wi_fail(s, "the mean is %.15g; want none below 0", v[0]);
    } else {
        cdf->stated_mean = v[0];
        cdf->step = true;
    }
}

/* Bring the column to 0..1 and take out points that add no share: the sampler divides by differences. */
static void finish(wi_source *s, weir_cdf *cdf)
{
    if (cdf->n == 0) {
        wi_fail_at(s, 0, 0, "no points; want lines `size cumulative`");
        return;
    }
    const double last = cdf->points[cdf->n - 1].p;
    uint32_t n = 0;
    if (!(fabs(last - 1) <= 1e-4 || fabs(last - 100) <= 1e-2))
        wi_fail(s, "the last cumulative value is %.15g; want 1 or 100", last);
    for (uint32_t i = 0; i < cdf->n; i++) {
        const weir_cdf_point point = {cdf->points[i].x, cdf->points[i].p / last};
        /* Of a flat stretch both ends stay: no values lie between them. */
        if (n == 0 || point.p != cdf->points[n - 1].p || point.p < 1)
            cdf->points[n++] = point;
    }
    cdf->n = n;
}

weir_status wi_cdf_read(wi_source source, weir_cdf **out)
{
    wi_slice field[2];
    weir_cdf *const cdf = *out = calloc(1, sizeof *cdf);
    if (cdf)
        cdf->stated_mean = (double)NAN;
    else
        wi_no_memory(&source, "a distribution");
    wi_source_text(&source);
    for (size_t n; cdf && (n = wi_next_record(&source, field, 2)) > 0;)
        take_line(&source, cdf, field, n);
    if (source.status == WEIR_OK)
        finish(&source, cdf);
    const weir_status status = wi_source_close(&source);
    if (status != WEIR_OK) {
        weir_cdf_free(cdf);
        *out = NULL;
    }
    return status;
}

weir_status weir_cdf_load(weir_diag *diag, const char *path, weir_cdf **out)
{
    return wi_cdf_read(wi_source_file(diag, path), out);
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
