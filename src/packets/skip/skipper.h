/* A skipper's own state, shared by the files that look, judge and skip. */
#pragma once

#include "net/host/host.h"
#include "packets/skip/skip.h"
#include "packets/skip/times.h"
#include "packets/stats/stats.h"

enum { WI_SKIP_LOOKS = 3 }; /* at the span's start, middle and end */

/* A flow that is under way, and its ends as they were at the looks of a span. */
typedef struct wi_skip_flow {
    uint32_t tx, rx; /* slots */
    double packets;  /* in the span, as it was judged: those that count cannot tell apart have the same */
    double acks;     /* likewise */
    double law[WI_SKIP_LOOKS]; /* what a control with a window or a rate of its own goes by */
    net_tx sent[WI_SKIP_LOOKS];
    net_rx received[WI_SKIP_LOOKS];
} wi_skip_flow;

/* An iteration of a job: how long it took, by how much its operations ended unlike those of the one before, and how far apart the ranks
 * began the next. */
typedef struct wi_skip_period {
    weir_time took_ps, off_ps, skew_ps;
} wi_skip_period;
enum { WI_SKIP_PERIODS = 16 };

/* Iterations of a part's job, from one quiet instant to the next (iterations.h). */
typedef struct wi_skip_again {
    weir_time next_ps;                      /* of the next look; WEIR_TIME_MAX: none */
    weir_time quiet_ps;                     /* the last quiet instant; 0: none */
    wi_skip_period period[WI_SKIP_PERIODS]; /* the last n, one after the other and alike */
    uint64_t others;                        /* a digest of other classes' slots, there */
    uint64_t spent;                         /* what looks have cost, in events */
    int64_t flows;                          /* messages between it and the instant before */
    uint32_t n, job, iteration;             /* the job's iteration, there */
    uint32_t step;                          /* changes of links and routes so far, there */
    uint32_t times,
        done; /* iterations of the skip under way, and how many of them have been counted; times 0: none is */
    uint16_t cls; /* the job's */
    bool failed;  /* memory was short */
    bool rests;   /* too much has been spent */
    size_t n_bytes;
    char *records; /* [n_bytes] of flows that ended since, a head and a body each */
    size_t room;
} wi_skip_again;

typedef struct wi_skip_range {
    uint64_t first, end;
} wi_skip_range;

/*
 * Hosts and ports, the flows between these hosts, and what is watched of them. No flow of one part, of any time, comes to a host or a
 * port of another, so each is moved in time by itself: what may touch it are its own pending events alone.
 */
typedef struct wi_skip_part {
    uint32_t number, n_entities, n_hosts;
    const uint32_t *entities; /* in order: hosts, then ports */
    wi_skip_range *counters;  /* [n_counters] that count nothing but what is its own */
    uint32_t n_counters;
    weir_time next_ps; /* of its next look */
    /* the span */
    wi_skip_flow *flows; /* [n_flows], in order of tx */
    size_t n_flows, room;
    weir_time at_ps[WI_SKIP_LOOKS];
    uint64_t
        others[WI_SKIP_LOOKS]; /* a digest of the slots that are not under way: which flows these had last */
    uint32_t n_looks, step;    /* step: changes of links and routes so far, when it began */
    weir_time half_ps;         /* how long its halves are */
    weir_time wait_ps;         /* before the next one is looked for, where none could begin */
    weir_time drifting_ps;     /* skipped while windows moved, since these flows are all that are under way */
    bool still;                /* they do not: all of the span's are what they were */
    uint64_t spent;            /* what looks have cost, in events */
    uint64_t packets;          /* that were skipped */
    wi_skip_again again;
    /* the skip under way */
    weir_time since_ps, done_ps, until_ps; /* what is before done_ps has been counted; until_ps 0: none is */
} wi_skip_part;

struct wi_skipper {
    const wi_net *net;
    weir_sim *sim;
    wi_skip_params params;
    wi_skip_part *parts; /* [n_parts] */
    uint32_t n_parts;
    uint32_t *part_of;     /* [hosts and ports] NET_NONE: no flow comes there */
    uint32_t *entities;    /* part by part */
    wi_skip_range *ranges; /* likewise */
    net_port *
        ports; /* [hosts and ports] at its part's span's start; once that is repeated, by how much each count grew */
    int64_t *counters;     /* likewise */
    net_port *quiet_ports; /* [hosts and ports] of an iteration that may be repeated, as `ports` */
    int64_t *quiet_counters;
    size_t n_quiet_ports, n_quiet_counters; /* none without jobs */
    double *load_ps;                        /* [hosts and ports] how long lines send what flows are said to */
    uint32_t n_skipping;                    /* parts */
    weir_time total_until_ps;               /* while there are some: until when total.time_ps is counted */
    wi_skipped total;
    weir_status (*take)(
        void *user,
        const weir_record_head *record); /* what iterations that are skipped record; null: nobody */
    void *user;
};

/* parts.c: makes the parts of its network, whose routes it goes through as they change. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_skip_make_parts(weir_diag *diag, wi_skipper *s, wi_net *net);

/* watch.c: a part's flows that are under way, as they are now, into look number `i` of the span. False where one is in a state that does not
 * last, or it is the second look or the third, and they are not those of the first. *failed: memory is short. */
bool wi_skip_see(const wi_skipper *s, wi_skip_part *p, uint32_t i, bool *failed);
/* The longest round trip of a flow, as senders know it. */
weir_time wi_skip_longest_rtt(const wi_skip_part *p);
/* How long half a span is at least for the flows of constant rates. */
weir_time wi_skip_least_half(const wi_skipper *s, const wi_skip_part *p);
/* Whether nothing was lost, and nothing has changed but counts, since the span began. */
bool wi_skip_counts_stand(const wi_skipper *s, const wi_skip_part *p);
/* How often the span may be repeated for what its flows do: 0 where they do not stand still. *failed: memory is short. */
double wi_skip_most_times(const wi_skipper *s, wi_skip_part *p, bool *failed);

/* apply.c: before the span is repeated: by how much counts have grown. Then all states and counts, from done_ps on, as of at_ps; events
 * are not touched. */
void wi_skip_take_growth(wi_skipper *s, wi_skip_part *p);
void wi_skip_apply(wi_skipper *s, wi_skip_part *p, weir_time at_ps);

/* iterations.c: a look for a quiet instant of a part's job, now. *until_ps: iterations are to be skipped until then; 0: none is. Sets when to
 * look again. False: it failed, and has left a message. */
bool wi_skip_again_look(weir_diag *diag, wi_skipper *s, wi_skip_part *p, weir_time now_ps, weir_time fixed_ps,
                        weir_time *until_ps);
/* Whether an event is suspended while iterations of the part's job are skipped, and what changes in it. */
bool wi_skip_again_is_own(const wi_skipper *s, const wi_skip_part *p, const weir_event *event);
void wi_skip_again_move(const wi_skipper *s, const wi_skip_part *p, weir_event *event);
/* All states, counts and records, from done_ps on, as of at_ps; events are not touched. The taker's errors. */
WEIR_NODISCARD weir_status wi_skip_again_apply(wi_skipper *s, wi_skip_part *p, weir_time at_ps);
/* The skip is over. */
void wi_skip_again_wake(wi_skipper *s, wi_skip_part *p, weir_time now_ps);
void wi_skip_again_archive(wi_skip_part *p, wi_archiver *k);
