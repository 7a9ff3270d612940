/* Baselines and paired differences. */
#include "study/tables/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/plan/value.h"
#include "weir/digest.h"

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

static weir_status check_names(weir_study *s)
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

/* What the baseline gives each parameter; null: the point's own. */
static void asked_values(const weir_study *s, const char **asked)
{
    for (uint32_t i = 0; i < s->n_params; i++) {
        const uint32_t k = s->params[i].n > 0 ? asked_of_group(s, s->params[i].group) : UINT32_MAX;
        asked[i] = k == UINT32_MAX ? NULL : s->params[i].value[k];
    }
}

/* A key of a point's values of lists; values of expressions follow from them. Values in `asked` [n_params]
 * replace the point's. */
static uint64_t key_of(const weir_study *s, const wi_point *p, const char *const *asked)
{
    uint64_t key = WEIR_DIGEST_START;
    for (uint32_t i = 0; i < s->n_params; i++) {
        const char *value = asked && asked[i] ? asked[i] : p->value[i];
        if (s->params[i].n > 0)
            key = weir_digest_bytes(key, value, strlen(value) + 1);
    }
    return key;
}

uint32_t *wi_baselines(const weir_study *s)
{
    WI_FREED const char **asked = calloc((size_t)s->n_params + 1, sizeof *asked);
    uint32_t *of = malloc(((size_t)s->n_points + 1) * sizeof *of);
    WI_FREED wi_keyed *points = malloc(((size_t)s->n_points + 1) * sizeof *points);
    const bool whole = asked && of && points;
    if (whole)
        asked_values(s, asked);
    for (uint32_t k = 0; whole && k < s->n_points; k++)
        points[k] = (wi_keyed){key_of(s, &s->points[k], NULL), k};
    if (whole)
        wi_keyed_sort(points, s->n_points);
    for (uint32_t k = 0; whole && k < s->n_points; k++)
        of[k] = wi_keyed_find(points, s->n_points, key_of(s, &s->points[k], asked));
    if (whole)
        return of;
    free(of);
    return NULL;
}

/* Sets that are drawn, or that constraints leave, may lack the one that they would be compared with. */
static weir_status check_partners(weir_study *s)
{
    const weir_name *name = s->scenario->study.baseline.item;
    WI_FREED uint32_t *const of = wi_baselines(s);
    uint32_t without = 0, compared = 0;
    if (!of)
        return wi_study_no_memory(s->diag);
    for (uint32_t k = 0; k < s->n_points; k++) {
        without += of[k] == UINT32_MAX;
        compared += of[k] != UINT32_MAX && of[k] != k;
    }
    if (without > 0 && compared == 0)
        return WI_STUDY_FAIL(
            s, name->place,
            "baseline '%s': no parameter set has another that takes this value and agrees with it "
            "in all else, so that nothing is compared; leave baseline out, or let every value "
            "meet every other, without latin-hypercube and constraints",
            name->text);
    if (without > 0)
        weir_warn_at(s->diag, name->place.file ? name->place.file : s->file, name->place.line,
                     name->place.column,
                     "baseline '%s': %u of %u parameter sets are not compared: no other takes this value and "
                     "agrees with them in all else",
                     name->text, without, s->n_points);
    return WEIR_OK;
}

weir_status wi_baseline_check(weir_study *s)
{
    return s->scenario->study.baseline.n == 0 ? WEIR_OK : check_names(s) ?: check_partners(s);
}

uint32_t wi_paired(const wi_point *p, const wi_point *base, uint32_t metric, double *difference,
                   double *ground)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < p->want; r++) {
        const wi_row *x = wi_point_row(p, r), *y = wi_point_row(base, r);
        if (!x || !y || x->status != WEIR_OK || y->status != WEIR_OK)
            continue;
        const double a = x->metric[metric], b = y->metric[metric];
        if (isnan(a) || isnan(b))
            continue;
        difference[n] = a - b;
        ground[n++] = b;
    }
    return n;
}
