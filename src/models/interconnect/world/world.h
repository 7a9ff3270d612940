/*
 * What the parts of the interconnect model share: its immutable world, what travels, and where state lies.
 *
 * Entities: terminals (kind 0) first, routers (kind 1) behind them. The same router stands under all
 * wirings; a wiring is the table of links and one routing function.
 *
 * A channel is one direction of a link. A router's input i is fed by the peer of its port i, and credits for
 * that input go back there. Chunks all have the same size; the last of a message is counted as a whole one.
 */
#pragma once

#include <stddef.h>

#include "surrogate/predictor.h"
#include "surrogate/zombie.h"
#include "weir/model.h"

#define IC_NONE UINT32_C(0xffffffff)
#define IC_NO_VIA UINT16_C(0xffff)

enum { IC_KIND_TERMINAL, IC_KIND_ROUTER, IC_KINDS };
enum {
    IC_PORTS_MAX = 255,
    IC_PACKET_MAX = 255,
    IC_DIMENSIONS_MAX = 6,
    IC_SIZE_MORE = 5,
    IC_SIZES = 6,
    IC_PHASES_MAX = 32
};

typedef enum ic_wiring { IC_DRAGONFLY, IC_TREE, IC_TORUS, IC_WIRINGS } ic_wiring;
typedef enum ic_routing {
    IC_MINIMAL, /* dragonfly; tree: up by the digits of the target; torus: dimension order */
    IC_VALIANT, /* dragonfly */
    IC_UGAL,    /* dragonfly: UGAL-L */
    IC_PAR,     /* dragonfly */
    IC_ADAPTIVE /* tree: up where least waits */
} ic_routing;

/* Who of those that may send by an output does. */
typedef enum ic_arbitration {
    IC_ROUND_ROBIN_CHUNKS, /* in turn */
    IC_OLDEST,             /* whose packet has been in the network longest; equals in turn */
    IC_TRANSIT,            /* in turn, those from terminals after all others */
    IC_ARBITRATIONS,
    IC_ARBITRATION_AUTO = IC_ARBITRATIONS /* the oldest in a torus, else round robin */
} ic_arbitration;

/* Classes of channels. Local: inside a group of a dragonfly, and all between routers of the others. */
enum { IC_TERMINAL, IC_LOCAL, IC_GLOBAL, IC_CLASSES };

// clang-format off
/* Events: X(TYPE, name, payload's bytes); IC_TYPE is handled by ic_router_name, or by ic_terminal_name. */
#define IC_ROUTER_EVENTS(X)                                                                             \
    X(ARRIVE, arrive, sizeof(ic_burst))    /* a burst's first chunk is ready for arbitration */         \
    X(CREDIT, credit, sizeof(ic_credit))   /* room at the other end of an output */                     \
    X(WAKE, wake, sizeof(ic_output_tag))   /* an output is free again, or its next chunk ready */
#define IC_TERMINAL_EVENTS(X)                                                                           \
    X(DELIVER, deliver, sizeof(ic_burst))  /* the last chunk of a packet is here */                     \
    X(REFILL, refill, sizeof(ic_credit))   /* room at the router */                                     \
    X(NEXT, next, 0)                       /* its channel is free, or a message is due */               \
    X(RESUME, resume, 0)                   /* its program goes on */
// clang-format on
#define IC_EVENT(TYPE, name, bytes) IC_##TYPE,
enum { IC_ROUTER_EVENTS(IC_EVENT) IC_TERMINAL_EVENTS(IC_EVENT) IC_EVENT_TYPES };
#undef IC_EVENT

/* What a packet is for, and marks of a burst: upper four bits of `mark`, above the virtual channel. One is WI_ZOMBIE. */
enum {
    IC_VC = 0x0f,
    IC_TAIL = 0x10, /* holds its packet's last chunk */
    IC_KIND = 0xc0,
    IC_DATA = 0x00,
    IC_ASK = 0x40, /* rendezvous: may I send? */
    IC_MAY = 0x80  /* rendezvous: send */
};

/* Chunks of one packet that follow each other on a channel, spaced by its time for a chunk. */
typedef struct ic_burst {
    weir_time born_ps; /* when the packet's first chunk left its terminal's queue */
    uint32_t source, target;
    uint32_t packet;  /* number at its source */
    uint32_t message; /* what the receiver's program knows it by; of others: ic_waited */
    uint16_t via;     /* group of a detour; IC_NO_VIA: none */
    uint8_t size;     /* chunks of the whole packet */
    uint8_t chunks;   /* of this burst */
    uint8_t port;     /* of the receiver */
    uint8_t mark;
    uint8_t hops;   /* routers passed; 255 stands for that and more */
    uint8_t class_; /* of what the surrogate learns from it */
} ic_burst;
WEIR_STATIC_ASSERT(sizeof(ic_burst) == 32, "a burst and its event's head fill a cache line");

