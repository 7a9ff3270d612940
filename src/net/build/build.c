/* Building a network, step by step; each step has a file of its own. */
#include "net/build/build.h"

#include <stdlib.h>
#include <string.h>

#include "net/build/building.h"
#include "net/transport/flow.h"

static uint32_t most_generators(const wi_building *b)
{
    uint32_t most = 0;
    for (uint32_t h = 0; h < b->net->n_hosts; h++) {
        const uint32_t n = b->generator_first[h + 1] - b->generator_first[h];
        most = n > most ? n : most;
    }
    return most;
}

static weir_status build_all(wi_building *b)
{
    uint64_t at = 0;
    if (!wi_image_reserve(&b->image, sizeof(net_world), WI_IMAGE_ALIGN, &at))
        return weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the network's world");
    b->head.ttl = b->plan->ttl;
    b->head.warmup_ps = b->plan->warmup_ps;
    weir_status status = wi_build_numbering(b);
    if (status == WEIR_OK)
        status = wi_build_slots(b);
    if (status == WEIR_OK)
        status = wi_build_gate_slots(b);
    if (status == WEIR_OK)
        status = wi_build_links(b);
    if (status == WEIR_OK)
        status = wi_build_flows(b);
    if (status == WEIR_OK)
        status = wi_build_gates(b);
    if (status == WEIR_OK)
        status = wi_build_pulls(b);
    if (status == WEIR_OK)
        status = wi_build_routes(b);
    if (status != WEIR_OK)
        return status;
    if (most_generators(b) >= UINT16_MAX)
        return weir_fail(b->diag, WEIR_E_SCENARIO, "a host has more than %d sources of arrivals",
                         UINT16_MAX - 1);
    wi_net_model_init(&b->net->model, most_generators(b));
    wi_build_copies(b);
    wi_build_pfc_model(b);
    status = wi_build_world(b);
    if (status != WEIR_OK)
        return status;
    wi_build_base_rtt(b);
    wi_net_mark_plain(b->net);
    wi_build_warn_unfit(b);
    return WEIR_OK;
}

weir_status wi_net_build(weir_diag *diag, const wi_net_plan *plan, wi_net **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a network");
    wi_building b = {.plan = plan, .net = *out, .diag = diag, .metered = wi_build_is_metered(plan)};
    const weir_status status = build_all(&b);
    wi_image_free(&b.image);
    free(b.node_host);
    free(b.node_router);
    free(b.router_node);
    free(b.router_port);
    free(b.host_down);
    free(b.session_first);
    free(b.generator_first);
    free(b.rx_dynamic);
    free(b.arrivals_tx);
    free(b.arrivals_index);
    free(b.flow_session);
    free(b.gate_index);
    free(b.gate_first);
    free(b.queues);
    free(b.queue_table);
    return status;
}

void wi_net_free(wi_net *net)
{
    if (!net)
        return;
    wi_net_free_world(net);
    for (int p = 0; p < NET_POOLS; p++)
        free(net->pool_first[p]);
    free(net->lookahead_ps);
    free((void *)net->comm.group);
    free((void *)net->comm.first);
    free((void *)net->comm.target);
    free(net->host_node);
    free(net->port_edge);
    free(net->port_node);
    free(net->flow_tx);
    free(net->flow_rx);
    free(net->steps);
    free(net->links);
    free(net->entries);
    free(net);
}

void wi_net_setup(const wi_net *net, weir_setup *setup)
{
    setup->model = &net->model.model;
    setup->world = net->world;
    setup->world_bytes = (size_t)wi_net_world(net)->bytes;
    if (wi_net_world(net)->background) /* rows of fluid are written where packets are simulated */
        setup->hook_world_bytes = (size_t)wi_net_world(net)->background_rows;
    setup->kind_count[NET_KIND_HOST] = net->n_hosts;
    setup->kind_count[NET_KIND_PORT] = net->n_ports;
    for (int p = 0; p < NET_POOLS; p++)
        setup->pool_first[p] = net->pool_first[p];
    setup->n_counters = net->n_counters;
    setup->lookahead_ps = net->lookahead_ps;
    setup->comm = &net->comm;
#ifdef WEIR_HAVE_CUDA
    setup->gpu = wi_net_gpu();
#endif
}
