/* The laws that every run of an interconnect keeps, at any stop point. */
#include <stdlib.h>

#include "models/interconnect/interconnect.h"

/* Where chunks and room are, by the input that they are for or of: (router * ports + port) * vcs + vc. */
typedef struct tally {
    const wi_ic *ic;
    const ic_world *w;
    int64_t *room;      /* [inputs] room on its way back */
    int64_t *flying;    /* [inputs] chunks on their way */
    uint64_t under_way; /* sum of the names of packets whose tail is in the network */
    int64_t packets;    /* how many */
} tally;

static size_t input_of(const ic_world *w, uint32_t router, uint32_t port, uint32_t vc)
{
    return ((size_t)router * w->ports + port) * w->vcs + vc;
}

static void name_tail(tally *t, const ic_burst *b)
{
    if (!(b->mark & IC_TAIL) || wi_is_zombie(b->mark))
        return;
    t->under_way += ic_packet_name(b);
    t->packets++;
}

/* The input that an entity's output `port` feeds. */
static size_t fed_by(const ic_world *w, uint32_t entity, uint32_t port, uint32_t vc)
{
    if (entity < w->n_terminals)
        return input_of(w, IC_TABLE(w, uint32_t, w->terminal_at)[entity],
                        IC_TABLE(w, uint8_t, w->terminal_port_at)[entity], 0);
    const ic_link *link = ic_link_of(w, entity - w->n_terminals, port);
    return input_of(w, link->peer - w->n_terminals, link->port, vc);
}

static void see_event(void *user, const weir_event *event)
{
    tally *t = user;
    const ic_burst *b = WEIR_PAYLOAD(ic_burst, event);
    const ic_credit *c = WEIR_PAYLOAD(ic_credit, event);
    switch (event->type) {
    case IC_ARRIVE:
        t->flying[input_of(t->w, event->target - t->w->n_terminals, b->port, b->mark & IC_VC)] += b->chunks;
        name_tail(t, b);
        break;
    case IC_DELIVER:
        name_tail(t, b);
        break;
    case IC_CREDIT:
    case IC_REFILL:
        t->room[fed_by(t->w, event->target, c->port, c->vc)] += c->chunks;
        break;
    default:
        break;
    }
}

/* What is suspended has been delivered by the surrogate: room and chunks, but no packets. */
static void see_frozen(void *user, const weir_event *event)
{
    tally *t = user;
    const tally before = *t;
    see_event(user, event);
    t->under_way = before.under_way;
    t->packets = before.packets;
}

/* A router's input or output, for messages. */
typedef struct spot {
    uint32_t router, port, vc;
} spot;

static weir_status broken(weir_diag *diag, spot at, const char *what, long long got, long long want)
{
    return weir_fail(
        diag, WEIR_E_MODEL,
        "interconnect: router %u, port %u, channel %u: %s is %lld, want %lld; this is a fault of weir",
        at.router, at.port, at.vc, what, got, want);
}

/* Runs of one input in all its queues: as many chunks as the input counts. */
static weir_status check_input(weir_diag *diag, tally *t, const ic_here *r, uint32_t q, int64_t *waiting)
{
    const ic_world *w = t->w;
    const spot at = {r->id, q / w->vcs, q % w->vcs};
    int64_t chunks = 0;
    for (uint32_t port = 0; port < w->ports; port++) {
        const int marked = ic_mask_at(r, port)[q / 64] >> q % 64 & 1;
        uint32_t slot = ic_queue_at(r, q, port)->head;
        if (marked != (slot != 0))
            return broken(diag, at, "the mark of its queue", marked, slot != 0);
        for (; slot; slot = ic_run_at(r, slot)->link) {
            const ic_run *run = ic_run_at(r, slot);
            chunks += run->chunks;
            waiting[port] += run->chunks;
            name_tail(t, &run->burst);
        }
    }
    if (chunks != *ic_held_at(r, q))
        return broken(diag, at, "the number of its chunks", *ic_held_at(r, q), chunks);
    return WEIR_OK;
}

/* Who sees packets, and whether what comes is one of them. */
typedef struct packet_visit {
    void (*see)(void *user, const ic_burst *packet);
    void *user;
} packet_visit;

static void visit_tail(const packet_visit *v, const ic_burst *b)
{
    if ((b->mark & IC_TAIL) && !wi_is_zombie(b->mark))
        v->see(v->user, b);
}

static void visit_run(void *user, ic_run *run)
{
    visit_tail(user, &run->burst);
}

static void visit_event(void *user, const weir_event *event)
{
    if (event->type == IC_ARRIVE || event->type == IC_DELIVER)
        visit_tail(user, WEIR_PAYLOAD(ic_burst, event));
}

weir_status wi_ic_visit_packets(weir_diag *diag, const wi_ic *ic, const weir_sim *sim,
                                void (*see)(void *user, const ic_burst *packet), void *user)
{
    packet_visit v = {see, user};
    wi_ic_visit_runs(ic, sim, visit_run, &v);
    return weir_sim_pending(diag, sim, visit_event, &v);
}

