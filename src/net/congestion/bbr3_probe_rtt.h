/* BBR, version 3: "ProbeRTT" of the draft, and the window that it comes back to: see bbr3.h. */
#ifndef WI_NET_CONGESTION_BBR3_PROBE_RTT_H
#define WI_NET_CONGESTION_BBR3_PROBE_RTT_H

#include "net/congestion/bbr3_probe_bw.h"

WEIR_FN void net_bbr3_save(net_bbr3 *s, const net_tx *tx)
{
    s->prior_cwnd = net_bbr_saved_cwnd(tx, s->prior_cwnd, s->state == NET_BBR3_PROBE_RTT);
}

WEIR_FN void net_bbr3_probe_rtt(net_bbr3 *s, net_tx *tx, const net_class *c, weir_time now_ps, uint32_t pipe,
                                int due)
{
    if (s->state != NET_BBR3_PROBE_RTT) {
        if (!due)
            return;
        net_bbr3_save(s, tx);
        s->state = NET_BBR3_PROBE_RTT;
        s->probe_done_ps = 0;
        s->ack_phase = NET_BBR3_STOPPING;
        net_bbr3_start_round(s);
    }
    net_rate_limit(&s->rate, pipe);
    const int is_down = (double)pipe <= net_bbr3_inflight(s, c, s->bw, 0.5, 0.0);
    if (!net_bbr_probe_rtt_over(&s->rate, now_ps, is_down, s->round_start, &s->probe_done_ps,
                                &s->probe_round_done, &s->next_round))
        return;
    s->probe_at_ps = now_ps;
    net_bbr_restore_cwnd(tx, s->prior_cwnd);
    net_bbr3_reset_short(s);
    if (s->full) {
        net_bbr3_down(s, tx, now_ps);
        s->state = NET_BBR3_CRUISE;
    } else {
        s->state = NET_BBR3_STARTUP;
    }
}

#endif
