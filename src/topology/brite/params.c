/* From the values of a generator's parameters to BRITE's models. */
#include "topology/brite/params.h"

#include <stdio.h>
#include <string.h>

uint64_t wi_param(const wi_making *m, const char *name, uint64_t fallback)
{
    for (size_t i = 0; i < m->generator->n_params; i++)
        if (strcmp(m->generator->params[i].name, name) == 0)
            return m->value[i];
    return fallback;
}

/* The same of PREFIX + NAME. */
static uint64_t joined(const wi_making *m, const char *prefix, const char *name, uint64_t fallback)
{
    char whole[40];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    return wi_param(m, whole, fallback);
}

static double joined_real(const wi_making *m, const char *prefix, const char *name, double fallback)
{
    return weir_double_of_bits(joined(m, prefix, name, weir_bits_of_double(fallback)));
}

weir_status wi_flat_of(const wi_making *m, const char *prefix, wi_flat_model model, wi_flat *out)
{
    wi_flat f = {.prefix = prefix, .join = wi_param(m, "parts", 1) == 1};
    f.model = (wi_flat_model)joined(m, prefix, "model", (uint64_t)model);
    f.engine = (wi_engine)wi_param(m, "engine", WI_ENGINE_CPP);
    f.of_ases = strcmp(prefix, "as_") == 0 || wi_param(m, "level", WI_LEVEL_ROUTER) == WI_LEVEL_AS;
    f.n = (uint32_t)joined(m, prefix, "N", 0);
    f.m = (uint32_t)joined(m, prefix, "m", 1);
    f.hs = (uint32_t)joined(m, prefix, "HS", 1000);
    f.ls = (uint32_t)joined(m, prefix, "LS", 100);
    f.placement = (wi_placement)joined(m, prefix, "NodePlacement", WI_PLACE_RANDOM);
    f.growth = (wi_growth)joined(m, prefix, "GrowthType", WI_GROW_INCREMENTAL);
    f.alpha = joined_real(m, prefix, "alpha", 0.15);
    f.beta = joined_real(m, prefix, "beta", f.model == WI_FLAT_GLP ? 0.64 : 0.2);
    f.p = joined_real(m, prefix, "p", 0);
    f.q = joined_real(m, prefix, "q", 0);
    *out = f;
    return wi_flat_check(m->diag, &f);
}

weir_status wi_bandwidth_of(const wi_making *m, const char *name, wi_bandwidth *out)
{
    const uint64_t spread = wi_param(m, strcmp(name, "BW") == 0 ? "BWDist" : name, 1);
    out->spread = (wi_spread)((int)WI_SPREAD_CONSTANT + (int)spread - 1);
    out->engine = (wi_engine)wi_param(m, "engine", WI_ENGINE_CPP);
    out->min = joined_real(m, name, "Min", 10);
    out->max = joined_real(m, name, "Max", 1024);
    return wi_bandwidth_check(m->diag, out, name, NULL, 0);
}
