/* The plan of a study: parameters with their values, and the points that constraints leave of their product. */
#include "study/plan/params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/plan/expr.h"
#include "weir/digest.h"

enum { DEPTH_MAX = 16, CHECKED_FIRST = 16 };
static const uint64_t runs_without_yes = 1000000, candidates_max = 200000000;

/* ---- values of a point ---- */

typedef struct choosing {
    weir_study *s;
    const uint32_t *at; /* [n_groups] */
    const char **known;
    int depth;
    weir_status status;
} choosing;

static weir_status dependent(choosing *c, const wi_param *p, wi_value *out);

static bool find_value(void *user, const char *name, size_t length, wi_value *out)
{
    choosing *c = user;
    const uint32_t i = wi_plan_param(c->s, name, length);
    if (i == UINT32_MAX)
        return false;
    const wi_param *p = &c->s->params[i];
    if (p->n)
        *out = wi_value_of(p->value[c->at[p->group]]);
    else
        c->status = dependent(c, p, out);
    return true;
}

static weir_status evaluate(choosing *c, weir_place place, const char *text, wi_value *out)
{
    *out = (wi_value){0};
    if (c->depth > DEPTH_MAX)
        return WI_STUDY_FAIL(c->s, place, "%s: parameters depend on each other in a circle", text);
    c->depth++;
    const weir_status status =
        wi_expr_value(c->s->diag, place, text, &(wi_names){find_value, c, c->known, c->s->n_params}, out);
    c->depth--;
    return c->status != WEIR_OK ? c->status : status;
}

static weir_status dependent(choosing *c, const wi_param *p, wi_value *out)
{
    return evaluate(c, p->is_place, p->is, out);
}

static weir_status fill_point(choosing *c, wi_point *point)
{
    weir_study *s = c->s;
    uint64_t key = WEIR_DIGEST_START;
    point->value = weir_arena_alloc(s->arena, s->n_params + 1, sizeof *point->value);
    if (!point->value)
        return wi_study_no_memory(s->diag);
    for (uint32_t i = 0; i < s->n_params; i++) {
        const wi_param *p = &s->params[i];
        const char *path = p->path ? p->path : p->name;
        if (p->n) {
            point->value[i] = p->value[c->at[p->group]];
        } else {
            char text[WI_VALUE_TEXT];
            wi_value v;
            WI_RETURN_IF_FAILED(dependent(c, p, &v));
            if (!v.text && !wi_value_format(&v, text))
                return WI_STUDY_FAIL(s, p->is_place, "%s = %s comes to %s, %g, which no key takes", p->name,
                                     p->is, wi_value_what(&v), v.number);
            if (v.text)
                snprintf(text, sizeof text, "%.*s", (int)v.length, v.text);
            point->value[i] = wi_text_copy(s->arena, text, strlen(text));
            if (!point->value[i])
                return wi_study_no_memory(s->diag);
        }
        key = weir_digest_bytes(key, path, strlen(path) + 1);
        key = weir_digest_bytes(key, point->value[i], strlen(point->value[i]) + 1);
    }
    point->values = key;
    key = weir_digest_word(s->base_key, key);
    point->key = s->scenario->study.independent ? weir_digest_bytes(key, "independent", 11) : key;
    point->cost_s = (double)NAN;
    point->want = s->scenario->study.replications;
    return WEIR_OK;
}

/* ---- the product ---- */

/* Values of a group's parameters; those of an expression alone have one. */
static uint32_t group_size(const weir_study *s, uint32_t group)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].group == group && s->params[i].n)
            return s->params[i].n;
    return 1;
}

/* The k-th of the product, the last group changing fastest; or of those that were drawn. */
static void choice(uint64_t k, const uint32_t *size, const uint32_t *drawn, uint32_t *at, uint32_t n)
{
    for (uint32_t g = n; g-- > 0; k /= drawn ? 1 : size[g])
        at[g] = drawn ? drawn[k * n + g] : (uint32_t)(k % size[g]);
}

