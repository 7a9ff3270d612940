/*
 * `engine: auto`: a run begins on one core, is measured, and moves at a stop point to where it is faster. Results do not
 * depend on it.
 *
 * Each other place (all cores, a quarter of many, a CUDA device) is tried for a tenth of a second where what is left of the run
 * would pay for the trial, and kept where it handles more events a second. A trial that falls far behind ends early. A place
 * that lost is tried again when the rate of the run has drifted, or when the trials so far have become a small part of the time.
 * Where threads are asked for, there are no more of them, and no device.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "engine/move.h"
#include "weir/engine.h"

typedef struct weir_session weir_session;

/* Where a run may be. */
typedef struct wi_run_place {
    wi_move to;
    double rate; /* events a second of the wall's clock, when it was last measured; 0: not tried */
} wi_run_place;

/* One move that was kept, for summary.json. */
typedef struct wi_moved {
    weir_time at_ps;
    double wall_s;
    wi_run_place from, to;
} wi_moved;

enum { WI_RUN_PLACES = 4, WI_MOVES_KEPT = 16 };

typedef struct wi_moves {
    bool may; /* the choice is ours */
    bool looked_for_device;
    wi_run_place place[WI_RUN_PLACES];
    unsigned n, at, home; /* home: where the run goes back to from a place that it tries */
    bool warm;            /* caches and threads of the place being tried */
    double settled;       /* rate at home when the run had settled there; 0: not yet */
    double since_s, decided_s, trial_s, lost_s;
    weir_time since_ps;
    uint64_t since_events;
    wi_moved kept[WI_MOVES_KEPT];
    unsigned n_kept;
} wi_moves;

/* When the session's simulation is made. */
void wi_moves_begin(weir_session *session);
/* At a stop point. True: a trial has begun, of a place that may be much slower, so that the next stop point should come soon. */
bool wi_moves_look(weir_session *session);
/* weir_session_move, of a session that may and stands behind its present instant. */
WEIR_NODISCARD weir_status wi_moves_go(weir_session *session, const char *engine, uint32_t threads);
/* The moves that were kept, a new reference; null where there are none. */
json_t *wi_moves_made(const weir_session *session);
