/*
 * Building a network, step by step; each step has a file of its own. At the end the world is made of the image. A large table
 * begins a page, behind all else, so that worlds which have the same one can hold it in memory once: what failures change in it
 * are then the world's own pages. The bytes are the same either way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/common/cow.h"
#include "net/build/build.h"
#include "net/build/building.h"
#include "net/transport/flow.h"

enum { ARENA_CHUNK = 1 << 16 };

static void short_of_memory(wi_building *b)
{
    if (b->status == WEIR_OK)
        b->status =
            weir_fail(b->diag, WEIR_E_NOMEM, "no memory for a network of %u hosts, %u ports and %u flows",
                      b->net->n_hosts, b->net->n_ports, b->plan->n_flows);
}

static void *allocate(wi_building *b, weir_arena **arena, uint64_t n, size_t size)
{
    if (!*arena)
        *arena = weir_arena_new(ARENA_CHUNK);
    void *memory = *arena ? weir_arena_alloc(*arena, n, size) : NULL;
    if (!memory)
        short_of_memory(b);
    return memory;
}

void *wi_build_temp(wi_building *b, uint64_t n, size_t size)
{
    return allocate(b, &b->arena, n, size);
}

void *wi_build_keep(wi_building *b, uint64_t n, size_t size)
{
    return allocate(b, &b->net->arena, n, size);
}

void *wi_build_place(wi_building *b, uint64_t n, size_t size, uint64_t *offset)
{
    const uint64_t at = wi_build_array(b, NULL, n + 1, size); /* one more: no place is empty */
    if (b->status != WEIR_OK)
        return NULL;
    *offset = at;
    return wi_image_at(&b->image, at);
}

uint64_t wi_build_array(wi_building *b, const void *data, uint64_t n, size_t size)
{
    uint64_t at = 0;
    const bool fits = b->status == WEIR_OK && (size == 0 || n <= UINT64_MAX / size);
    if (!fits || !(data ? wi_image_append(&b->image, data, n * size, WI_IMAGE_ALIGN, &at)
                        : wi_image_reserve(&b->image, n * size, WI_IMAGE_ALIGN, &at)))
        short_of_memory(b);
    return at;
}

/* ---- the world ---- */

enum { LARGE_TABLE = 1 << 16 };

/* Pad the image to a page. */
static void begin_page(wi_building *b)
{
    uint64_t at;
    const uint64_t past = b->image.size % WI_COW_PAGE;
    if (past && !wi_image_reserve(&b->image, WI_COW_PAGE - past, 1, &at))
        short_of_memory(b);
}

weir_status wi_build_table(wi_building *b, wi_net_forwarding *f)
{
    const bool large = b->net->table_bytes >= LARGE_TABLE;
    if (large)
        begin_page(b);
    if (b->status == WEIR_OK && f->pages && large) {
        b->head.table = b->image.size;
        b->pages = f->pages;
        b->net->shared = f->thing;
        b->net->shared_bytes = wi_common_is_kept(f->thing) ? b->net->table_bytes : 0;
        f->thing = NULL; /* the network's now */
    } else {
        b->head.table = wi_build_array(b, f->table, b->net->table_bytes, 1);
    }
    return b->status;
}

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

void wi_net_free_world(wi_net *net)
{
    if (net->mapped_bytes)
        wi_cow_unmap(net->world, net->mapped_bytes);
    else
        free(net->world);
    wi_common_release(net->shared);
}

void wi_net_put_world(wi_net *net, unsigned char *world)
{
    wi_net_free_world(net);
    net->world = world;
    net->mapped_bytes = 0;
    net->shared = NULL;
    net->shared_bytes = 0;
}

/* ---- all steps ---- */

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
    weir_status (*const steps[])(wi_building *) = {wi_build_numbering, wi_build_slots, wi_build_gate_slots,
                                                   wi_build_links,     wi_build_flows, wi_build_gates,
                                                   wi_build_pulls,     wi_build_routes};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == WEIR_OK; i++)
        status = steps[i](b);
    if (status != WEIR_OK)
        return status;
    if (most_generators(b) >= UINT16_MAX)
        return weir_fail(b->diag, WEIR_E_SCENARIO, "a host has more than %d sources of arrivals",
                         UINT16_MAX - 1);
    wi_net_model_init(&b->net->model, most_generators(b));
    wi_build_copies(b);
    wi_build_pfc_model(b);
    status = make_world(b);
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
    setup->gpu = wi_net_gpu();
#endif
}
