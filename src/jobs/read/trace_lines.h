/* What the two halves of the reader of traces share: lines as they are read, before they are matched. */
#pragma once

#include "jobs/read/reading.h"
#include "jobs/read/trace.h"

/* One action of one rank. */
typedef struct trace_line {
    job_action action;
    uint32_t rank;
    uint32_t file, line; /* where it stands */
    uint32_t order;      /* of its rank */
    bool sized;          /* a wait: for a send */
    bool newest;         /* a wait: for the youngest of its requests, not the oldest */
    bool alone;          /* a collective of uneven parts: no request of the rank is open */
    uint32_t
        numbers; /* likewise: so many, which stand at `number` of all; action.bytes are those of its usual type */
    size_t number;
} trace_line;

/* What is known of a rank. */
typedef struct trace_rank {
    uint32_t actions; /* so far */
    uint8_t element;  /* bytes of its usual type; 0: one */
    uint8_t begun;    /* 1: there was init, 2: and finalize */
} trace_rank;

typedef struct trace_lines {
    wi_reading reading; /* its job has names of files */
    double speed;       /* flops a second */
    trace_line *at;
    size_t n;
    double *number; /* of collectives of uneven parts */
    size_t n_numbers, number_room;
    uint32_t slots;   /* that requests take */
    uint32_t ranks;   /* one more than the greatest that acts */
    trace_rank *rank; /* [ranks] */
    size_t rank_room;
} trace_lines;

/* What is wrong with a line; printf's. */
#define WRONG_AT(t, l, ...) \
    WI_WRONG_IN(&(t)->reading, (t)->reading.job->programs.file[(l)->file], (l)->line, __VA_ARGS__)

/* trace_lines.c: the lines of a source behind those that are there; `file` is the number of its name. */
weir_status wi_trace_lines_read(trace_lines *t, uint32_t file, wi_source *source);
/* Bytes of a type of SimGrid's by its number; 0: there is none. */
uint32_t wi_trace_type_bytes(double number);
/* What so many seconds are, which a text says; below 1,000,000. */
weir_time wi_trace_time(trace_lines *t, const trace_line *l, const char *text, double seconds);
/* trace_uneven.c: what a line of a collective of uneven parts comes to, once all ranks are known, behind the actions that there are. */
void wi_trace_uneven(trace_lines *t, const trace_line *l);
