/* Writing what a run of Kademlia gave. */
#ifndef WI_SCENARIO_SUBJECTS_KADEMLIA_RESULTS_H
#define WI_SCENARIO_SUBJECTS_KADEMLIA_RESULTS_H

#include "models/kademlia/stats.h"
#include "scenario/subject/subject.h"

typedef struct wi_kad_results {
    const wi_kad *kad;
    struct {
        int64_t warm[KAD_COUNTERS], last[KAD_COUNTERS]; /* at the end of the warm-up; at the last sample */
    } kept;
    int64_t now[KAD_COUNTERS]; /* since the end of the warm-up */
} wi_kad_results;

/* Counters at the end of the warm-up, at a sample, and as of now. */
WEIR_NODISCARD weir_status wi_kad_results_sample(wi_kad_results *r, const wi_subject_run *run,
                                                 wi_moment moment);
/* hops.csv, requests.csv, latency.csv, buckets.csv; figures of summary.json. After WI_AT_NOW. */
WEIR_NODISCARD weir_status wi_kad_results_write(const wi_kad_results *r, const wi_subject_run *run);
void wi_kad_results_summarise(const wi_kad_results *r, const wi_subject_run *run, json_t *into);

extern const wi_result_table wi_kad_series;
extern const wi_result_table *const wi_kad_tables[];

#endif
