/* Which ranks can never go on; see the header for the rule. */
#include "models/interconnect/stuck.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

/* What the search knows of a terminal. */
enum { FREE, WAITS, ENDED };

typedef struct search {
    const ic_world *w;
    const weir_sim *sim;
    uint8_t *is;         /* [n_terminals] */
    uint64_t *under_way; /* pairs of terminals with a packet between them, the lower one first */
    size_t n;
    bool full;
} search;

static uint64_t pair_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static void note_packet(void *user, const ic_burst *b)
{
    search *s = user;
    if (s->is[b->source] == FREE && s->is[b->target] == FREE)
        return;
    if (wi_grow_one(&s->under_way, s->n, sizeof *s->under_way))
        s->under_way[s->n++] = pair_of(b->source, b->target);
    else
        s->full = true;
}

static const ic_job_world *job_of(const ic_world *w, uint32_t job)
{
    return IC_TABLE(w, ic_job_world, w->jobs_at) + job;
}

static const ic_rank *rank_at(const search *s, uint32_t terminal)
{
    return weir_sim_slot(s->sim, IC_POOL_RANKS, IC_TABLE(s->w, uint32_t, s->w->rank_first_at)[terminal]);
}

static const ic_request *requests_at(const search *s, uint32_t terminal, uint32_t *n)
{
    const uint32_t *first = IC_TABLE(s->w, uint32_t, s->w->request_first_at) + terminal;
    *n = first[1] - first[0];
    return weir_sim_slot(s->sim, IC_POOL_REQUESTS, first[0]);
}

static const ic_program *program_at(const search *s, uint32_t terminal)
{
    return IC_TABLE(s->w, ic_program, s->w->programs_at) + terminal;
}

/* The rank's lanes, and the actions of each. */
static const ic_lane *lanes_at(const search *s, uint32_t terminal, const ic_lane_actions **actions)
{
    *actions = IC_TABLE(s->w, ic_lane_actions, s->w->lanes_at) + program_at(s, terminal)->first_lane;
    return weir_sim_slot(s->sim, IC_POOL_LANES, IC_TABLE(s->w, uint32_t, s->w->lane_first_at)[terminal]);
}

/* Whether a lane that is not over waits for a request. */
static bool awaits(const ic_program *program, const ic_lane *lane, uint32_t number, uint32_t slot)
{
    switch (lane->wait) {
    case IC_WAIT_NOT:
    case IC_WAIT_TIME:
    case IC_WAIT_LANE:
        return false;
    case IC_WAIT_OWN:
        return slot / program->own == number && slot < program->own * program->n_lanes;
    case IC_WAIT_ALL:
        return true;
    default:
        return slot == lane->wait - IC_WAIT_SLOT;
    }
}

/* The other rank must act for it; requests in other states go on by themselves. */
static bool needs_peer(const ic_request *r)
{
    return r->state == IC_REQUEST_ASKED || r->state == IC_REQUEST_LISTEN || r->state == IC_REQUEST_POSTED;
}

/* Has a terminal anything for another that will leave by itself? */
static bool will_send(const search *s, uint32_t from, uint32_t to)
{
    uint32_t n;
    const ic_request *r = requests_at(s, from, &n);
    for (uint32_t i = 0; i < n; i++)
        if (r[i].peer == to && r[i].state != IC_REQUEST_FREE && !needs_peer(&r[i]))
            return true;
    return false;
}

/* A request of a terminal that can never be done and that its lane waits for; null: each may be, as far as is known. */
static const ic_request *hopeless_in(const search *s, uint32_t terminal, const ic_lane *lane, uint32_t number)
{
    uint32_t n;
    const ic_program *program = program_at(s, terminal);
    const ic_request *r = requests_at(s, terminal, &n);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t pair = pair_of(terminal, r[i].peer);
        if (awaits(program, lane, number, i) && needs_peer(&r[i]) && s->is[r[i].peer] != FREE &&
            !(s->n && bsearch(&pair, s->under_way, s->n, sizeof pair, wi_order_u64)) &&
            !will_send(s, terminal, r[i].peer) && !will_send(s, r[i].peer, terminal))
            return &r[i];
    }
    return NULL;
}

/* The same of a rank, none of whose lanes can go on; those that wait for others of them cannot before these do. */
static const ic_request *hopeless(const search *s, uint32_t terminal)
{
    const ic_lane_actions *actions;
    const ic_lane *lane = lanes_at(s, terminal, &actions);
    const ic_request *first = NULL;
    for (uint32_t i = 0; i < program_at(s, terminal)->n_lanes; i++) {
        if (lane[i].action == actions[i].n || lane[i].wait == IC_WAIT_LANE)
            continue;
        const ic_request *r = hopeless_in(s, terminal, &lane[i], i);
        if (!r)
            return NULL;
        first = first ? first : r;
    }
    return first;
}

