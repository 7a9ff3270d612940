/* Whether programs of jobs in a saved state are some that there can be: whatever is a number leads to what there is. */
#include "net/host/host.h"
#include "net/model/model.h"

/* One rank of a saved state. */
typedef struct view {
    const net_world *w;
    const uint64_t *words;
    const net_rank *rank;
} view;

static const net_op *op_at(const net_world *w, uint32_t number)
{
    return NET_ARRAY(w, net_op, job_ops) + number;
}

static const net_collective *collective_of(const net_world *w, const net_op *op)
{
    return op->kind == NET_OP_COLLECTIVE ? NET_ARRAY(w, net_collective, job_collectives) + op->peer : NULL;
}

static uint32_t chains_of(const net_world *w, const net_op *op)
{
    const net_collective *const c = collective_of(w, op);
    return c ? net_collective_chains(c) : op->kind == NET_OP_RECV;
}

static uint32_t lines_of(const net_world *w, const net_op *op)
{
    const net_collective *const c = collective_of(w, op);
    return c && net_piece_lines(c) ? c->parts * net_piece_lines(c) : 0;
}

/* Whether an operation can do something with a number: of an event, or of what waits for a slot. */
static bool can_do(const net_world *w, const net_op *op, uint32_t what, uint32_t index)
{
    const uint32_t chains = op->kind == NET_OP_COLLECTIVE ? chains_of(w, op) : 0;
    switch (what) {
    case NET_DO_START:
        return index <= chains + op->n_starts;
    case NET_DO_END:
        return index <= op->n_ends;
    case NET_DO_STEP:
        return index < chains;
    case NET_DO_GO:
        return index < lines_of(w, op);
    case NET_DO_SENT:
        return op->kind == NET_OP_SEND || index < chains;
    case NET_DO_ACKED:
        return index >> 1 < lines_of(w, op);
    default:
        return false;
    }
}

static bool chain_fits(const view *v, const net_op *op, uint32_t k)
{
    const uint64_t *const at = v->words + op->word + NET_OP_WORDS + k * net_chain_words(op->flags, op->width);
    const net_chain *const c = (const net_chain *)(const void *)at;
    const net_collective *const of = collective_of(v->w, op);
    const uint32_t steps = !(op->flags & NET_OP_WINDOW) ? op->width : of ? net_ring_steps(of) : 0;
    return c->state <= NET_CHAIN_OVER && (c->state == NET_CHAIN_OVER || c->step <= steps) &&
           (op->flags & NET_OP_WINDOW || c->state != NET_CHAIN_RECV || c->step < op->width);
}

static bool line_fits(const view *v, const net_op *op, uint32_t i)
{
    const net_collective *const c = collective_of(v->w, op);
    const uint64_t *const at =
        v->words + op->word + NET_OP_WORDS + chains_of(v->w, op) * net_chain_words(op->flags, op->width);
    const net_piece_line *const l = (const net_piece_line *)(const void *)at + i;
    return l->piece < c->pieces || !l->begun;
}

static bool ops_fit(const view *v)
{
    for (uint32_t i = 0; i < v->rank->n_ops; i++) {
        const net_op *const op = op_at(v->w, v->rank->first_op + i);
        for (uint32_t k = 0; k < chains_of(v->w, op); k++)
            if (!chain_fits(v, op, k))
                return false;
        for (uint32_t k = 0; k < lines_of(v->w, op); k++)
            if (!line_fits(v, op, k))
                return false;
    }
    return true;
}

static bool entry_fits(const view *v, uint64_t entry)
{
    const uint32_t number = (uint32_t)(entry >> 32) - 1u, what = (uint32_t)entry & ((1u << NET_DO_BITS) - 1u);
    return number < v->rank->n_ops && what != NET_DO_END && what != NET_DO_SENT && what != NET_DO_ACKED &&
           can_do(v->w, op_at(v->w, v->rank->first_op + number), what, (uint32_t)entry >> NET_DO_BITS);
}

