/* Kademlia's table and set-up; the model itself is in kademlia.h and the headers that it includes. */
#include "models/kademlia/kademlia.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/order.h"

struct wi_kad {
    kad_world *world;
    uint64_t world_bytes;
    weir_kind kind;
    weir_event_type types[KAD_EVENT_TYPES]; /* payloads and numbers of events depend on the parameters */
    weir_model model;
    weir_time *lookahead_ps;
    uint64_t seed;
    uint32_t run;
};

#define EVENT(TYPE, name_, handler, bytes, events) \
    [KAD_##TYPE] = {.name = name_, .handle = handler, .payload_bytes = bytes, .max_events = events},
static const weir_event_type types[KAD_EVENT_TYPES] = {KAD_EVENTS(EVENT)};
#undef EVENT

/*
 * The gamma function for x >= 1: Stirling's series at x + 8 (Abramowitz and Stegun 6.1.41), brought down by
 * the recurrence. With weir's own functions, so that every machine has the same bits; good to about 1e-12.
 */
static double gamma_of(double x)
{
    const double y = x + 8.0, z = 1.0 / (y * y);
    double product = 1.0;
    for (int i = 0; i < 8; i++)
        product *= x + i;
    const double series = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z / 1680.0))) / y;
    const double log_gamma = (y - 0.5) * weir_log(y) - y + 0.91893853320467274178 + series;
    return weir_exp(log_gamma) / product;
}

