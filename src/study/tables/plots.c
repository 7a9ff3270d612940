/* Plots of metrics over the parameters, with their intervals: SVG, a file a metric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot.h"
#include "base/memory.h"
#include "base/units/figures.h"
#include "study/plan/value.h"
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
    return v.bits == 0.0 ? v.seconds > 0.0 ? "s" : "1/s" : v.seconds == 0.0 ? "B" : "bit/s";
}

/* Whether a parameter takes several values in the plan. */
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
        view v;
        if (!asked_view(s, asked->item[i].text, &v))
            return weir_fail_at(s->diag, WEIR_E_SCENARIO, WEIR_AT(asked->item[i].place),
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

/* One plot in the making. */
typedef struct picture {
    const weir_study *s;
    uint32_t metric;
    view v;
    bool alone; /* the metric has no other */
    points curves[CURVES_MAX];
    size_t n;
    const char **names; /* [n_names] of the x axis, where they are texts */
    size_t n_names;
} picture;

static points *find_curve(picture *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->curves[i].name, name) == 0)
            return &p->curves[i];
    if (p->n == CURVES_MAX || !points_make(&p->curves[p->n], p->s->n_points))
        return NULL;
    snprintf(p->curves[p->n].name, NAME_BYTES, "%s", name);
    return &p->curves[p->n++];
}

/* False: no memory. */
static bool add_point(picture *p, const wi_point *point)
{
    uint32_t n, failed;
    wi_summary sum;
    char name[NAME_BYTES];
    const char *const text = point->value[p->v.x];
    if (!curve_of(p->s, &p->v, point, name))
        return true;
    points *to = find_curve(p, name);
    if (!to && p->n == CURVES_MAX) /* more curves could not be read; aggregate.csv has all */
        return true;
    WI_FREED double *values = to ? wi_point_values(point, p->metric, &n, &failed) : NULL;
    if (!values)
        return false;
    wi_summarise(values, n, p->s->scenario->study.confidence, &sum);
    to->x[to->n] = p->v.named ? (double)name_index(p->names, &p->n_names, text) : number_of(text);
    to->y[to->n] = sum.mean;
    to->low[to->n] = sum.low;
    to->high[to->n++] = sum.high;
    return true;
}

/* Over twenty-fold ranges are easier to read by their logarithm. */
static bool wide(const picture *p)
{
    double low = INFINITY, high = 0.0;
    for (size_t c = 0; c < p->n; c++)
        for (size_t i = 0; i < p->curves[c].n; i++) {
            low = fmin(low, p->curves[c].x[i]);
            high = fmax(high, p->curves[c].x[i]);
        }
    return low > 0.0 && high >= 20.0 * low;
}

/* Ticks of 2, 4, 8 are for values that are. */
static bool powers_of_two(const picture *p)
{
    int unused;
    for (size_t c = 0; c < p->n; c++)
        for (size_t i = 0; i < p->curves[c].n; i++)
            if (frexp(p->curves[c].x[i], &unused) != 0.5)
                return false;
    return true;
}

static weir_status put(const picture *p, weir_diag *diag, const char *folder)
{
    const char *const x = p->s->params[p->v.x].name, *const metric = p->s->metrics[p->metric].name;
    wi_curve drawn[CURVES_MAX];
    char name[200];
    for (size_t c = 0; c < p->n; c++) {
        const points *of = &p->curves[c];
        drawn[c] = (wi_curve){.name = p->n > 1 || of->name[0] ? of->name : NULL,
                              .x = of->x,
                              .y = of->y,
                              .n = of->n,
                              .low = of->low,
                              .high = of->high};
    }
    snprintf(name, sizeof name, "plot-%.100s%s%.60s.svg", metric, p->alone ? "" : "-over-",
             p->alone ? "" : x);
    const wi_plot plot = {.title = metric,
                          .x_label = x,
                          .y_label = metric,
                          .x_unit = unit_of(p->s->points[0].value[p->v.x]),
                          .y_unit = wi_unit_shown(wi_metric_unit(&p->s->metrics[p->metric])),
                          .decimal = !powers_of_two(p),
                          .log_x = !p->v.named && wide(p),
                          .curves = drawn,
                          .n_curves = p->n,
                          .names = p->v.named ? p->names : NULL,
                          .n_names = p->n_names};
    return wi_plot_put(diag, folder, wi_plot_file(name), &plot, 1);
}

static weir_status draw(weir_diag *diag, const char *folder, picture *p)
{
    const weir_study *const s = p->s;
    p->names = calloc(s->n_points + 1, sizeof *p->names);
    bool good = p->names != NULL;
    for (uint32_t i = 0; good && i < s->n_points; i++)
        good = add_point(p, &s->points[i]);
    const weir_status status = !good ? wi_study_no_memory(diag) : p->n > 0 ? put(p, diag, folder) : WEIR_OK;
    for (size_t c = 0; c < p->n; c++)
        points_free(&p->curves[c]);
    free(p->names);
    return status;
}

weir_status wi_plots_put(const weir_study *s, weir_diag *diag, const char *folder)
{
    const weir_names *asked = &s->scenario->study.plots;
    const size_t n = asked->n > 0 ? asked->n : 1;
    weir_status status = WEIR_OK;
    for (uint32_t m = 0; m < s->n_metrics; m++)
        for (size_t i = 0; i < n && status == WEIR_OK; i++) {
            picture p = {.s = s, .metric = m, .alone = n == 1};
            if (asked->n > 0 ? asked_view(s, asked->item[i].text, &p.v) : usual_view(s, &p.v))
                status = draw(diag, folder, &p);
        }
    return status;
}
