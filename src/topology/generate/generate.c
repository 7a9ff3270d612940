/* The list of generators, and from a user's parameters to a graph. */
#include "weir/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "topology/generator.h"
#include "weir/bits.h"
#include "weir/units.h"

#define ADDRESS(name) &wi_generator_##name.about,
static const weir_generator *const generators[] = {WI_GENERATORS(ADDRESS)};
enum { N_GENERATORS = WI_N_OF(generators) };

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

/* ---- parameters ---- */

static weir_status bad(weir_diag *diag, const weir_generator_arg *arg, const char *why)
{
    return weir_fail_at(diag, WEIR_E_SCENARIO, arg->file, arg->line, arg->column, "%s: %s", arg->name, why);
}

/* Parse a value of each dimension; false: `why` says why not. */
enum { WHY = 240 };

static bool parse_count(const weir_generator_param *p, const char *text, uint64_t *value, char *why)
{
    if (!weir_parse_count(text, value, why, WHY))
        return false;
    if (*value < p->min || *value > p->max)
        snprintf(why, WHY, "%llu is out of range; want %llu to %llu", (unsigned long long)*value,
                 (unsigned long long)p->min, (unsigned long long)p->max);
    else if (p->multiple_of && *value % p->multiple_of != 0)
        snprintf(why, WHY, "%llu is no multiple of %llu", (unsigned long long)*value,
                 (unsigned long long)p->multiple_of);
    else
        return true;
    return false;
}

static bool parse_rate(const char *text, uint64_t *value, char *why)
{
    if (!weir_parse_rate(text, value, why, WHY))
        return false;
    snprintf(why, WHY, "the rate is 0; want more than 0");
    return *value > 0;
}

static bool parse_real(const weir_generator_param *p, const char *text, uint64_t *value, char *why)
{
    double real;
    if (!weir_parse_number(text, &real, why, WHY))
        return false;
    *value = weir_bits_of_double(real);
    snprintf(why, WHY, "%g is out of range; want %g to %g", real, p->low, p->high);
    return real >= p->low && real <= p->high;
}

/* What YAML calls true and false, where the words are no and yes. */
static const char *word_of(const weir_generator_param *p, const char *value)
{
    if (strcmp(p->words, "no yes") != 0)
        return value;
    return strcmp(value, "true") == 0 ? "yes" : strcmp(value, "false") == 0 ? "no" : value;
}

/* A word, or its number from 1, as BRITE's configurations have it. */
static bool parse_word(const weir_generator_param *p, const char *text, uint64_t *value, char *why)
{
    const char *at = p->words, *const word = word_of(p, text);
    for (*value = 1; *at; ++*value) {
        const size_t n = strcspn(at, " ");
        const bool is_number = word[0] == (char)('0' + *value) && word[1] == '\0';
        if (is_number || (strlen(word) == n && strncmp(at, word, n) == 0))
            return true;
        at += n + (at[n] == ' ');
    }
    snprintf(why, WHY, "'%.40s' is none of the words it takes; want one of: %s", text, p->words);
    return false;
}

static bool parse_value(const weir_generator_param *p, const char *text, uint64_t *value, char *why)
{
    weir_time time = 0;
    bool good = false;
    switch (p->dimension) {
    case WEIR_COUNT:
        return parse_count(p, text, value, why);
    case WEIR_RATE:
        return parse_rate(text, value, why);
    case WEIR_TIME:
        good = weir_parse_time(text, &time, why, WHY);
        *value = (uint64_t)time;
        return good;
    case WEIR_REAL:
        return parse_real(p, text, value, why);
    case WEIR_WORD:
        return parse_word(p, text, value, why);
    }
    return good;
}

static weir_status unknown(weir_diag *diag, const weir_generator *g, const weir_generator_arg *arg)
{
    const char *names[WEIR_GENERATOR_PARAMS_MAX];
    for (size_t i = 0; i < g->n_params; i++)
        names[i] = g->params[i].name;
    return weir_fail_at(diag, WEIR_E_SCENARIO, arg->file, arg->line, arg->column,
                        "%s has no parameter '%s'%s", g->name, arg->name,
                        WI_HINT(arg->name, names, g->n_params));
}

static bool is_called(const weir_generator_param *p, const char *name)
{
    return strcmp(p->name, name) == 0 || (p->also && strcmp(p->also, name) == 0);
}