/* True where all constraints hold. *failed: the first that does not. */
static weir_status allowed(choosing *c, size_t *failed, bool *out)
{
    const weir_names *constraints = &c->s->scenario->study.constraints;
    *out = true;
    for (size_t i = 0; i < constraints->n && *out; i++) {
        wi_value v;
        WI_RETURN_IF_FAILED(evaluate(c, constraints->item[i].place, constraints->item[i].text, &v));
        if (v.text || v.seconds != 0.0 || v.bits != 0.0)
            return WI_STUDY_FAIL(c->s, constraints->item[i].place,
                                 "constraint %s comes to %s; want a comparison", constraints->item[i].text,
                                 wi_value_what(&v));
        *failed = i;
        *out = v.number != 0.0;
    }
    return WEIR_OK;
}

static weir_status too_many(weir_study *s, double points, double runs)
{
    const weir_place at = s->scenario->study.place;
    return weir_fail_at(
        s->diag, WEIR_E_ARG, at.file ? at.file : s->file, at.line, at.column,
        "the study has %.0f runs (%.0f parameter sets); if more than a million are meant, say --yes", runs,
        points);
}

static weir_status count_candidates(weir_study *s, bool yes, uint32_t *size, uint64_t *out)
{
    double n = 1.0;
    for (uint32_t g = 0; g < s->n_groups; g++) {
        size[g] = group_size(s, g);
        n *= size[g];
    }
    if (s->scenario->study.latin_hypercube > 0)
        n = s->scenario->study.latin_hypercube;
    const uint32_t replications = s->scenario->study.replications;
    const double runs = n * replications,
                 last =
                     s->scenario->run + (s->scenario->study.independent ? 0x1p31 : 1.0) + replications - 2.0;
    if (last > (double)UINT32_MAX)
        return weir_fail(
            s->diag, WEIR_E_SCENARIO,
            "run: the study's last run would have number %.0f, and %u is the largest; want a smaller run",
            last, UINT32_MAX);
    *out = (uint64_t)fmin(n, 1e18);
    if (n > (double)candidates_max || runs > (double)UINT32_MAX)
        return weir_fail(s->diag, WEIR_E_ARG,
                         "the study has %.4g parameter sets and %.4g runs; weir takes %.4g and %.4g", n, runs,
                         (double)candidates_max, (double)UINT32_MAX);
    if (runs > (double)runs_without_yes && !yes && s->scenario->study.constraints.n == 0)
        return too_many(s, n, runs);
    return WEIR_OK;
}

static weir_status nothing_left(weir_study *s, const uint64_t *rejected)
{
    const weir_names *constraints = &s->scenario->study.constraints;
    size_t worst = 0;
    for (size_t i = 1; i < constraints->n; i++)
        if (rejected[i] > rejected[worst])
            worst = i;
    return WI_STUDY_FAIL(s, constraints->item[worst].place,
                         "no parameter set is left: the constraints contradict each other or all values; "
                         "'%s' alone leaves out %llu",
                         constraints->item[worst].text, (unsigned long long)rejected[worst]);
}

