/* What a run of the wireless model comes to, at a stop point. */
#pragma once

#include "models/wireless/params.h"

typedef struct wireless_stats {
    uint64_t packets;                  /* made by applications */
    uint64_t sent[WIRELESS_FRAMES];    /* put on the air: data, ACKs, NACKs */
    uint64_t intact, lost;             /* data frames at their receivers, each of several */
    uint64_t answered[2];              /* ACKs and NACKs that receivers gave */
    uint64_t acks, nacks;              /* that came back */
    uint64_t answers_lost;             /* that came back and did not survive */
    uint64_t spoilt;                   /* frames of any kind that another overlapped */
    uint64_t waited;                   /* starts put off, for a slot or for silence */
    uint64_t received;                 /* packets at applications */
    double delivery_ratio;             /* intact of all that arrived; NaN: none has */
    double mean_delay_s, most_delay_s; /* from application to application; NaN: none */
    double throughput_bps;             /* of packets received, over all nodes */
} wireless_stats;

/* Sum over all nodes; `seconds` is the simulated time. WEIR_E_DEVICE where states cannot be brought here. */
WEIR_NODISCARD weir_status wi_wireless_stats(weir_diag *diag, weir_sim *sim, const wi_wireless *made,
                                             wireless_stats *out);

/* The channel alone: complex gain's power of a link's slot at a time, mean over the subcarriers, and the
 * effective SNR for data. For series without traffic, and for tests against theory. */
void wi_wireless_channel(const wi_wireless *made, const weir_sim *sim, uint32_t link, weir_time time_ps,
                         double *mean_snr, double *effective_snr);
