/* Channels as a time series; see channels.h. */
#include "scenario/subjects/wireless/channels.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/wireless/errors.h"
#include "models/wireless/stats.h"

enum { MEAN, EFFECTIVE, ERRORS, COLUMNS, NAME = 24 };

static const wi_series_column columns[COLUMNS] = {
    {"snr_mean_db", "dB"}, {"snr_effective_db", "dB"}, {"packet_error_rate", "1"}};

static double decibels(double ratio)
{
    return weir_log(ratio) * (10.0 / 2.302585092994045684); /* the same bits on every machine */
}

/* "FROM->TO" of each link, in one piece of memory behind the pointers. */
static const char **names_of(const wireless_world *w)
{
    const char **names = malloc((w->n_links + 1) * (sizeof *names + NAME));
    if (!names)
        return NULL;
    char *text = (char *)(names + w->n_links + 1);
    for (uint32_t from = 0; from < w->n_nodes; from++)
        for (uint32_t l = wireless_first(w)[from]; l < wireless_first(w)[from + 1]; l++, text += NAME) {
            snprintf(text, NAME, "%u->%u", from, wireless_links(w)[l].to);
            names[l] = text;
        }
    return names;
}

weir_status wi_wireless_channels_begin(weir_diag *diag, const wi_wireless *made, wi_series *series,
                                       weir_place place, wi_wireless_channels *out)
{
    const wireless_world *w = wi_wireless_world(made);
    *out = (wi_wireless_channels){0};
    if (w->n_links > WI_WIRELESS_CHANNELS_MOST)
        return weir_fail_at(diag, WEIR_E_ARG, place.file, place.line, place.column,
                            "wireless: channels: all of %u links; the most are %d: want fewer nodes, or a "
                            "shorter range_m",
                            w->n_links, (int)WI_WIRELESS_CHANNELS_MOST);
    const char **names = names_of(w);
    out->row = malloc(((size_t)w->n_links + 1) * COLUMNS * sizeof *out->row);
    weir_status status =
        names && out->row
            ? wi_series_table_add(diag, series, "channels", columns, COLUMNS, names, w->n_links, &out->table)
            : weir_fail(diag, WEIR_E_NOMEM, "no memory for %u channels", w->n_links);
    free(names);
    return status;
}

weir_status wi_wireless_channels_sample(weir_diag *diag, const wi_wireless *made, const weir_sim *sim,
                                        wi_wireless_channels *c)
{
    const wireless_world *w = wi_wireless_world(made);
    const weir_time now_ps = weir_sim_now(sim);
    if (!c->table)
        return WEIR_OK;
    for (uint32_t l = 0; l < w->n_links; l++) {
        double mean, effective, *to = c->row + (size_t)l * COLUMNS;
        wi_wireless_channel(made, sim, l, now_ps, &mean, &effective);
        to[MEAN] = decibels(mean);
        to[EFFECTIVE] = decibels(effective);
        to[ERRORS] = wireless_packet_errors(&w->data_rate, effective, w->frame_bits[WIRELESS_DATA]);
    }
    return wi_series_append(diag, c->table, now_ps, c->row);
}

void wi_wireless_channels_end(wi_wireless_channels *c)
{
    free(c->row);
    *c = (wi_wireless_channels){0};
}
