/* What a checkpoint may hold of an interconnect: every index and count that handlers use without looking. */
#include "models/interconnect/interconnect.h"
#include "models/interconnect/router.h"
#include "models/interconnect/terminal.h"

static bool burst_fits(const ic_world *w, const ic_burst *b)
{
    return b->source < w->n_terminals && b->target < w->n_terminals && b->port < w->ports &&
           (b->mark & IC_VC) < w->vcs && b->chunks <= b->size && b->size <= w->packet_chunks &&
           b->class_ < w->classes && (b->via == IC_NO_VIA || w->wiring != IC_DRAGONFLY || b->via < w->groups);
}

/* Runs of one queue, which ends at its tail. */
static bool queue_fits(const ic_here *r, uint32_t q, uint32_t port, uint32_t used, uint32_t *met)
{
    const ic_queue *queue = ic_queue_at(r, q, port);
    const int marked = ic_mask_at(r, port)[q / 64] >> q % 64 & 1;
    uint32_t last = 0;
    for (uint32_t slot = queue->head; slot; last = slot, slot = ic_run_at(r, slot)->link) {
        const ic_run *run = slot <= used ? ic_run_at(r, slot) : NULL;
        if (!run || ++*met > used || run->vc >= r->w->vcs || run->chunks == 0 ||
            !burst_fits(r->w, &run->burst))
            return false;
    }
    return marked == (queue->head != 0) && last == queue->tail;
}

static bool output_fits(const ic_here *r, uint32_t port)
{
    const ic_world *w = r->w;
    const uint32_t inputs = w->ports * w->vcs;
    for (uint32_t q = inputs; q < 64 * w->words; q++)
        if (ic_mask_at(r, port)[q / 64] >> q % 64 & 1)
            return false;
    for (uint32_t vc = 0; vc < w->vcs; vc++)
        if (*ic_owner_at(r, port, vc) > inputs)
            return false;
    return ic_output_at(r, port)->next < inputs;
}

static bool router_fits(const ic_here *r)
{
    const ic_world *w = r->w;
    const uint32_t *first = IC_TABLE(w, uint32_t, w->runs_first_at) + r->id, slots = first[1] - first[0];
    const ic_router *head = ic_head(r);
    uint32_t met = 0;
    if (head->used > slots)
        return false;
    for (uint32_t port = 0; port < w->ports; port++)
        if (!output_fits(r, port))
            return false;
    for (uint32_t q = 0; q < w->ports * w->vcs; q++) {
        const ic_choice *c = ic_choice_at(r, q);
        if (c->taken && (c->port >= w->ports || c->vc >= w->vcs))
            return false;
        for (uint32_t port = 0; port < w->ports; port++)
            if (!queue_fits(r, q, port, head->used, &met))
                return false;
    }
    for (uint32_t slot = head->free; slot; slot = ic_run_at(r, slot)->link)
        if (slot > head->used || ++met > head->used)
            return false;
    return true;
}

static bool rank_fits(const weir_saved_view *v, const ic_world *w, uint32_t terminal)
{
    const uint32_t first = IC_TABLE(w, uint32_t, w->rank_first_at)[terminal],
                   *requests = IC_TABLE(w, uint32_t, w->request_first_at) + terminal,
                   n = requests[1] - requests[0];
    const ic_rank *rank = (const ic_rank *)(const void *)v->pool[IC_POOL_RANKS] + first;
    const ic_request *of = (const ic_request *)(const void *)v->pool[IC_POOL_REQUESTS] + requests[0];
    if (rank->action > IC_TABLE(w, ic_program, w->programs_at)[terminal].n || rank->head > n ||
        rank->tail > n || rank->sending > n || (rank->wait > IC_WAIT_SLOT && rank->wait - IC_WAIT_SLOT > n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (of[i].peer >= w->n_terminals || of[i].next > n || of[i].state > IC_REQUEST_POSTED)
            return false;
    uint32_t steps = 0;
    for (uint32_t at = rank->head; at; at = of[at - 1].next)
        if (steps++ == n)
            return false;
    return true;
}

static bool terminal_fits(const weir_saved_view *v, const ic_world *w, uint32_t terminal)
{
    const ic_terminal *t = (const ic_terminal *)(const void *)v->state[IC_KIND_TERMINAL] + terminal;
    const uint32_t *list = IC_TABLE(w, uint32_t, w->list_first_at) + terminal,
                   *planned =
                       w->planned_first_at ? IC_TABLE(w, uint32_t, w->planned_first_at) + terminal : NULL;
    const uint32_t listed = w->list_first_at ? list[1] - list[0] : 0,
                   later = planned ? planned[1] - planned[0] : 0;
    const bool programs = w->programs_at && w->rank_first_at &&
                          IC_TABLE(w, uint32_t, w->rank_first_at)[terminal + 1] >
                              IC_TABLE(w, uint32_t, w->rank_first_at)[terminal];
    return t->target < w->n_terminals && t->cursor <= (listed > later ? listed : later) &&
           (!programs || rank_fits(v, w, terminal));
}

const char *wi_ic_wrong_state(const weir_saved_view *v)
{
    const ic_world *w = (const ic_world *)v->world;
    for (uint32_t i = 0; i < w->n_terminals; i++)
        if (!terminal_fits(v, w, i))
            return "a terminal";
    for (uint32_t i = 0; i < w->n_routers; i++) {
        weir_ctx ctx = {
            .world = v->world, .entity = w->n_terminals + i, .pool[IC_POOL_RUNS] = v->pool[IC_POOL_RUNS]};
        const ic_here r = ic_router_of(&ctx, v->state[IC_KIND_ROUTER] + (size_t)i * w->at.bytes);
        if (!router_fits(&r))
            return "a router";
    }
    return NULL;
}

bool wi_ic_event_fits(const weir_saved_view *v, const weir_event *event)
{
    const ic_world *w = (const ic_world *)v->world;
    const ic_credit *c = WEIR_PAYLOAD(ic_credit, event);
    switch (event->type) {
    case IC_ARRIVE:
    case IC_DELIVER:
        return burst_fits(w, WEIR_PAYLOAD(ic_burst, event));
    case IC_CREDIT:
        return c->port < w->ports && c->vc < w->vcs;
    case IC_WAKE:
        return WEIR_PAYLOAD(ic_output_tag, event)->port < w->ports;
    default:
        return true;
    }
}
