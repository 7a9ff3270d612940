/* Baselines and paired differences. */
#include "study/tables/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "study/plan/expr.h"

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
            return WI_STUDY_FAIL(s, name->place, "baseline '%s': want NAME=VALUE of a parameter", name->text);
        const uint32_t param = wi_plan_param(s, name->text, length);
        if (param == UINT32_MAX)
            return WI_STUDY_FAIL(s, name->place, "baseline '%s': no parameter '%.*s' is varied", name->text,
                                 (int)length, name->text);
        if (value_index(&s->params[param], value) == UINT32_MAX)
            return WI_STUDY_FAIL(s, name->place, "baseline '%s': %s does not take this value", name->text,
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

/* The values of a point that a baseline is told by: of lists; what follows from them by an expression follows. Values are
 * texts of the plan, so equal ones are the same. */
static uint64_t hash_of(const weir_study *s, const char *const *value)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].n > 0)
            h = (h ^ (uint64_t)(uintptr_t)value[i]) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
    return h ^ h >> 32;
}

static bool are_equal(const weir_study *s, const char *const *a, const char *const *b)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].n > 0 && a[i] != b[i])
            return false;
    return true;
}

/* Points by their values, open addressing; `mask` + 1 places, UINT32_MAX in those that are free. */
typedef struct places {
    uint32_t *at, mask;
} places;

/* The place of a point with these values, or the free one where it would be. */
static uint32_t *place_of(const weir_study *s, const places *p, const char *const *value)
{
    uint32_t i = (uint32_t)hash_of(s, value) & p->mask;
    while (p->at[i] != UINT32_MAX && !are_equal(s, s->points[p->at[i]].value, value))
        i = (i + 1) & p->mask;
    return &p->at[i];
}

static bool places_make(const weir_study *s, places *p)
{
    uint64_t n = 16;
    while (n < 2 * (uint64_t)s->n_points)
        n *= 2;
    p->mask = (uint32_t)(n - 1);
    p->at = malloc(n * sizeof *p->at);
    if (!p->at)
        return false;
    memset(p->at, 0xff, n * sizeof *p->at);
    for (uint32_t k = 0; k < s->n_points; k++) {
        uint32_t *const place = place_of(s, p, s->points[k].value);
        if (*place == UINT32_MAX) /* the first of equals */
            *place = k;
    }
    return true;
}

/* What the baseline gives each parameter; null: the point's own. */
static void asked_values(const weir_study *s, const char **asked)
{
    for (uint32_t i = 0; i < s->n_params; i++) {
        const uint32_t k = s->params[i].n > 0 ? asked_of_group(s, s->params[i].group) : UINT32_MAX;
        asked[i] = k == UINT32_MAX ? NULL : s->params[i].value[k];
    }
}

uint32_t *wi_baselines(const weir_study *s)
{
    const char **asked = calloc(2 * (size_t)s->n_params + 1, sizeof *asked);
    const char **wanted = asked ? asked + s->n_params : NULL;
    uint32_t *of = malloc(((size_t)s->n_points + 1) * sizeof *of);
    places p = {0};
    const bool whole = asked && of && places_make(s, &p);
    if (whole)
        asked_values(s, asked);
    for (uint32_t k = 0; whole && k < s->n_points; k++) {
        for (uint32_t i = 0; i < s->n_params; i++)
            wanted[i] = asked[i] ? asked[i] : s->points[k].value[i];
        of[k] = *place_of(s, &p, wanted);
    }
    free(p.at);
    free(asked);
    if (!whole) {
        free(of);
        return NULL;
    }
    return of;
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
