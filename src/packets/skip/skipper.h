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

struct wi_skipper {
    const wi_net *net;
    weir_sim *sim;
    wi_skip_params params;
    /* the span */
    wi_skip_flow *flows; /* [n_flows], in order of tx */
    size_t n_flows, room;
    weir_time at_ps[WI_SKIP_LOOKS];
    uint32_t n_looks, step; /* step: changes of links and routes so far, when it began */
    net_port *ports;   /* [hosts and ports] at its start; once it is repeated, by how much each count grew */
    int64_t *counters; /* likewise */
    double *load_ps;   /* [hosts and ports] how long lines send what flows are said to */
    weir_time half_ps; /* how long its halves are */
    weir_time wait_ps; /* before the next one is looked for, where none could begin */
    weir_time drifting_ps; /* skipped while windows moved, since these flows are all that are under way */
    bool still;            /* they do not: all of the span's are what they were */
    uint64_t spent;        /* what looks have cost, in events */
    /* the skip under way */
    weir_time since_ps, done_ps, until_ps; /* what is before done_ps has been counted; until_ps 0: none is */
    wi_skipped total;
};

/* watch.c: the flows that are under way, as they are now, into look number `i` of the span. False where one is in a state that does not
 * last, or it is the second look or the third, and they are not those of the first. *failed: memory is short. */
bool wi_skip_see(wi_skipper *s, uint32_t i, bool *failed);
/* The longest round trip of a flow, as senders know it. */
weir_time wi_skip_longest_rtt(const wi_skipper *s);
/* Whether nothing was lost, and nothing has changed but counts, since the span began. */
bool wi_skip_counts_stand(const wi_skipper *s);
/* How often the span may be repeated for what its flows do: 0 where they do not stand still. *failed: memory is short. */
double wi_skip_most_times(wi_skipper *s, bool *failed);

/* apply.c: before the span is repeated: by how much counts have grown. Then all states and counts, from done_ps on, as of at_ps; events
 * are not touched. */
void wi_skip_take_growth(wi_skipper *s);
void wi_skip_apply(wi_skipper *s, weir_time at_ps);
