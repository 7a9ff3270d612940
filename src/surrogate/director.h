/*
 * The director: decides at stop points whether a model runs in full detail or round its surrogate.
 *
 * It is given periods, and stays in full detail in those which what was tracked before does not predict:
 *   the latencies of single sources drift: they differ between the halves of the tracked period by more than twice
 *   `tolerance` (of latency and backlog), and by more than between its quarters, as what wanders does and noise does not;
 *   or backlogs grow, and the standard error of their growth, from those of the quarters, makes more than `tolerance` of the
 *   wait and latency that a packet of the period has in the mean;
 *   or traffic begins or ends by plan in the period, or while it is tracked.
 * Or it watches: time is cut into batches, and when for latency, occupancy, packets sent and
 * packets delivered the means of the older and the newer half of the last `batches` differ by at most `tolerance` of
 * their mean, the growth of the backlog by at most `tolerance`, and the latencies of single sources by at most twice
 * that, the network counts as stationary, and the surrogate takes over, with the newer half as its tracked period.
 * It goes back when traffic begins or ends by plan, after `longest`, or when in two batches after each other the packets sent or delivered differ by more
 * than `change` from those tracked, or the growth of the backlog does. A stretch that ends so within the time that
 * was watched for it was a mistake: before the next one twice as much is watched, until one lasts longer. Each decision
 * is logged with its figures.
 *
 * The model is known by what it can do (wi_director_model): mark where tracking begins, go round, come back, and
 * report what it sees. Stop points are simulated times, so all engines decide alike.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/file/archiver.h"
#include "weir/engine.h"

typedef enum wi_surrogate_mode {
    WI_HYBRID_LITE, /* the network runs on and empties */
    WI_HYBRID       /* it is suspended, and comes back as it was, its packets as zombies */
} wi_surrogate_mode;

typedef struct wi_period {
    weir_time from_ps, until_ps;
    weir_time track_ps; /* so long before `from` latencies are noted */
    weir_place place;   /* for messages; may be zero */
} wi_period;

typedef struct wi_director_params {
    wi_surrogate_mode mode;
    const wi_period *periods; /* in order, apart; null: automatic */
    size_t n_periods;
    int always;                     /* switch in all given periods, whatever was tracked */
    weir_time batch_ps, longest_ps; /* automatic */
    uint32_t batches;               /* even, 4 to 64 */
    double tolerance, change;       /* change: automatic */
    weir_place place;               /* for messages; may be zero */
    /* When traffic next begins or ends by plan, after a time; WEIR_TIME_MAX: never. Null: no such thing is known. */
    weir_time (*next_change)(const void *traffic, weir_time after_ps);
    const void *traffic;
} wi_director_params;

/* Totals since the start of the run. */
typedef struct wi_director_view {
    int64_t packets, latency_ps; /* delivered, and the sum of their latencies */
    int64_t sent;                /* packets that left their terminals, by the network or round it */
    int64_t occupancy;           /* chunks in the network now */
    double backlog_s;            /* how far terminals are behind now: the mean age of their oldest messages */
} wi_director_view;

/* Differences of the latencies of single sources within a tracked period, over the mean of latency and backlog. */
typedef struct wi_drift {
    double halves;   /* between its halves */
    double quarters; /* between neighbouring quarters */
} wi_drift;

typedef struct wi_director_model {
    void *user;
    weir_status (*look)(weir_diag *diag, void *user, wi_director_view *out);
    weir_status (*track)(weir_diag *diag, void *user); /* what comes counts for the predictor from now on */
    /* How much the latencies of single sources since `track` differ from those between the call before and that one: the
     * mean of the differences over the mean latency. */
    double (*shift)(void *user);
    /* Of given periods: a quarter of the tracked period is over; after three of them `drift`, at its end. */
    weir_status (*mark)(weir_diag *diag, void *user);
    weir_status (*drift)(weir_diag *diag, void *user, wi_drift *out);
    /* No packet goes ahead of `next_ps`, when the director is called again. */
    weir_status (*go_round)(weir_diag *diag, void *user, wi_surrogate_mode mode, weir_time next_ps);
    weir_status (*plan)(weir_diag *diag, void *user, weir_time next_ps); /* the same, while going round */
    weir_status (*come_back)(weir_diag *diag, void *user, wi_surrogate_mode mode);
} wi_director_model;

/* A decision, with what it rests on. */
typedef struct wi_decision {
    weir_time at_ps;
    bool round; /* to the surrogate, or back; or stay, because "not settled" */
    const char *reason;
    double latency_old_s, latency_new_s, occupancy_old,
        occupancy_new; /* means of the halves; NaN: not asked */
    double packets_per_s;
    double delivered_per_s; /* packets */
    double backlog_growth;  /* seconds a second: 0, terminals send what is asked for; 1, nothing */
    double shift;           /* of single sources' latencies; see wi_director_model */
} wi_decision;

typedef struct wi_director wi_director;

/* WEIR_E_ARG for periods that are empty, overlap or begin before their tracking can, and for figures out of range. */
WEIR_NODISCARD weir_status wi_director_new(weir_diag *diag, const wi_director_params *params,
                                           const wi_director_model *model, wi_director **out);
void wi_director_free(wi_director *director); /* accepts null */
/* When it wants to be called first: stop points, each greater than the last. */
weir_time wi_director_first(const wi_director *director);
/* At that time: decide. *next_ps is the next; WEIR_TIME_MAX: never again. */
WEIR_NODISCARD weir_status wi_director_call(weir_diag *diag, wi_director *director, weir_time now_ps,
                                            weir_time *next_ps);
/* The run is over: what a period that lasts to its end delivered is held against what was tracked, as at the end of others. */
WEIR_NODISCARD weir_status wi_director_end(weir_diag *diag, wi_director *director, weir_time now_ps);
/* What was decided so far. */
const wi_decision *wi_director_log(const wi_director *director, size_t *n);
/* Time spent round the network until now. */
weir_time wi_director_round_ps(const wi_director *director, weir_time now_ps);
/* A digest of its state, for the run's. */
uint64_t wi_director_digest(const wi_director *director);
/* Save what it has watched and decided, or read it back into one of the same parameters. */
void wi_director_archive(wi_director *director, wi_archiver *archiver);
