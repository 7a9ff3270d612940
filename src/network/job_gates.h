/* What the files that put a job in place share. */
#pragma once

#include "network/network.h"

/* One gate that feeds another. */
typedef struct wi_gate_feed {
    uint32_t from, to;
} wi_gate_feed;

/* A job under way to its place. */
typedef struct wi_placing {
    weir_diag *diag;
    wi_network *n;
    const weir_scenario_class *c;
    uint32_t cls;
    wi_job *job;
    wi_placed_job *placed;
    wi_owned memory;
    uint32_t *needs;       /* [ops] gates that it waits for */
    uint8_t *roots;        /* [ops] it waits for its rank's iteration to begin alone */
    uint8_t *starts_other; /* [ops] something waits for its start alone */
    uint8_t *ends_other;   /* [ops] something waits for its end */
    uint32_t *start;       /* [ops] of this iteration: the gate that opens as it starts */
    uint32_t *end;         /* [ops] and as it ends */
    uint32_t *server;      /* [ranks] number of it */
    uint32_t *port;        /* [ranks] gate that stands for its local link; WI_JOB_NONE: none yet */
    uint32_t *processor;   /* [ranks][n_processors] likewise */
    uint32_t n_processors;
    wi_gate_feed *feeds;
    uint32_t n_feeds, first_gate;
    struct step_end *steps; /* [n_steps] of the collective at hand */
    struct wi_message_end *ends;
    struct wi_queued_piece *queued; /* [n_queued] likewise */
    uint32_t n_steps, n_queued;
    uint32_t pieces;                /* of each channel of the collective at hand; 0: it is not cut */
    struct wi_message_of *messages; /* [n_messages] where connections last: flows by connection */
    uint32_t n_messages;
    uint64_t most_bytes;
    weir_status status;
} wi_placing;

/* job_gates.c. The first failure stays in placing->status, and nothing is added after it. */
void wi_placing_no_memory(wi_placing *p);
/* Returns the gate's number. `processor`: that of another gate, or WI_JOB_NONE. */
uint32_t wi_placing_gate(wi_placing *p, uint32_t rank, uint32_t needs, weir_time pause_ps,
                         uint32_t processor);
void wi_placing_feed(wi_placing *p, uint32_t from, uint32_t to);
/* A gate whose pause is a message to a rank of the same server; it needs one thing. */
uint32_t wi_placing_port_gate(wi_placing *p, uint32_t rank, uint64_t bytes);
/* What such a gate sends comes to another. */
void wi_placing_reach(wi_placing *p, uint32_t from, uint32_t to);
bool wi_placing_is_local(const wi_placing *p, uint32_t a, uint32_t b);
/* A message between hosts, that gate `after` starts; it feeds one, and its last ACK another, or WI_JOB_NONE. `channel`: which of
 * the connections from the one rank to the other it takes, where they last. */
void wi_placing_flow(wi_placing *p, uint32_t from, uint32_t to, uint32_t channel, uint64_t bytes,
                     uint32_t after, uint32_t feeds, uint32_t sent_feeds);
/* Gates that stand for connections, behind all others. */
void wi_placing_connections(wi_placing *p);
/* Gates of all operations but collectives, once; start and end have them then. What they wait for is not fed yet. */
void wi_placing_operations(wi_placing *p);
/* job_collectives.c: gates and flows of collectives, behind these. */
void wi_placing_collectives(wi_placing *p);
/* Flows of all messages, behind these. */
void wi_placing_messages(wi_placing *p);