typedef struct ic_credit {
    uint8_t port, vc;
    uint16_t chunks;
    uint32_t pad;
} ic_credit;

typedef struct ic_output_tag {
    uint32_t port, pad;
} ic_output_tag;

typedef struct ic_class {
    weir_time chunk_ps; /* time of a chunk on the channel */
    weir_time delay_ps;
    weir_time arrive_ps; /* from the start of a chunk until it can be arbitrated for at the other end */
    weir_time credit_ps; /* of the way back, from the end of the chunk that makes room */
    uint32_t buffer;     /* chunks of each virtual channel at the receiver; 0: it takes all */
    uint32_t vcs;
    uint32_t batch; /* chunks whose credits go back together */
    uint32_t pad;
} ic_class;

typedef struct ic_link {
    uint32_t peer; /* entity; IC_NONE: not wired */
    uint8_t port;  /* of the peer */
    uint8_t class_;
    uint8_t hold; /* a packet keeps a virtual channel of this output until its tail has left */
    uint8_t pad;
} ic_link;

/* Faults that a handler finds; interconnect.c has their words. */
enum { IC_FAULT_OVERFLOW = 1, IC_FAULT_CREDITS, IC_FAULT_WIRING, IC_FAULTS = IC_FAULT_WIRING };

/* How a terminal comes by its messages. */
typedef enum ic_source {
    IC_IDLE,
    IC_RANDOM,   /* endless; targets drawn from a range of ranks, its own left out */
    IC_CYCLE,    /* endless; a list of targets, one after the other */
    IC_PING,     /* answers each message; even ranks begin */
    IC_SCHEDULE, /* a list of times, targets and sizes */
    IC_PROGRAM
} ic_source;

typedef struct ic_job_world {
    uint32_t source, periodic;
    uint32_t first, n_ranks; /* slice of rank_terminal */
    uint32_t message_chunks, pad;
    uint64_t eager_bytes;
    uint32_t iterations; /* IC_PROGRAM; 0: until stop_ps */
    uint32_t grid[3];    /* its ranks in space; 0 from the first dimension on that is not there */
    uint32_t range_size, range_shift; /* IC_RANDOM: ranks of a range; the target's lies so many ranges on */
    weir_time start_ps, stop_ps;
    double gap_ps; /* mean time between messages */
} ic_job_world;

/* A message of a schedule. */
typedef struct ic_planned {
    weir_time time_ps;
    uint32_t target, chunks;
} ic_planned;

/* Where the parts of a router's state begin, in bytes. */
typedef struct ic_layout {
    uint32_t outputs, masks, credits, owners, owed, held, choices, queues, bytes;
} ic_layout;

