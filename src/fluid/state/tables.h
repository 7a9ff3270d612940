/*
 * What a solver works on: tables that do not change, made once by build.c, and the state that a backend
 * advances. Plain arrays and numbers, so that the same structs serve host and device (whose copies have the
 * device's pointers).
 *
 * Time is counted in steps, volume in bytes, so a rate is bytes a step and needs no factor.
 *
 * Paths. A prefix is a source's path up to and including a port; flows that share it share lag and survival.
 * Prefixes stand sorted by (port, kind, upstream port, age), those of one (port, kind, upstream port) are a
 * segment. A series is a volume over time, at the source: one for each flow, and one for each set of flows
 * that shares a prefix, the sum of its members.
 *
 * Histories are rings over time, one for each prefix and quantity, so that what a block of steps reads and
 * writes stands together. Slot k mod rows holds what step k left: of a prefix the lag at the end of step k
 * and the share of what arrived in step k that had survived so far; of the port itself its lag, survival of
 * arrivals, and so on.
 */
#ifndef WI_FLUID_STATE_TABLES_H
#define WI_FLUID_STATE_TABLES_H

#include <stdint.h>

#include "net/queue/queues.h"
#include "weir/fn.h"

#define FLUID_NONE UINT32_MAX

/* Flows that can be marked survive where others are dropped, so the two have prefixes of their own. */
enum { FLUID_PLAIN, FLUID_MARKABLE, FLUID_KINDS };

enum {
    FLUID_UDP = 1,
    FLUID_SLOW_START = 2, /* class */
    FLUID_SIZED = 4,      /* flow: ends when its bytes are acknowledged */
    FLUID_STARTING = 8    /* flow: some session is in slow start, or has just left it */
};

/* What a law of windows can have at most: numbers of state besides the window, and parameters. */
enum { FLUID_LAW_WORDS = 8, FLUID_LAW_OWN = 8 };

typedef struct fluid_port {
    double rate;   /* bytes a step */
    double limit;  /* bytes */
    double delay;  /* steps to the far end */
    double even;   /* bytes of a packet of the fluid, where all of it is UDP; negative where some is TCP */
    double spared; /* share of what is sent that the line does not lose */
    double alike;  /* links that it is: more than one of hosts that are alike */
    uint64_t at;   /* of its rings in lag, keep, signal: n_prefixes of rows each */
    uint64_t own;  /* of its rows in the ports' histories */
    int64_t measured_from; /* step: queue_sum and queue_most leave out those before */
    uint32_t rows;
    uint32_t queue; /* index in queues */
    uint32_t first; /* prefix */
    uint32_t n_prefixes;
    uint32_t first_segment, n_segments;
    uint32_t front; /* index in pulls: some other port pulls from this one; or FLUID_NONE */
    uint32_t edge;
    uint32_t at_once; /* ports of later waves pull from it what it does in the block at work */
} fluid_port;

/* What stands in a queue that has let pass more than its line can send, until what comes next has made up for it. */
WEIR_FN double fluid_stands(const fluid_port *port, double queue)
{
    return queue < port->limit ? queue : port->limit;
}

typedef struct fluid_queue {
    uint32_t type;      /* enum net_queue_type: drop-tail, RED or a threshold, which is red.min */
    net_red_params red; /* in bytes, as a packet queue of these settings has them */
    double log_keep;    /* ln(1 - weight) */
    double per_packet;  /* 1 / mean packet size */
} fluid_queue;

typedef struct fluid_segment {
    uint32_t port, upstream; /* FLUID_NONE: sources */
    uint32_t kind;
    uint32_t first, n; /* prefixes */
} fluid_segment;

/* A prefix: the ring of its series in `volume`, here once more so that no table stands between. */
typedef struct fluid_prefix {
    uint64_t volume_at;
    uint32_t volume_rows;
    uint32_t parent; /* position among the upstream port's prefixes; FLUID_NONE: it begins at a source */
    uint32_t segment;
    uint32_t series;
} fluid_prefix;

typedef struct fluid_ring {
    uint64_t at;
    uint32_t rows;
    uint32_t reserved;
} fluid_ring;

typedef struct fluid_class {
    double mss, inv_ack, decrease, more, window_limit, initial_window;
    double most_losses, losses_at_once; /* that count: a round trip, without a bound very many; and besides */
    double clock, more_acks; /* share of sending that acknowledgements clock; ACKs a window besides W/b */
    double acks; /* bytes of ACKs for a byte acknowledged; 0: their way back is propagation alone */
    double kept; /* share of its window with which a session begins again, whose way has failed */
    double own[FLUID_LAW_OWN];    /* parameters of the law */
    double rate;                  /* UDP: bytes a step and session; the highest of a schedule */
    double on, period;            /* UDP, in steps; period 0: always on */
    uint32_t first_rate, n_rates; /* UDP: in rate_from, rate_value */
    uint32_t flags, kind;
    uint32_t law, words; /* laws.h; of its state */
} fluid_class;

/* What becomes of a port or a flow between two steps (changes.h); those of one step stand in this order. */
enum { FLUID_PORT_DOWN, FLUID_PORT_UP, FLUID_FLOW_TAKES, FLUID_FLOW_TAKES_LOST, FLUID_FLOW_BREAKS };

typedef struct fluid_change {
    int64_t step; /* before it */
    uint32_t what;
    uint32_t number; /* port, or the flow that goes on with another's windows */
    uint32_t from;   /* that other flow */
    uint32_t reserved;
} fluid_change;

