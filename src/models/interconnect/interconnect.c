/* The interconnect's table and set-up; the model itself is in router.h, terminal.h and what they include. */
#include "models/interconnect/interconnect.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/interconnect/jobs/job.h"
#include "models/interconnect/world/build.h"

enum { IC_PAIRED_MAX = 16384, PAIRS_BYTES = 1 << 29 };

struct wi_ic {
    wi_owned memory; /* of what stands beside the world */
    ic_world *world;
    uint64_t world_bytes;
    weir_kind kinds[IC_KINDS];
    weir_event_type types[IC_EVENT_TYPES];
    weir_model model;
    weir_time *lookahead_ps;
    /* Who may schedule for whom: a router and its terminals are a group. */
    uint32_t *group, *first, *target;
    weir_comm_graph comm;
    uint64_t n_counters;
    uint64_t seed;
    uint32_t run;
};

#define ROUTER_EVENT(TYPE, name_, bytes)        \
    [IC_##TYPE] = {.name = #name_,              \
                   .handle = ic_router_##name_, \
                   .kind = IC_KIND_ROUTER,      \
                   .payload_bytes = bytes,      \
                   .max_events = 3},
#define TERMINAL_EVENT(TYPE, name_, bytes)        \
    [IC_##TYPE] = {.name = #name_,                \
                   .handle = ic_terminal_##name_, \
                   .kind = IC_KIND_TERMINAL,      \
                   .payload_bytes = bytes,        \
                   .max_events = 3},
static const weir_event_type types[IC_EVENT_TYPES] = {IC_ROUTER_EVENTS(ROUTER_EVENT)
                                                          IC_TERMINAL_EVENTS(TERMINAL_EVENT)};
#undef ROUTER_EVENT
#undef TERMINAL_EVENT

static const weir_pool pools[IC_POOLS] = {
    [IC_POOL_RUNS] = {.name = "runs", .kind = IC_KIND_ROUTER, .slot_bytes = sizeof(ic_run)},
    [IC_POOL_RANKS] = {.name = "ranks", .kind = IC_KIND_TERMINAL, .slot_bytes = sizeof(ic_rank)},
    [IC_POOL_REQUESTS] = {.name = "requests", .kind = IC_KIND_TERMINAL, .slot_bytes = sizeof(ic_request)},
    [IC_POOL_INBOX] = {.name = "inbox", .kind = IC_KIND_TERMINAL, .slot_bytes = sizeof(ic_inbox)},
    [IC_POOL_LANES] = {.name = "lanes", .kind = IC_KIND_TERMINAL, .slot_bytes = sizeof(ic_lane)},
    [IC_POOL_TIMES] = {.name = "times", .kind = IC_KIND_TERMINAL, .slot_bytes = sizeof(weir_time)},
};

static const char *const fault_names[IC_FAULTS] = {
    [IC_FAULT_OVERFLOW - 1] = "an input buffer holds more than its size",
    [IC_FAULT_CREDITS - 1] = "more credits came back than were taken",
    [IC_FAULT_WIRING - 1] = "a route leads to a port that is not wired",
};

static weir_status check_packet(weir_diag *diag, const ic_params *p)
{
    if (p->packet_bytes < p->chunk_bytes ||
        ((uint64_t)p->packet_bytes + p->chunk_bytes - 1) / p->chunk_bytes > IC_PACKET_MAX)
        return IC_REFUSE(diag, p, IC_AT_PACKET, "packets of %u bytes in chunks of %u; want 1 to 255 chunks",
                         p->packet_bytes, p->chunk_bytes);
    return WEIR_OK;
}

static uint32_t laid(uint32_t *at, size_t bytes)
{
    const uint32_t here = *at;
    *at += (uint32_t)((bytes + 7) / 8 * 8);
    return here;
}

static void lay_out(ic_world *w)
{
    const uint32_t inputs = w->ports * w->vcs;
    uint32_t at = (uint32_t)sizeof(ic_router);
    w->at.outputs = laid(&at, w->ports * sizeof(ic_output));
    w->at.masks = laid(&at, (size_t)w->ports * w->words * sizeof(uint64_t));
    w->at.credits = laid(&at, inputs * sizeof(uint32_t));
    w->at.owners = laid(&at, inputs * sizeof(uint32_t));
    w->at.owed = laid(&at, inputs * sizeof(uint32_t));
    w->at.held = laid(&at, inputs * sizeof(uint32_t));
    w->at.choices = laid(&at, inputs * sizeof(ic_choice));
    w->at.queues = laid(&at, (size_t)inputs * w->ports * sizeof(ic_queue));
    w->at.bytes = at;
}

