/* A router's state: where its parts lie, and the runs of chunks that wait in its input buffers. */
#pragma once

#include "models/interconnect/world/world.h"

typedef struct ic_router {
    uint32_t free, used; /* slots: list of those given back (from 1; 0: none), and how many were ever taken */
    uint32_t waiting;    /* chunks in all input buffers */
    uint32_t pad;
    uint64_t hops; /* chunks sent on */
} ic_router;

typedef struct ic_output {
    weir_time busy_ps; /* free from then on */
    weir_time wake_ps; /* of the wake-up that counts */
    uint32_t waiting;  /* chunks in the buffers for it */
    uint32_t away;     /* chunks whose room at the other end is taken */
    uint32_t next;     /* where the round robin goes on: an input and virtual channel */
    uint32_t pad;
} ic_output;

/* Chunks of one packet in an input buffer, for one output. Chunk j is ready at ready_ps + j times the time of
 * a chunk on the input's channel. */
typedef struct ic_run {
    ic_burst burst;
    weir_time ready_ps;
    uint32_t link; /* the run behind it */
    uint16_t chunks;
    uint8_t vc; /* of the output */
    uint8_t pad;
} ic_run;

/* Runs from one input and virtual channel to one output. */
typedef struct ic_queue {
    uint32_t head, tail; /* slots from 1; 0: empty */
} ic_queue;

/* Where the packet that comes in now goes, where its head has chosen among ways. */
typedef struct ic_choice {
    uint32_t source, packet;
    uint16_t via;
    uint8_t port, vc;
    uint32_t taken; /* nonzero: there is one */
} ic_choice;

/* A router under an event. */
typedef struct ic_here {
    weir_ctx *ctx;
    const ic_world *w;
    unsigned char *state;
    uint32_t id;   /* of the router, from 0 */
    uint32_t base; /* of its slots in the pool, less one */
} ic_here;

enum { IC_POOL_RUNS }; /* those of programs: program.h */

WEIR_FN ic_router *ic_head(const ic_here *r)
{
    return (ic_router *)(void *)r->state;
}

WEIR_FN ic_output *ic_output_at(const ic_here *r, uint32_t port)
{
    return (ic_output *)(void *)(r->state + r->w->at.outputs) + port;
}

WEIR_FN uint64_t *ic_mask_at(const ic_here *r, uint32_t port)
{
    return (uint64_t *)(void *)(r->state + r->w->at.masks) + (size_t)port * r->w->words;
}

/* Chunks that an output may still send on a virtual channel. */
WEIR_FN uint32_t *ic_credits_at(const ic_here *r, uint32_t port, uint32_t vc)
{
    return (uint32_t *)(void *)(r->state + r->w->at.credits) + port * r->w->vcs + vc;
}

/* Which input, from 1, has an output's virtual channel to itself; 0: none. */
WEIR_FN uint32_t *ic_owner_at(const ic_here *r, uint32_t port, uint32_t vc)
{
    return (uint32_t *)(void *)(r->state + r->w->at.owners) + port * r->w->vcs + vc;
}

/* Credits of an input that have not gone back. `q` is an input and virtual channel: port * vcs + vc. */
WEIR_FN uint32_t *ic_owed_at(const ic_here *r, uint32_t q)
{
    return (uint32_t *)(void *)(r->state + r->w->at.owed) + q;
}

/* Chunks in an input's buffer. */
WEIR_FN uint32_t *ic_held_at(const ic_here *r, uint32_t q)
{
    return (uint32_t *)(void *)(r->state + r->w->at.held) + q;
}

WEIR_FN ic_choice *ic_choice_at(const ic_here *r, uint32_t q)
{
    return (ic_choice *)(void *)(r->state + r->w->at.choices) + q;
}

/* What the head of a burst's packet has chosen where the burst came in; new: this is the head, which has to choose. */
WEIR_FN ic_choice *ic_choice_of(const ic_here *r, const ic_burst *b, int *is_new)
{
    ic_choice *c = ic_choice_at(r, b->port * r->w->vcs + (b->mark & IC_VC));
    *is_new = !c->taken || c->source != b->source || c->packet != b->packet;
    if (*is_new) {
        weir_touch(r->ctx, c, sizeof *c);
        c->taken = 1;
        c->source = b->source;
        c->packet = b->packet;
    }
    return c;
}

WEIR_FN ic_queue *ic_queue_at(const ic_here *r, uint32_t q, uint32_t port)
{
    return (ic_queue *)(void *)(r->state + r->w->at.queues) + (size_t)q * r->w->ports + port;
}

WEIR_FN ic_run *ic_run_at(const ic_here *r, uint32_t slot)
{
    return (ic_run *)weir_slot(r->ctx, IC_POOL_RUNS, r->base + slot, (uint32_t)sizeof(ic_run));
}

WEIR_FN const ic_class *ic_class_of(const ic_here *r, uint32_t port)
{
    return &r->w->class_[ic_link_of(r->w, r->id, port)->class_];
}

/* Chunks that stand between an output and idleness, as adaptive routing sees it: those that wait for it, and
 * those whose room at the other end is taken. */
WEIR_FN uint32_t ic_load(const ic_here *r, uint32_t port)
{
    const ic_output *o = ic_output_at(r, port);
    return o->waiting + o->away;
}

WEIR_FN uint32_t ic_slot_alloc(const ic_here *r)
{
    ic_router *head = ic_head(r);
    const uint32_t slot = head->free;
    if (!slot)
        return ++head->used;
    head->free = ic_run_at(r, slot)->link;
    return slot;
}

WEIR_FN void ic_slot_free(const ic_here *r, uint32_t slot)
{
    ic_router *head = ic_head(r);
    ic_run_at(r, slot)->link = head->free;
    head->free = slot;
}
