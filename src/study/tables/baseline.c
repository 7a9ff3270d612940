/* Baselines and paired differences. */
#include "study/tables/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "study/expr.h"

#define FAIL(s, p, ...)                                                                             \
    weir_fail_at((s)->diag, WEIR_E_SCENARIO, (p).file ? (p).file : (s)->file, (p).line, (p).column, \
                 __VA_ARGS__)

/* NAME=VALUE taken apart; false where it is none. */
static bool take_apart(const char *text, size_t *name, const char **value)
{
    const char *equal = strchr(text, '=');
    if (!equal)
        return false;
    *name = (size_t)(equal - text);
    *value = equal + 1;
    while (*name > 0 && text[*name - 1] == ' ')
        --*name;
    while (**value == ' ')
        ++*value;
    return *name > 0 && **value;
}

static bool same(const char *a, const char *b)
{
    const wi_value x = wi_value_of(a), y = wi_value_of(b);
    return wi_value_equal(&x, &y);
}

/* The number of a parameter's value, UINT32_MAX: none. */
static uint32_t value_index(const wi_param *p, const char *value)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (strcmp(p->value[i], value) == 0 || same(p->value[i], value))
            return i;
    return UINT32_MAX;
}

weir_status wi_baseline_check(weir_study *s)
{
    const weir_names *asked = &s->scenario->study.baseline;
    for (size_t i = 0; i < asked->n; i++) {
        const weir_name *name = &asked->item[i];
        const char *value;
        size_t length;
        if (!take_apart(name->text, &length, &value))
            return FAIL(s, name->place, "baseline '%s': want NAME=VALUE of a parameter", name->text);
        const uint32_t param = wi_plan_param(s, name->text, length);
        if (param == UINT32_MAX)
            return FAIL(s, name->place, "baseline '%s': no parameter '%.*s' is varied", name->text,
                        (int)length, name->text);
        if (value_index(&s->params[param], value) == UINT32_MAX)
            return FAIL(s, name->place, "baseline '%s': %s does not take this value", name->text,
                        s->params[param].name);
    }
    return WEIR_OK;
}

/* The value that the baseline gives a group of parameters in step, UINT32_MAX: it leaves the group alone. */
static uint32_t asked_of_group(const weir_study *s, uint32_t group)
{
    const weir_names *asked = &s->scenario->study.baseline;
    for (size_t i = 0; i < asked->n; i++) {
        const char *value;
        size_t length;
        if (!take_apart(asked->item[i].text, &length, &value))
            continue;
        const uint32_t param = wi_plan_param(s, asked->item[i].text, length);
        if (param != UINT32_MAX && s->params[param].group == group)
            return value_index(&s->params[param], value);
    }
    return UINT32_MAX;
}

/* Lists are compared; what follows from them by an expression follows. */
uint32_t wi_baseline_of(const weir_study *s, uint32_t point)
{
    if (s->scenario->study.baseline.n == 0)
        return UINT32_MAX;
    for (uint32_t k = 0; k < s->n_points; k++) {
        bool hit = true;
        for (uint32_t i = 0; i < s->n_params && hit; i++) {
            const wi_param *p = &s->params[i];
            if (p->n == 0)
                continue;
            const uint32_t asked = asked_of_group(s, p->group);
            hit =
                s->points[k].value[i] == (asked == UINT32_MAX ? s->points[point].value[i] : p->value[asked]);
        }
        if (hit)
            return k;
    }
    return UINT32_MAX;
}

uint32_t wi_paired(const wi_point *p, const wi_point *base, uint32_t metric, double *difference,
                   double *ground)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < p->want && r < p->rooms && r < base->rooms; r++) {
        if (!p->row[r] || !base->row[r] || p->row[r]->status != WEIR_OK || base->row[r]->status != WEIR_OK)
            continue;
        const double a = p->row[r]->metric[metric], b = base->row[r]->metric[metric];
        if (isnan(a) || isnan(b))
            continue;
        difference[n] = a - b;
        ground[n++] = b;
    }
    return n;
}