/* The default of parameter p, a rate that follows another: "10 x NAME, at least RATE". */
static bool set_following(const weir_generator *g, size_t p, uint64_t *value)
{
    char name[40], least[40], why[WHY], *end = NULL;
    const uint64_t times = strtoull(g->params[p].default_text, &end, 10);
    uint64_t low = 0;
    if (times == 0 || sscanf(end, " x %39[a-z_], at least %39s", name, least) != 2 ||
        !parse_rate(least, &low, why))
        return false;
    for (size_t k = 0; k < g->n_params; k++)
        if (strcmp(g->params[k].name, name) == 0) {
            const uint64_t most = UINT64_MAX / times, of = value[k] < most ? value[k] : most;
            value[p] = times * of > low ? times * of : low;
            return true;
        }
    return false;
}

/* The values of all parameters: as given, or by default. Those that follow others come last. */
static weir_status read_args(weir_diag *diag, const weir_generator *g, const weir_generator_arg *args,
                             size_t n_args, uint64_t *value)
{
    bool given[WEIR_GENERATOR_PARAMS_MAX] = {false};
    char why[WHY];
    for (size_t a = 0; a < n_args; a++) {
        size_t p = 0;
        while (p < g->n_params && !is_called(&g->params[p], args[a].name))
            p++;
        if (p == g->n_params)
            return unknown(diag, g, &args[a]);
        if (given[p])
            return bad(diag, &args[a], "given twice");
        given[p] = true;
        if (!parse_value(&g->params[p], args[a].value, &value[p], why))
            return bad(diag, &args[a], why);
    }
    for (size_t p = 0; p < g->n_params; p++)
        if (!given[p] && !strstr(g->params[p].default_text, " x ") &&
            !parse_value(&g->params[p], g->params[p].default_text, &value[p], why))
            return weir_fail(diag, WEIR_E_CHECK, "default of %s: %s", g->params[p].name, why);
    for (size_t p = 0; p < g->n_params; p++)
        if (!given[p] && strstr(g->params[p].default_text, " x ") && !set_following(g, p, value))
            return weir_fail(diag, WEIR_E_CHECK, "default of %s: %s follows nothing", g->params[p].name,
                             g->params[p].default_text);
    return WEIR_OK;
}

static weir_status unknown_model(weir_diag *diag, const char *model)
{
    const char *names[N_GENERATORS];
    for (size_t i = 0; i < N_GENERATORS; i++)
        names[i] = generators[i]->name;
    return weir_fail(diag, WEIR_E_SCENARIO, "no topology model '%s'%s", model,
                     WI_HINT(model, names, N_GENERATORS));
}

/* The generator of a name, and the value[WEIR_GENERATOR_PARAMS_MAX] of its parameters, which `m` refers
 * to. */
static weir_status find_values(const char *model, const weir_generator_arg *args, size_t n_args,
                               uint64_t *value, wi_making *m)
{
    m->generator = weir_generator_find(model);
    m->value = value;
    return m->generator ? read_args(m->diag, m->generator, args, n_args, value)
                        : unknown_model(m->diag, model);
}

weir_status weir_topology_ends(weir_diag *diag, const char *model, const weir_generator_arg *args,
                               size_t n_args, double *ends)
{
    uint64_t value[WEIR_GENERATOR_PARAMS_MAX] = {0};
    wi_making m = {.diag = diag};
    const weir_status st = find_values(model, args, n_args, value, &m);
    *ends = st == WEIR_OK ? ((const wi_generator *)m.generator)->ends(&m) : 0;
    return st;
}

weir_status weir_topology_generate(weir_diag *diag, const char *model, const weir_generator_arg *args,
                                   size_t n_args, uint64_t seed, weir_graph **out)
{
    uint64_t value[WEIR_GENERATOR_PARAMS_MAX] = {0};
    wi_making m = {.diag = diag, .seed = seed};
    *out = NULL;
    WI_RETURN_IF_FAILED(find_values(model, args, n_args, value, &m));
    m.builder = weir_graph_builder_new();
    if (!m.builder)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for a graph");
    weir_status st = ((const wi_generator *)m.generator)->make(&m) ?: weir_graph_build(diag, m.builder, out);
    weir_graph_builder_free(m.builder);
    return st;
}