typedef struct ic_world {
    uint32_t n_terminals, n_routers;
    uint32_t wiring, routing;
    uint32_t ports, vcs; /* of a router: most of any class */
    uint32_t words;      /* 64-bit words of a mask with a bit for each input and virtual channel */
    uint32_t arbitration;
    uint32_t burst; /* most chunks that an output sends in one go */
    uint32_t chunk_bytes, packet_chunks;
    uint32_t n_jobs;
    uint32_t surrogate; /* terminals ask the predictor; set at stop points, as are until_ps and still_ps */
    uint32_t predictor; /* wi_predictor */
    uint32_t row;       /* its numbers for a class of packets between a pair of terminals; 0: no surrogate */
    uint32_t pair;      /* counters of the same; 0: none */
    uint32_t classes;   /* of packets that are distinguished; at least 1 */
    uint32_t phases;    /* of these for each size: actions of a program */
    /* [IC_SIZES]: of up to 1, 4, 16, 64 and 255 chunks, and of all but a message's last */
    uint8_t size_class[8];
    weir_time until_ps; /* no packet goes round the network from then on */
    weir_time warm_ps,
        end_ps; /* of the run: what goes round the network is counted when it is sent, so not ahead of these */
    weir_time still_ps; /* how long the network has stood still: its clock is so far behind */
    weir_time nic_ps;   /* at the receiving terminal, behind the last chunk */
    ic_class class_[IC_CLASSES];
    ic_layout at;

    /* dragonfly */
    uint32_t p, a, h, groups, links_each; /* links_each: between each pair of groups, at least */
    uint32_t local_vc[4];                 /* by the place on the path: source group, again, middle, target */
    uint32_t globals_of_vc[4]; /* how many global links a packet on that local channel has behind it */
    int32_t bias;              /* chunks in favour of the minimal path */
    /* a link more joins groups 0 and 1, 2 and 3, ...: extra_at of distance 1 is theirs alone */
    uint32_t paired;
    /* tree */
    uint32_t k, levels;
    /* torus */
    uint32_t dimensions, size[IC_DIMENSIONS_MAX];

    /* Tables, offsets from the world's start. */
    uint64_t runs_first_at;    /* uint32_t [n_routers + 1]: slices of the pool of runs */
    uint64_t links_at;         /* ic_link [n_routers * ports] */
    uint64_t terminal_at;      /* uint32_t [n_terminals]: its router */
    uint64_t terminal_port_at; /* uint8_t [n_terminals]: port there */
    uint64_t group_at;         /* uint16_t [n_routers] */
    uint64_t channel_at;       /* ic_channel [a * h]: which router and port has a group's channel */
    /* uint32_t [groups]: by a group's distance the channel of one more link; IC_NONE: none */
    uint64_t extra_at;
    uint64_t coordinate_at;    /* uint32_t [n_routers * width]: digits of a tree, coordinates of a torus */
    uint64_t jobs_at;          /* ic_job_world [n_jobs] */
    uint64_t terminal_job_at;  /* uint32_t [n_terminals]; IC_NONE: idle */
    uint64_t terminal_rank_at; /* uint32_t [n_terminals] */
    uint64_t rank_terminal_at; /* uint32_t */
    uint64_t list_first_at;    /* uint32_t [n_terminals + 1]: slices of what a terminal's source reads */
    uint64_t list_at;          /* uint32_t targets of IC_CYCLE */
    uint64_t planned_first_at; /* uint32_t [n_terminals + 1] */
    uint64_t planned_at;       /* ic_planned */
    uint64_t programs_at;      /* ic_program [n_terminals] */
    uint64_t lanes_at;         /* ic_lane_actions */
    uint64_t actions_at;       /* job_action */
    uint64_t rank_first_at, request_first_at, inbox_first_at, lane_first_at,
        times_first_at;        /* uint32_t [n_terminals + 1]: slices of the pools of programs */
    uint64_t program_counters; /* the first of them; 0: no job has a program */
    uint64_t rows_at;          /* int64_t [n_terminals * n_terminals * classes * row] */
} ic_world;

typedef struct ic_channel {
    uint16_t router;
    uint8_t port;
    uint8_t pad;
} ic_channel;

#define IC_TABLE(world, type, at) ((const type *)(const void *)((const unsigned char *)(world) + (at)))

WEIR_FN const ic_world *ic_world_of(const weir_ctx *ctx)
{
    return (const ic_world *)(const void *)ctx->world;
}

WEIR_FN const ic_link *ic_link_of(const ic_world *w, uint32_t router, uint32_t port)
{
    return IC_TABLE(w, ic_link, w->links_at) + (size_t)router * w->ports + port;
}

/* Chunks of a message; one without bytes has one all the same. */
WEIR_FN uint32_t ic_chunks_of(const ic_world *w, uint64_t bytes)
{
    const uint64_t chunks = (bytes + w->chunk_bytes - 1) / w->chunk_bytes;
    return chunks ? (uint32_t)chunks : 1;
}

/* Sixty-four bits from a packet's name, the same wherever they are asked for: choices that all routers on its
 * way must make alike. */
