/*
 * The ports that packets and fluid share, wherever either is simulated. On the packets' side what they left
 * is gathered: by the host, or by kernels on the engine's states. On the fluid's side that is taken in, and
 * rows are written of what became of each port: by the host from what the CPU's solver tells, or by the
 * device that has the fluid, straight into the memory that packets read, which is the device's or the host's.
 * The arithmetic is net/port/exchange.h for all.
 *
 *     packets   fluid    gather            exchange, put     left, rows
 *     host      CPU      shared_host.c     shared_host.c     host
 *     host      CUDA     shared_host.c     cuda/shared.cu    host, where the device reaches it
 *     CUDA      CUDA     cuda/shared.cu    cuda/shared.cu    device
 *
 * Threads: `exchange` and `put` are called by whoever advances the fluid, the others by the thread that runs
 * the simulation; gather and begin only while the fluid rests.
 */
#ifndef WI_FLUID_SHARED_SHARED_H
#define WI_FLUID_SHARED_SHARED_H

#include "base/memory.h"
#include "packets/build/build.h"
#include "net/port/exchange.h"
#include "weir/fluid.h"

/* A port where packets and fluid meet. */
typedef struct wi_meeting {
    uint32_t entity; /* of the packet network */
    uint32_t port;   /* of the fluid; meetings at one port follow each other */
    double alike;    /* links that the port is */
} wi_meeting;

/* Quantities that packets leave, in this order. */
enum { WI_LEFT_QUEUED, WI_LEFT_COMING, WI_LEFT };

typedef struct wi_shared wi_shared;

typedef struct wi_shared_ops {
    /* s->sim and the solver meet, from what the host has of rows and of `kept` on. */
    weir_status (*attach)(wi_shared *s, weir_diag *diag, weir_fluid *fluid);
    /* What packets left in a batch of batch_ps that ends at at_ps; *difference: the largest
     * net_left.share. */
    weir_status (*gather)(wi_shared *s, weir_diag *diag, weir_time at_ps, double batch_ps,
                          double *difference);
    /* Batch `number` begins, and with it the rows that packets read. */
    weir_status (*begin)(wi_shared *s, weir_diag *diag, uint32_t number, weir_time from_ps);
    /* Tell the fluid what was gathered. */
    weir_status (*exchange)(wi_shared *s, weir_diag *diag, weir_fluid *fluid);
    /* Ends of the last n steps into rows, from entry `at` on. */
    weir_status (*put)(wi_shared *s, weir_diag *diag, weir_fluid *fluid, uint32_t n, int64_t at);
    /* Wait for all that was put but the last `but` times, 0 or 1. Null: put itself waits. */
    weir_status (*settle)(wi_shared *s, weir_diag *diag, uint32_t but);
    /* At a stop point: the rows, for the host to read. */
    weir_status (*look)(wi_shared *s, weir_diag *diag);
    /* Likewise, and `kept`; of all ranks, which do it together. */
    weir_status (*fetch)(wi_shared *s, weir_diag *diag);
    void (*free)(wi_shared *s);
} wi_shared_ops;

struct wi_shared {
    const wi_shared_ops *ops;
    wi_net *net;
    const wi_meeting *meetings; /* [n] borrowed */
    uint32_t n;
    uint32_t *ports; /* [n] of the fluid */
    const weir_sim *sim;
    uint32_t rows;      /* last entry of a row written in the batch under way */
    net_exchange *kept; /* [n]; packets on the device: what was fetched last */
    double *left;       /* [WI_LEFT][n]: for the batch under way, written between batches only */
    wi_owned memory;    /* of what the host keeps */
};

/* With room for most_steps steps at once. WEIR_E_NOMEM. *out is null on failure. */
WEIR_NODISCARD weir_status wi_shared_on_host(weir_diag *diag, wi_net *net, const wi_meeting *meetings,
                                             uint32_t n, uint32_t most_steps, wi_shared **out);
/* Fluid of CUDA; packets there too, or on the host. WEIR_E_UNSUPPORTED in a build without CUDA. */
WEIR_EXTERN WEIR_NODISCARD weir_status wi_shared_on_device(weir_diag *diag, wi_net *net,
                                                           const wi_meeting *meetings, uint32_t n,
                                                           bool packets_too, wi_shared **out);
void wi_shared_free(wi_shared *s); /* null is allowed */

/* shared_host.c: what wi_shared has in common, apart from `left`. WEIR_E_NOMEM. */
WEIR_EXTERN WEIR_NODISCARD weir_status wi_shared_make(weir_diag *diag, wi_shared *s);
WEIR_EXTERN void wi_shared_drop(wi_shared *s);
/* A simulation begins, at time 0: nothing has been exchanged. */
void wi_shared_clear(wi_shared *s, const weir_sim *sim);
/* Operations of packets that are on the host. */
WEIR_EXTERN weir_status wi_shared_host_gather(wi_shared *s, weir_diag *diag, weir_time at_ps, double batch_ps,
                                              double *difference);
WEIR_EXTERN weir_status wi_shared_host_begin(wi_shared *s, weir_diag *diag, uint32_t number,
                                             weir_time from_ps);
WEIR_EXTERN weir_status wi_shared_host_look(wi_shared *s, weir_diag *diag);
WEIR_EXTERN weir_status wi_shared_host_fetch(wi_shared *s, weir_diag *diag);

#endif
