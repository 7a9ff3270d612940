/*
 * Rounds of the GPU engine, step by step on the host: whatever the LP size, the room of regions, outboxes and
 * pools, the toy model ends with the sequential engine's entities, states and counters. Then single steps.
 */
#include "harness.h"
#include "toy.h"

#include "engine/gpu/round/hot.h"

enum { SLOT = WI_GPU_SLOT_BYTES(sizeof(toy_letter)), OUT_ROOM = 4096, RECORDS = 1 << 16 };

/* What a device holds, in host memory. */
typedef struct emulation {
    toy toy;
    wi_gpu g;
    wi_gpu_run run;
    wi_gpu_type types[TOY_TYPES];
    wi_gpu_status status;
    weir_entity heads[TOY_ENTITIES];
    toy_node nodes[TOY_NODES];
    toy_depot depots[TOY_DEPOTS];
    toy_slot slots[TOY_NODES * TOY_SLOTS];
    int64_t counters[3];
    unsigned char *events; /* list of first events, for a pool made anew */
    size_t n_events;
    wi_gpu_ring rings[TOY_ENTITIES];
    weir_time ring_first_ps[TOY_ENTITIES];
    uint32_t spills, grows, moves, cuts, stops, hot, released;
    uint32_t hot_from; /* pending events from which on an LP is a warp's */
} emulation;

static void list_event(void *user, const weir_event *event)
{
    emulation *m = user;
    m->events = realloc(m->events, (m->n_events + 1) * SLOT);
    memset(m->events + m->n_events * SLOT, 0, SLOT);
    wi_gpu_write((wi_gpu_event *)(void *)(m->events + m->n_events * SLOT), event, 0, sizeof(toy_letter));
    m->n_events++;
}

static void list_slot(emulation *m, const wi_gpu_event *e)
{
    m->events = realloc(m->events, (m->n_events + 1) * SLOT);
    memcpy(m->events + m->n_events * SLOT, e, SLOT);
    m->n_events++;
}

/* Place the listed events into new regions of LPs of 2^shift, with `spare` slots left for growth. */
static void make_pool(emulation *m, uint32_t shift, uint32_t spare)
{
    wi_gpu *g = &m->g;
    g->lp_shift = shift;
    g->n_lps = m->run.n_lps = (TOY_ENTITIES + (1u << shift) - 1) >> shift;
    free(g->next_ps);
    free(g->lps);
    free(g->lookahead_ps);
    free(g->slots);
    free(g->entries);
    g->next_ps = malloc(g->n_lps * sizeof *g->next_ps);
    g->lookahead_ps = malloc(g->n_lps * sizeof *g->lookahead_ps);
    g->lps = calloc(g->n_lps, sizeof *g->lps);
    for (size_t i = 0; i < m->n_events; i++)
        wi_gpu_lp_claim(
            &g->lps[((const wi_gpu_event *)(const void *)(m->events + i * SLOT))->target >> shift]);
    uint32_t base = 0;
    for (uint32_t lp = 0; lp < g->n_lps; lp++) {
        const uint32_t room = wi_gpu_room_for(wi_gpu_lp_count(g->lps[lp]));
        g->lps[lp] = wi_gpu_lp_make(0, base, room);
        base += room;
        g->next_ps[lp] = g->lookahead_ps[lp] = WEIR_TIME_MAX;
    }
    for (uint32_t e = 0; e < TOY_ENTITIES; e++)
        wi_gpu_lower(&g->lookahead_ps[e >> shift], m->toy.lookahead_ps[e]);
    for (uint32_t e = 0; e < TOY_ENTITIES; e++) {
        m->rings[e] = (wi_gpu_ring){.now = {.last_ps = WI_GPU_EMPTY, .reach_ps = WEIR_TIME_MAX}};
        m->ring_first_ps[e] = WEIR_TIME_MAX;
    }
    g->n_slots = base + spare;
    g->slots = calloc(g->n_slots, SLOT);
    g->entries = calloc(2 * (size_t)g->n_slots, sizeof *g->entries);
    m->status.slots_used = base;
    for (int i = 0; i < 3; i++)
        m->run.low_ps[i] = m->run.end_ps[i] = WEIR_TIME_MAX;
    const uint32_t third = (uint32_t)(m->status.rounds % 3);
    for (size_t i = 0; i < m->n_events; i++) {
        const wi_gpu_event *e = (const wi_gpu_event *)(const void *)(m->events + i * SLOT);
        const uint32_t lp = e->target >> shift;
        const wi_gpu_lp l = wi_gpu_lp_claim(&g->lps[lp]);
        wi_gpu_copy(wi_gpu_slot(g, wi_gpu_lp_base(l) + wi_gpu_lp_count(l), SLOT), e, SLOT);
        wi_gpu_lower(&g->next_ps[lp], e->time_ps);
        wi_gpu_lower(&m->run.low_ps[third], e->time_ps);
        wi_gpu_lower(&m->run.end_ps[third], e->time_ps + g->lookahead_ps[lp]);
    }
    m->n_events = 0;
}