static weir_status check_router(weir_diag *diag, tally *t, const weir_sim *sim, uint32_t router)
{
    const ic_world *w = t->w;
    weir_ctx ctx;
    const ic_here r = wi_ic_router_in(t->ic, sim, &ctx, router);
    int64_t waiting[IC_PORTS_MAX + 1] = {0};
    weir_status status = WEIR_OK;
    for (uint32_t q = 0; q < w->ports * w->vcs && status == WEIR_OK; q++)
        status = check_input(diag, t, &r, q, waiting);
    for (uint32_t port = 0; port < w->ports && status == WEIR_OK; port++)
        if (waiting[port] != ic_output_at(&r, port)->waiting)
            status = broken(diag, (spot){router, port, 0}, "the number of chunks for its output",
                            ic_output_at(&r, port)->waiting, waiting[port]);
    return status;
}

/* Room at the sender, chunks on their way, chunks in the buffer, room owed and room on its way back make up the
 * buffer. A packet that holds its channel has taken room for what it has not sent: `slack`. */
static weir_status check_room(weir_diag *diag, const tally *t, const weir_sim *sim, spot at)
{
    const uint32_t router = at.router, port = at.port, vc = at.vc;
    const ic_world *w = t->w;
    const ic_link *link = ic_link_of(w, router, port);
    const size_t input = input_of(w, router, port, vc);
    weir_ctx ctx, other;
    const ic_here r = wi_ic_router_in(t->ic, sim, &ctx, router);
    int64_t room, slack = 0;
    if (link->class_ == IC_TERMINAL) {
        room = ((const ic_terminal *)weir_sim_state(sim, link->peer))->credits;
    } else {
        const ic_here from = wi_ic_router_in(t->ic, sim, &other, link->peer - w->n_terminals);
        room = *ic_credits_at(&from, link->port, vc);
        if (ic_link_of(w, from.id, link->port)->hold && vc == 0 && *ic_owner_at(&from, link->port, 0))
            slack = w->packet_chunks;
    }
    const uint32_t q = port * w->vcs + vc;
    const int64_t all = room + t->flying[input] + *ic_held_at(&r, q) + *ic_owed_at(&r, q) + t->room[input];
    const int64_t buffer = w->class_[link->class_].buffer;
    if (all > buffer || all < buffer - slack)
        return broken(diag, at, "the sum of chunks and room", all, buffer);
    return WEIR_OK;
}

static weir_status check_packets(weir_diag *diag, const tally *t, const weir_sim *sim)
{
    int64_t sent = 0, received = 0;
    uint64_t sent_sum = 0, received_sum = 0;
    for (uint32_t i = 0; i < t->w->n_terminals; i++) {
        const ic_terminal *terminal = weir_sim_state(sim, i);
        sent += terminal->packets;
        received += (int64_t)terminal->received;
        sent_sum += terminal->sent_sum;
        received_sum += terminal->received_sum;
    }
    if (sent != received + t->packets || sent_sum != received_sum + t->under_way)
        return weir_fail(
            diag, WEIR_E_MODEL,
            "interconnect: %lld packets were sent, %lld delivered, and %lld are under way%s; this is a fault "
            "of weir",
            (long long)sent, (long long)received, (long long)t->packets,
            sent == received + t->packets ? ", but not the same ones" : "");
    return WEIR_OK;
}

weir_status wi_ic_check(weir_diag *diag, const wi_ic *ic, const weir_sim *sim)
{
    const ic_world *w = wi_ic_world(ic);
    const size_t inputs = (size_t)w->n_routers * w->ports * w->vcs;
    tally t = {
        .ic = ic, .w = w, .room = calloc(inputs, sizeof *t.room), .flying = calloc(inputs, sizeof *t.flying)};
    weir_status status = WEIR_OK;
    if (!t.room || !t.flying)
        status = weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory to check %zu inputs", inputs);
    else
        status = weir_sim_pending(diag, sim, see_event, &t);
    weir_sim_suspended(sim, see_frozen, &t);
    for (uint32_t router = 0; router < w->n_routers && status == WEIR_OK; router++)
        status = check_router(diag, &t, sim, router);
    for (uint32_t router = 0; router < w->n_routers && status == WEIR_OK; router++)
        for (uint32_t port = 0; port < w->ports && status == WEIR_OK; port++) {
            const ic_link *link = ic_link_of(w, router, port);
            for (uint32_t vc = 0;
                 link->peer != IC_NONE && vc < w->class_[link->class_].vcs && status == WEIR_OK; vc++)
                status = check_room(diag, &t, sim, (spot){router, port, vc});
        }
    if (status == WEIR_OK)
        status = check_packets(diag, &t, sim);
    free(t.room);
    free(t.flying);
    return status;
}
