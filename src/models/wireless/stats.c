/* Sums over the nodes of the wireless model. */
#include "models/wireless/stats.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "models/wireless/wireless.h"

static void add_node(const weir_sim *sim, uint32_t n, uint32_t node, wireless_stats *s, uint64_t *delay_ps,
                     uint64_t *most_ps)
{
    const wireless_app *app = weir_sim_state(sim, node);
    const wireless_mac *mac = weir_sim_state(sim, n + node);
    const wireless_phy *phy = weir_sim_state(sim, 2 * n + node);
    s->packets += app->made;
    s->received += app->received;
    *delay_ps += app->delay_sum_ps;
    *most_ps = app->delay_most_ps > *most_ps ? app->delay_most_ps : *most_ps;
    s->intact += mac->intact;
    s->lost += mac->lost;
    s->acks += mac->acks;
    s->nacks += mac->nacks;
    s->answers_lost += mac->answers_lost;
    s->answered[0] += mac->answers[0];
    s->answered[1] += mac->answers[1];
    for (int f = 0; f < WIRELESS_FRAMES; f++)
        s->sent[f] += phy->sent[f];
    s->spoilt += phy->spoilt;
    s->waited += phy->waited;
}

weir_status wi_wireless_stats(weir_diag *diag, weir_sim *sim, const wi_wireless *made, wireless_stats *out)
{
    const wireless_world *w = wi_wireless_world(made);
    uint64_t delay_ps = 0, most_ps = 0;
    memset(out, 0, sizeof *out);
    WI_RETURN_IF_FAILED(weir_sim_fetch(diag, sim));
    for (uint32_t i = 0; i < w->n_nodes; i++)
        add_node(sim, w->n_nodes, i, out, &delay_ps, &most_ps);
    const double seconds = (double)weir_sim_now(sim) * 1e-12;
    const uint64_t arrived = out->intact + out->lost;
    out->delivery_ratio = arrived ? (double)out->intact / (double)arrived : NAN;
    out->mean_delay_s = out->received ? (double)delay_ps / (double)out->received * 1e-12 : NAN;
    out->most_delay_s = out->received ? (double)most_ps * 1e-12 : NAN;
    out->throughput_bps = seconds > 0.0 ? 8.0 * w->packet_bytes * (double)out->received / seconds : 0.0;
    return WEIR_OK;
}

void wi_wireless_channel(const wi_wireless *made, const weir_sim *sim, uint32_t link, weir_time time_ps,
                         double *mean_snr, double *effective_snr)
{
    const wireless_world *w = wi_wireless_world(made);
    struct {
        weir_event event;
        wireless_frame frame;
    } e;
    weir_ctx ctx;
    double sum[2];
    memset(&e, 0, sizeof e);
    memset(&ctx, 0, sizeof ctx);
    e.event.time_ps = time_ps;
    e.frame.kind = WIRELESS_DATA;
    ctx.world = (const unsigned char *)w;
    wireless_subcarriers(&ctx, weir_sim_slot(sim, WIRELESS_POOL_FADING, link), &e.event, WIRELESS_SUBCARRIERS,
                         sum);
    *mean_snr = sum[0] / WIRELESS_SUBCARRIERS;
    *effective_snr = wireless_effective_snr(sum[1] / WIRELESS_SUBCARRIERS, w->data_rate.beta);
}
