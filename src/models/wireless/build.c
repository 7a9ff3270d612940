/* The wireless model's world: where nodes stand, who hears whom how well, how long frames take. */
#include "models/wireless/params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "models/wireless/errors.h"
#include "weir/units.h"

static const double light_m_s = 299792458.0, pi = 3.14159265358979323846;

/* ---- rates: IEEE Std 802.11, OFDM PHY, 20 MHz ---- */

static const wireless_rate rates[] = {
    {.rate_mbps = 6, .bits = 1, .code = WIRELESS_CODE_1_2, .symbol_bits = 24},
    {.rate_mbps = 9, .bits = 1, .code = WIRELESS_CODE_3_4, .symbol_bits = 36},
    {.rate_mbps = 12, .bits = 2, .code = WIRELESS_CODE_1_2, .symbol_bits = 48},
    {.rate_mbps = 18, .bits = 2, .code = WIRELESS_CODE_3_4, .symbol_bits = 72},
    {.rate_mbps = 24, .bits = 4, .code = WIRELESS_CODE_1_2, .symbol_bits = 96},
    {.rate_mbps = 36, .bits = 4, .code = WIRELESS_CODE_3_4, .symbol_bits = 144},
    {.rate_mbps = 48, .bits = 6, .code = WIRELESS_CODE_2_3, .symbol_bits = 192},
    {.rate_mbps = 54, .bits = 6, .code = WIRELESS_CODE_3_4, .symbol_bits = 216},
};

static weir_status find_rate(weir_diag *diag, const char *what, uint32_t mbps, double beta,
                             wireless_rate *out)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].rate_mbps == mbps) {
            *out = rates[i];
            out->beta = beta > 0.0 ? beta : wireless_scale(out->bits);
            return WEIR_OK;
        }
    return weir_fail(diag, WEIR_E_ARG, "wireless: %s rate of %u Mbit/s; want 6, 9, 12, 18, 24, 36, 48 or 54",
                     what, mbps);
}

/* Preamble and SIGNAL take 20 us; 16 service and 6 tail bits go with the frame in symbols of 4 us. */
static weir_time air_time(const wireless_rate *rate, uint32_t bytes)
{
    const uint32_t symbols = (16 + 8 * bytes + 6 + rate->symbol_bits - 1) / rate->symbol_bits;
    return (20 + 4 * (weir_time)symbols) * WEIR_PS_PER_US;
}

static weir_status fill_frames(weir_diag *diag, const wireless_params *p, wireless_world *w)
{
    const uint32_t header_bytes = 28, reply_bytes = 14; /* MAC header and checksum; an ACK */
    WI_RETURN_IF_FAILED(find_rate(diag, "data", p->rate_mbps, p->eesm_beta, &w->data_rate)
                            ?: find_rate(diag, "reply", p->reply_mbps, 0.0, &w->reply_rate));
    for (int f = 0; f < WIRELESS_FRAMES; f++) {
        const uint32_t bytes = f == WIRELESS_DATA ? p->packet_bytes + header_bytes : reply_bytes;
        w->frame_bits[f] = 8 * bytes;
        w->air_ps[f] = air_time(wireless_rate_of(w, (uint32_t)f), bytes);
    }
    return WEIR_OK;
}

/* ---- placement ---- */

/* Nodes from west to east: who hears a node stands within range_m of it in that list, too. */
typedef struct eastward {
    double x;
    uint32_t node, at; /* at: of the node with this index, its place in the list */
} eastward;

/* Where nodes stand, while their links are listed: all [n_nodes]. */
typedef struct site {
    const wireless_params *p;
    double *x, *y; /* m */
    eastward *list;
    uint32_t *near; /* who hears one of them */
} site;

static double distance(const site *s, uint32_t i, uint32_t j)
{
    return sqrt((s->x[i] - s->x[j]) * (s->x[i] - s->x[j]) + (s->y[i] - s->y[j]) * (s->y[i] - s->y[j]));
}

