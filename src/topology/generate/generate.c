/* The list of generators, and from a user's parameters to a graph. */
#include "weir/topology.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "topology/builder.h"
#include "topology/generator.h"
#include "weir/bits.h"
#include "weir/units.h"

static const weir_generator *const generators[] = {
    &wi_generator_ba2,
    &wi_generator_barabasi_albert,
    &wi_generator_bottom_up,
    &wi_generator_campus,
    &wi_generator_dragonfly,
    &wi_generator_dumbbell,
    &wi_generator_erdos_renyi,
    &wi_generator_fat_tree,
    &wi_generator_glp,
    &wi_generator_grid,
    &wi_generator_leaf_spine,
    &wi_generator_line,
    &wi_generator_parking_lot,
    &wi_generator_rail,
    &wi_generator_random_regular,
    &wi_generator_ring,
    &wi_generator_star,
    &wi_generator_top_down,
    &wi_generator_torus,
    &wi_generator_waxman,
};
enum { N_GENERATORS = sizeof generators / sizeof *generators };

const weir_generator *const *weir_generators(size_t *count)
{
    *count = N_GENERATORS;
    return generators;
}

const weir_generator *weir_generator_find(const char *name)
{
    for (size_t i = 0; i < N_GENERATORS; i++)
        if (strcmp(generators[i]->name, name) == 0)
            return generators[i];
    return NULL;
}

/* ---- what generators share ---- */

/* ---- parameters ---- */

static weir_status bad(weir_diag *diag, const weir_generator_arg *arg, const char *why)
{
    return weir_fail_at(diag, WEIR_E_SCENARIO, arg->file, arg->line, arg->column, "%s: %s", arg->name, why);
}

static weir_status parse_count(weir_diag *diag, const weir_generator_param *p, const weir_generator_arg *arg,
                               uint64_t *value)
{
    char why[160];
    if (!weir_parse_count(arg->value, value, why, sizeof why))
        return bad(diag, arg, why);
    if (*value < p->min || *value > p->max)
        snprintf(why, sizeof why, "%llu is out of range; want %llu to %llu", (unsigned long long)*value,
                 (unsigned long long)p->min, (unsigned long long)p->max);
    else if (p->multiple_of && *value % p->multiple_of != 0)
        snprintf(why, sizeof why, "%llu is no multiple of %llu", (unsigned long long)*value,
                 (unsigned long long)p->multiple_of);
    else
        return WEIR_OK;
    return bad(diag, arg, why);
}

static weir_status parse_real(weir_diag *diag, const weir_generator_param *p, const weir_generator_arg *arg,
                              uint64_t *value)
{
    char why[160];
    double real;
    if (!weir_parse_number(arg->value, &real, why, sizeof why))
        return bad(diag, arg, why);
    *value = weir_bits_of_double(real);
    if (real >= p->low && real <= p->high)
        return WEIR_OK;
    snprintf(why, sizeof why, "%g is out of range; want %g to %g", real, p->low, p->high);
    return bad(diag, arg, why);
}

/* What YAML calls true and false, where the words are no and yes. */
static const char *word_of(const weir_generator_param *p, const char *value)
{
    if (strcmp(p->words, "no yes") != 0)
        return value;
    return strcmp(value, "true") == 0 ? "yes" : strcmp(value, "false") == 0 ? "no" : value;
}

/* A word, or its number from 1, as BRITE's configurations have it. */
static weir_status parse_word(weir_diag *diag, const weir_generator_param *p, const weir_generator_arg *arg,
                              uint64_t *value)
{
    char why[240];
    const char *at = p->words, *const word = word_of(p, arg->value);
    for (*value = 1; *at; ++*value) {
        const size_t n = strcspn(at, " ");
        const bool is_number = word[0] == (char)('0' + *value) && word[1] == '\0';
        if (is_number || (strlen(word) == n && strncmp(at, word, n) == 0))
            return WEIR_OK;
        at += n + (at[n] == ' ');
    }
    snprintf(why, sizeof why, "'%.40s' is none of the words it takes; want one of: %s", arg->value, p->words);
    return bad(diag, arg, why);
}

static weir_status parse_value(weir_diag *diag, const weir_generator_param *p, const weir_generator_arg *arg,
                               uint64_t *value)
{
    char why[160];
    weir_time time;
    switch (p->dimension) {
    case WEIR_COUNT:
        return parse_count(diag, p, arg, value);
    case WEIR_RATE:
        if (!weir_parse_rate(arg->value, value, why, sizeof why))
            return bad(diag, arg, why);
        return *value > 0 ? WEIR_OK : bad(diag, arg, "the rate is 0; want more than 0");
    case WEIR_TIME:
        if (!weir_parse_time(arg->value, &time, why, sizeof why))
            return bad(diag, arg, why);
        *value = (uint64_t)time;
        return WEIR_OK;
    case WEIR_REAL:
        return parse_real(diag, p, arg, value);
    case WEIR_WORD:
        return parse_word(diag, p, arg, value);
    }
    return weir_fail(diag, WEIR_E_CHECK, "parameter %s has no dimension", p->name);
}