static weir_status make_points(weir_study *s, bool yes)
{
    const weir_scenario_study *study = &s->scenario->study;
    uint32_t *at = calloc(2 * (size_t)s->n_groups + 2, sizeof *at), *size = at ? at + s->n_groups + 1 : NULL;
    uint64_t candidates = 0, *rejected = calloc(study->constraints.n + 1, sizeof *rejected);
    choosing c = {.s = s, .at = at, .known = wi_param_names(s)};
    weir_status status = at && rejected && c.known ? WEIR_OK : wi_study_no_memory(s->diag);
    WI_FREED uint32_t *drawn = NULL;
    status = status ?: count_candidates(s, yes, size, &candidates);
    if (status == WEIR_OK && study->latin_hypercube > 0 && !(drawn = wi_latin_draw(s, size)))
        status = wi_study_no_memory(s->diag);
    for (uint64_t k = 0; status == WEIR_OK && k < candidates; k++) {
        size_t failed = 0;
        bool good = true;
        choice(k, size, drawn, at, s->n_groups);
        status = allowed(&c, &failed, &good);
        if (status != WEIR_OK)
            break;
        if (!good) {
            rejected[failed]++;
            continue;
        }
        if (!wi_grow_one(&s->points, s->n_points, sizeof *s->points)) {
            status = wi_study_no_memory(s->diag);
            break;
        }
        s->points[s->n_points] = (wi_point){0};
        status = fill_point(&c, &s->points[s->n_points]);
        s->n_points += status == WEIR_OK;
    }
    if (status == WEIR_OK && drawn)
        status = wi_latin_once(s);
    if (status == WEIR_OK && s->n_points == 0)
        status = nothing_left(s, rejected);
    const double runs = (double)s->n_points * study->replications;
    if (status == WEIR_OK && runs > (double)runs_without_yes && !yes)
        status = too_many(s, (double)s->n_points, runs);
    free(at);
    free(rejected);
    free(c.known);
    return status;
}

/* ---- checking before anything runs ---- */

/* Whether the message is about what a point's parameter was set to. */
static bool is_about(const weir_message *m, const char *path, const char *value)
{
    static const char set[] = "--set ";
    const size_t n = strlen(path);
    return m->file && strncmp(m->file, set, sizeof set - 1) == 0 &&
           strncmp(m->file + sizeof set - 1, path, n) == 0 && m->file[sizeof set - 1 + n] == '=' &&
           strcmp(m->file + sizeof set + n, value) == 0;
}

/* Where a parameter's value is written. */
static weir_place place_of(const wi_param *p, const char *value)
{
    for (uint32_t k = 0; k < p->n; k++)
        if (p->value[k] == value)
            return p->value_place[k];
    return p->is_place;
}

/* Messages of reading a point's scenario, at the places of the study's values. */
static void pass_on(weir_study *s, const wi_point *point, const weir_message *m, weir_status status)
{
    weir_place at = {.file = m->file, .line = m->line, .column = m->column};
    char set[400] = "";
    for (uint32_t i = 0; i < s->n_params && !set[0]; i++) {
        const wi_param *p = &s->params[i];
        if (!p->path || !is_about(m, p->path, point->value[i]))
            continue;
        at = place_of(p, point->value[i]);
        snprintf(set, sizeof set, "%s=%s: ", p->path, point->value[i]);
    }
    if (set[0] && !at.file)
        at.file = s->file;
    if (m->severity == WEIR_ERROR)
        (void)!weir_fail_at(s->diag, status, WEIR_AT(at), "%s%s", set, m->text);
    else
        weir_warn_at(s->diag, WEIR_AT(at), "%s%s", set, m->text);
}

uint64_t wi_plan_inputs(uint64_t key, const weir_scenario *scenario)
{
    for (size_t i = 0; i < scenario->n_inputs; i++)
        key = weir_digest_bytes(key, scenario->inputs[i].sha256, strlen(scenario->inputs[i].sha256));
    return key;
}

/* Reads a point's scenario; `*inputs` is of what its files hold, 0 where it cannot be read. */
static weir_status read_point(const weir_study *s, weir_diag *diag, uint32_t point, uint64_t *inputs)
{
    weir_scenario *scenario = NULL;
    const weir_status status = wi_run_scenario(s, diag, (wi_job){point, 0}, &scenario);
    *inputs = status == WEIR_OK ? wi_plan_inputs(WEIR_DIGEST_START, scenario) : 0;
    weir_scenario_free(scenario);
    return status;
}

