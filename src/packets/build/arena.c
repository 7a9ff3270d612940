/*
 * Memory while a network is built: what is thrown away, what the network keeps, and the image that becomes the world. A large table
 * begins a page of the image, behind all else, so that worlds which have the same one can hold it in memory once.
 */
#include <stdlib.h>

#include "base/common/cow.h"
#include "packets/build/build.h"
#include "packets/build/building.h"

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
