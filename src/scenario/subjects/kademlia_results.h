/* Writing what a run of Kademlia gave. */
#ifndef WI_SCENARIO_SUBJECTS_KADEMLIA_RESULTS_H
#define WI_SCENARIO_SUBJECTS_KADEMLIA_RESULTS_H

#include <jansson.h>

#include "models/kademlia/stats.h"
#include "output/series.h"

typedef struct wi_kad_results {
    weir_diag *diag;
    const wi_kad *kad;
    const weir_sim *sim;
    const char *folder;                                                /* null: nothing is written */
    int64_t warm[KAD_COUNTERS], last[KAD_COUNTERS], now[KAD_COUNTERS]; /* now: since the end of the warm-up */
    weir_time warm_ps, last_ps;
    wi_series *series;
    wi_series_table *table;
} wi_kad_results;

WEIR_NODISCARD weir_status wi_kad_results_begin(weir_diag *diag, wi_kad_results *r, const wi_sinks *to);
void wi_kad_results_warm(wi_kad_results *r);
WEIR_NODISCARD weir_status wi_kad_results_sample(wi_kad_results *r);
/* The figures since the end of the warm-up, as of now. */
void wi_kad_results_look(wi_kad_results *r);
/* hops.csv, requests.csv, latency.csv, buckets.csv, series.h5. */
WEIR_NODISCARD weir_status wi_kad_results_finish(wi_kad_results *r);
/* The keys of summary.json, after wi_kad_results_finish. */
void wi_kad_results_summarise(const wi_kad_results *r, json_t *summary);
/* The same for people. */
void wi_kad_results_tell(FILE *out, const json_t *summary);

#endif