static weir_status unknown(weir_diag *diag, const weir_generator *g, const weir_generator_arg *arg)
{
    const char *names[WEIR_GENERATOR_PARAMS_MAX];
    char known[700];
    size_t at = 0;
    for (size_t i = 0; i < g->n_params; i++) {
        names[i] = g->params[i].name;
        if (at < sizeof known)
            at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = wi_nearest(arg->name, names, g->n_params);
    if (near)
        return weir_fail_at(diag, WEIR_E_SCENARIO, arg->file, arg->line, arg->column,
                            "%s has no parameter '%s'; did you mean '%s'?", g->name, arg->name, near);
    return weir_fail_at(diag, WEIR_E_SCENARIO, arg->file, arg->line, arg->column,
                        "%s has no parameter '%s'; it has: %s", g->name, arg->name, known);
}

static bool is_called(const weir_generator_param *p, const char *name)
{
    return strcmp(p->name, name) == 0 || (p->also && strcmp(p->also, name) == 0);
}

static weir_status take_args(weir_diag *diag, const weir_generator *g, const weir_generator_arg *args,
                             size_t n_args, uint64_t *value, bool *given)
{
    for (size_t a = 0; a < n_args; a++) {
        size_t p = 0;
        while (p < g->n_params && !is_called(&g->params[p], args[a].name))
            p++;
        if (p == g->n_params)
            return unknown(diag, g, &args[a]);
        if (given[p])
            return bad(diag, &args[a], "given twice");
        given[p] = true;
        const weir_status st = parse_value(diag, &g->params[p], &args[a], &value[p]);
        if (st != WEIR_OK)
            return st;
    }
    return WEIR_OK;
}

static weir_status take_defaults(weir_diag *diag, const weir_generator *g, uint64_t *value, const bool *given)
{
    for (size_t p = 0; p < g->n_params; p++) {
        const weir_generator_arg preset = {.name = g->params[p].name, .value = g->params[p].default_text};
        const weir_status st = given[p] ? WEIR_OK : parse_value(diag, &g->params[p], &preset, &value[p]);
        if (st != WEIR_OK)
            return st;
    }
    return WEIR_OK;
}

static weir_status unknown_model(weir_diag *diag, const char *model)
{
    const char *names[N_GENERATORS];
    char known[400];
    size_t at = 0;
    for (size_t i = 0; i < N_GENERATORS; i++) {
        names[i] = generators[i]->name;
        if (at < sizeof known)
            at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = wi_nearest(model, names, N_GENERATORS);
    return weir_fail(diag, WEIR_E_SCENARIO, "no topology model '%s'%s%s%s; known are: %s", model,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

/* The generator of a name, and the value[WEIR_GENERATOR_PARAMS_MAX] of its parameters. */
static weir_status find_values(weir_diag *diag, const char *model, const weir_generator_arg *args,
                               size_t n_args, const weir_generator **g, uint64_t *value)
{
    bool given[WEIR_GENERATOR_PARAMS_MAX] = {false};
    *g = weir_generator_find(model);
    if (!*g)
        return unknown_model(diag, model);
    const weir_status st = take_args(diag, *g, args, n_args, value, given);
    return st == WEIR_OK ? take_defaults(diag, *g, value, given) : st;
}

weir_status weir_topology_ends(weir_diag *diag, const char *model, const weir_generator_arg *args,
                               size_t n_args, double *ends)
{
    uint64_t value[WEIR_GENERATOR_PARAMS_MAX] = {0};
    const weir_generator *g;
    const weir_status st = find_values(diag, model, args, n_args, &g, value);
    *ends = st == WEIR_OK && g->ends ? g->ends(value) : 0;
    return st;
}

weir_status weir_topology_generate(weir_diag *diag, const char *model, const weir_generator_arg *args,
                                   size_t n_args, uint64_t seed, weir_graph **out)
{
    uint64_t value[WEIR_GENERATOR_PARAMS_MAX] = {0};
    const weir_generator *g;
    *out = NULL;
    weir_status st = find_values(diag, model, args, n_args, &g, value);
    if (st != WEIR_OK)
        return st;
    weir_graph_builder *builder = weir_graph_builder_new();
    if (!builder)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for a graph");
    st = g->make(diag, value, seed, builder);
    if (st == WEIR_OK)
        st = weir_graph_build(diag, builder, out);
    weir_graph_builder_free(builder);
    return st;
}
