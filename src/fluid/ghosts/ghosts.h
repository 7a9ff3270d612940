/*
 * A fluid over ranks: each solves the ports of its part of the network, and the flows that end there.
 *
 * What a part needs of another is here as ghosts (paper 000, section 3.1, calls them ghost nodes): ports and prefixes
 * that its own ones pull from, and volumes that are sent elsewhere. They stand at the end of the tables, and nothing
 * solves them: their histories come from the rank that has them, once a block of steps. That is in time, since all
 * that is pulled from them is a propagation delay old, and a block is shorter. Only volumes of the block at work are
 * wanted at once, where they are sent: a source's windows are with the rank of its destination, which hears of
 * losses first. So a block goes
 *
 *     flows; sets of which all is known here        as ever
 *     swap    histories since the last one, and what flows and these sets send in this block
 *     fronts of ghosts; the other sets; ports       as ever
 *
 * Each rank makes the whole tables first and then keeps its part, in the same order: sums of volumes have the same
 * members in the same order, all else depends on nothing but what it reads, and so bits are those of one process.
 * Numbers of ports and flows beyond src/fluid are the whole network's.
 *
 * All functions that take a fluid are collective unless they say otherwise.
 */
#ifndef WI_FLUID_GHOSTS_GHOSTS_H
#define WI_FLUID_GHOSTS_GHOSTS_H

#include "base/file/archiver.h"
#include "ranks/ranks.h"
#include "fluid/state/internal.h"

/* What one rank sends another, in this order. */
enum {
    WI_GHOST_PORTS,    /* their lags and survivals */
    WI_GHOST_PREFIXES, /* the same of prefixes */
    WI_GHOST_LATE,     /* volumes of sets whose members come from elsewhere: of the steps before the block */
    WI_GHOST_EARLY,    /* volumes of flows, and of sets of which all is known at once: of the block at work */
    WI_GHOST_FLOWS,    /* bytes acknowledged, when ACKs are brought to ports */
    WI_GHOST_KINDS
};

/* Things of all kinds that go to a rank or come from it: where their rings are; `reserved`: number of a port or flow. */
typedef struct wi_ghost_list {
    fluid_ring *item[WI_GHOST_KINDS];
    uint32_t n[WI_GHOST_KINDS];
    unsigned char *message;
    size_t room;
} wi_ghost_list;

/* A rank that this one swaps with. */
typedef struct wi_ghost_peer {
    uint32_t rank;
    wi_ghost_list out, in;
} wi_ghost_peer;

struct wi_fluid_ghosts {
    const wi_ranks *ranks;
    fluid_tables whole;   /* numbers, ports and rings of the network; the rest is gone */
    weir_fluid_size size; /* of the whole */
    /* Of the whole network's, the number here; FLUID_NONE: it is not. Ghosts have the last numbers. */
    uint32_t *port, *prefix, *flow, *series;
    uint16_t *holder; /* [whole.n_series] the rank whose ring has all rows */
    wi_ghost_peer *peers;
    wi_ranks_letter *letters; /* [n_peers] */
    uint32_t n_peers;
    uint8_t *rewritten; /* [ports here] what is past has changed: the whole ring is sent */
    int64_t sent_to;    /* step up to which histories have been swapped */
    size_t real;        /* bytes */
    wi_owned memory;    /* of all but whole's arrays and the views */
    double *views;      /* [view_room] of wi_ghosts_history */
    size_t view_room;
};

/* part.c: of the tables that have just been built, this rank's part into `here`; fluid->ghosts is made. Where the network
 * cannot be parted a note says why, ghosts stay null, and each rank goes on with the whole. WEIR_E_NOMEM; `here` may be
 * freed on every path. */
WEIR_NODISCARD weir_status wi_fluid_part_over_ranks(weir_diag *diag, const weir_fluid_plan *plan,
                                                    weir_fluid *fluid, fluid_tables *here);
void wi_fluid_ghosts_free(wi_fluid_ghosts *g); /* null is allowed */

/* split.c: the rank of each port of the whole tables. Null `*why`: it can be done; else what keeps it from that. */
WEIR_NODISCARD weir_status wi_ghosts_split(weir_diag *diag, const weir_fluid_plan *plan,
                                           const fluid_tables *whole, const wi_ranks *ranks,
                                           uint16_t *of_port, const char **why);

