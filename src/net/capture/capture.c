/* Which links a network captures. */
#include "net/capture/wire.h"

#include <stdlib.h>
#include <string.h>

weir_status wi_net_capture(weir_diag *diag, wi_net *net, const uint8_t *what)
{
    const uint64_t old_bytes = wi_net_world(net)->bytes, all = (uint64_t)net->n_hosts + net->n_ports;
    const uint64_t bytes = (old_bytes + all + 4095) / 4096 * 4096; /* rows of fluid have pages of their own */
    unsigned char *world = aligned_alloc(4096, bytes);
    if (!world)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to capture packets");
    memcpy(world, net->world, old_bytes);
    memset(world + old_bytes, 0, bytes - old_bytes);
    memcpy(world + old_bytes, what, all);
    free(net->world);
    net->world = world;
    net_world *w = (net_world *)(void *)world;
    w->bytes = bytes;
    w->captures = old_bytes;
    wi_net_model_captures(&net->model);
    return WEIR_OK;
}
