/* From the values of a generator's parameters to BRITE's models. */
#include "topology/brite/params.h"

#include <stdio.h>
#include <string.h>

uint64_t wi_param(const weir_generator *g, const uint64_t *value, const char *name, uint64_t fallback)
{
    for (size_t i = 0; i < g->n_params; i++)
        if (strcmp(g->params[i].name, name) == 0)
            return value[i];
    return fallback;
}

static double real_param(const weir_generator *g, const uint64_t *value, const char *name, double fallback)
{
    return weir_double_of_bits(wi_param(g, value, name, weir_bits_of_double(fallback)));
}

static const char *joined(const char *prefix, const char *name, char *out)
{
    snprintf(out, 40, "%s%s", prefix, name);
    return out;
}

wi_flat wi_flat_of(const weir_generator *g, const uint64_t *value, const char *prefix, wi_flat_model model)
{
    char name[40];
    wi_flat f = {.model = model, .prefix = prefix, .join = wi_param(g, value, "parts", 1) == 1};
    f.model = (wi_flat_model)wi_param(g, value, joined(prefix, "model", name), (uint64_t)model);
    f.engine = (wi_engine)wi_param(g, value, "engine", WI_ENGINE_CPP);
    f.of_ases = strcmp(prefix, "as_") == 0 || wi_param(g, value, "level", WI_LEVEL_ROUTER) == WI_LEVEL_AS;
    f.n = (uint32_t)wi_param(g, value, joined(prefix, "N", name), 0);
    f.m = (uint32_t)wi_param(g, value, joined(prefix, "m", name), 1);
    f.hs = (uint32_t)wi_param(g, value, joined(prefix, "HS", name), 1000);
    f.ls = (uint32_t)wi_param(g, value, joined(prefix, "LS", name), 100);
    f.placement = (wi_placement)wi_param(g, value, joined(prefix, "NodePlacement", name), WI_PLACE_RANDOM);
    f.growth = (wi_growth)wi_param(g, value, joined(prefix, "GrowthType", name), WI_GROW_INCREMENTAL);
    f.alpha = real_param(g, value, joined(prefix, "alpha", name), 0.15);
    f.beta = real_param(g, value, joined(prefix, "beta", name), f.model == WI_FLAT_GLP ? 0.64 : 0.2);
    f.p = real_param(g, value, joined(prefix, "p", name), 0);
    f.q = real_param(g, value, joined(prefix, "q", name), 0);
    return f;
}

weir_status wi_bandwidth_of(weir_diag *diag, const weir_generator *g, const uint64_t *value, const char *name,
                            wi_bandwidth *out)
{
    char word[40];
    const uint64_t spread = wi_param(g, value, strcmp(name, "BW") == 0 ? "BWDist" : name, 1);
    out->spread = (wi_spread)((int)WI_SPREAD_CONSTANT + (int)spread - 1);
    out->engine = (wi_engine)wi_param(g, value, "engine", WI_ENGINE_CPP);
    out->min = real_param(g, value, joined(name, "Min", word), 10);
    out->max = real_param(g, value, joined(name, "Max", word), 1024);
    return wi_bandwidth_check(diag, out, name, NULL, 0);
}
