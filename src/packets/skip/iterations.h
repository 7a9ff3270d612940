/*
 * Iterations of a job, repeated from memory. Ranks that train do the same again and again, and between two iterations there is an instant at
 * which nothing of theirs is on the network. From one such quiet instant to the next everything grew by what an iteration
 * sends: it is counted again as often as iterations are skipped, so that what was conserved is. Programs go on in a later iteration
 * where they were, operations in between have ended when those of the last one did, that much later, and so have messages.
 *
 * Here: the ranks of a part and their words (net/packet/program.h). iterations.c looks and judges, repeat.c repeats.
 */
#pragma once

#include "packets/skip/moving.h"
#include "packets/skip/skipper.h"

typedef bool rank_visit(const wi_skipper *s, wi_skip_part *p, uint32_t number, void *what);

static inline const net_rank *rank_at(const wi_skipper *s, uint32_t number)
{
    return NET_ARRAY(wi_net_world(s->net), net_rank, job_ranks) + number;
}

static inline const net_job *job_at(const wi_skipper *s, uint32_t number)
{
    return NET_ARRAY(wi_net_world(s->net), net_job, jobs) + number;
}

static inline uint64_t *word_at(const wi_skipper *s, uint64_t at)
{
    return weir_sim_slot(s->sim, NET_POOL_HOST_WORDS, (uint32_t)at);
}

/* The part's ranks, until one says no. */
static inline bool each_rank(const wi_skipper *s, wi_skip_part *p, rank_visit *visit, void *what)
{
    const uint32_t *first = NET_ARRAY(wi_net_world(s->net), uint32_t, host_ranks);
    for (uint32_t h = 0; h < p->n_hosts; h++)
        for (uint32_t r = first[p->entities[h]]; r < first[p->entities[h] + 1]; r++)
            if (!visit(s, p, r, what))
                return false;
    return true;
}

static inline uint32_t iteration_of(const wi_skipper *s, const net_rank *rank)
{
    return (uint32_t)(*word_at(s, rank->word + NET_RANK_TURN) >> 32);
}

/* Whether a rank is of the job that is watched. One that has nothing to do is through with all iterations at once. */
static inline bool takes_part(const wi_skip_part *p, const net_rank *rank)
{
    return rank->job == p->again.job && rank->n_ops > 0;
}

/* When a rank began an iteration, and when an operation of it ended there: net_rank.end_word. */
static inline uint64_t *began(const wi_skipper *s, const net_rank *rank, uint32_t iteration)
{
    return word_at(s, rank->end_word + iteration);
}

static inline uint64_t *ended(const wi_skipper *s, const net_rank *rank, uint32_t iteration, uint32_t op)
{
    return word_at(s, rank->end_word + job_at(s, rank->job)->iterations + (uint64_t)iteration * rank->n_ops +
                          op);
}

static inline weir_time time_of(uint64_t word)
{
    return (weir_time)(word & ~NET_GATE_OPEN);
}

/* The job that an event is of: what its ranks do, and messages inside a server, of which *doing is who takes it, at the number *at there;
 * NET_NONE: of none. */
uint32_t wi_skip_job_of(const wi_skipper *s, const weir_event *event, net_doing *doing, uint32_t *at);
/* What `quiet_counters` has of the job's class, [NET_CLASS_COUNTERS]; what its slots hold is in there. */
static inline int64_t *wi_skip_quiet_class(const wi_skipper *s, const wi_skip_part *p)
{
    return s->quiet_counters + wi_net_world(s->net)->c_class + (uint64_t)p->again.cls * NET_CLASS_COUNTERS;
}

/* All counts of a part, as they stand, or by how much they have grown since. */
void wi_skip_take_counts(wi_skipper *s, wi_skip_part *p, bool growth);