/* Room at the other end of each output. */
static void router_init(weir_ctx *ctx, void *state)
{
    const ic_here r = ic_router_of(ctx, state);
    for (uint32_t port = 0; port < r.w->ports; port++) {
        const ic_link *link = ic_link_of(r.w, r.id, port);
        if (link->peer == IC_NONE || link->class_ == IC_TERMINAL)
            continue;
        const ic_class *c = &r.w->class_[link->class_];
        for (uint32_t vc = 0; vc < c->vcs; vc++)
            *ic_credits_at(&r, port, vc) = c->buffer;
    }
}

/* Classes of packets that a surrogate distinguishes: those that occur. Actions of a program while the memory
 * for all pairs stays below PAIRS_BYTES. */
static void set_classes(ic_world *w, const ic_params *params)
{
    bool used[IC_SIZES] = {false};
    uint32_t n = 0, actions = 1;
    w->phases = 1;
    for (uint32_t i = 0; i < IC_SIZES; i++)
        w->size_class[i] = (uint8_t)i; /* each for itself, until all are known */
    const uint32_t full = ic_packet_class(w, w->packet_chunks, 0, 0);
    for (uint32_t j = 0; j < params->n_jobs && w->row; j++) {
        const ic_job *job = &params->jobs[j];
        const int any = job->pattern == IC_PLANNED || job->pattern == IC_PROGRAMMED;
        const uint32_t all = ic_chunks_of(w, job->message_bytes), rest = (all - 1) % w->packet_chunks + 1;
        for (uint32_t i = 0; any && i <= full; i++)
            used[i] = true;
        used[ic_packet_class(w, rest, 0, 0)] = true;
        used[IC_SIZE_MORE] |= any || all > w->packet_chunks;
        if (job->pattern == IC_PROGRAMMED && !job->first_action && job->n_actions > actions)
            actions = job->n_actions < IC_PHASES_MAX ? (uint32_t)job->n_actions : IC_PHASES_MAX;
    }
    for (uint32_t i = 0; i < IC_SIZES; i++) {
        w->size_class[i] = (uint8_t)n;
        n += used[i];
    }
    if (n == 0)
        memset(w->size_class, 0, sizeof w->size_class);
    w->classes = n ? n : 1;
    const uint64_t each = ic_pair_classes(w) * (2 * w->pair + w->row) * sizeof(int64_t),
                   most = PAIRS_BYTES / (each + 1);
    w->phases = most < 1 ? 1 : most < actions ? (uint32_t)most : actions;
    w->classes *= w->phases;
}

static weir_status make_world(weir_diag *diag, wi_ic *made, const ic_params *params)
{
    ic_making m = {.params = params};
    ic_world *w = &m.head;
    uint64_t at;
    w->chunk_bytes = params->chunk_bytes;
    w->packet_chunks = (params->packet_bytes + params->chunk_bytes - 1) / params->chunk_bytes;
    w->burst = params->burst;
    w->arbitration = params->arbitration != IC_ARBITRATION_AUTO ? params->arbitration
                     : params->wiring == IC_TORUS               ? (uint32_t)IC_OLDEST
                                                                : (uint32_t)IC_ROUND_ROBIN_CHUNKS;
    w->bias = (int32_t)params->bias;
    w->nic_ps = params->nic_ps;
    w->predictor = params->predictor;
    w->row = params->surrogate ? wi_predictor_width(params->predictor) : 0;
    w->pair = w->row && wi_predictor_wants_bins(params->predictor) ? IC_PAIR_FULL
              : w->row                                             ? IC_PAIR_SEEN
              : params->per_pair                                   ? IC_PAIR_PLAIN
                                                                   : 0;
    weir_status status = wi_ic_plan_wiring(diag, &m);
    set_classes(w, params);
    if (status == WEIR_OK && !wi_image_reserve(&m.image, sizeof *w, WI_IMAGE_ALIGN, &at))
        status = weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory");
    status = status ?: wi_ic_wire(diag, &m) ?: wi_ic_place_jobs(diag, &m) ?: wi_ic_store_programs(diag, &m);
    if (status == WEIR_OK && w->row && w->n_terminals > IC_PAIRED_MAX)
        status = IC_REFUSE(diag, params, IC_AT_SURROGATE,
                           "%u terminals with a surrogate, which keeps a row for each pair; "
                           "want at most %u",
                           w->n_terminals, (unsigned)IC_PAIRED_MAX);
    if (status == WEIR_OK && !ic_table(&m, ic_pair_classes(w) * w->row, sizeof(int64_t), &w->rows_at))
        status = weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory for a predictor of %u terminals",
                           w->n_terminals);
    if (status != WEIR_OK) {
        wi_image_free(&m.image);
        return status;
    }
    lay_out(w);
    made->world = (ic_world *)(void *)wi_image_finish(&m.image, &made->world_bytes);
    *made->world = *w;
    return WEIR_OK;
}