static emulation *start(const toy *t, const weir_sim *sim, uint32_t out_room, uint32_t shift, uint32_t spare)
{
    emulation *m = calloc(1, sizeof *m);
    m->toy = *t;
    memcpy(m->heads, weir_sim_heads(sim), sizeof m->heads);
    memcpy(m->nodes, weir_sim_state(sim, 0), sizeof m->nodes);
    memcpy(m->depots, weir_sim_state(sim, TOY_NODES), sizeof m->depots);
    memcpy(m->slots, weir_sim_slot(sim, 0, 0), sizeof m->slots);
    memcpy(m->counters, weir_sim_counters(sim), sizeof m->counters);
    for (int i = 0; i < TOY_TYPES; i++) {
        const weir_event_type *type = &t->types[i];
        m->types[i] = (wi_gpu_type){.first_entity = type->kind ? TOY_NODES : 0,
                                    .n_of_kind = type->kind ? TOY_DEPOTS : TOY_NODES,
                                    .state_bytes = type->kind ? sizeof(toy_depot) : sizeof(toy_node),
                                    .kind = type->kind,
                                    .payload_bytes = type->payload_bytes,
                                    .max_events = type->max_events,
                                    .max_records = type->max_records,
                                    .ordered = (type->flags & WEIR_EVENT_ORDERED) != 0};
    }
    m->run = (wi_gpu_run){.world = (const unsigned char *)&m->toy.world,
                          .heads = m->heads,
                          .state = {(unsigned char *)m->nodes, (unsigned char *)m->depots},
                          .pool = {(unsigned char *)m->slots},
                          .rings = m->rings,
                          .ring_first_ps = m->ring_first_ps,
                          .counters = m->counters,
                          .n_counters = 3,
                          .seed = t->setup.seed,
                          .n_entities = TOY_ENTITIES};
    m->g = (wi_gpu){.runs = &m->run,
                    .types = m->types,
                    .n_runs = 1,
                    .n_types = TOY_TYPES,
                    .slot_bytes = SLOT,
                    .out = calloc(OUT_ROOM, SLOT),
                    .out_room = out_room,
                    .n_blocks = 1,
                    .spill = calloc(2 * OUT_ROOM, sizeof(wi_gpu_spill)),
                    .rec_room = RECORDS,
                    .rec_stride = sizeof(weir_record_head) + 16,
                    .status = &m->status};
    m->g.records = calloc(RECORDS, m->g.rec_stride);
    assert_int_equal(weir_sim_pending(NULL, sim, list_event, m), WEIR_OK);
    make_pool(m, shift, spare);
    return m;
}

static void stop(emulation *m)
{
    free(m->g.next_ps);
    free(m->g.lps);
    free(m->g.lookahead_ps);
    free(m->g.slots);
    free(m->g.entries);
    free(m->g.out);
    free(m->g.spill);
    free(m->g.records);
    free(m->events);
    free(m);
}

/* Whether the outbox has room for what one handling may schedule. */
static int has_room(emulation *m, wi_gpu_work *w, uint32_t out_count)
{
    w->stopped |= out_count + 5 > m->g.out_room;
    m->stops += w->stopped;
    return !w->stopped;
}