/* Whether any lane of a rank computes, or goes on by itself. */
static bool acts(const search *s, uint32_t terminal)
{
    const ic_lane_actions *actions;
    const ic_lane *lane = lanes_at(s, terminal, &actions);
    bool any = false;
    for (uint32_t i = 0; i < program_at(s, terminal)->n_lanes; i++)
        any |= lane[i].action < actions[i].n && (lane[i].wait == IC_WAIT_NOT || lane[i].wait == IC_WAIT_TIME);
    return any;
}

/* Ranks that wait, and those that are through with all iterations; who ended at `stop` left others in the middle of one, which is
 * no fault of the program. Returns how many wait. */
static size_t look_at_ranks(search *s)
{
    size_t n = 0;
    for (uint32_t t = 0; t < s->w->n_terminals; t++) {
        const uint32_t job = IC_TABLE(s->w, uint32_t, s->w->terminal_job_at)[t];
        if (job == IC_NONE || job_of(s->w, job)->source != IC_PROGRAM)
            continue;
        const ic_rank *rank = rank_at(s, t);
        if (rank->ended)
            s->is[t] = rank->iteration == job_of(s->w, job)->iterations ? ENDED : FREE;
        else if (!acts(s, t))
            s->is[t] = WAITS;
        n += s->is[t] == WAITS;
    }
    return n;
}

/* From all that wait take those that may go on, until none is left that may. Returns how many remain. */
static size_t narrow(search *s, size_t n)
{
    for (bool again = true; again && n;) {
        again = false;
        for (uint32_t t = 0; t < s->w->n_terminals; t++)
            if (s->is[t] == WAITS && !hopeless(s, t)) {
                s->is[t] = FREE;
                again = true;
                n--;
            }
    }
    return n;
}

static wi_ic_stuck explain(const search *s, uint32_t job, uint32_t number, uint32_t terminal)
{
    const ic_world *w = s->w;
    const ic_job_world *j = job_of(w, job);
    const ic_request *r = hopeless(s, terminal);
    const ic_lane_actions *all = IC_TABLE(w, ic_lane_actions, w->lanes_at), *mine;
    const ic_lane *lane = lanes_at(s, terminal, &mine);
    const uint32_t root = IC_TABLE(w, uint32_t, w->rank_terminal_at)[j->first];
    uint32_t i = 0; /* the lane that waits */
    while (lane[i].action == mine[i].n || lane[i].wait == IC_WAIT_LANE)
        i++;
    const uint32_t first = all[program_at(s, root)->first_lane].first; /* rank 0's, and the job's */
    const uint32_t at = mine[i].first + lane[i].action;
    return (wi_ic_stuck){.job = job,
                         .rank = number,
                         .peer = IC_TABLE(w, uint32_t, w->terminal_rank_at)[r->peer],
                         .tag = r->key,
                         .action = at - first,
                         .op = IC_TABLE(w, job_action, w->actions_at)[at].op,
                         .sends = r->state == IC_REQUEST_ASKED,
                         .peer_ended = s->is[r->peer] == ENDED,
                         .since_ps = r->made_ps};
}

/* Job by job and rank by rank. */
static void list_stuck(const search *s, wi_ic_stuck *out)
{
    for (uint32_t job = 0; job < s->w->n_jobs; job++)
        for (uint32_t i = 0; i < job_of(s->w, job)->n_ranks; i++) {
            const uint32_t t = IC_TABLE(s->w, uint32_t, s->w->rank_terminal_at)[job_of(s->w, job)->first + i];
            if (s->is[t] == WAITS)
                *out++ = explain(s, job, i, t);
        }
}

weir_status wi_ic_find_stuck(weir_diag *diag, const wi_ic *ic, const weir_sim *sim, wi_ic_stuck **out,
                             size_t *n)
{
    search s = {.w = wi_ic_world(ic), .sim = sim};
    weir_status status = WEIR_OK;
    *out = NULL;
    *n = 0;
    if (s.w->program_counters == 0)
        return WEIR_OK;
    s.is = calloc(s.w->n_terminals, sizeof *s.is);
    s.full = !s.is;
    size_t found = s.is ? look_at_ranks(&s) : 0;
    if (found)
        status = wi_ic_visit_packets(diag, ic, sim, note_packet, &s);
    if (s.n)
        qsort(s.under_way, s.n, sizeof *s.under_way, wi_order_u64);
    if (status == WEIR_OK && !s.full)
        found = narrow(&s, found);
    if (found && status == WEIR_OK && !s.full && !(*out = malloc(found * sizeof **out)))
        s.full = true;
    if (*out) {
        list_stuck(&s, *out);
        *n = found;
    }
    free(s.is);
    free(s.under_way);
    return status == WEIR_OK && s.full
               ? weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory to look for a deadlock")
               : status;
}