static void place(const site *s)
{
    const wireless_params *p = s->p;
    double *x = s->x, *y = s->y;
    const uint32_t n = p->n_nodes;
    const uint32_t side = (uint32_t)ceil(sqrt((double)n));
    weir_stream stream = weir_stream_make(p->placement_seed, 0, p->placement_run);
    for (uint32_t i = 0; i < n; i++)
        switch (p->placement) {
        case WIRELESS_CIRCLE:
            x[i] = 0.5 * p->size_m * weir_cos(2.0 * pi * i / n);
            y[i] = 0.5 * p->size_m * weir_sin(2.0 * pi * i / n);
            break;
        case WIRELESS_GRID:
            x[i] = p->size_m * (i % side);
            y[i] = p->size_m * (i / side); // NOLINT(bugprone-integer-division): the row
            break;
        case WIRELESS_RANDOM:
            x[i] = p->size_m * weir_draw_unit(&stream);
            y[i] = p->size_m * weir_draw_unit(&stream);
            break;
        default:
            x[i] = p->x_m[i];
            y[i] = p->y_m[i];
        }
}

/* Mean SNR of a subcarrier at a distance: Friis to one metre, then a power of the distance. */
static double snr_at(const wireless_params *p, double distance_m)
{
    const double per_db = 0.230258509299404568402; /* ln(10) / 10 */
    const double d = distance_m > 1.0 ? distance_m : 1.0;
    const double friis = 4.0 * pi * p->carrier_hz / light_m_s;
    const double loss = friis * friis * weir_pow(d, p->path_loss_exponent);
    const double received_mw = weir_exp(p->tx_dbm * per_db) / loss / WIRELESS_SUBCARRIERS;
    const double kt_mw = 1.380649e-23 * 290.0 * 1e3;
    return received_mw / (kt_mw * 312500.0 * weir_exp(p->noise_figure_db * per_db));
}

WI_ORDER_BY(by_x, eastward, WI_ORDER(x->x, y->x) ?: WI_ORDER(x->node, y->node))

static void sort_eastward(const site *s)
{
    for (uint32_t i = 0; i < s->p->n_nodes; i++)
        s->list[i] = (eastward){.x = s->x[i], .node = i};
    qsort(s->list, s->p->n_nodes, sizeof *s->list, by_x);
    for (uint32_t k = 0; k < s->p->n_nodes; k++)
        s->list[s->list[k].node].at = k;
}

/* List who hears node i, by number; returns how many. */
static uint32_t list_near(const site *s, uint32_t i)
{
    const double reach = s->p->range_m > 0.0 ? s->p->range_m : INFINITY, x = s->x[i];
    uint32_t n = 0, from = s->list[i].at;
    while (from > 0 && x - s->list[from - 1].x <= reach)
        from--;
    for (uint32_t k = from; k < s->p->n_nodes && s->list[k].x - x <= reach; k++)
        if (s->list[k].node != i && distance(s, i, s->list[k].node) <= reach)
            s->near[n++] = s->list[k].node;
    qsort(s->near, n, sizeof *s->near, wi_order_u32);
    return n;
}

/* Links of all nodes, by (from, to); where `link` is null they are only counted. */
static uint64_t list_links(const site *s, uint32_t *first, wireless_link *link)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->p->n_nodes; i++) {
        const uint32_t n_near = list_near(s, i);
        for (uint32_t k = 0; link && k < n_near; k++) {
            const double d = distance(s, i, s->near[k]);
            link[n + k] = (wireless_link){.to = s->near[k],
                                          .snr = snr_at(s->p, d),
                                          .delay_ps = 1000 + (weir_time)(d / light_m_s * 1e12)};
        }
        if (link)
            first[i] = (uint32_t)n;
        n += n_near;
    }
    if (link)
        first[s->p->n_nodes] = (uint32_t)n;
    return n;
}

/* Links are symmetrical: with both ends' lists in order, the k-th visit of node j from below is its k-th link. */
static void pair_links(uint32_t n_nodes, const uint32_t *first, wireless_link *link, uint32_t *next)
{
    memcpy(next, first, n_nodes * sizeof *next);
    for (uint32_t i = 0; i < n_nodes; i++)
        for (uint32_t l = first[i]; l < first[i + 1]; l++)
            link[l].back = next[link[l].to]++;
}

