/*
 * The check engine: the toy passes and has the sequential engine's digests; each kind of cheat is caught, at
 * the event where it happens.
 */
#include "harness.h"
#include "toy.h"

enum { GRID = TOY_GRID_PS };

static void toy_passes(void **state)
{
    weir_diag *diag = *state;
    toy t;
    toy_make(&t, 1);
    weir_sim *plain = new_sim(diag, &t.setup);
    t.setup.engine = WEIR_ENGINE_CHECK;
    weir_sim *checked = new_sim(diag, &t.setup);
    expect_ok(diag, weir_sim_run(diag, plain, 300 * GRID, NULL));
    expect_ok(diag, weir_sim_run(diag, checked, 300 * GRID, NULL));
    assert_int_equal(weir_sim_events(plain), weir_sim_events(checked));
    assert_int_equal(weir_sim_event_digest(plain), weir_sim_event_digest(checked));
    assert_int_equal(weir_sim_state_digest(plain), weir_sim_state_digest(checked));
    weir_sim_free(plain);
    weir_sim_free(checked);
}

/* ---- cheats: a handler that does one thing wrong from the third event on ---- */

typedef struct cheat_state {
    uint64_t n, other[3];
} cheat_state;

typedef struct cheat_world {
    cheat_state *neighbour; /* entity 1's state: what no handler should have */
    uint64_t scratch;
} cheat_world;

static uint64_t hidden;

typedef enum cheat {
    HONEST,
    NO_TOUCH,
    TOUCH_TOO_SHORT,
    TOUCH_TOO_LATE,
    NO_TOUCH_OF_SLOT,
    NEIGHBOUR,
    NEIGHBOUR_TOUCHED,
    NEIGHBOURS_SLOT,
    WORLD,
    HIDDEN_DELAY,
    HIDDEN_NUMBER,
    HIDDEN_PAYLOAD,
    HIDDEN_STATE,
    HIDDEN_RECORD,
    HIDDEN_RECORDS,
    HIDDEN_DRAWS,
    HIDDEN_COUNT,
    HIDDEN_FAULT,
    PAYLOAD_NOT_WRITTEN,
    RECORD_NOT_WRITTEN,
    CHEATS
} cheat;

static cheat now_cheating;

static void cheat_beat(weir_ctx *ctx, void *state, const weir_event *e)
{
    cheat_state *s = state;
    const cheat c = weir_now(ctx) >= 2 * GRID ? now_cheating : HONEST;
    cheat_world *world = (cheat_world *)(uintptr_t)ctx->world;
    (void)e;
    if (c == TOUCH_TOO_LATE)
        s->n++;
    if (c == TOUCH_TOO_SHORT)
        weir_touch(ctx, s, sizeof s->n);
    else if (c != NO_TOUCH)
        weir_touch(ctx, s, sizeof *s);
    s->n++;
    s->other[2] += 3;
    hidden++;

    uint64_t *slot = weir_slot(ctx, 0, 2 * ctx->entity, 8);
    if (c != NO_TOUCH_OF_SLOT)
        weir_touch(ctx, slot, 8);
    slot[0]++;
    if (c == NEIGHBOUR_TOUCHED)
        weir_touch(ctx, world->neighbour, sizeof *world->neighbour);
    if (c == NEIGHBOUR_TOUCHED || c == NEIGHBOUR)
        world->neighbour->n++;
    if (c == NEIGHBOURS_SLOT) {
        weir_touch(ctx, &slot[2], 8);
        slot[2]++;
    }
    if (c == WORLD)
        world->scratch++;
    if (c == HIDDEN_STATE)
        s->other[0] = hidden;

    weir_stream stream = weir_stream_open(ctx);
    weir_draw(&stream);
    if (c == HIDDEN_DRAWS && hidden % 2)
        weir_draw(&stream);
    weir_stream_close(ctx, &stream);

    uint64_t *payload =
        weir_schedule(ctx, ctx->entity, 0, GRID + (c == HIDDEN_DELAY ? (weir_time)hidden : 0));
    payload[0] = c == HIDDEN_PAYLOAD ? hidden : 1;
    if (c != PAYLOAD_NOT_WRITTEN)
        payload[1] = 2;
    if (c == HIDDEN_NUMBER && hidden % 2)
        *(uint64_t *)weir_schedule(ctx, ctx->entity, 1, GRID) = 1;

    uint64_t *record = weir_record(ctx, 0, 16);
    record[0] = c == HIDDEN_RECORD ? hidden : 1;
    if (c != RECORD_NOT_WRITTEN)
        record[1] = 2;
    if (c == HIDDEN_RECORDS && hidden % 2)
        *(uint64_t *)weir_record(ctx, 0, 8) = 1;
    weir_count(ctx, 0, c == HIDDEN_COUNT ? (int64_t)hidden : 1);
    if (c == HIDDEN_FAULT && hidden % 2 == 0) /* each event is handled twice: the second time */
        weir_fault(ctx, 1);
}

static void cheat_end(weir_ctx *ctx, void *state, const weir_event *e)
{
    (void)ctx, (void)state, (void)e;
}

static void cheat_init(weir_ctx *ctx, void *state)
{
    (void)state;
    if (ctx->entity == 0)
        memset(weir_schedule_at(ctx, 0, 0, 0), 0, 16);
}

