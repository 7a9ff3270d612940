/* Plots of metrics over the parameters, with their intervals: SVG, a file a metric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot.h"
#include "study/plan/expr.h"
#include "study/folder/folder.h"
#include "study/tables/table.h"

enum { CURVES_MAX = 16, NAME_BYTES = 160 };

/* What one plot shows: an axis, and what tells its curves apart. */
typedef struct view {
    uint32_t x, by; /* parameters; by UINT32_MAX: all others do */
    bool named;     /* values of the axis are texts */
} view;

/* Growing arrays of one curve. */
typedef struct points {
    char name[NAME_BYTES];
    double *x, *y, *low, *high;
    size_t n;
} points;

static void points_free(points *p)
{
    free(p->x);
}

static bool points_make(points *p, size_t room)
{
    p->x = malloc(4 * (room + 1) * sizeof *p->x);
    p->y = p->x + room;
    p->low = p->y + room;
    p->high = p->low + room;
    return p->x != NULL;
}

/* In seconds, bytes or bits a second. */
static double number_of(const char *text)
{
    const wi_value v = wi_value_of(text);
    return v.text ? (double)NAN : v.bits == 1.0 && v.seconds == 0.0 ? v.number / 8.0 : v.number;
}

static const char *unit_of(const char *text)
{
    const wi_value v = wi_value_of(text);
    if (v.text || (v.bits == 0.0 && v.seconds == 0.0))
        return "";
    return v.bits == 0.0 ? v.seconds > 0.0 ? " (s)" : " (1/s)" : v.seconds == 0.0 ? " (bytes)" : " (bit/s)";
}

/* How many values a parameter takes in the plan; expressions are told by the values that their points have. */
static bool several(const weir_study *s, uint32_t param)
{
    for (uint32_t i = 1; i < s->n_points; i++)
        if (strcmp(s->points[i].value[param], s->points[0].value[param]) != 0)
            return true;
    return false;
}

static bool are_numbers(const weir_study *s, uint32_t param)
{
    for (uint32_t i = 0; i < s->n_points; i++)
        if (isnan(number_of(s->points[i].value[param])))
            return false;
    return true;
}

/* The first parameter that takes several numbers, else the first that takes several texts. */
static bool usual_view(const weir_study *s, view *v)
{
    *v = (view){.x = UINT32_MAX, .by = UINT32_MAX};
    for (uint32_t i = 0; i < s->n_params; i++) {
        if (s->params[i].n == 0 || !several(s, i))
            continue;
        const bool numbers = are_numbers(s, i);
        if (v->x == UINT32_MAX || (v->named && numbers))
            *v = (view){i, UINT32_MAX, !numbers};
        if (!v->named)
            break;
    }
    return v->x != UINT32_MAX;
}

/* Names of one or two parameters. */
static bool asked_view(const weir_study *s, const char *text, view *v)
{
    const size_t first = strcspn(text, " "), skip = first + strspn(text + first, " ");
    v->x = wi_plan_param(s, text, first);
    v->by = text[skip] ? wi_plan_param(s, text + skip, strlen(text + skip)) : UINT32_MAX;
    v->named = v->x != UINT32_MAX && !are_numbers(s, v->x);
    return v->x != UINT32_MAX && (!text[skip] || v->by != UINT32_MAX);
}

weir_status wi_plots_check(weir_study *s)
{
    const weir_names *asked = &s->scenario->study.plots;
    for (size_t i = 0; i < asked->n; i++) {
        const weir_place p = asked->item[i].place;
        view v;
        if (!asked_view(s, asked->item[i].text, &v))
            return weir_fail_at(s->diag, WEIR_E_SCENARIO, p.file, p.line, p.column,
                                "plots '%s': want the names of one or two parameters, blanks between",
                                asked->item[i].text);
    }
    return WEIR_OK;
}

/* What a point's curve is called; false where the point is of no curve of this view. */
static bool curve_of(const weir_study *s, const view *v, const wi_point *p, char out[NAME_BYTES])
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < s->n_params; i++) {
        const wi_param *param = &s->params[i];
        if (i == v->x || param->n == 0 || param->group == s->params[v->x].group || !several(s, i))
            continue;
        if (v->by == UINT32_MAX || i == v->by) {
            if (used < NAME_BYTES)
                used += (size_t)snprintf(out + used, NAME_BYTES - used, "%s%s=%s", used ? ", " : "",
                                         param->name, p->value[i]);
        } else if (param->group != s->params[v->by].group && p->value[i] != param->value[0]) {
            return false; /* two are named: the others keep their first values */
        }
    }
    return true;
}

static size_t name_index(const char **names, size_t *n, const char *text)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    names[*n] = text;
    return (*n)++;
}

