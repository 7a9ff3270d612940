/* The parameters of a study: their values, and which of them go in step. */
#include "study/plan/params.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/memory.h"
#include "base/order.h"
#include "study/plan/range.h"
#include "study/plan/value.h"

typedef struct adding {
    weir_study *s;
    wi_param *p;
    weir_place place; /* of what is added */
} adding;

static bool add_value(void *user, const char *text)
{
    adding *a = user;
    wi_param *p = a->p;
    if (p->n == p->capacity) {
        const uint32_t room = p->capacity ? 2 * p->capacity : 8;
        const char **more = weir_arena_alloc(a->s->arena, room, sizeof *more);
        weir_place *places = weir_arena_alloc(a->s->arena, room, sizeof *places);
        if (!more || !places)
            return false;
        if (p->n) {
            memcpy(more, p->value, p->n * sizeof *more);
            memcpy(places, p->value_place, p->n * sizeof *places);
        }
        p->value = more;
        p->value_place = places;
        p->capacity = room;
    }
    char *copy = wi_text_copy(a->s->arena, text, strlen(text));
    if (!copy)
        return false;
    p->value_place[p->n] = a->place;
    p->value[p->n++] = copy;
    return true;
}

typedef struct valued {
    wi_value value;
    const char *text;
} valued;

static int by_text(const wi_value *a, const wi_value *b)
{
    const size_t n = a->length < b->length ? a->length : b->length;
    return memcmp(a->text, b->text, n) ?: WI_ORDER(a->length, b->length);
}

WI_ORDER_BY(by_value, valued,
            WI_ORDER(!x->value.text, !y->value.text)
                ?: (x->value.text ? by_text(&x->value, &y->value)
                                  : WI_ORDER(x->value.seconds, y->value.seconds)
                                        ?: WI_ORDER(x->value.bits, y->value.bits)
                                               ?: WI_ORDER(x->value.number, y->value.number))
                ?: strcmp(x->text, y->text))

/* A value may be written in two ways: 50% and 0.5, 1ms and 1000us. */
static weir_status no_value_twice(weir_study *s, const wi_param *p)
{
    weir_status status = WEIR_OK;
    WI_FREED valued *sorted = malloc((p->n + 1) * sizeof *sorted);
    if (!sorted)
        return wi_study_no_memory(s->diag);
    for (uint32_t i = 0; i < p->n; i++)
        sorted[i] = (valued){wi_value_of(p->value[i]), p->value[i]};
    qsort(sorted, p->n, sizeof *sorted, by_value);
    for (uint32_t i = 1; i < p->n && status == WEIR_OK; i++) {
        const char *const a = sorted[i - 1].text, *const b = sorted[i].text;
        if (strcmp(a, b) == 0)
            status = WI_STUDY_FAIL(s, p->place, "%s takes the value %s twice", p->name, b);
        else if (wi_value_equal(&sorted[i - 1].value, &sorted[i].value))
            status = WI_STUDY_FAIL(s, p->place, "%s takes the value %s twice, once as %s; leave one out",
                                   p->name, a, b);
    }
    return status;
}

static weir_status take_param(weir_study *s, const weir_scenario_vary *v, wi_param *p)
{
    adding a = {.s = s, .p = p};
    wi_strata strata = wi_latin_strata(s, (uint32_t)(p - s->params));
    weir_status status = WEIR_OK;
    *p = (wi_param){.name = v->name.text ? v->name.text : v->path.text,
                    .path = v->path.text,
                    .is = v->is.text,
                    .place = v->place,
                    .is_place = v->is.place};
    if (p->path &&
        (strcmp(p->path, "run") == 0 || strcmp(p->path, "study") == 0 || strncmp(p->path, "study.", 6) == 0))
        return WI_STUDY_FAIL(
            s, v->path.place, "%s cannot be varied%s", p->path,
            p->path[0] == 'r' ? ": it counts replications; vary seed, or set study.replications" : "");
    for (size_t i = 0; i < v->n_values && status == WEIR_OK; i++) {
        const weir_scenario_value *value = &v->values[i];
        a.place = value->place;
        if (value->plain && wi_range_is(value->text))
            status =
                wi_range_values(s->diag, value->place, value->text, strata.n ? &strata : NULL, add_value, &a);
        else if (!add_value(&a, value->text))
            status = wi_study_no_memory(s->diag);
    }
    /* A parameter in step with another may repeat values. Sets that are drawn are compared later
     * (wi_latin_once). */
    return status == WEIR_OK && p->n && !v->with.text && !strata.n ? no_value_twice(s, p) : status;
}

