/* What a user chooses of an interconnect and of what runs on it. */
#ifndef WI_MODELS_INTERCONNECT_WORLD_PARAMS_H
#define WI_MODELS_INTERCONNECT_WORLD_PARAMS_H

#include <stdbool.h>

#include "models/interconnect/world/world.h"
#include "weir/status.h"

typedef struct ic_channel_params {
    uint64_t rate_bps;     /* 1 bit/s or more */
    weir_time delay_ps;    /* 0 to 1 s */
    uint64_t buffer_bytes; /* of each virtual channel at the receiver; at least a packet */
} ic_channel_params;

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
    IC_PROGRAMMED,  /* actions of each rank: compute, send, receive, collectives */
    IC_PATTERNS
} ic_pattern;

typedef enum ic_placement { IC_CONTIGUOUS, IC_SCATTERED, IC_ROUND_ROBIN, IC_PLACEMENTS } ic_placement;

/* A message of a plan; ranks of its job. */
typedef struct ic_plan_entry {
    weir_time time_ps;
    uint32_t source, target;
    uint64_t bytes;
    uint32_t line; /* of the file that it comes from, for messages; 0: none */
} ic_plan_entry;

/* An action as the world has it; ranks of the job. */
typedef struct ic_action {
    uint8_t op, algorithm;
    uint16_t pad;
    uint32_t peer; /* or the root */
    uint32_t key;  /* tag */
    uint32_t slot; /* ISEND, IRECV, WAIT: of the request, from 0 */
    uint64_t bytes;
    weir_time time_ps;
} ic_action;

typedef struct ic_job {
    const char *name; /* for messages; may be null */
    weir_place place; /* likewise: where it stands in a file */
    ic_pattern pattern;
    ic_placement placement;    /* of ranks on terminals that no job before it took; default contiguous */
    const uint32_t *terminals; /* [n_ranks], or null: by `placement` */
    uint32_t n_ranks;          /* 0: all terminals that are left */
    uint32_t message_bytes;    /* default 1,024 */
    double load;               /* share of the terminal's rate, above 0; default 1 */
    bool periodic;             /* messages at equal times; default: Poisson */
    /* IC_STENCIL, IC_TORNADO, IC_OP_EXCHANGE: 0 from the first dimension on that is not there */
    uint32_t grid[3];
    uint32_t range, shift;       /* IC_GROUP_SHIFT: ranks of a range, default those of a group; default 1 */
    weir_time start_ps, stop_ps; /* no message is due from stop on; default 0 and never */
    const ic_plan_entry *plan;   /* IC_PLANNED: [n_plan], any order */
    size_t n_plan;
    const char *plan_file;    /* for messages of its lines; may be null */
    const ic_action *actions; /* IC_PROGRAMMED: [n_actions]; ranks are the job's */
    size_t n_actions;
    const size_t *first_action; /* [n_ranks + 1]: where those of each rank begin; null: every rank does all */
    uint32_t iterations;        /* of all of its actions; 0: until stop; default 1 */
    uint64_t eager_bytes;       /* larger messages are asked for first (rendezvous); default 16 KiB */
} ic_job;
void ic_job_init(ic_job *job);

/* What a message of a bad parameter points to. */
typedef enum ic_at {
    IC_AT_ALL,
    IC_AT_WIRING, /* the section of the one in use */
    IC_AT_P,
    IC_AT_A,
    IC_AT_H,
    IC_AT_GROUPS,
    IC_AT_K,
    IC_AT_LEVELS,
    IC_AT_SIZE,
    IC_AT_ROUTING,
    IC_AT_TERMINAL, /* and behind it the two other classes of channels */
    IC_AT_LOCAL,
    IC_AT_GLOBAL,
    IC_AT_DELAY,
    IC_AT_CHUNK,
    IC_AT_PACKET,
    IC_AT_BURST,
    IC_AT_CREDITS,
    IC_AT_BIAS,
    IC_AT_SURROGATE,
    IC_AT_N
} ic_at;

/* What a user chooses. The defaults are the paper's dragonfly (Cruz-Camacho et al. 2023): 72 terminals. */
typedef struct ic_params {
    ic_wiring wiring;
    ic_routing routing;
    uint32_t p, a, h, groups; /* p: terminals a router (dragonfly, torus); groups 0: a h + 1 */
    uint32_t k, levels;       /* tree */
    uint32_t dimensions, size[IC_DIMENSIONS_MAX];
    ic_channel_params terminal, local, global;
    weir_time router_ps; /* from a chunk's arrival until it can be arbitrated for; and of a credit */
    weir_time nic_ps;    /* from its last chunk's arrival until a packet is delivered */
    uint32_t chunk_bytes, packet_bytes;
    uint32_t burst; /* chunks of one packet that an output may send in one go; default 1 */
    /* chunks whose credits go back together; 0, the default: a 32nd of the buffer, at most 16 */
    uint32_t batch;
    ic_arbitration arbitration; /* default auto */
    uint32_t bias;              /* UGAL, PAR: chunks times hops in favour of the minimal way */
    bool per_pair;              /* count latencies of each pair; default false */
    /* terminals may be sent round the network; default false. One simulation at a time then */
    bool surrogate;
    wi_predictor predictor;
    const ic_job *jobs;
    uint32_t n_jobs;
    uint64_t seed;
    uint32_t run;
    const weir_place *where; /* [IC_AT_N], for messages; null: they have no place */
} ic_params;
void wi_ic_params_init(ic_params *params);

#endif
