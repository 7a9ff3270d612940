/*
 * Steady states skipped: a network in which nothing changes but counts is moved on in time, and what it would have sent is counted. Parts
 * of a network that no flow of any time connects (skipper.h) are each such a network, and so is one that is all of a piece.
 *
 * At instants some round trips apart a skipper looks at every flow that is under way. Over a span, two halves as long as each other, a
 * network stands still when no flow begins, ends or loses anything and each half has the rate and the round trip of the other. Its pending
 * events are then suspended and come back later by the time that is skipped, all times in its state are moved on by as much (times.h),
 * and every count grows as it did in the span. Sequence numbers, windows, queues and packets on their way stay as they are: flows of a
 * size are shorter by what was skipped, at both ends.
 *
 * How far: to what comes from outside next (a start, an arrival, a request, computing that ends, a failure, the end), to a few
 * windows before the first flow ends, and as far as the two halves agree. Where all windows stand still to the byte, rates cannot
 * drift, and the span only has to be long enough to measure them. Where they move, as those of AIMD do, a flow's rate may go on as it went
 * from one half to the other. All that is skipped so, until another flow begins or ends, is off by that drift at most, which is kept
 * below half of `error`. Samples between see what has been counted by their time.
 *
 * What is decided follows from states and counts at given times, so that every engine decides the same.
 */
#pragma once

#include "base/file/archiver.h"
#include "packets/build/build.h"
#include "weir/engine.h"

typedef struct wi_skip_params {
    double error;              /* of a flow's rate that a skip may be off by */
    weir_time interval_ps;     /* samples are taken at its multiples; 0: none are */
    weir_time warm_ps, end_ps; /* beyond which no skip goes */
    bool until_done; /* the run ends when all flows of a size have: it does not skip while there is none */
} wi_skip_params;

/* What has been skipped. Plain data. */
typedef struct wi_skipped {
    uint64_t skips, looks;   /* of all parts */
    uint64_t iterations;     /* of jobs, from memory */
    uint64_t guessed;        /* skips of iterations that were alike and not the same */
    uint64_t bytes, packets; /* of data, payload */
    weir_time time_ps;       /* in which some part was skipped */
} wi_skipped;

typedef struct wi_skipper wi_skipper;

/* A skipper of a network. `*out` is for wi_skipper_free on every path. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_skipper_new(weir_diag *diag, wi_net *net, const wi_skip_params *params,
                                          wi_skipper **out);
void wi_skipper_free(wi_skipper *s);

/* A simulation of the network begins, or goes on from a checkpoint. `take` is given what the network records; of iterations that are
 * skipped, the records of the last one again, at later times. */
void wi_skipper_attach(wi_skipper *s, weir_sim *sim,
                       weir_status (*take)(void *user, const weir_record_head *record), void *user);
/* What the network has recorded. */
void wi_skipper_record(wi_skipper *s, const weir_record_head *record);

/* The time hook; its `user` is the skipper. First at wi_skipper_first. A failure leaves a message in diag and returns 0. */
weir_time wi_skipper_first(void);
weir_time wi_skipper_look(weir_diag *diag, wi_skipper *s, weir_time at_ps);

wi_skipped wi_skipper_total(const wi_skipper *s);

/* Save all of it, or read it back. */
void wi_skipper_archive(wi_skipper *s, wi_archiver *k);
