/*
 * How a run reports its progress: a small file, status.json, in its unfinished results folder, which
 * `weir watch` reads. It is written at stop points, by rename, at most once a second of the wall's clock and at most a
 * hundredth of the time; it is gone when the results are whole. Nothing of a result depends on it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "weir/engine.h"
#include "weir/status.h"

#define WI_STATUS_NAME "status.json"

typedef struct weir_session weir_session;

/* At a stop point: write it if it is time for it. What fails is left out: a run does not end for its status. */
void wi_status_tell(weir_session *session);
/* At a sample on several ranks, before all of them bring rank 0 what it wants: adds what the status reads, where it is time for it. */
void wi_status_want(weir_session *session, weir_sim_want *want);
/* Before the results get their name. */
void wi_status_end(const weir_session *session);

typedef enum wi_watched {
    WI_WATCHED_NOTHING, /* no run of that name, or none yet */
    WI_WATCHED_SETUP,   /* under way, without a status yet */
    WI_WATCHED_RUN,     /* *status is its last status */
    WI_WATCHED_LEFT,    /* stopped or killed: there is a checkpoint, or what it leaves behind */
    WI_WATCHED_DONE     /* results are whole: *status is summary.json */
} wi_watched;

/* What becomes of the run whose results go to `path`; *status is a new reference, or null. */
wi_watched wi_status_read(const char *path, json_t **status);