static weir_status fill_links(weir_diag *diag, const site *s, wireless_world **out, size_t *bytes)
{
    const wireless_params *p = s->p;
    place(s);
    sort_eastward(s);
    const uint64_t n = list_links(s, NULL, NULL);
    if (n > INT32_MAX)
        return weir_fail_at(diag, WEIR_E_ARG, WEIR_AT(p->place),
                            "wireless: %u nodes with %llu links; want at most %d: make range_m smaller",
                            p->n_nodes, (unsigned long long)n, INT32_MAX);
    const size_t first_at = sizeof(wireless_world), lists = (p->n_nodes + 2u) / 2u * 2u * sizeof(uint32_t);
    const size_t size = first_at + lists + n * sizeof(wireless_link);
    wireless_world *w = calloc(1, size);
    if (!w)
        return weir_fail(diag, WEIR_E_NOMEM, "wireless: no memory for %llu links", (unsigned long long)n);
    w->n_nodes = p->n_nodes;
    w->n_links = (uint32_t)n;
    w->first_at = first_at;
    w->link_at = first_at + lists;
    uint32_t *first = (uint32_t *)(void *)((unsigned char *)w + w->first_at);
    wireless_link *link = (wireless_link *)(void *)((unsigned char *)w + w->link_at);
    list_links(s, first, link);
    pair_links(p->n_nodes, first, link, s->near);
    *out = w;
    *bytes = size;
    return WEIR_OK;
}

static weir_time longest_delay(const wireless_world *w)
{
    weir_time most = 0;
    for (uint32_t l = 0; l < w->n_links; l++)
        if (wireless_links(w)[l].delay_ps > most)
            most = wireless_links(w)[l].delay_ps;
    return most;
}

static void fill_rest(const wireless_params *p, wireless_world *w)
{
    w->n_sinusoids = p->n_sinusoids;
    w->access = p->access;
    w->replies = p->replies;
    w->poisson = p->poisson;
    w->packet_bytes = p->packet_bytes;
    w->period_ps = p->packets_per_s > 0.0 ? (weir_time)(1e12 / p->packets_per_s + 0.5) : 0;
    w->stack_ps = p->stack_ps;
    w->sifs_ps = 16 * WEIR_PS_PER_US;
    w->difs_ps = 34 * WEIR_PS_PER_US;
    w->begin_ps = p->begin_ps;
    w->end_ps = p->end_ps;
    w->window = p->window;
    w->series = p->series;
    w->doppler_hz = p->speed_m_s * p->carrier_hz / light_m_s;
    w->rician_k = p->rician_k;
    w->delay_spread_s = p->delay_spread_s;
    w->shadowing_db = p->shadowing_db;
    w->slot_ps = p->slot_ps;
    if (w->slot_ps == 0)
        w->slot_ps =
            p->access == WIRELESS_CSMA ? 9 * WEIR_PS_PER_US : w->air_ps[WIRELESS_DATA] + longest_delay(w);
}

weir_status wi_wireless_build(weir_diag *diag, const wireless_params *p, wireless_world **out, size_t *bytes)
{
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    const site s = {.p = p,
                    .x = wi_take(&memory, p->n_nodes, sizeof *s.x),
                    .y = wi_take(&memory, p->n_nodes, sizeof *s.y),
                    .list = wi_take(&memory, p->n_nodes, sizeof *s.list),
                    .near = wi_take(&memory, p->n_nodes, sizeof *s.near)};
    weir_status status = WEIR_OK;
    *out = NULL;
    if (memory.failed)
        status = weir_fail(diag, WEIR_E_NOMEM, "wireless: no memory for %u nodes", p->n_nodes);
    status = status ?: fill_links(diag, &s, out, bytes) ?: fill_frames(diag, p, *out);
    if (status == WEIR_OK)
        fill_rest(p, *out);
    char text[2][WEIR_UNITS_TEXT];
    if (status == WEIR_OK && (*out)->access == WIRELESS_SLOTTED &&
        (*out)->slot_ps < (*out)->air_ps[WIRELESS_DATA])
        status = weir_fail_at(diag, WEIR_E_ARG, WEIR_AT(p->place),
                              "wireless: slots of %s; want at least a data frame's %s",
                              weir_format_time((*out)->slot_ps, text[0]),
                              weir_format_time((*out)->air_ps[WIRELESS_DATA], text[1]));
    if (status != WEIR_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}