static uint32_t log2_floor(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

static void set_parameters(kad_world *w, const kad_params *p)
{
    w->salt = kad_salt(p->seed, p->run);
    w->n_peers = p->n_peers;
    w->k = p->k;
    w->alpha = p->alpha;
    w->lookups = p->lookups;
    w->retries = p->retries;
    w->churn = p->online_ps > 0;
    w->list_size = w->churn ? 2 * p->k : p->k;
    w->think_ps = p->think_ps;
    w->timeout_ps = p->timeout_ps;
    w->bootstrap_ps = p->bootstrap_ps;
    w->latency_min_ps = p->latency_min_ps;
    w->latency_extra_ps = (double)(p->latency_mean_ps - p->latency_min_ps);
    w->latency_shape = p->latency_shape;
    w->latency_per_pair = p->latency_per_pair;
    w->fresh = p->fresh;
    w->inverse_shape = 1.0 / p->session_shape;
    /* The mean of a Weibull variable is scale * Gamma(1 + 1/shape). */
    const double mean = p->session_shape == 1.0 ? 1.0 : gamma_of(1.0 + w->inverse_shape);
    w->on_scale_ps = (double)p->online_ps / mean;
    w->off_scale_ps = (double)p->offline_ps / mean;
    w->online_share = w->churn ? (double)p->online_ps / ((double)p->online_ps + (double)p->offline_ps) : 1.0;
    w->n_values = p->n_values;
    w->value_slots = p->n_values ? p->value_slots : 0;
    w->store_below = (uint64_t)(p->store_share * 0x1p32);
    w->find_below = (uint64_t)(p->find_share * 0x1p32);
}

static uint32_t round_up(uint32_t bytes, uint32_t to)
{
    return (bytes + to - 1) / to * to;
}

/* The layout of a peer's state. Buckets of eight contacts fill a sector of memory each. */
static void lay_out(kad_world *w)
{
    enum { SECTOR = 32 };
    const uint32_t rounded = w->n_peers - 1;
    w->n_buckets = rounded ? log2_floor(rounded) + 1 : 1; /* ceil(log2 N) */
    w->lookup_bytes =
        (uint32_t)(sizeof(kad_lookup) + w->alpha * sizeof(kad_flight) + w->list_size * sizeof(kad_candidate));
    w->head_bytes = (uint32_t)sizeof(kad_peer) + w->lookups * w->lookup_bytes;
    w->buckets_at = round_up(w->head_bytes, SECTOR);
    w->cache_at = w->buckets_at + w->n_buckets * w->k * (uint32_t)sizeof(uint32_t);
    w->values_at = w->cache_at + (w->churn ? w->n_buckets * (uint32_t)sizeof(uint32_t) : 0);
    w->state_bytes = round_up(w->values_at + w->value_slots * (uint32_t)sizeof(uint32_t), SECTOR);
}

static uint64_t cell_of(const kad_world *w, uint32_t peer)
{
    return kad_id(w->salt, peer) >> (64 - w->index_bits);
}

/* Steps between two looks at the word that stops. */
enum { BETWEEN_LOOKS = 1 << 16 };

static bool stopped(const weir_diag *diag, uint64_t step)
{
    return step % BETWEEN_LOOKS == 0 && weir_diag_stopped(diag);
}

/* Sort all peers by identifier: counted into cells, then by insertion, since a cell holds a few. False when
 * stopped. */
static bool make_index(const weir_diag *diag, kad_world *w)
{
    uint32_t *start = (uint32_t *)(void *)((unsigned char *)w + w->start_at);
    uint32_t *order = (uint32_t *)(void *)((unsigned char *)w + w->order_at);
    const uint64_t cells = (uint64_t)1 << w->index_bits;
    for (uint32_t i = 0; i < w->n_peers && !stopped(diag, i); i++)
        start[cell_of(w, i) + 1]++;
    if (weir_diag_stopped(diag)) /* the counts may not be whole */
        return false;
    for (uint64_t c = 0; c < cells; c++)
        start[c + 1] += start[c];
    for (uint32_t i = w->n_peers;
         i-- > 0;) { /* fill each cell from its end: start[c + 1] sinks to its beginning */
        order[--start[cell_of(w, i) + 1]] = i;
        if (stopped(diag, i))
            return false;
    }
    for (uint64_t c = 0; c < cells; c++)
        start[c] = start[c + 1];
    start[cells] = w->n_peers;
    for (uint64_t c = 0; c < cells; c++) {
        if (stopped(diag, c))
            return false;
        for (uint32_t i = start[c] + 1; i < start[c + 1]; i++) {
            const uint32_t peer = order[i];
            const uint64_t id = kad_id(w->salt, peer);
            uint32_t at = i;
            for (; at > start[c] && kad_id(w->salt, order[at - 1]) > id; at--)
                order[at] = order[at - 1];
            order[at] = peer;
        }
    }
    return true;
}

WI_ORDER_BY(by_peer, kad_preload, WI_ORDER(x->peer, y->peer) ?: WI_ORDER(x->value, y->value))

/* Where values lie at the start: at the k peers closest to their keys. */
static void preload(const weir_diag *diag, kad_world *w)
{
    kad_preload *list = (kad_preload *)(void *)((unsigned char *)w + w->preload_at);
    const uint32_t *order = kad_order(w);
    uint32_t n = 0;
    for (uint32_t v = 0; v < w->n_values && !stopped(diag, v); v++) {
        const uint64_t key = kad_value_key(w->salt, v);
        uint32_t bits = kad_prefix_in_use(w, key);
        kad_range r = kad_prefix_range(w, key, bits);
        while (bits > 0 && r.high - r.low < w->k)
            r = kad_prefix_range(w, key, --bits);
        uint64_t distance[KAD_K_MAX];
        uint32_t peer[KAD_K_MAX], found = 0;
        for (uint32_t i = r.low; i < r.high; i++)
            found = kad_keep_close(peer, distance, found, w->k, order[i], kad_id(w->salt, order[i]) ^ key);
        for (uint32_t i = 0; i < found; i++)
            list[n++] = (kad_preload){.peer = peer[i], .value = v};
    }
    w->n_preloaded = n;
    qsort(list, n, sizeof *list, by_peer);
}

/* The world without its tables, and how long these are: cells of four to eight peers, and preloaded values. */
static kad_world make_head(const kad_params *p, uint64_t *cells, uint64_t *values)
{
    kad_world head = {0};
    set_parameters(&head, p);
    lay_out(&head);
    head.index_bits = log2_floor(p->n_peers) > 3 ? log2_floor(p->n_peers) - 2 : 1;
    *cells = (uint64_t)1 << head.index_bits;
    *values = p->preload ? (uint64_t)p->n_values * (p->k < p->n_peers ? p->k : p->n_peers) : 0;
    return head;
}

/* World, index and preloaded values in one block. */
static weir_status make_world(weir_diag *diag, wi_kad *made, const kad_params *p)
{
    uint64_t cells, values, at;
    kad_world head = make_head(p, &cells, &values);
    wi_image image = {0};
    bool whole = wi_image_reserve(&image, sizeof head, WI_IMAGE_ALIGN, &at);
    whole = whole && wi_image_reserve(&image, (cells + 1) * sizeof(uint32_t), WI_IMAGE_ALIGN, &head.start_at);
    whole = whole && wi_image_reserve(&image, p->n_peers * sizeof(uint32_t), WI_IMAGE_ALIGN, &head.order_at);
    if (whole && values)
        whole = wi_image_reserve(&image, values * sizeof(kad_preload), WI_IMAGE_ALIGN, &head.preload_at);
    if (!whole) {
        wi_image_free(&image);
        return weir_fail(diag, WEIR_E_NOMEM, "kademlia: no memory for the index of %u peers", p->n_peers);
    }
    made->world = (kad_world *)(void *)wi_image_finish(&image, &made->world_bytes);
    *made->world = head;
    const bool indexed = make_index(diag, made->world);
    if (indexed && head.preload_at)
        preload(diag, made->world);
    return weir_diag_stopped(diag)
               ? weir_fail(diag, WEIR_E_INTERRUPTED, "kademlia: stopped while sorting %u peers", p->n_peers)
               : WEIR_OK;
}

void wi_kad_sizes(const kad_params *p, uint64_t *world_bytes, uint32_t *state_bytes)
{
    uint64_t cells, values;
    const kad_world head = make_head(p, &cells, &values);
    *state_bytes = head.state_bytes;
    *world_bytes = sizeof head + (cells + 1 + p->n_peers) * sizeof(uint32_t) + values * sizeof(kad_preload);
}

static void make_model(wi_kad *made)
{
    const kad_world *w = made->world;
    const uint16_t most = (uint16_t)(w->alpha + w->k + 2); /* requests, STOREs, a timer and the next start */
    memcpy(made->types, types, sizeof types);
    made->types[KAD_START].max_events = most;
    made->types[KAD_RESPONSE].max_events = most;
    made->types[KAD_RESPONSE].payload_bytes = (uint16_t)kad_response_bytes(w->k);
    made->types[KAD_TIMEOUT].max_events = most;
    made->types[KAD_CHURN].max_events = (uint16_t)(w->lookups + 1);
    made->kind = (weir_kind){.name = "peer",
                             .state_bytes = w->state_bytes,
                             .init = kad_init,
                             .max_events = (uint16_t)(w->lookups + 1)};
    made->model = (weir_model){.name = "kademlia",
                               .kinds = &made->kind,
                               .types = made->types,
                               .n_kinds = 1,
                               .n_types = KAD_EVENT_TYPES};
}

weir_status wi_kad_new(weir_diag *diag, const kad_params *params, wi_kad **out)
{
    *out = NULL;
    weir_status status = WEIR_OK;
    wi_kad *made = calloc(1, sizeof *made);
    weir_time *lookahead_ps = malloc(params->n_peers * sizeof *lookahead_ps);
    if (made)
        made->lookahead_ps = lookahead_ps;
    else
        free(lookahead_ps);
    if (!made || !lookahead_ps)
        status = weir_fail(diag, WEIR_E_NOMEM, "kademlia: no memory for %u peers", params->n_peers);
    else
        status = make_world(diag, made, params);
    if (status != WEIR_OK) {
        wi_kad_free(made);
        return status;
    }
    for (uint32_t i = 0; i < params->n_peers; i++)
        lookahead_ps[i] = params->latency_min_ps;
    made->seed = params->seed;
    made->run = params->run;
    make_model(made);
    *out = made;
    return WEIR_OK;
}

void wi_kad_free(wi_kad *made)
{
    if (!made)
        return;
    free(made->world);
    free(made->lookahead_ps);
    free(made);
}

const kad_world *wi_kad_world(const wi_kad *made)
{
    return made->world;
}

uint64_t wi_kad_world_bytes(const wi_kad *made)
{
    return made->world_bytes;
}

void wi_kad_setup(const wi_kad *made, weir_setup *setup)
{
    memset(setup, 0, sizeof *setup);
    setup->model = &made->model;
    setup->world = made->world;
    setup->world_bytes = made->world_bytes;
    setup->kind_count[0] = made->world->n_peers;
    setup->n_counters = KAD_COUNTERS;
    setup->lookahead_ps = made->lookahead_ps;
    setup->seed = made->seed;
    setup->run = made->run;
#ifdef WEIR_HAVE_CUDA
    const bool usual = made->world->k <= KAD_GPU_K_USUAL && made->world->alpha <= KAD_GPU_ALPHA_USUAL;
    setup->gpu = usual ? wi_kad_gpu() : wi_kad_wide_gpu();
#endif
}