static uint64_t behind(const view *v, uint64_t entry)
{
    const net_op *const op = op_at(v->w, v->rank->first_op + (uint32_t)(entry >> 32) - 1u);
    const uint32_t what = (uint32_t)entry & ((1u << NET_DO_BITS) - 1u),
                   index = (uint32_t)entry >> NET_DO_BITS, each = net_chain_words(op->flags, op->width);
    const uint64_t *const words = v->words + op->word;
    return what == NET_DO_STEP ? words[NET_OP_WORDS + index * each + 1]
           : what == NET_DO_GO ? words[NET_OP_WORDS + chains_of(v->w, op) * each + 2 * index + 1]
                               : words[NET_OP_LINK];
}

/* Those that wait for a slot, each once. */
static bool queue_fits(const view *v)
{
    const uint64_t tail = v->words[v->rank->word + NET_RANK_TAIL];
    uint64_t n = 0, most = 0;
    for (uint32_t i = 0; i < v->rank->n_ops; i++) {
        const net_op *const op = op_at(v->w, v->rank->first_op + i);
        most += 1u + chains_of(v->w, op) + lines_of(v->w, op);
    }
    for (uint64_t at = v->words[v->rank->word + NET_RANK_HEAD]; at != 0; at = behind(v, at))
        if (!entry_fits(v, at) || n++ == most || (behind(v, at) == 0 && at != tail))
            return false;
    return true;
}

/* What follows on the last ACK of a slot's message. */
static bool slots_fit(const view *v)
{
    const net_generator *const g = NET_ARRAY(v->w, net_generator, generators) + v->rank->generator;
    const uint32_t each = NET_ARRAY(v->w, net_job, jobs)[v->rank->job].lasts ? (uint32_t)NET_SLOT_WORDS : 1u;
    for (uint32_t i = 0; i < g->n_tx; i++) {
        const uint64_t word = v->words[v->rank->slot_word + i * each];
        const uint32_t number = (uint32_t)(word >> 32), then = (uint32_t)word & (NET_THEN_WAITS - 1u),
                       index = (uint32_t)word >> NET_THEN_BITS;
        if (word == 0)
            continue;
        if (number < v->rank->first_op || number - v->rank->first_op >= v->rank->n_ops ||
            (then == NET_THEN_CHAIN && !can_do(v->w, op_at(v->w, number), NET_DO_STEP, index)) ||
            (then == NET_THEN_LINE && !can_do(v->w, op_at(v->w, number), NET_DO_GO, index)))
            return false;
    }
    return true;
}

bool wi_net_programs_fit(const weir_saved_view *saved)
{
    view v = {.w = (const net_world *)saved->world,
              .words = (const uint64_t *)(const void *)saved->pool[NET_POOL_HOST_WORDS]};
    const uint32_t n = NET_ARRAY(v.w, uint32_t, host_ranks)[v.w->n_hosts];
    for (uint32_t i = 0; i < n; i++) {
        v.rank = NET_ARRAY(v.w, net_rank, job_ranks) + i;
        const uint64_t turn = v.words[v.rank->word + NET_RANK_TURN];
        const uint32_t iterations = NET_ARRAY(v.w, net_job, jobs)[v.rank->job].iterations;
        if (turn >> 32 > iterations || (uint32_t)turn > v.rank->n_ops ||
            (turn >> 32 == iterations && (uint32_t)turn) || !ops_fit(&v) || !queue_fits(&v) || !slots_fit(&v))
            return false;
    }
    return true;
}

bool wi_net_program_fits(const net_world *w, uint32_t host, const net_note *note)
{
    const net_rank *const ranks = NET_ARRAY(w, net_rank, job_ranks);
    const uint32_t *const first = NET_ARRAY(w, uint32_t, host_ranks) + host;
    const uint32_t what = note->arg & ((1u << NET_DO_BITS) - 1u), index = note->arg >> NET_DO_BITS;
    if (what == NET_DO_BEGIN)
        return note->index >= first[0] && note->index < first[1] && index <= ranks[note->index].n_ops;
    return note->index >= ranks[first[0]].first_op && note->index < ranks[first[1]].first_op &&
           can_do(w, op_at(w, note->index), what, index);
}
