/*
 * Building a network, step by step; each step has a file of its own. At the end the world is made of the image. A large table
 * begins a page, behind all else, so that worlds which have the same one can hold it in memory once: what failures change in it
 * are then the world's own pages. The bytes are the same either way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/common/cow.h"
#include "packets/build/build.h"
#include "packets/build/building.h"
#include "net/transport/flow.h"

/* ---- the world ---- */

/* Make the world of the image. */
static weir_status make_world(wi_building *b)
{
    uint64_t size = 0;
    wi_net *net = b->net;
    unsigned char *image = wi_image_finish(&b->image, &size);
    b->head.bytes = size;
    if (b->pages)
        b->head.bytes += (b->net->table_bytes + WI_IMAGE_ALIGN - 1) / WI_IMAGE_ALIGN * WI_IMAGE_ALIGN;
    memcpy(image, &b->head, sizeof b->head);
    net->world = image;
    if (!b->pages)
        return WEIR_OK;
    net->world = wi_cow_map(image, size, b->pages, &net->mapped_bytes);
    free(image);
    return net->world ? WEIR_OK : weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the network's world");
}

/* ---- all steps ---- */

/* Sources of arrivals, and gates that need nothing, of the host that has most of both. */
static uint32_t most_beginnings(const wi_building *b)
{
    const net_gate *gates = b->head.gates ? wi_image_at(&b->image, b->head.gates) : NULL;
    uint32_t most = 0;
    for (uint32_t h = 0; h < b->net->n_hosts; h++) {
        uint32_t n = b->generator_first[h + 1] - b->generator_first[h];
        for (uint32_t i = gates ? b->gate_first[h] : 0; gates && i < b->gate_first[h + 1]; i++)
            n += gates[i].needs == 0;
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
    b->head.turn_bytes = b->plan->turns ? wi_build_turn_bytes(b) : 0;
    const uint32_t most = wi_build_most_packet(b, &(uint32_t){0});
    b->limit_least = most > NET_LIMIT_BYTES ? most : NET_LIMIT_BYTES;
    weir_status (*const steps[])(wi_building *) = {
        wi_build_numbering, wi_build_slots, wi_build_gate_slots,    wi_build_programs, wi_build_links,
        wi_build_flows,     wi_build_gates, wi_build_program_world, wi_build_pulls,    wi_build_routes};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == WEIR_OK; i++)
        status = steps[i](b);
    if (status != WEIR_OK)
        return status;
    const uint32_t beginnings = most_beginnings(b);
    if (beginnings >= UINT16_MAX)
        return weir_fail(b->diag, WEIR_E_SCENARIO,
                         "a host has more than %d sources of arrivals and ranks of jobs", UINT16_MAX - 1);
    wi_net_model_init(&b->net->model, beginnings);
    wi_build_copies(b);
    wi_build_pfc_model(b);
    WI_RETURN_IF_FAILED(make_world(b));
    WI_RETURN_IF_FAILED(wi_build_base_rtt(b) ?: wi_build_check_ways(b));
    wi_net_mark_plain(b->net);
    wi_build_warn_unfit(b);
    return WEIR_OK;
}

weir_status wi_net_build(weir_diag *diag, const wi_net_plan *plan, wi_net **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a network");
    wi_building b = {.plan = plan, .net = *out, .diag = diag, .metered = wi_build_any(plan, NET_CLASS_INT)};
    const weir_status status = build_all(&b);
    wi_image_free(&b.image);
    weir_arena_free(b.arena);
    free(b.queues);
    free(b.queue_table);
    return status;
}

void wi_net_free(wi_net *net)
{
    if (!net)
        return;
    wi_net_free_world(net);
    weir_arena_free(net->arena);
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
    setup->gpu = wi_net_world(net)->captures ? wi_net_gpu_watched() : wi_net_gpu();
#endif
}