typedef struct fluid_flow {
    double start, stop; /* steps */
    double delay;       /* from the last port to the far end and back to the source */
    double base;        /* round trip through empty queues */
    double size;        /* bytes of all sessions; 0: no end */
    double offered;     /* bytes a step that transfers bring until `ends`; 0: sessions stay */
    double ends, mean;  /* step; bytes of a transfer */
    double sessions;
    uint32_t cls;
    uint32_t port;    /* the last one */
    uint32_t prefix;  /* position among that port's */
    uint32_t goes_on; /* with the windows of another */
} fluid_flow;

typedef struct fluid_tables {
    uint32_t n_ports, n_fronts, n_queues, n_segments, n_prefixes, n_classes, n_flows, n_series, n_levels;
    uint32_t n_kinds; /* 1 unless some flow can be marked */
    uint32_t signals; /* signal rows are kept: marks, or the paper's law */
    uint32_t paper;   /* law */
    uint32_t order;
    uint32_t lookahead; /* steps of a block: at most FLUID_LINE */
    uint32_t history;   /* rows that each port keeps at least */
    uint32_t n_rates, n_members, n_changes;
    uint32_t n_waves;     /* 0: all ports are solved at once, as none pulls from the block at work */
    uint32_t n_backs;     /* ports on the ways back of all flows together */
    uint32_t n_transfers; /* flows that have some */
    /* At the end of ports and flows: those that other ranks solve, and at the start of the levels: those of sets that are
     * summed before what others send comes (ghosts/). */
    uint32_t n_ghost_ports, n_ghost_flows, n_early;
    uint32_t n_words; /* of state that laws have besides the window: as many as the one that has most */
    double step_s;
    double rounding;  /* fluid_round_sum: 1.5 * 2^52 units */
    uint64_t n_cells; /* of lag, keep, signal */
    uint64_t n_own;   /* of the ports' histories, for one kind */
    uint64_t n_volumes;
    uint64_t hops;
    fluid_port *ports;
    uint32_t *wave_first; /* [n_waves + 1] ports */
    fluid_queue *queues;
    fluid_segment *segments;
    fluid_prefix *prefixes;
    float *base; /* [n_prefixes]: lag through empty queues */
    fluid_class *classes;
    fluid_flow *flows;
    double *rate_from, *rate_value;  /* [n_rates]: step, bytes a step */
    fluid_ring *rings;               /* [n_series]: in volume */
    uint32_t *member_first, *member; /* [n_series - n_flows + 1]: sets, by level; members are series */
    uint32_t *level_first;           /* [n_levels + 1]: sets of each level; members are of lower ones */
    fluid_change *changes;           /* [n_changes] by step, then by what */
    /* Ports that a flow's ACKs pass, and flows whose ACKs pass a port; [n_flows + 1], [n_ports + 1], [n_backs]
     * each. */
    uint32_t *back_first, *back_port, *ack_first, *ack_flow;
} fluid_tables;

#define FLUID_PULL_BYTES(real) (8 + 7 * (real)) /* fluid_pull, carry.h */

/* Rings of histories have a multiple of so many rows: a block that starts at one fills whole lines of memory.
 */
enum { FLUID_LINE = 16 };

/* A time in the past of a port: what was there has reached the far end of a delay. */
typedef struct fluid_place {
    int32_t step; /* absolute */
    int32_t reserved;
    double part; /* (0, 1]: where in that step */
} fluid_place;

typedef struct fluid_state {
    int64_t now; /* steps done */
    /* of the solver's real type */
    void *lag, *keep, *signal;                        /* [n_cells]; signal only where kept */
    void *volume;                                     /* [n_volumes] */
    void *window, *rtt;                               /* [n_flows] */
    void *window_rest, *slow, *recovering, *answered; /* [n_flows]: the rest of fluid_window */
    void *words;                                      /* [n_words][n_flows]: state that laws have besides */
    void *first; /* [n_flows]: segments that a session sends in a step of its first round trip unasked */
    /* double */
    double *sent, *acked, *lost, *ended;                                                     /* [n_flows] */
    fluid_place *exit;                                                                       /* [n_flows] */
    uint32_t *flow_flags;                                                                    /* [n_flows] */
    double *queue, *average, *reduction, *arrived, *dropped, *accepted, *packets, *expected; /* [n_ports] */
    /* [n_ports] What a full queue has lost of the fluid, and what came to it, while the line last sent some
     * NET_CROWD_BYTES. */
    double *crowd_lost, *crowd_came;
    double *taken;                  /* [n_ports]: step before which packets were last taken in */
    double *queue_sum, *queue_most; /* [n_ports] means of measured steps, summed; the largest at an end */
    double *sessions;               /* [n_flows]: now */
    double *acked_before; /* [n_flows]: `acked` when ACKs were last brought to their ports (acks.h) */
    double *acks;         /* [n_ports]: bytes of ACKs that come in a step */
    void *back;           /* [n_flows] real: steps that ACKs wait on their way */
    /* [n_ports] What a failed link loses, as bytes accepted from the start: all between low and high, and
     * above low while it is down; dead: of all failures that are over. */
    double *dead_low, *dead_high, *dead;
    uint32_t *down;                                                                      /* [n_ports] */
    fluid_place *front;                                                                  /* [n_fronts] */
    double *own_lag, *own_accepted, *own_drop, *own_reduction, *own_expected, *own_full; /* [n_own] */
    double *own_keep, *own_signal; /* [n_kinds][n_own]; signal only where kept */
    void *pulls; /* fluid_pulls [n_fronts][n_kinds] of lookahead steps: of the block at work */
    struct wi_fluid_ghosts *ghosts; /* null: all is solved here */
    struct wi_fluid_rest *rest;     /* cpu/rest.h; null: every step is reckoned */
} fluid_state;

#endif
