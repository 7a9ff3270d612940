/* Routes of all pairs, which networks have in common where graph and costs are the same. */
#include <string.h>

#include "net/build/forwarding.h"
#include "routing/clone.h"

static weir_status compute(weir_diag *diag, const wi_net_forwarding *f, weir_routes **out)
{
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.stop = weir_diag_stop(diag);
    options.cost = f->cost;
    return weir_routes_compute(diag, f->graph, &options, out);
}

static weir_status make_pairs(weir_diag *diag, void *user, void **made, uint64_t *bytes)
{
    weir_routes *routes;
    const weir_status status = compute(diag, user, &routes);
    *made = routes;
    *bytes = routes ? weir_routes_bytes(routes) : 0;
    return status;
}

static void free_made(void *made)
{
    weir_routes_free(made);
}

wi_common_key wi_net_costs_key(const wi_net_forwarding *f, const char *what)
{
    wi_common_key key = f->graph_key;
    wi_common_key_fold(&key, what, strlen(what));
    wi_common_key_fold(&key, f->cost, f->graph->n_edges * sizeof *f->cost);
    return key;
}

static weir_status share(weir_diag *diag, wi_net_forwarding *f)
{
    static const wi_common_kind kind = {make_pairs, free_made};
    const wi_common_key key = wi_net_costs_key(f, "routes of all pairs");
    const weir_status status = wi_common_take(f->shared, diag, &kind, &key, f, &f->pairs);
    if (status != WEIR_OK)
        return status;
    f->routes = (weir_routes *)(uintptr_t)wi_common_made(f->pairs);
    if (!f->will_change)
        return WEIR_OK;
    f->routes = wi_routes_clone(f->routes);
    wi_common_give_back(f->pairs);
    f->pairs = NULL;
    return f->routes ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for a copy of routes");
}

weir_status wi_net_all_pairs(weir_diag *diag, wi_net_forwarding *f)
{
    return f->shared ? share(diag, f) : compute(diag, f, &f->routes);
}

void wi_net_free_all_pairs(wi_net_forwarding *f)
{
    if (f->pairs)
        wi_common_give_back(f->pairs);
    else
        weir_routes_free(f->routes);
    f->pairs = NULL;
    f->routes = NULL;
}