WEIR_FN uint64_t ic_packet_bits(uint32_t source, uint32_t packet, uint32_t salt)
{
    uint64_t h = ((uint64_t)source << 32 | packet) + (uint64_t)salt * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

/* One of n, from 32 of those bits. */
WEIR_FN uint32_t ic_one_of(uint64_t bits, uint32_t n)
{
    return (uint32_t)(((bits & UINT32_MAX) * n) >> 32);
}

/* What packets' bits are asked for. */
enum { IC_SALT_LINK = 1, IC_SALT_VIA = 2, IC_SALT_TIE = 3, IC_SALT_LATE = 4, IC_SALT_LATENCY = 1 << 16 };

/* Counters: of each job, then where asked for of each pair of terminals. */
enum {
    IC_COUNT_MESSAGES, /* whole messages received */
    IC_COUNT_PACKETS,  /* delivered */
    IC_COUNT_CHUNKS,   /* of these */
    IC_COUNT_LATENCY,  /* ps, from the first chunk into the network to the last one out of it */
    IC_COUNT_SQUARES,  /* of these: multiples of 2^64 ps^2, of 2^32, and the rest */
    IC_COUNT_SQUARES_MIDDLE,
    IC_COUNT_SQUARES_REST,
    IC_COUNT_TOTAL, /* ps, the same from when the message was due; not of programs */
    IC_COUNT_TOTAL_SQUARES,
    IC_COUNT_TOTAL_SQUARES_MIDDLE,
    IC_COUNT_TOTAL_SQUARES_REST,
    IC_COUNT_TOTAL_PACKETS,
    IC_COUNT_WAITED,    /* ps, in the terminal before */
    IC_COUNT_HOPS,      /* routers, of the packets delivered that have a way */
    IC_COUNT_DETOURS,   /* of these, by a non-minimal one */
    IC_COUNT_INJECTED,  /* packets */
    IC_COUNT_PREDICTED, /* packets that went round the network */
    IC_COUNT_ZOMBIES,   /* packets thrown away at a terminal */
    IC_COUNT_AROUND,    /* packets delivered that went round it, without a way */
    IC_LATENCY,         /* histogram */
    IC_LATENCY_UNIT_PS = 1000,
    IC_LATENCY_BINS = 1600, /* of the unit each up to 64, then 32 an octave: up to 2^63 ps */
    /* By the counter's number, of those in ps: multiples of 2^32, where the counter itself has the rest. Sums
     * of two billion values fit. */
    IC_CARRY = IC_LATENCY + IC_LATENCY_BINS,
    IC_CARRIES = 448,
    IC_COUNTERS = IC_CARRY + IC_CARRIES
};
enum {
    IC_PAIR_PACKETS, /* delivered */
    IC_PAIR_LATENCY, /* ps, of these: in one word, which holds 106 days a pair */
    IC_PAIR_PLAIN,
    IC_PAIR_CHUNKS = IC_PAIR_PLAIN,            /* of these */
    IC_PAIR_SENT,                              /* packets */
    IC_PAIR_STALLED,                           /* ps that these were kept from going by a lack of room */
    IC_PAIR_SEEN,                              /* with a surrogate */
    IC_PAIR_FULL = IC_PAIR_SEEN + WI_SEEN_BINS /* and a histogram of latencies */
};
enum { IC_AHEAD = 16 }; /* packets that a terminal sends round the network in one event */

/* Class of a packet: by its size, by whether more of its message follows (the last one is what a receiver waits for),
 * and by the action of the program that it comes from. */
WEIR_FN uint32_t ic_packet_class(const ic_world *w, uint32_t chunks, int more, uint32_t action)
{
    uint32_t quarters = 0;
    for (uint32_t c = chunks - 1; c; c >>= 2)
        quarters++;
    return w->size_class[more ? IC_SIZE_MORE : quarters] * w->phases + action % w->phases;
}

/* Number of a pair and class, among all of them. */
WEIR_FN uint64_t ic_pair_class(const ic_world *w, uint32_t source, uint32_t target, uint32_t class_)
{
    return ((uint64_t)source * w->n_terminals + target) * w->classes + class_;
}

WEIR_FN uint64_t ic_pair_classes(const ic_world *w)
{
    return (uint64_t)w->n_terminals * w->n_terminals * w->classes;
}

/* The first counter of a pair and class. */
WEIR_FN uint64_t ic_pair_counters(const ic_world *w, uint64_t pair_class)
{
    return (uint64_t)(w->n_jobs + 1) * IC_COUNTERS + pair_class * w->pair;
}

/* What the predictor knows of a pair and class. */
WEIR_FN const int64_t *ic_predictor_row(const ic_world *w, uint32_t source, uint32_t target, uint32_t class_)
{
    return IC_TABLE(w, int64_t, w->rows_at) + ic_pair_class(w, source, target, class_) * w->row;
}

/* Bin of a latency: 3 % wide. */
WEIR_FN uint32_t ic_latency_bin(weir_time latency_ps)
{
    const uint64_t units = (uint64_t)latency_ps / (uint64_t)IC_LATENCY_UNIT_PS;
    if (units < 64)
        return (uint32_t)units;
    uint32_t octave = 0;
    for (uint64_t u = units >> 6; u; u >>= 1) /* units >> octave is 32 to 63 */
        octave++;
    return 32 * octave + (uint32_t)(units >> octave);
}

/* Where a bin begins; of those behind all time, no more than that two are a time. */
WEIR_FN weir_time ic_latency_bin_low(uint32_t bin)
{
    const uint32_t octave = bin < 64 ? 0 : bin / 32 - 1;
    return octave > 46 ? WEIR_TIME_MAX / 2
                       : (weir_time)(bin - 32 * octave) * ((weir_time)1 << octave) * IC_LATENCY_UNIT_PS;
}