static points *find_curve(points *curves, size_t *n, const char *name, size_t room)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(curves[i].name, name) == 0)
            return &curves[i];
    if (*n == CURVES_MAX || !points_make(&curves[*n], room))
        return NULL;
    snprintf(curves[*n].name, NAME_BYTES, "%s", name);
    return &curves[(*n)++];
}

static bool take_point(const weir_study *s, const wi_point *p, uint32_t metric, points *to, double x)
{
    uint32_t n, failed;
    wi_summary sum;
    double *values = wi_point_values(p, metric, &n, &failed);
    if (!values)
        return false;
    wi_summarise(values, n, s->scenario->study.confidence, &sum);
    free(values);
    to->x[to->n] = x;
    to->y[to->n] = sum.mean;
    to->low[to->n] = sum.low;
    to->high[to->n++] = sum.high;
    return true;
}

/* Over twenty-fold ranges are easier to read by their logarithm. */
static bool wide(const points *curves, size_t n)
{
    double low = INFINITY, high = 0.0;
    for (size_t c = 0; c < n; c++)
        for (size_t i = 0; i < curves[c].n; i++) {
            low = fmin(low, curves[c].x[i]);
            high = fmax(high, curves[c].x[i]);
        }
    return low > 0.0 && high >= 20.0 * low;
}

static void file_name(const weir_study *s, uint32_t metric, const view *v, bool alone, char *out, size_t size)
{
    snprintf(out, size, "plot-%.100s%s%.60s.svg", s->metrics[metric].name, alone ? "" : "-over-",
             alone ? "" : s->params[v->x].name);
    for (char *c = out; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c))
            *c = '_';
}

static weir_status put(const weir_study *s, weir_diag *diag, const char *folder, uint32_t metric,
                       const view *v, bool alone, points *curves, size_t n, const char **names,
                       size_t n_names)
{
    wi_curve drawn[CURVES_MAX];
    char label[NAME_BYTES], name[200];
    for (size_t c = 0; c < n; c++)
        drawn[c] = (wi_curve){.name = n > 1 || curves[c].name[0] ? curves[c].name : NULL,
                              .x = curves[c].x,
                              .y = curves[c].y,
                              .n = curves[c].n,
                              .low = curves[c].low,
                              .high = curves[c].high};
    snprintf(label, sizeof label, "%s%s", s->params[v->x].name, unit_of(s->points[0].value[v->x]));
    const wi_plot plot = {.title = s->metrics[metric].name,
                          .x_label = label,
                          .y_label = "",
                          .log_x = !v->named && wide(curves, n),
                          .curves = drawn,
                          .n_curves = n,
                          .names = v->named ? names : NULL,
                          .n_names = n_names};
    file_name(s, metric, v, alone, name, sizeof name);
    return wi_plot_put(diag, folder, name, &plot, 1);
}

static weir_status draw(const weir_study *s, weir_diag *diag, const char *folder, uint32_t metric,
                        const view *v, bool alone)
{
    points curves[CURVES_MAX] = {0};
    const char **names = calloc(s->n_points + 1, sizeof *names);
    size_t n = 0, n_names = 0;
    weir_status status = names ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for plots");
    for (uint32_t i = 0; i < s->n_points && status == WEIR_OK; i++) {
        const wi_point *p = &s->points[i];
        char name[NAME_BYTES];
        if (!curve_of(s, v, p, name))
            continue;
        points *to = find_curve(curves, &n, name, s->n_points);
        const double x =
            v->named ? (double)name_index(names, &n_names, p->value[v->x]) : number_of(p->value[v->x]);
        if (!to && n == CURVES_MAX) /* more would tell nothing; aggregate.csv has all */
            continue;
        if (!to || !take_point(s, p, metric, to, x))
            status = weir_fail(diag, WEIR_E_NOMEM, "no memory for plots");
    }
    if (status == WEIR_OK && n > 0)
        status = put(s, diag, folder, metric, v, alone, curves, n, names, n_names);
    for (size_t c = 0; c < n; c++)
        points_free(&curves[c]);
    free(names);
    return status;
}

weir_status wi_plots_put(const weir_study *s, weir_diag *diag, const char *folder)
{
    const weir_names *asked = &s->scenario->study.plots;
    weir_status status = WEIR_OK;
    view v;
    for (uint32_t m = 0; m < s->n_metrics && status == WEIR_OK; m++) {
        if (asked->n == 0 && usual_view(s, &v))
            status = draw(s, diag, folder, m, &v, true);
        for (size_t i = 0; i < asked->n && status == WEIR_OK; i++)
            if (asked_view(s, asked->item[i].text, &v))
                status = draw(s, diag, folder, m, &v, asked->n == 1);
    }
    return status;
}