/* The least delay of an event to another entity; see the events that each kind schedules. */
static void set_lookaheads(wi_ic *made)
{
    const ic_world *w = made->world;
    const ic_class *terminal = &w->class_[IC_TERMINAL];
    weir_time chunk_ps = WEIR_TIME_MAX;
    for (uint32_t c = 0; c < IC_CLASSES; c++)
        if (w->class_[c].chunk_ps && w->class_[c].chunk_ps < chunk_ps)
            chunk_ps = w->class_[c].chunk_ps;
    for (uint32_t t = 0; t < w->n_terminals; t++)
        made->lookahead_ps[t] = terminal->arrive_ps;
    for (uint32_t r = 0; r < w->n_routers; r++) {
        weir_time least_ps = WEIR_TIME_MAX;
        for (uint32_t port = 0; port < w->ports; port++) {
            const ic_link *link = ic_link_of(w, r, port);
            if (link->peer == IC_NONE)
                continue;
            const ic_class *c = &w->class_[link->class_];
            const weir_time data_ps =
                link->class_ == IC_TERMINAL ? c->chunk_ps + c->delay_ps + w->nic_ps : c->arrive_ps;
            const weir_time credit_ps = chunk_ps + c->credit_ps;
            const weir_time both_ps = data_ps < credit_ps ? data_ps : credit_ps;
            least_ps = both_ps < least_ps ? both_ps : least_ps;
        }
        made->lookahead_ps[w->n_terminals + r] = least_ps;
    }
}

static weir_status make_graph(weir_diag *diag, wi_ic *made)
{
    const ic_world *w = made->world;
    const uint32_t n = w->n_terminals + w->n_routers;
    made->lookahead_ps = wi_take(&made->memory, n, sizeof *made->lookahead_ps);
    made->group = wi_take(&made->memory, n, sizeof *made->group);
    made->first = wi_take(&made->memory, (size_t)n + 1, sizeof *made->first);
    made->target =
        wi_take(&made->memory, w->n_terminals + (size_t)w->n_routers * (w->ports + 1), sizeof *made->target);
    if (made->memory.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory for %u entities", n);
    set_lookaheads(made);
    uint32_t at = 0;
    for (uint32_t t = 0; t < w->n_terminals; t++) {
        made->first[t] = at;
        made->group[t] = made->target[at++] = IC_TABLE(w, uint32_t, w->terminal_at)[t];
    }
    for (uint32_t r = 0; r < w->n_routers; r++) {
        made->first[w->n_terminals + r] = at;
        made->group[w->n_terminals + r] = made->target[at++] = r;
        for (uint32_t port = 0; port < w->ports; port++) {
            const ic_link *link = ic_link_of(w, r, port);
            if (link->peer != IC_NONE && link->class_ != IC_TERMINAL)
                made->target[at++] = link->peer - w->n_terminals;
        }
    }
    made->first[n] = at;
    made->comm = (weir_comm_graph){
        .n_groups = w->n_routers, .group = made->group, .first = made->first, .target = made->target};
    return WEIR_OK;
}

static void make_model(wi_ic *made)
{
    const ic_world *w = made->world;
    memcpy(made->types, types, sizeof types);
    if (w->row)
        for (uint32_t i = IC_DELIVER; i < IC_EVENT_TYPES; i++)
            made->types[i].max_events = IC_AHEAD + 2;
    made->kinds[IC_KIND_TERMINAL] = (weir_kind){
        .name = "terminal", .state_bytes = sizeof(ic_terminal), .init = ic_terminal_init, .max_events = 2};
    made->kinds[IC_KIND_ROUTER] =
        (weir_kind){.name = "router", .state_bytes = w->at.bytes, .init = router_init};
    made->model = (weir_model){.name = "interconnect",
                               .kinds = made->kinds,
                               .pools = pools,
                               .types = made->types,
                               .fault_names = fault_names,
                               .n_kinds = IC_KINDS,
                               .n_pools = w->program_counters ? IC_POOLS : IC_POOL_RANKS,
                               .n_types = IC_EVENT_TYPES,
                               .n_faults = IC_FAULTS};
    made->n_counters = (uint64_t)(w->n_jobs + 1) * IC_COUNTERS;
    made->n_counters += ic_pair_classes(w) * w->pair;
    if (w->program_counters)
        made->n_counters += (uint64_t)w->n_jobs * IC_PROG_COUNTERS;
}

weir_status wi_ic_new(weir_diag *diag, const ic_params *params, wi_ic **out)
{
    *out = NULL;
    weir_status status = check_packet(diag, params);
    if (status != WEIR_OK)
        return status;
    wi_ic *made = calloc(1, sizeof *made);
    if (!made)
        return weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory");
    status = make_world(diag, made, params) ?: make_graph(diag, made);
    if (status != WEIR_OK) {
        wi_ic_free(made);
        return status;
    }
    made->seed = params->seed;
    made->run = params->run;
    make_model(made);
    *out = made;
    return WEIR_OK;
}

void wi_ic_free(wi_ic *made)
{
    if (!made)
        return;
    free(made->world);
    wi_owned_free(&made->memory);
    free(made);
}

ic_here wi_ic_router_in(const wi_ic *ic, const weir_sim *sim, weir_ctx *ctx, uint32_t router)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->world = (const unsigned char *)ic->world;
    ctx->entity = ic->world->n_terminals + router;
    ctx->pool[IC_POOL_RUNS] = weir_sim_slot(sim, IC_POOL_RUNS, 0);
    return ic_router_of(ctx, weir_sim_state(sim, ctx->entity));
}