/* Who solves what of the whole tables, and what rings must hold. */
typedef struct wi_ghost_owners {
    uint16_t *port, *prefix_home, *series; /* ranks; home: where the first port of a prefix is */
    uint8_t *late;                         /* [n_series] some member comes from elsewhere */
    uint32_t *series_of;                   /* [n_prefixes] */
    uint32_t *rows_of;                     /* [n_prefixes] that it needs of its series */
    uint16_t *holder;                      /* g's */
    wi_owned memory;                       /* of the others */
} wi_ghost_owners;
/* owners.c; `port` is filled in. */
WEIR_NODISCARD weir_status wi_ghosts_own(weir_diag *diag, const fluid_tables *whole, wi_ghost_owners *o,
                                         wi_fluid_ghosts *g);

static inline uint32_t wi_ghosts_port_of(const fluid_tables *t, uint32_t prefix)
{
    return t->segments[t->prefixes[prefix].segment].port;
}

/* The prefix before it, FLUID_NONE at a source. */
static inline uint32_t wi_ghosts_parent(const fluid_tables *t, uint32_t prefix)
{
    const fluid_prefix *const p = &t->prefixes[prefix];
    return p->parent == FLUID_NONE ? FLUID_NONE
                                   : t->ports[t->segments[p->segment].upstream].first + p->parent;
}

/* A thing of the whole tables that goes to a rank or comes from it, as a number by which they sort. */
static inline uint64_t wi_ghost_need(uint32_t peer, bool out, uint32_t kind, uint32_t item)
{
    return (uint64_t)peer << 48 | (uint64_t)out << 40 | (uint64_t)kind << 32 | item;
}

typedef struct wi_ghost_needs {
    uint64_t *need; /* sorted, each once */
    size_t n, room;
    uint32_t rank;
    bool short_of_memory;
} wi_ghost_needs;
/* needs.c: all that `rank` sends and receives. */
WEIR_NODISCARD weir_status wi_ghosts_need(weir_diag *diag, const fluid_tables *whole,
                                          const wi_ghost_owners *o, wi_ghost_needs *needs);

/* take.c: numbers of what is here, into g and the counts of `here`, which begins as a copy of the whole's counts. */
WEIR_NODISCARD weir_status wi_ghosts_number(weir_diag *diag, const fluid_tables *whole,
                                            const wi_ghost_owners *o, const wi_ghost_needs *needs,
                                            wi_fluid_ghosts *g, fluid_tables *here);
/* Then the tables. */
WEIR_NODISCARD weir_status wi_ghosts_take(weir_diag *diag, const fluid_tables *whole,
                                          const wi_ghost_owners *o, const wi_fluid_ghosts *g,
                                          fluid_tables *here);

/* swap.c: lists of what goes where. */
WEIR_NODISCARD weir_status wi_ghosts_list(weir_diag *diag, const wi_ghost_needs *needs,
                                          const fluid_tables *whole, const fluid_tables *here,
                                          wi_fluid_ghosts *g);
/* Within a block of n steps, see above; by the thread that may call MPI. Of 0 steps: before ACKs are brought to ports, what
 * is acknowledged. */
void wi_ghosts_swap(wi_fluid_ghosts *g, const fluid_tables *here, const fluid_state *s, uint32_t n);

/* read.c: number of a port or flow here, FLUID_NONE where another rank solves it. Not collective. */
uint32_t wi_ghosts_own_port(const weir_fluid *fluid, uint32_t port);
uint32_t wi_ghosts_own_flow(const weir_fluid *fluid, uint32_t flow);
/* n words of 8 bytes, each of them nought on all ranks but one, become the same on all. */
void wi_ghosts_join(const weir_fluid *fluid, void *words, size_t n);
/* Each number becomes the sum of what it is on all ranks. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_ghosts_add(weir_diag *diag, const weir_fluid *fluid, double *numbers,
                                         uint32_t n);
/* What is past of a port here changes: all of it is sent again. Not collective. */
void wi_ghosts_rewrite(weir_fluid *fluid, uint32_t here);
/* The backend's calls of these names, of ports of the whole network. */
weir_status wi_ghosts_exchange(weir_diag *diag, weir_fluid *fluid, const uint32_t *ports, uint32_t n_ports,
                               const double *queued_bytes, const double *coming_bytes);
weir_status wi_ghosts_history(weir_diag *diag, weir_fluid *fluid, const uint32_t *ports, uint32_t n_ports,
                              uint32_t n, double *const of[WI_FLUID_VIEWS]);

/* archive.c: the arrays of the whole network's state; rank 0 saves them, each reads what it has. */
void wi_ghosts_archive(weir_fluid *fluid, wi_archiver *archiver);

#endif
