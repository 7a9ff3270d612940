/*
 * The world from the image. A large table begins a page, behind all else, so that worlds which have the same one can hold it
 * in memory once: what failures change in it are then the world's own pages. The bytes are the same either way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/common/cow.h"
#include "net/build/building.h"

enum { LARGE_TABLE = 1 << 16 };

static weir_status begin_page(wi_building *b)
{
    uint64_t at;
    const uint64_t past = b->image.size % WI_COW_PAGE;
    if (past == 0 || wi_image_reserve(&b->image, WI_COW_PAGE - past, 1, &at))
        return WEIR_OK;
    return weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the network's world");
}

weir_status wi_build_table(wi_building *b, wi_net_forwarding *f)
{
    weir_status status = b->net->table_bytes >= LARGE_TABLE ? begin_page(b) : WEIR_OK;
    if (status == WEIR_OK && f->pages && b->net->table_bytes >= LARGE_TABLE) {
        b->head.table = b->image.size;
        b->pages = f->pages;
        b->net->shared = f->thing;
        b->net->shared_bytes = wi_common_is_kept(f->thing) ? b->net->table_bytes : 0;
        f->thing = NULL; /* the network's now */
    } else {
        b->head.table = wi_build_array(b, f->table, b->net->table_bytes, 1, &status);
    }
    return status;
}

weir_status wi_build_world(wi_building *b)
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
