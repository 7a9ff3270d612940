/* What a user chooses of a job: its traffic, and where its ranks run. Knows no network. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "jobs/collective.h"
#include "weir/fn.h"
#include "weir/jobs.h"
#include "weir/status.h"
#include "weir/time.h"

typedef enum ic_pattern {
    IC_UNIFORM,     /* any other rank */
    IC_NEIGHBOUR,   /* the next rank */
    IC_STENCIL,     /* the neighbours in a grid of 1 to 3 dimensions that is closed to a torus, in turn */
    IC_TRANSPOSE,   /* ranks as a square matrix */
    IC_COMPLEMENT,  /* the rank's bits inverted: n - 1 - rank */
    IC_PERMUTATION, /* a random one that leaves nobody alone, drawn once */
    IC_GROUP_SHIFT, /* a random rank of the range that lies `shift` on: worst for minimal routing */
    IC_TORNADO,     /* (k - 1) / 2 on in each dimension of k: worst for a ring */
    IC_PING_PONG,   /* pairs (0, 1), (2, 3), ...: the even one sends, the other answers, and so on */
    IC_PLANNED,     /* a list of times, targets and sizes */
    IC_PROGRAMMED   /* actions of each rank: compute, send, receive, collectives */
} ic_pattern;

/* A message of a plan; ranks of its job. */
typedef struct ic_plan_entry {
    weir_time time_ps;
    uint32_t source, target;
    uint64_t bytes;
    uint32_t line; /* of the file that it comes from, for messages; 0: none */
} ic_plan_entry;

typedef struct ic_job {
    const char *name; /* for messages; may be null */
    weir_place place; /* likewise: where it stands in a file */
    ic_pattern pattern;
    weir_sc_place placement;   /* of ranks on terminals; default BLOCKS. A router's are dealt in turn */
    const uint32_t *terminals; /* [n_terminals] in the order in which ranks take them; not with ROUND_ROBIN */
    uint32_t n_terminals;      /* 0: those that no job before it took */
    uint32_t n_ranks;          /* 0: one on each of them */
    uint32_t message_bytes;    /* default 1,024 */
    double load;               /* share of the terminal's rate, above 0; default 1 */
    int periodic;              /* messages at equal times; default: Poisson */
    /* IC_STENCIL, IC_TORNADO, JOB_OP_EXCHANGE: 0 from the first dimension on that is not there */
    uint32_t grid[3];
    uint32_t range, shift;       /* IC_GROUP_SHIFT: ranks of a range, default those of a group; default 1 */
    weir_time start_ps, stop_ps; /* no message is due from stop on; default 0 and never */
    const ic_plan_entry *plan;   /* IC_PLANNED: [n_plan], any order */
    size_t n_plan;
    const char *plan_file;     /* for messages of its lines; may be null */
    const job_action *actions; /* IC_PROGRAMMED: [n_actions]; ranks are the job's */
    size_t n_actions;
    const size_t *first_action; /* [n_ranks + 1]: where those of each rank begin; null: every rank does all */
    const size_t *lane; /* those of each lane, and which a rank has, as in wi_job_programs; null: one each */
    const uint32_t *lanes;
    bool times;           /* note when operations end; not in programs without end; default false */
    uint32_t iterations;  /* of all of its actions; 0: until stop; default 1 */
    uint64_t eager_bytes; /* larger messages are asked for first (rendezvous); default 16 KiB */
} ic_job;
void ic_job_init(ic_job *job); /* the defaults */

/* WEIR_E_ARG with "interconnect: job 'NAME'", then printf's, at the job's place. */
#define IC_REFUSE_JOB(diag, job, fmt, ...)                                                    \
    weir_fail_at(diag, WEIR_E_ARG, (job)->place.file, (job)->place.line, (job)->place.column, \
                 "interconnect: job '%s'" fmt, (job)->name ? (job)->name : "?", ##__VA_ARGS__)
