/*
 * Rows of a bit a segment that both ends of a flow keep of its window: how long they are, and where in
 * NET_POOL_WINDOW each slot's begin. Host by host, first the sending slots' rows, then the receiving ones'.
 */
#include <math.h>
#include <stdlib.h>

#include "net/build/building.h"
#include "net/congestion/congestion.h"
#include "net/flow/segments.h"

/* No flow of the class has more bytes than this. */
static double largest_flow(const wi_net_class_plan *c)
{
    const weir_dist *size = &c->params.size;
    if (!(c->params.flags & NET_CLASS_SIZED))
        return (double)INFINITY;
    if (size->kind == WEIR_DIST_CONSTANT)
        return size->a;
    if (size->kind == WEIR_DIST_UNIFORM)
        return size->a + size->b;
    if (c->size_points && size->points > 0)
        return c->size_points[size->points - 1].x;
    return (double)INFINITY;
}

uint32_t wi_window_words(const wi_net_class_plan *c)
{
    if (c->params.flags & NET_CLASS_UDP)
        return 0;
    const double largest = ceil(largest_flow(c)) + 1.0; /* sizes are rounded when they are drawn */
    const double bytes = largest < c->params.window_bytes ? largest : c->params.window_bytes;
    const double segments = ceil(bytes / c->params.mss_bytes);
    return (uint32_t)ceil((segments > 1.0 ? segments : 1.0) / 64.0);
}

/* Words of all classes: those of a sender's rows, and those of a receiver's one. */
typedef struct class_words {
    uint32_t *tx, *rx;
} class_words;

/* For each receiving slot its words: the class's, or for slots of flows that arrive by themselves the most
 * that any class which sends them to this host wants. */
static void words_of_receivers(const wi_building *b, class_words words, uint32_t *rx)
{
    const wi_net_plan *plan = b->plan;
    const uint32_t *first = b->net->pool_first[NET_POOL_RX];
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
        const wi_net_arrivals_plan *a = &plan->arrivals[i];
        for (uint32_t k = 0; k < a->n_dst; k++) {
            const uint32_t host = b->node_host[a->dst[k]], at = b->rx_dynamic[host];
            if (at < first[host + 1] && rx[at] < words.rx[a->cls])
                rx[at] = words.rx[a->cls];
        }
    }
    for (uint32_t h = 0; h < b->net->n_hosts; h++)
        for (uint32_t i = b->rx_dynamic[h]; i < first[h + 1]; i++)
            rx[i] = rx[b->rx_dynamic[h]];
    for (uint32_t i = 0; i < plan->n_flows; i++)
        rx[b->net->flow_rx[i]] = words.rx[plan->flows[i].cls];
}

static void words_of_senders(const wi_building *b, class_words words, uint32_t *tx)
{
    const wi_net_plan *plan = b->plan;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        tx[b->net->flow_tx[i]] = words.tx[plan->flows[i].cls];
    for (uint32_t i = 0; i < plan->n_arrivals; i++)
        for (uint32_t k = 0; k < plan->arrivals[i].slots; k++)
            tx[b->arrivals_tx[i] + k] = words.tx[plan->arrivals[i].cls];
}

/* Replace words by where they begin, from `at` on. */
static uint64_t lay_out(uint32_t *slot, uint32_t from, uint32_t to, uint64_t at)
{
    for (uint32_t i = from; i < to; i++) {
        const uint32_t words = slot[i];
        slot[i] = (uint32_t)at;
        at += words;
    }
    return at;
}

static weir_status lay_out_hosts(wi_building *b, uint32_t *tx, uint32_t *rx)
{
    wi_net *net = b->net;
    const uint32_t *first_tx = net->pool_first[NET_POOL_TX], *first_rx = net->pool_first[NET_POOL_RX];
    uint64_t at = 0;
    for (uint32_t h = 0; h < net->n_hosts; h++) {
        net->pool_first[NET_POOL_WINDOW][h] = (uint32_t)at;
        at = lay_out(tx, first_tx[h], first_tx[h + 1], at);
        at = lay_out(rx, first_rx[h], first_rx[h + 1], at);
        if (at > UINT32_MAX)
            return weir_fail(b->diag, WEIR_E_SCENARIO,
                             "the windows of all flows together have more segments than a run can keep track "
                             "of (%.0f GB of state): lower 'window' or 'max_flows', or raise 'mss'",
                             (double)UINT32_MAX * 8e-9);
    }
    net->pool_first[NET_POOL_WINDOW][net->n_hosts] = (uint32_t)at;
    return WEIR_OK;
}

weir_status wi_build_windows(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    const class_words words = {calloc((size_t)plan->n_classes + 1, sizeof(uint32_t)),
                               calloc((size_t)plan->n_classes + 1, sizeof(uint32_t))};
    uint32_t *tx = calloc((size_t)net->n_tx + 1, sizeof *tx), *rx = calloc((size_t)net->n_rx + 1, sizeof *rx);
    net->pool_first[NET_POOL_WINDOW] = calloc((size_t)net->n_hosts + 1, sizeof(uint32_t));
    weir_status status = WEIR_OK;
    if (!words.tx || !words.rx || !tx || !rx || !net->pool_first[NET_POOL_WINDOW]) {
        status = weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the windows of %u flows", net->n_tx);
    } else {
        for (uint32_t i = 0; i < plan->n_classes; i++) {
            const uint32_t row = wi_window_words(&plan->classes[i]), flags = plan->classes[i].params.flags;
            words.rx[i] = row + (flags & NET_CLASS_VIDEO ? NET_PLAYER_WORDS : 0u);
            words.tx[i] = NET_TX_ROWS(flags) * row + NET_TX_WORDS(flags) +
                          net_cc_words(plan->classes[i].params.congestion);
        }
        words_of_senders(b, words, tx);
        words_of_receivers(b, words, rx);
        status = lay_out_hosts(b, tx, rx);
        b->head.tx_map = wi_build_array(b, tx, net->n_tx, sizeof *tx, &status);
        b->head.rx_map = wi_build_array(b, rx, net->n_rx, sizeof *rx, &status);
    }
    free(words.tx);
    free(words.rx);
    free(tx);
    free(rx);
    return status;
}
