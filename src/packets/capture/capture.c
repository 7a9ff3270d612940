/* Which links a network captures, and which classes it traces everywhere. */
#include "packets/capture/wire.h"

#include <stdlib.h>
#include <string.h>

/* Packets that one handling may drop: all that a discipline has waiting, where it decides at departure. */
static uint32_t more_drops(const net_world *w, const net_link *link, uint32_t most)
{
    const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
    return q->departs && q->slots > most ? q->slots : most;
}

static uint32_t most_drops(const net_world *w)
{
    uint32_t most = 0;
    for (uint32_t e = 0; e < w->n_hosts; e++)
        most = more_drops(w, &NET_ARRAY(w, net_host_params, hosts)[e].nic, most);
    for (uint32_t e = 0; e < w->n_ports; e++)
        most = more_drops(w, NET_ARRAY(w, net_link, links) + e, most);
    return most;
}

weir_status wi_net_capture(weir_diag *diag, wi_net *net, const uint8_t *what, const bool *traced)
{
    const uint64_t old_bytes = wi_net_world(net)->bytes, all = (uint64_t)net->n_hosts + net->n_ports;
    const uint64_t bytes = (old_bytes + all + 4095) / 4096 * 4096; /* rows of fluid have pages of their own */
    unsigned char *world = aligned_alloc(4096, bytes);
    if (!world)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to capture packets");
    memcpy(world, net->world, old_bytes);
    memset(world + old_bytes, 0, bytes - old_bytes);
    memcpy(world + old_bytes, what, all);
    wi_net_put_world(net, world);
    net_world *w = (net_world *)(void *)world;
    w->bytes = bytes;
    w->captures = old_bytes;
    net_class *classes = (net_class *)(void *)(world + w->classes);
    bool any = false;
    for (uint32_t i = 0; traced && i < w->n_classes; i++) {
        classes[i].flags |= traced[i] ? NET_CLASS_TRACED : 0;
        any = any || traced[i];
    }
    wi_net_model_captures(&net->model, any ? most_drops(w) : 0);
    wi_net_mark_plain(net);
    return WEIR_OK;
}