/* What a device thread does with an LP. Returns its least pending time. */
static weir_time work_off_cool(emulation *m, wi_gpu_work *w, weir_ctx *ctx, weir_event *event,
                               const wi_gpu_turn *turn)
{
    const weir_time end_ps = turn->end_ps;
    wi_gpu_look(&m->g, m->run.seed, w, end_ps, SLOT);
    assert_true(w->n_due > 0);
    while (!w->stopped) {
        if (w->n_due == 0 && w->cut) {
            m->cuts++;
            wi_gpu_look(&m->g, m->run.seed, w, end_ps, SLOT);
        }
        if (w->n_due == 0 || !has_room(m, w, *turn->out_count))
            break;
        wi_gpu_handle(turn, w, ctx, event, toy_handle, sizeof(toy_letter));
        m->status.events++;
    }
    if (w->n_due == 0 && w->cut)
        wi_gpu_look(&m->g, m->run.seed, w, end_ps, SLOT);
    return wi_gpu_close(&m->g, &m->run, w);
}

/* What a warp does with an LP of many events: here a lane, which handles three entries before it looks again.
 */
static weir_time work_off_hot(emulation *m, wi_gpu_work *w, weir_ctx *ctx, weir_event *event,
                              const wi_gpu_turn *turn)
{
    const weir_time end_ps = turn->end_ps;
    uint32_t next = 0, gone = 0, buckets[8];
    uint32_t counts[WI_GPU_TEAM_COUNTS];
    wi_gpu_team team = {.size = 1, .counts = counts, .buckets = buckets, .n_buckets = 8, .width = 31};
    w->moved_from = WI_GPU_NONE;
    const uint32_t n = wi_gpu_hot_list(&m->g, &team, w, end_ps, SLOT);
    assert_true(n > 0);
    wi_gpu_hot_sort(&m->g, &team, m->run.seed, w->base, n, m->g.next_ps[w->lp], end_ps, SLOT);
    do {
        const uint32_t end = n - next < 3 ? n : next + 3;
        while (!w->stopped && has_room(m, w, *turn->out_count) &&
               wi_gpu_hot_take(&m->g, m->run.seed, w, &next, end, n, event, sizeof(toy_letter))) {
            wi_gpu_serve(turn, w, ctx, event, toy_handle, sizeof(toy_letter));
            w->stopped |= w->cut;
            m->status.events++;
            gone++;
        }
    } while (next < n && !w->stopped);
    const weir_time least_ps = wi_gpu_hot_end(&m->g, &m->run, w, next, n);
    wi_gpu_hot_pack(&m->g, &team, w, w->count, gone, next, SLOT);
    m->hot++;
    return least_ps;
}

static void work_off(emulation *m, uint32_t lp, weir_time end_ps, uint32_t *out_count)
{
    union {
        weir_event event;
        unsigned char room[sizeof(weir_event) + sizeof(toy_letter)];
    } event;
    _Alignas(8) unsigned char out[6 * sizeof event], rec[3 * (sizeof(weir_record_head) + 16)];
    weir_time due_ps[WI_GPU_DUE];
    uint32_t due[WI_GPU_DUE];
    wi_gpu_work w = {.due_ps = due_ps, .due = due, .due_stride = 1};
    weir_ctx ctx = {.world = m->run.world,
                    .n_entities = TOY_ENTITIES,
                    .out = out,
                    .stride = sizeof event,
                    .seed = m->run.seed,
                    .rec_stride = m->g.rec_stride,
                    .rec = rec,
                    .counters = m->counters,
                    .n_counters = 3,
                    .pool = {m->run.pool[0]}};
    wi_gpu_bounds bounds = {WEIR_TIME_MAX, WEIR_TIME_MAX};
    const wi_gpu_turn turn = {.g = &m->g,
                              .run = &m->run,
                              .types = m->types,
                              .out_count = out_count,
                              .end_ps = end_ps,
                              .round = m->status.rounds,
                              .bounds = &bounds};
    wi_gpu_open(&m->g, &m->run, &w, lp);
    const weir_time next = w.count >= m->hot_from ? work_off_hot(m, &w, &ctx, &event.event, &turn)
                                                  : work_off_cool(m, &w, &ctx, &event.event, &turn);
    const uint32_t third = (uint32_t)((m->status.rounds + 1) % 3);
    wi_gpu_bound_by(&bounds, next, m->g.lookahead_ps[lp]);
    wi_gpu_lower(&m->run.low_ps[third], bounds.low_ps);
    wi_gpu_lower(&m->run.end_ps[third], bounds.end_ps);
}

static void copy_moved(const wi_gpu *g, wi_gpu_moved moved)
{
    memcpy(wi_gpu_slot(g, moved.to, SLOT), wi_gpu_slot(g, moved.from, SLOT), (size_t)moved.n * SLOT);
}