static weir_status check_point(weir_study *s, uint32_t point, uint64_t *inputs)
{
    weir_diag *own = weir_diag_new();
    const weir_status status = own ? read_point(s, own, point, inputs) : wi_study_no_memory(s->diag);
    for (size_t i = 0; i < weir_diag_count(own); i++)
        pass_on(s, &s->points[point], weir_diag_get(own, i), status);
    weir_diag_free(own);
    return status;
}

/* Marks the parameters by whose values a point may read other files than the first one does. */
static void mark(const weir_study *s, uint32_t point, bool *marked)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        marked[i] |= strcmp(s->points[point].value[i], s->points[0].value[i]) != 0;
}

/* What the files of a point hold belongs to its key where they are not the base scenario's. Points that agree in the
 * parameters which are marked read the same files. */
static weir_status add_inputs(weir_study *s, const bool *marked, uint64_t base)
{
    WI_FREED wi_keyed *order = malloc(((size_t)s->n_points + 1) * sizeof *order);
    uint64_t inputs = base;
    if (!order)
        return wi_study_no_memory(s->diag);
    for (uint32_t k = 0; k < s->n_points; k++) {
        order[k] = (wi_keyed){WEIR_DIGEST_START, k};
        for (uint32_t i = 0; i < s->n_params; i++)
            if (marked[i])
                order[k].key =
                    weir_digest_bytes(order[k].key, s->points[k].value[i], strlen(s->points[k].value[i]) + 1);
    }
    wi_keyed_sort(order, s->n_points);
    for (uint32_t k = 0; k < s->n_points; k++) {
        if (k == 0 || order[k].key != order[k - 1].key)
            (void)!read_point(s, NULL, order[k].point, &inputs); /* its run says what is wrong with it */
        wi_point *const point = &s->points[order[k].point];
        if (inputs != base)
            point->key = weir_digest_word(point->key, inputs);
    }
    return WEIR_OK;
}

/* Every value of every parameter is read by the schema once, in the first point that has it. */
static weir_status check_values(weir_study *s)
{
    weir_status status = WEIR_OK;
    const uint64_t base = wi_plan_inputs(WEIR_DIGEST_START, s->scenario);
    uint64_t first = base, inputs = base;
    bool others = false;
    WI_FREED bool *marked = calloc(s->n_params + 1, sizeof *marked);
    WI_FREED uint32_t *left = calloc(s->n_params + 1, sizeof *left);
    WI_FREED uint8_t **known = calloc(s->n_params + 1, sizeof *known);
    for (uint32_t i = 0; known && i < s->n_params; i++)
        known[i] = calloc(s->params[i].n + 1, 1);
    for (uint32_t k = 0; left && known && marked && k < s->n_points && status == WEIR_OK; k++) {
        bool fresh = k < CHECKED_FIRST;
        for (uint32_t i = 0; i < s->n_params; i++) {
            const wi_param *p = &s->params[i];
            /* values of a point are the parameter's own texts, in the order of the product: search from the last */
            for (uint32_t v = 0; known[i] && v < p->n; v++) {
                const uint32_t at = (left[i] + v) % p->n;
                if (p->value[at] != s->points[k].value[i])
                    continue;
                fresh = fresh || !known[i][at];
                known[i][at] = 1;
                left[i] = at;
                break;
            }
        }
        if (!fresh)
            continue;
        status = check_point(s, k, &inputs);
        first = k == 0 ? inputs : first;
        others |= inputs != base;
        if (inputs != first)
            mark(s, k, marked);
    }
    if (status == WEIR_OK && others)
        status = add_inputs(s, marked, base);
    for (uint32_t i = 0; known && i < s->n_params; i++)
        free(known[i]);
    return status;
}

weir_status wi_plan_make(weir_study *s, bool yes)
{
    return wi_params_make(s) ?: make_points(s, yes) ?: check_values(s);
}

const char *wi_plan_describe(const weir_study *s, const wi_point *p, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < s->n_params && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s=%s", i ? ", " : "", s->params[i].name,
                                 p->value[i]);
    return out;
}
