/* What the two halves of the reader of traces share: lines as they are read, before they are matched. */
#pragma once

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
        numbers; /* likewise: so many, which stand at `number` of all; action.bytes is the rank's usual element */
    size_t number;
} trace_line;

/* What is known of a rank. */
typedef struct trace_rank {
    uint32_t actions; /* so far */
    uint8_t element;  /* bytes of its default type */
    uint8_t begun;    /* 1: there was init, 2: and finalize */
} trace_rank;

typedef struct trace_lines {
    weir_diag *diag;
    double speed; /* flops a second */
    trace_line *at;
    size_t n;
    double *number; /* of collectives of uneven parts */
    size_t n_numbers, number_room;
    uint32_t slots; /* that requests take */
    char **file;    /* names, for messages */
    size_t n_files;
    uint32_t ranks;     /* one more than the greatest that acts */
    uint32_t rank_room; /* of the list below */
    trace_rank *rank;   /* [rank_room] */
} trace_lines;

/* trace_lines.c: the lines of a source behind those that are there; `file` is the number of its name. */
WEIR_NODISCARD weir_status wi_trace_lines_read(trace_lines *t, uint32_t file, wi_source *source);
void wi_trace_lines_free(trace_lines *t); /* and empty it */
/* Bytes of a type of SimGrid's by its number; 0: there is none. */
uint32_t wi_trace_type_bytes(double number);
/* trace_uneven.c: what a line of a collective of uneven parts comes to, once all ranks are known, behind the actions that there are. */
WEIR_NODISCARD weir_status wi_trace_uneven(const trace_lines *t, const trace_line *l, wi_job_programs *out);
/* WEIR_E_FORMAT at a line; printf's. */
#define WRONG_AT(t, number, line, ...) \
    weir_fail_at((t)->diag, WEIR_E_FORMAT, (t)->file[number], (int)(line), 1, __VA_ARGS__)