/* What is due before end_ps leaves the rings; what they then have bounds the window of number `third`. */
static void release(emulation *m, weir_time end_ps, uint32_t third, uint32_t *n_spilled)
{
    wi_gpu *g = &m->g;
    for (uint32_t e = 0; e < TOY_ENTITIES; e++) {
        wi_gpu_ring r = wi_gpu_ring_of(&m->rings[e]);
        if (m->ring_first_ps[e] < end_ps) {
            const uint32_t n = wi_gpu_ring_due(g, &r, end_ps, SLOT);
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t slot = wi_gpu_ring_slot(&r, i);
                const wi_gpu_event *const event = wi_gpu_slot(g, slot, SLOT);
                assert_true(event->source == e && event->time_ps < end_ps);
                wi_gpu_place_or_spill(g, event->target >> g->lp_shift, slot | WI_GPU_OF_RING, event, g->spill,
                                      n_spilled, SLOT);
            }
            m->released += n;
            wi_gpu_ring_drop(g, &m->run, e, &r, n, SLOT);
        }
        wi_gpu_lower(&m->run.low_ps[third], m->ring_first_ps[e]);
        wi_gpu_lower(&m->run.end_ps[third], wi_gpu_reach(m->ring_first_ps[e], m->rings[e].now.reach_ps));
    }
}

/* Spilled events get their slots. */
static void settle(emulation *m, uint64_t round)
{
    wi_gpu *g = &m->g;
    const uint32_t n = m->status.n_spilled[round % 3], used = m->status.slots_used;
    for (uint32_t i = 0; i < n; i++)
        copy_moved(g, wi_gpu_grow(g, &g->spill[i], round, SLOT));
    for (uint32_t i = 0; i < n; i++)
        wi_gpu_settle(g, &g->spill[i], SLOT);
    m->spills += n;
    m->grows += m->status.slots_used > used;
}

/* Before the first round towards a limit: what is due by then leaves the rings. */
static void begin(emulation *m)
{
    const uint64_t round = wi_gpu_round_before(m->status.rounds);
    m->status.n_spilled[round % 3] = 0;
    const uint32_t after = (uint32_t)((m->status.rounds + 1) % 3);
    m->run.low_ps[after] = m->run.end_ps[after] = WEIR_TIME_MAX;
    release(m, wi_gpu_window(&m->run, (uint32_t)(m->status.rounds % 3)), after,
            &m->status.n_spilled[round % 3]);
    settle(m, round);
}

/* One round; false when the limit has been reached. */
static int round_once(emulation *m)
{
    wi_gpu *g = &m->g;
    const uint64_t round = m->status.rounds;
    const uint32_t third = (uint32_t)(round % 3), next_third = (uint32_t)((round + 1) % 3);
    if (m->run.low_ps[third] >= m->run.limit_ps)
        return 0;
    const weir_time end_ps = wi_gpu_window(&m->run, third);
    uint32_t out_count = 0;
    const uint32_t after = (uint32_t)((round + 2) % 3);
    m->run.low_ps[after] = m->run.end_ps[after] = WEIR_TIME_MAX;
    m->status.n_spilled[round % 3] = 0;
    for (uint32_t lp = 0; lp < g->n_lps; lp++) {
        if (g->next_ps[lp] < end_ps) {
            work_off(m, lp, end_ps, &out_count);
        } else {
            wi_gpu_lower(&m->run.low_ps[next_third], g->next_ps[lp]);
            wi_gpu_lower(&m->run.end_ps[next_third], wi_gpu_reach(g->next_ps[lp], g->lookahead_ps[lp]));
        }
    }
    for (uint32_t i = 0; i < out_count; i++) {
        const wi_gpu_event *e = wi_gpu_out(g, i, SLOT);
        wi_gpu_place_or_spill(g, e->target >> g->lp_shift, i, e, g->spill, &m->status.n_spilled[round % 3],
                              SLOT);
    }
    release(m, wi_gpu_window(&m->run, next_third), after, &m->status.n_spilled[round % 3]);
    settle(m, round);
    m->status.rounds++;
    return 1;
}

