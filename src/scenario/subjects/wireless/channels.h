/* The channels of a wireless mesh as a time series: what each link's fading makes of its SNR, whether or not a frame
 * is on its way. */
#ifndef WI_SCENARIO_SUBJECTS_WIRELESS_CHANNELS_H
#define WI_SCENARIO_SUBJECTS_WIRELESS_CHANNELS_H

#include "models/wireless/params.h"
#include "output/series.h"
#include "weir/engine.h"

enum { WI_WIRELESS_CHANNELS_MOST = 100000 /* links: some ten numbers each and sample */ };

typedef struct wi_wireless_channels {
    wi_series_table *table; /* null: none are wanted */
    double *row;            /* [links][columns] */
} wi_wireless_channels;

/* Table "channels", a row a link, "0->1". WEIR_E_ARG at `place` where there are too many. */
WEIR_NODISCARD weir_status wi_wireless_channels_begin(weir_diag *diag, const wi_wireless *made,
                                                      wi_series *series, weir_place place,
                                                      wi_wireless_channels *out);
/* At a time when the states of `sim` are here. */
WEIR_NODISCARD weir_status wi_wireless_channels_sample(weir_diag *diag, const wi_wireless *made,
                                                       const weir_sim *sim, wi_wireless_channels *c);
void wi_wireless_channels_end(wi_wireless_channels *c);

#endif