uint32_t wi_plan_param(const weir_study *s, const char *name, size_t length)
{
    uint32_t found = UINT32_MAX, hits = 0;
    for (uint32_t i = 0; i < s->n_params; i++)
        if (strlen(s->params[i].name) == length && memcmp(s->params[i].name, name, length) == 0)
            return i;
    for (uint32_t i = 0; i < s->n_params; i++) { /* the end of one name alone will do */
        const size_t n = strlen(s->params[i].name);
        if (n > length && s->params[i].name[n - length - 1] == '.' &&
            memcmp(s->params[i].name + n - length, name, length) == 0) {
            found = i;
            hits++;
        }
    }
    return hits == 1 ? found : UINT32_MAX;
}

const char **wi_param_names(const weir_study *s)
{
    const char **names = calloc(s->n_params + 1, sizeof *names);
    for (uint32_t i = 0; names && i < s->n_params; i++)
        names[i] = s->params[i].name;
    return names;
}

/* Parameters in step get one group; the rest have one each. */
static weir_status make_groups(weir_study *s)
{
    const weir_scenario_study *study = &s->scenario->study;
    for (uint32_t i = 0; i < s->n_params; i++) {
        const weir_name *with = &study->vary[i].with;
        const uint32_t leader = with->text ? wi_plan_param(s, with->text, strlen(with->text)) : i;
        if (leader == UINT32_MAX) {
            WI_FREED const char **names = wi_param_names(s);
            return WI_STUDY_FAIL(s, with->place, "with: no parameter '%s'%s", with->text,
                                 WI_HINT(with->text, names, names ? s->n_params : 0));
        }
        if (with->text && leader >= i)
            return WI_STUDY_FAIL(s, with->place,
                                 "with: '%s' must name a parameter that stands before this one", with->text);
        if (with->text && s->params[leader].n != s->params[i].n)
            return WI_STUDY_FAIL(s, with->place, "%s has %u values and goes in step with %s, which has %u",
                                 s->params[i].name, s->params[i].n, s->params[leader].name,
                                 s->params[leader].n);
        s->params[i].group = with->text ? s->params[leader].group : s->n_groups++;
    }
    return WEIR_OK;
}

/* The class of traffic that a path names, by its name or its number, and `*rest` of the path; -1: another path. */
static long class_in(const weir_study *s, const char *path, const char **rest)
{
    static const char list[] = "traffic.";
    char *end = NULL;
    if (strncmp(path, list, sizeof list - 1) != 0)
        return -1;
    const char *const name = path + sizeof list - 1;
    const size_t length = strcspn(name, ".");
    long found = name[0] >= '0' && name[0] <= '9' ? strtol(name, &end, 10) : -1;
    found = found >= 0 && end == name + length ? found : -1;
    for (size_t i = 0; i < s->scenario->n_traffic; i++) {
        const char *const known = s->scenario->traffic[i].name.text;
        if (known && strlen(known) == length && memcmp(known, name, length) == 0)
            found = (long)i;
    }
    *rest = found >= 0 ? name + length : path;
    return found;
}

/* Whether `a` is the path `b`, or leads on from it: what then follows, "" or ".limit"; else null. */
static const char *path_from(const weir_study *s, const char *a, const char *b)
{
    const char *rest_a = a, *rest_b = b;
    if (class_in(s, a, &rest_a) != class_in(s, b, &rest_b))
        rest_a = a, rest_b = b;
    const size_t n = strlen(rest_b);
    const bool leads = strncmp(rest_a, rest_b, n) == 0 && (rest_a[n] == '.' || !rest_a[n]);
    return leads ? rest_a + n : NULL;
}

static weir_status differ(weir_study *s, const wi_param *first, const wi_param *p)
{
    if (strcmp(first->name, p->name) == 0)
        return WI_STUDY_FAIL(s, p->place, "a second parameter '%s'; give one of them a name of its own",
                             p->name);
    const char *const within = first->path && p->path ? path_from(s, first->path, p->path) : NULL;
    if (within && within[0])
        return WI_STUDY_FAIL(s, p->place, "%s replaces what %s has set; let it stand before that parameter",
                             p->path, first->path);
    if (within)
        return WI_STUDY_FAIL(s, p->place, "%s is varied twice, as %s and %s; give one of them all its values",
                             p->path, first->name, p->name);
    return WEIR_OK;
}

weir_status wi_params_make(weir_study *s)
{
    const weir_scenario_study *study = &s->scenario->study;
    weir_status status = WEIR_OK;
    s->params = weir_arena_alloc(s->arena, study->n_vary + 1, sizeof *s->params);
    if (!s->params)
        return wi_study_no_memory(s->diag);
    for (size_t i = 0; i < study->n_vary && status == WEIR_OK; i++) {
        status = take_param(s, &study->vary[i], &s->params[i]);
        for (size_t k = 0; k < i && status == WEIR_OK; k++)
            status = differ(s, &s->params[k], &s->params[i]);
        s->n_params++;
    }
    return status ?: make_groups(s);
}