static void cheats_are_caught(void **state)
{
    weir_diag *diag = *state;
    static const char *const texts[CHEATS] = {
        [NO_TOUCH] = "changes bytes that it does not touch first (one, byte 0)",
        [TOUCH_TOO_SHORT] = "changes bytes that it does not touch first (one, byte 24)",
        [TOUCH_TOO_LATE] = "changes bytes that it does not touch first (one, byte 0)",
        [NO_TOUCH_OF_SLOT] = "changes bytes that it does not touch first (slots, byte 0)",
        [NEIGHBOUR] = "changes what is not its own",
        [NEIGHBOUR_TOUCHED] = "touches what is not its own (size of the touch, byte 32)",
        [NEIGHBOURS_SLOT] = "touches what is not its own (size of the touch, byte 8)",
        [WORLD] = "changes what is not its own",
        [HIDDEN_DELAY] = "schedules another event the second time (beat, byte 0)",
        [HIDDEN_NUMBER] = "schedules another number of events the second time",
        [HIDDEN_PAYLOAD] = "does not write the whole payload of an event, or another one the second time "
                           "(beat, byte 0)",
        [HIDDEN_STATE] = "leaves another state the second time (one, byte 8)",
        [HIDDEN_RECORD] = "does not write a whole record, or another one the second time (record, byte 24)",
        [HIDDEN_RECORDS] = "writes another number of records the second time",
        [HIDDEN_DRAWS] = "draws otherwise the second time",
        [HIDDEN_COUNT] = "touches or counts otherwise the second time",
        [HIDDEN_FAULT] = "breaks the contract only the second time",
        [PAYLOAD_NOT_WRITTEN] =
            "does not write the whole payload of an event, or another one the second time "
            "(beat, byte 8)",
        [RECORD_NOT_WRITTEN] =
            "does not write a whole record, or another one the second time (record, byte 32)",
    };
    static const weir_kind kinds[1] = {
        {.name = "one", .state_bytes = sizeof(cheat_state), .init = cheat_init, .max_events = 1}};
    static const weir_pool pools[1] = {{.name = "slots", .slot_bytes = 8}};
    static const weir_event_type types[2] = {
        {.name = "beat", .handle = cheat_beat, .payload_bytes = 16, .max_events = 2, .max_records = 2},
        {.name = "end", .handle = cheat_end, .payload_bytes = 8}};
    static const weir_model model = {.name = "cheat",
                                     .kinds = kinds,
                                     .pools = pools,
                                     .types = types,
                                     .n_kinds = 1,
                                     .n_pools = 1,
                                     .n_types = 2,
                                     .record_bytes = 16};
    const weir_time lookahead_ps[2] = {1, 1};
    const uint32_t slots[3] = {0, 2, 4};
    cheat_world world = {0};
    const weir_setup setup = {.model = &model,
                              .world = &world,
                              .world_bytes = sizeof world,
                              .kind_count = {2},
                              .pool_first = {slots},
                              .n_counters = 1,
                              .lookahead_ps = lookahead_ps,
                              .engine = WEIR_ENGINE_CHECK};
    for (now_cheating = HONEST; now_cheating < CHEATS; now_cheating++) {
        hidden = 0;
        memset(&world, 0, sizeof world);
        weir_sim *sim = new_sim(diag, &setup);
        world.neighbour = weir_sim_state(sim, 1);
        const weir_status status = weir_sim_run(diag, sim, 10 * GRID, NULL);
        if (now_cheating == HONEST) {
            expect_ok(diag, status);
            assert_int_equal(weir_sim_events(sim), 10);
        } else {
            if (status != WEIR_E_MODEL)
                fail_msg("cheat %d: status %s", (int)now_cheating, weir_status_name(status));
            expect_message(diag, "check: model 'cheat', event 'beat' at entity 0, 0.000000002000 s: ");
            expect_message(diag, texts[now_cheating]);
        }
        weir_sim_free(sim);
    }
}

/* State beyond what is copied (1 MiB) is compared by hash: slower, and as strict. */
typedef struct huge {
    uint64_t words[(1 << 17) + 8];
} huge;

static int huge_touches;

static void huge_beat(weir_ctx *ctx, void *state, const weir_event *e)
{
    huge *h = state;
    (void)e;
    uint64_t *word = &h->words[1 << 17];
    if (huge_touches || weir_now(ctx) < 3)
        weir_touch(ctx, word, sizeof *word);
    ++*word;
    weir_schedule(ctx, 0, 0, 1);
}

static void huge_init(weir_ctx *ctx, void *state)
{
    (void)state;
    weir_schedule_at(ctx, 0, 0, 0);
}

static void large_states_are_hashed(void **state)
{
    weir_diag *diag = *state;
    static const weir_kind kinds[1] = {
        {.name = "huge", .state_bytes = sizeof(huge), .init = huge_init, .max_events = 1}};
    static const weir_event_type types[1] = {{.name = "beat", .handle = huge_beat, .max_events = 1}};
    static const weir_model model = {
        .name = "huge", .kinds = kinds, .types = types, .n_kinds = 1, .n_types = 1};
    const weir_time lookahead_ps = 1;
    const weir_setup setup = {
        .model = &model, .kind_count = {1}, .lookahead_ps = &lookahead_ps, .engine = WEIR_ENGINE_CHECK};
    for (huge_touches = 1; huge_touches >= 0; huge_touches--) {
        weir_sim *sim = new_sim(diag, &setup);
        const weir_status status = weir_sim_run(diag, sim, 5, NULL);
        assert_int_equal(status, huge_touches ? WEIR_OK : WEIR_E_MODEL);
        if (!huge_touches)
            expect_message(diag, "event 'beat' at entity 0, 0.000000000003 s: changes what is not its own");
        weir_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(toy_passes), cmocka_unit_test(cheats_are_caught),
                                       cmocka_unit_test(large_states_are_hashed)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
