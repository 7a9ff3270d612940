/* The runs that workers have, in the order in which they came: which may be sent, and which a process may have died of. */
#pragma once

#include "study/plan/study.h"

/* How surely a process died of a run. */
typedef enum wi_blame { WI_NOT_THIS, WI_UNDER_WAY, WI_FAULT, WI_LATE } wi_blame;

typedef struct wi_held {
    wi_job job;
    uint32_t group;   /* 0: none; runs of a group are made without others, the least number first */
    bool sent, alone; /* alone: its group has no other */
    bool late, over;
    wi_blame blame;
} wi_held;

typedef struct wi_runs {
    wi_held *run;              /* [n], of which those before `first`, and some others, are over */
    uint32_t n, first, places; /* places: of `run` */
    uint32_t live, unsent;     /* not over; not sent */
    uint32_t groups;           /* numbers given to groups */
} wi_runs;

/* Makes room for so many runs that are not over; free runs->run. False: no memory. */
bool wi_runs_new(wi_runs *runs, uint32_t most);
/* Adds runs, as many as there is room for. What was found before is elsewhere then. */
void wi_runs_add(wi_runs *runs, const wi_job *jobs, uint32_t n);
/* Finds a run; null: there is none. */
wi_held *wi_runs_find(wi_runs *runs, wi_job job);
/* Finds the first run, of those alone that are not sent where `unsent`. */
wi_held *wi_runs_any(wi_runs *runs, bool unsent);
/* Removes a run that is over. */
void wi_runs_remove(wi_runs *runs, wi_held *run);
/* Finds at most so many runs that may be sent now, in the order in which they came (longest first). */
uint32_t wi_runs_choose(wi_runs *runs, uint32_t most, wi_held **out);
/* Counts the runs that bear this blame, and finds the first. */
uint32_t wi_runs_accused(wi_runs *runs, wi_blame blame, wi_held **first);
/* Puts the n runs that bear this blame into so many groups, in their order. */
void wi_runs_make_groups(wi_runs *runs, wi_blame blame, uint32_t n, uint32_t pieces);
/* Marks all runs as not sent, and bearing no blame. */
void wi_runs_unsend(wi_runs *runs);
