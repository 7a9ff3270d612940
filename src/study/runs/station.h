/* A station is what a process that makes runs has: where its runs come from, where its rows go, and a board
 * of memory that the process that started it (workers.c) sees. It makes runs on cores (serve.c) or on a
 * device (device.c). */
#pragma once

#include "base/common/common.h"
#include "study/plan/study.h"
#include "study/runs/quota.h"

enum {
    WI_ASK_MAX = 256,           /* runs that a process asks for at once */
    WI_NO_RUN = UINT32_MAX,     /* as a job's point: of a question, and of the answer that there is none */
    WI_STATION_BYTES = 1 << 17, /* of a message: a run's numbers, and its row as text */
    WI_WHY = 300
};

/* Why a run is to stop. */
enum { WI_RUNS_ON = 0, WI_STOPPED, WI_OVERTIME };

/* A run under way, in memory that both processes see. */
typedef struct wi_slot {
    volatile int busy, stop, signal; /* signal: its thread died of it */
    volatile double since_s;         /* when the run began; infinite while it waits for memory */
    wi_job job;
} wi_slot;

/* Memory that both processes see. */
typedef struct wi_board {
    volatile int stop;
    wi_quota_seen memory;
    wi_common_use use;
    weir_status status; /* what all runs under way failed of, and how: `fault` */
    char fault[WI_WHY];
    uint32_t wave, to_cores; /* of a device: runs of the first wave; runs that cores took, and why */
    char why_cores[WI_WHY];
    wi_slot slot[];
} wi_board;

typedef struct wi_station {
    const weir_study *s;
    uint32_t jobs;  /* threads */
    double limit_s; /* of a run; infinite: none */
    int fd;         /* messages come and go here */
    wi_board *board;
} wi_station;

/* What a process runs on. */
typedef struct wi_station_kind {
    void (*serve)(const wi_station *station); /* until there are no more runs */
    uint32_t slots;                           /* 0: as many as threads */
    /* The process asks for many runs, and makes them together, so that nothing shows which of them ended it.
     * Else runs are sent as they come, each to a thread. */
    bool asks;
} wi_station_kind;

extern const wi_station_kind wi_station_cores, wi_station_device;

/* Ask for runs, and receive them: 0 where there are none now, or will be none. Waits only where no other is under way. */
uint32_t wi_station_ask(const wi_station *station, uint32_t n, wi_job *jobs);
/* Send a run's row, and free it; null: it was given up. Any thread. */
void wi_station_done(const wi_station *station, wi_job job, wi_row *row);

/* The calling thread begins with a run: a fault of the thread is the run's. */
wi_slot *wi_slot_begin(const wi_station *station, uint32_t slot, wi_job job);
/* The calling thread has ended with the run. */
void wi_slot_end(wi_slot *slot);
/* Handles a signal of a fault: marks the run of the thread that had it, and ends the process. */
void wi_station_note_fault(int number);

/* The row of a run that took longer than it may. Null: no memory. */
wi_row *wi_late_row(const wi_station *station);
