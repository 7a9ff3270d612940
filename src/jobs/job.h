/*
 * A job: operations of ranks, and what each of them waits for. Readers of traces make one (jobs/read), and a network runs
 * it. Knows no network.
 *
 * An operation starts when all that it waits for is there. A computation then takes its time on one of its rank's
 * processors, which serve one at a time. A receive ends when its message is there; the n-th receive of a rank from another
 * with some tag takes the n-th send. A collective is one operation at each member of a group; the n-th at one member goes
 * with the n-th at the others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jobs/collective.h"
#include "weir/status.h"
#include "weir/time.h"

enum { WI_JOB_OPS_MAX = 1 << 30, WI_JOB_RANKS_MAX = 1 << 20 };
#define WI_JOB_NONE UINT32_MAX

typedef enum wi_job_kind {
    WI_JOB_COMPUTE,
    WI_JOB_SEND,
    WI_JOB_RECV,
    WI_JOB_COLLECTIVE,
    WI_JOB_KINDS
} wi_job_kind;

typedef struct wi_job_op {
    uint8_t kind;       /* wi_job_kind */
    uint8_t collective; /* a job_op from JOB_OP_BARRIER on, but JOB_OP_EXCHANGE */
    uint16_t processor; /* of a computation, of its rank's */
    uint32_t rank;
    uint32_t peer;     /* SEND, RECV: the other rank. COLLECTIVE: the root, as a number in the group */
    uint32_t tag;      /* SEND, RECV; of a receive, before the job is closed, JOB_ANY, and so of its peer */
    uint32_t group;    /* COLLECTIVE */
    uint32_t match;    /* closed: the operation at the other end; the first of its instance in `together` */
    uint32_t name;     /* in wi_job.names; 0: "" */
    uint64_t bytes;    /* of a message. Of a collective: as job_collective has it */
    uint64_t where;    /* line of its file, or number of its node: for messages */
    weir_time time_ps; /* COMPUTE */
} wi_job_op;

/* `after` waits for `before` to end, or to start. */
typedef struct wi_job_edge {
    uint32_t before, after;
    bool at_start;
} wi_job_edge;

/* Sums over all ranks, once through. */
typedef struct wi_job_sums {
    uint64_t ops[WI_JOB_KINDS], bytes[WI_JOB_KINDS]; /* bytes: as the operations name them */
    double compute_ps;                               /* of many ranks more than a weir_time holds */
    weir_time
        critical_ps; /* longest chain of computations: the job on a network that takes no time; -1: it does not end there */
} wi_job_sums;

/* Where an action stands. */
typedef struct wi_job_place {
    uint32_t file, line; /* line 0: nowhere */
} wi_job_place;

/* What ranks do one after the other, in lanes that go on beside each other. */
typedef struct wi_job_programs {
    job_action *actions;
    wi_job_place *place; /* [n_actions] */
    size_t n_actions;    /* 0: there are none */
    size_t *first;       /* [ranks + 1] */
    size_t *lane;        /* [lanes + 1] their actions; null: each rank has one */
    uint32_t *lanes;     /* [ranks + 1] in `lane` */
    char **file;         /* [n_files] names */
    size_t n_files;
} wi_job_programs;

/* All zero: a job without anything. */
typedef struct wi_job {
    wi_job_op *op;
    uint32_t n_ops, n_ranks; /* n_ranks: set by the reader, or one more than the greatest that acts */
    wi_job_edge *edge;
    uint32_t n_edges;
    uint32_t *member;      /* groups, one behind the other: ranks, each once */
    uint32_t *group_first; /* [n_groups + 1] */
    uint32_t n_members, n_groups;
    char *names;
    uint32_t n_names;
    wi_job_programs programs; /* of traces that have them: action number i is operation number i */
    bool may_deadlock;        /* who runs it finds out */
    bool asks; /* of MPI: a large message may be asked for first, and its send wait for the receive */
    bool any_or_nobody; /* receives from any rank may be from nobody; see any.h */
    bool alike;         /* only rank 0's operations are here, to be counted: see wi_job_options */
    /* After wi_job_close. */
    uint32_t *together; /* operations of collectives, instance by instance, in the order of their groups */
    uint32_t n_together;
    wi_job_sums sums;
    const char *what; /* of `where`: "line", "node" */
    char *file;       /* for messages */
} wi_job;

/* Return the number of the operation, or WI_JOB_NONE when memory is short. */
uint32_t wi_job_add(wi_job *job, const wi_job_op *op);
/* False when memory is short. */
bool wi_job_after(wi_job *job, uint32_t after, uint32_t before, bool at_start);
/* Return a group's number, or WI_JOB_NONE; of a group how many ranks it has. */
uint32_t wi_job_group(wi_job *job, const uint32_t *ranks, uint32_t n);
uint32_t wi_job_group_size(const wi_job *job, uint32_t group);
/* Return where a name stands, 0 for none, or WI_JOB_NONE. */
uint32_t wi_job_name(wi_job *job, const char *text, size_t length);

/* programs.c: an action behind all others of a program; a group of all n_ranks, as the next one; and operations of the job's
 * programs, whose ranks are all in group 0, made where there is none. False when memory is short. */
bool wi_job_put(wi_job_programs *to, const job_action *action, wi_job_place place);
bool wi_job_group_of_all(wi_job *job);
uint32_t wi_job_slots(const job_action *actions, size_t n); /* of requests that these name */
bool wi_job_of_programs(wi_job *job);
/*
 * The other way round: what each rank of a closed job does, in as many lanes as it does things at once. A collective that is not of all
 * ranks is done by messages, step by step; where a rank has several lanes, every one is. All-reduces are done by `allreduce`, a
 * job_algorithm. The job has programs then, and these are not its operations. WEIR_E_UNSUPPORTED: a rank does more than 65,535
 * things at once; WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_job_to_programs(weir_diag *diag, wi_job *job, uint8_t allreduce);

/*
 * Match messages and collectives, see whether the job can end, and sum it up. Receives from any rank, or of any tag, come to
 * what any.h says. WEIR_E_FORMAT: a message that nobody sends or receives, or collectives that do not go together, or operations that wait for each other, each named with its rank and place;
 * WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_job_close(weir_diag *diag, wi_job *job);
void wi_job_programs_free(wi_job_programs *programs); /* and empty it */
void wi_job_free(wi_job *job);                        /* likewise */

/* A failure of an operation, at its line where it has one: "rank R, WHAT N (KIND NAME): ", then printf's. */
WEIR_NODISCARD weir_status wi_job_fail(weir_diag *diag, weir_status status, const wi_job *job, uint32_t op,
                                       const char *format, ...) __attribute__((format(printf, 5, 6)));
#define wi_job_wrong(diag, job, op, ...) wi_job_fail(diag, WEIR_E_FORMAT, job, op, __VA_ARGS__)

/* What users call an operation, and an action, `op` below JOB_OPS. */
const char *wi_job_kind_name(const wi_job_op *op);
const char *wi_job_op_name(uint32_t op);