void wi_ic_visit_runs(const wi_ic *ic, const weir_sim *sim, void (*see)(void *user, ic_run *run), void *user)
{
    const ic_world *w = ic->world;
    for (uint32_t id = 0; id < w->n_routers; id++) {
        weir_ctx ctx;
        const ic_here r = wi_ic_router_in(ic, sim, &ctx, id);
        for (uint32_t q = 0; q < w->ports * w->vcs; q++)
            for (uint32_t port = 0; port < w->ports; port++)
                for (uint32_t slot = ic_queue_at(&r, q, port)->head; slot; slot = ic_run_at(&r, slot)->link)
                    see(user, ic_run_at(&r, slot));
    }
}

const ic_world *wi_ic_world(const wi_ic *made)
{
    return made->world;
}

ic_world *wi_ic_world_at_stop(wi_ic *made)
{
    return made->world;
}

void wi_ic_setup(const wi_ic *made, weir_setup *setup)
{
    memset(setup, 0, sizeof *setup);
    setup->model = &made->model;
    setup->world = made->world;
    setup->world_bytes = made->world_bytes;
    setup->kind_count[IC_KIND_TERMINAL] = made->world->n_terminals;
    setup->kind_count[IC_KIND_ROUTER] = made->world->n_routers;
    setup->pool_first[IC_POOL_RUNS] = IC_TABLE(made->world, uint32_t, made->world->runs_first_at);
    setup->pool_first[IC_POOL_RANKS] = IC_TABLE(made->world, uint32_t, made->world->rank_first_at);
    setup->pool_first[IC_POOL_REQUESTS] = IC_TABLE(made->world, uint32_t, made->world->request_first_at);
    setup->pool_first[IC_POOL_INBOX] = IC_TABLE(made->world, uint32_t, made->world->inbox_first_at);
    setup->pool_first[IC_POOL_LANES] = IC_TABLE(made->world, uint32_t, made->world->lane_first_at);
    setup->pool_first[IC_POOL_TIMES] = IC_TABLE(made->world, uint32_t, made->world->times_first_at);
    setup->hook_changes_world = made->world->row != 0; /* round it and back */
    setup->n_counters = made->n_counters;
    setup->lookahead_ps = made->lookahead_ps;
    setup->comm = made->world->row ? NULL : &made->comm; /* round the network anybody reaches anybody */
    setup->seed = made->seed;
    setup->run = made->run;
#ifdef WEIR_HAVE_CUDA
    setup->gpu = made->world->row ? wi_interconnect_round_gpu() : wi_interconnect_gpu();
#endif
}