/* Everything to a list: from regions, and what was spilled and has found no slot. */
static void flatten(emulation *m)
{
    const wi_gpu *g = &m->g;
    for (uint32_t lp = 0; lp < g->n_lps; lp++) {
        const wi_gpu_lp l = g->lps[lp];
        for (uint32_t i = 0; i < wi_gpu_lp_count(l) && i < wi_gpu_lp_room(l); i++)
            list_slot(m, wi_gpu_slot(g, wi_gpu_lp_base(l) + i, SLOT));
    }
    for (uint32_t e = 0; e < TOY_ENTITIES; e++)
        for (uint32_t i = 0; i < wi_gpu_ring_count(&m->rings[e]); i++)
            list_slot(m, wi_gpu_slot(g, wi_gpu_ring_slot(&m->rings[e], i), SLOT));
    const uint32_t n = m->status.n_spilled[(m->status.rounds + 2) % 3];
    for (uint32_t i = 0; i < n; i++)
        if (g->spill[i].claim >= wi_gpu_lp_room(*wi_gpu_spill_lp(g, &g->spill[i], SLOT)))
            list_slot(m, wi_gpu_spilled(g, &g->spill[i], SLOT));
}

static void expect_same(const emulation *m, const weir_sim *sim)
{
    assert_int_equal(m->status.events, weir_sim_events(sim));
    assert_memory_equal(m->heads, weir_sim_heads(sim), sizeof m->heads);
    assert_memory_equal(m->nodes, weir_sim_state(sim, 0), sizeof m->nodes);
    assert_memory_equal(m->depots, weir_sim_state(sim, TOY_NODES), sizeof m->depots);
    assert_memory_equal(m->slots, weir_sim_slot(sim, 0, 0), sizeof m->slots);
    assert_memory_equal(m->counters, weir_sim_counters(sim), sizeof m->counters);
}

static void emulated_rounds_equal_the_sequential_engine(void **state)
{
    (void)state;
    uint64_t random = 11;
    uint32_t spills = 0, grows = 0, moves = 0, cuts = 0, stops = 0, hot = 0, released = 0;
    for (int i = 0; i < 60; i++) {
        toy t;
        toy_make(&t, 1);
        t.setup.seed = rnd(&random);
        const int equal_lookaheads = rnd_below(&random, 2) == 0;
        for (uint32_t e = 0; e < TOY_ENTITIES && !equal_lookaheads; e++)
            t.lookahead_ps[e] = 1 + rnd_below(&random, TOY_GRID_PS);
        weir_sim *sim = new_sim(NULL, &t.setup);
        const uint32_t out_room = rnd_below(&random, 2) ? OUT_ROOM : 5 + rnd_below(&random, 20);
        emulation *m = start(&t, sim, out_room, rnd_below(&random, 7), rnd_below(&random, 3) * 40);
        m->run.lookahead_ps = equal_lookaheads ? TOY_GRID_PS : 0;
        m->run.limit_ps = 0;
        m->hot_from = i % 3 == 0 ? UINT32_MAX : 1 + rnd_below(&random, 20);
        for (int part = 0; part < 4; part++) {
            m->run.limit_ps += 1 + rnd_below(&random, 40 * TOY_GRID_PS);
            do {
                begin(m);
                while (m->status.flags[0] == 0 && m->status.flags[1] == 0 && round_once(m)) {
                }
                const int crowded = (m->status.flags[0] | m->status.flags[1]) & WI_GPU_CROWDED;
                assert_int_equal((m->status.flags[0] | m->status.flags[1]) & WI_GPU_FAULTY, 0);
                m->status.flags[0] = m->status.flags[1] = 0;
                if (crowded) {
                    flatten(m);
                    make_pool(m, m->g.lp_shift, rnd_below(&random, 100));
                    m->moves++;
                }
            } while (m->run.low_ps[m->status.rounds % 3] < m->run.limit_ps);
            expect_ok(NULL, weir_sim_run(NULL, sim, m->run.limit_ps, NULL));
            expect_same(m, sim);
            /* Another LP size. */
            m->status.n_spilled[(m->status.rounds + 2) % 3] = 0;
            flatten(m);
            make_pool(m, rnd_below(&random, 7), rnd_below(&random, 3) * 40);
        }
        spills += m->spills;
        grows += m->grows;
        moves += m->moves;
        cuts += m->cuts;
        stops += m->stops;
        hot += m->hot;
        released += m->released;
        stop(m);
        weir_sim_free(sim);
    }
    /* All of it has happened. */
    assert_true(spills > 0 && grows > 0 && moves > 0 && cuts > 0 && stops > 0 && hot > 0 && released > 0);
}

