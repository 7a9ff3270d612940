/* What a user chooses of an interconnect and of what runs on it. */
#pragma once

#include <stdbool.h>

#include "models/interconnect/world/world.h"
#include "weir/status.h"

typedef struct ic_channel_params {
    uint64_t rate_bps;     /* 1 bit/s or more */
    weir_time delay_ps;    /* 0 to 1 s */
    uint64_t buffer_bytes; /* of each virtual channel at the receiver; at least a packet */
} ic_channel_params;

typedef struct ic_job ic_job; /* jobs/job.h */

/* What a message of a bad parameter points to. */
typedef enum ic_at {
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
    IC_AT_PACKET,
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