static void an_lp_word_holds_count_base_and_room(void **state)
{
    (void)state;
    for (uint32_t room = 8; room <= 1u << 29; room *= 2) {
        wi_gpu_lp l = wi_gpu_lp_make(room - 1, WI_GPU_SLOTS_MAX - 8, room);
        assert_int_equal(wi_gpu_lp_claim(&l) & UINT32_MAX, room - 1);
        assert_int_equal(wi_gpu_lp_count(l), room);
        assert_int_equal(wi_gpu_lp_room(l), room);
        assert_int_equal(wi_gpu_lp_base(l), WI_GPU_SLOTS_MAX - 8);
    }
}

static void rooms_are_powers_of_two_with_slack(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 5000; n++) {
        const uint32_t room = wi_gpu_room_for(n);
        assert_true(room >= 8 && (room & (room - 1)) == 0 && room > n && room <= 4 * n + 8);
    }
}

static void windows_end_at_the_limit_and_never_wrap(void **state)
{
    (void)state;
    wi_gpu_run run = {.lookahead_ps = 10, .limit_ps = 100, .low_ps = {50, 95, WEIR_TIME_MAX}};
    assert_int_equal(wi_gpu_window(&run, 0), 60);
    assert_int_equal(wi_gpu_window(&run, 1), 100);
    assert_int_equal(wi_gpu_window(&run, 2), 100);
    assert_int_equal(wi_gpu_reach(WEIR_TIME_MAX - 3, 3), WEIR_TIME_MAX);
    assert_int_equal(wi_gpu_reach(WEIR_TIME_MAX - 3, 4), WEIR_TIME_MAX);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sequence numbers of one source, before and after the wrap, whose ties are equal: among 2^17 on each side
 * there are some four pairs. */
static void equal_ties_across_the_wrap(uint64_t seed, uint32_t source, uint32_t *earlier, uint32_t *later)
{
    enum { SIDE = 1 << 17 };
    uint64_t *keys = malloc(2 * SIDE * sizeof *keys); /* tie, and how far from the first */
    for (uint32_t i = 0; i < 2 * SIDE; i++)
        keys[i] = (uint64_t)weir_tie(seed, source, i - SIDE) << 32 | i;
    qsort(keys, 2 * SIDE, sizeof *keys, by_value);
    uint32_t found = 0;
    for (uint32_t i = 1; i < 2 * SIDE && !found; i++)
        if (keys[i] >> 32 == keys[i - 1] >> 32 && (uint32_t)keys[i - 1] < SIDE && (uint32_t)keys[i] >= SIDE)
            found = i;
    assert_true(found > 0);
    *earlier = (uint32_t)keys[found - 1] - SIDE;
    *later = (uint32_t)keys[found] - SIDE;
    free(keys);
}

/* As the pending set has it on the host (test_pending): the nearer side of the wrap comes later. */
static void sequence_numbers_compare_by_signed_difference(void **state)
{
    (void)state;
    uint32_t earlier = 0, later = 0;
    equal_ties_across_the_wrap(5, 3, &earlier, &later);
    assert_true(earlier > later && weir_seq_before(earlier, later) && !weir_seq_before(later, earlier));
    const wi_gpu_event a = {.time_ps = 7, .source = 3, .seq = earlier},
                       b = {.time_ps = 7, .source = 3, .seq = later};
    assert_true(wi_gpu_before(5, &a, &b, 0));
    assert_false(wi_gpu_before(5, &b, &a, 0));
    /* The fault that is kept is that of the earlier event, whichever is told first. */
    const uint32_t tie = weir_tie(5, 3, earlier);
    for (int entry = 0; entry < 2; entry++) {
        wi_gpu_status status = {0};
        const wi_gpu g = {.status = &status};
        for (int i = 0; i < 2; i++)
            wi_gpu_fail(
                &g, 0,
                (wi_gpu_fault){.time_ps = 7, .tie = tie, .source = 3, .seq = i == entry ? earlier : later});
        assert_int_equal(status.fault_word.fault.seq, earlier);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emulated_rounds_equal_the_sequential_engine),
        cmocka_unit_test(an_lp_word_holds_count_base_and_room),
        cmocka_unit_test(rooms_are_powers_of_two_with_slack),
        cmocka_unit_test(windows_end_at_the_limit_and_never_wrap),
        cmocka_unit_test(sequence_numbers_compare_by_signed_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
