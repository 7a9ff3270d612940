/*
 * Every breach of the contract stops the run with a message that names model, entity, event type and times,
 * whatever the handler still writes after it; so does every bad set-up, before anything runs.
 */
#include "harness.h"

enum { GO, OTHER_KIND, TYPES };
enum { WORKERS = 4, ENTITIES = 5, LOOKAHEAD_PS = 100 };

/* What the handler of worker 2 does at 1,000 ps. */
typedef enum wrong {
    NONE,
    DELAY_TO_SELF,
    DELAY_TO_OTHER,
    DELAY_NEGATIVE,
    TIME_IN_THE_PAST,
    TOO_MANY_EVENTS,
    NO_SUCH_TARGET,
    NO_SUCH_TYPE,
    WRONG_KIND,
    TOO_MANY_RECORDS,
    RECORD_TOO_LARGE,
    RECORD_NOT_OF_8,
    NO_SUCH_COUNTER,
    OWN_CHECK,
    OWN_CHECK_WITHOUT_NAME,
    TWO_AT_ONCE
} wrong;

typedef struct world {
    wrong what;
} wrong_world;

static void fill(void *payload)
{
    memset(payload, 1, 8);
}

static void do_wrong(weir_ctx *ctx, wrong what)
{
    switch (what) {
    case NONE:
        break;
    case DELAY_TO_SELF:
        fill(weir_schedule(ctx, 2, GO, 0));
        break;
    case DELAY_TO_OTHER:
        fill(weir_schedule(ctx, 1, GO, LOOKAHEAD_PS - 1));
        break;
    case DELAY_NEGATIVE:
        fill(weir_schedule(ctx, 2, GO, -5));
        break;
    case TIME_IN_THE_PAST:
        fill(weir_schedule_at(ctx, 2, GO, INT64_MIN));
        break;
    case TOO_MANY_EVENTS:
        for (int i = 0; i < 9; i++)
            fill(weir_schedule(ctx, 2, GO, 1 + i));
        break;
    case NO_SUCH_TARGET:
        fill(weir_schedule(ctx, ENTITIES, GO, 1000));
        break;
    case NO_SUCH_TYPE:
        memset(weir_schedule(ctx, 2, 77, 1000), 1, WEIR_PAYLOAD_MAX);
        break;
    case WRONG_KIND:
        weir_schedule(ctx, 0, OTHER_KIND, 1000);
        break;
    case TOO_MANY_RECORDS:
        for (int i = 0; i < 9; i++)
            fill(weir_record(ctx, 0, 8));
        break;
    case RECORD_TOO_LARGE:
        memset(weir_record(ctx, 0, 65528), 1, 65528);
        break;
    case RECORD_NOT_OF_8:
        memset(weir_record(ctx, 0, 12), 1, 12);
        break;
    case NO_SUCH_COUNTER:
        weir_count(ctx, 6, 1);
        weir_count(ctx, UINT64_MAX, 1);
        break;
    case OWN_CHECK:
        weir_fault(ctx, 1);
        break;
    case OWN_CHECK_WITHOUT_NAME:
        weir_fault(ctx, 9);
        break;
    case TWO_AT_ONCE:
        weir_fault(ctx, 1);
        fill(weir_schedule(ctx, ENTITIES, GO, 1000));
        break;
    }
}

static void go(weir_ctx *ctx, void *state, const weir_event *e)
{
    const wrong_world *world = (const void *)ctx->world;
    uint64_t *handled = state;
    (void)e;
    weir_touch(ctx, handled, sizeof *handled);
    ++*handled;
    weir_count(ctx, 5, 1);
    if (ctx->entity == 2 && weir_now(ctx) == 1000)
        do_wrong(ctx, world->what);
    else
        fill(weir_schedule(ctx, ctx->entity, GO, 1000));
}

static void start(weir_ctx *ctx, void *state)
{
    (void)state;
    fill(weir_schedule_at(ctx, ctx->entity, GO, ctx->entity == 3 ? 999 : 0));
}

static const weir_event_type types[TYPES] = {
    [GO] = {.name = "go", .handle = go, .payload_bytes = 8, .max_events = 2, .max_records = 2},
    [OTHER_KIND] = {.name = "other", .handle = go, .kind = 1, .max_events = 1},
};
static const weir_kind kinds[2] = {{.name = "worker", .state_bytes = 8, .init = start, .max_events = 1},
                                   {.name = "idler", .state_bytes = 8}};
static const char *const records[1] = {"note"};
static const char *const faults[1] = {"the worker is tired"};
static const weir_model model = {.name = "wrongdoer",
                                 .kinds = kinds,
                                 .types = types,
                                 .record_names = records,
                                 .fault_names = faults,
                                 .n_kinds = 2,
                                 .n_types = TYPES,
                                 .n_records = 1,
                                 .n_faults = 1,
                                 .record_bytes = 16};
static weir_time lookahead_ps[ENTITIES] = {LOOKAHEAD_PS, LOOKAHEAD_PS, LOOKAHEAD_PS, WEIR_TIME_MAX,
                                           LOOKAHEAD_PS};

static weir_setup wrong_setup(const wrong_world *world)
{
    return (weir_setup){.model = &model,
                        .world = world,
                        .world_bytes = sizeof *world,
                        .kind_count = {WORKERS, ENTITIES - WORKERS},
                        .n_counters = 6,
                        .lookahead_ps = lookahead_ps};
}

static void each_breach_is_told(void **state)
{
    weir_diag *diag = *state;
    static const struct {
        wrong what;
        const char *text;
    } cases[] = {
        {DELAY_TO_SELF, "event 'go' has a delay of 0 ps; the least is 1 ps to itself and the entity's "
                        "lookahead, 100 ps, to others"},
        {DELAY_TO_OTHER, "event 'go' has a delay of 99 ps"},
        {DELAY_NEGATIVE, "event 'go' has a delay of -5 ps"},
        {TIME_IN_THE_PAST, "event 'go' has a delay of"},
        {TOO_MANY_EVENTS, "schedules more than the 2 events that it states (next: 'go')"},
        {NO_SUCH_TARGET, "event 'go' is for entity 5, which does not exist (there are 5)"},
        {NO_SUCH_TYPE, "event type 77 does not exist (the model has 2)"},
        {WRONG_KIND, "event 'other' is for entities of kind 'idler', and entity 0 is of another"},
        {TOO_MANY_RECORDS, "writes more records than the 2 that it states (next: 'note')"},
        {RECORD_TOO_LARGE,
         "record 'note' holds 65528 bytes; want a multiple of 8, and at most the model's 16"},
        {RECORD_NOT_OF_8, "record 'note' holds 12 bytes"},
        {NO_SUCH_COUNTER, "adds to counter 6, which does not exist (there are 6)"},
        {OWN_CHECK, "the worker is tired"},
        {OWN_CHECK_WITHOUT_NAME, "the model's own check failed"},
        {TWO_AT_ONCE, "the worker is tired"},
    };
    static const weir_engine engines[] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CHECK};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const wrong_world world = {cases[i].what};
            weir_setup setup = wrong_setup(&world);
            setup.engine = engines[k];
            weir_sim *sim = new_sim(diag, &setup);
            assert_int_equal(weir_sim_run(diag, sim, 5000, NULL), WEIR_E_MODEL);
            expect_message(diag, "model 'wrongdoer', entity 2, in 'go' at 0.000000001000 s: ");
            expect_message(diag, cases[i].text);
            assert_int_equal(weir_sim_run(diag, sim, 5000, NULL), WEIR_E_MODEL);
            expect_message(diag, "cannot go on");
            weir_sim_free(sim);
            weir_diag_clear(diag);
        }
    const wrong_world good = {NONE};
    const weir_setup setup = wrong_setup(&good);
    weir_sim *sim = new_sim(diag, &setup);
    expect_ok(diag, weir_sim_run(diag, sim, 5000, NULL));
    assert_int_equal(weir_sim_events(sim), 2 * 5 + 2 + 5); /* 0 .. 4000; worker 2 twice; worker 3 from 999 */
    weir_sim_free(sim);
}

/* An entity that goes on picosecond by picosecond, beside others that do not: the run is stopped, whoever
 * runs it and however short its windows are; unless its end is near enough to be reached. */
static void creep(weir_ctx *ctx, void *state, const weir_event *e)
{
    (void)state, (void)e;
    fill(weir_schedule(ctx, ctx->entity, GO, ctx->entity == 2 ? 3 : 1000));
}

static void a_run_that_stands_still_is_stopped(void **state)
{
    weir_diag *diag = *state;
    static const weir_engine engines[] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CHECK, WEIR_ENGINE_CONSERVATIVE,
                                          WEIR_ENGINE_OPTIMISTIC};
    weir_event_type creeping[TYPES] = {types[0], types[1]};
    weir_model m = model;
    creeping[GO].handle = creep;
    m.types = creeping;
    const weir_time apart_ps[ENTITIES] = {2000, 2000, 2000, 2000, 2000};
    for (size_t k = 0; k < sizeof engines / sizeof engines[0]; k++) {
        const wrong_world world = {NONE};
        weir_setup setup = wrong_setup(&world);
        setup.model = &m;
        setup.lookahead_ps = apart_ps;
        setup.engine = engines[k];
        setup.threads = 2;
        setup.end_ps = WEIR_PS_PER_S;
        weir_sim *sim = new_sim(diag, &setup);
        assert_int_equal(weir_sim_run(diag, sim, WEIR_PS_PER_S, NULL), WEIR_E_MODEL);
        expect_message(diag, "model 'wrongdoer', entity 2, in 'go' at 0.0000");
        expect_message(diag, "makes no progress: at 16384 instants within");
        weir_sim_free(sim);
        weir_diag_clear(diag);
    }
    const wrong_world world = {NONE};
    weir_setup setup = wrong_setup(&world);
    setup.model = &m;
    setup.end_ps = 20 * WEIR_PS_PER_US; /* 6.7 million events */
    weir_sim *sim = new_sim(diag, &setup);
    expect_ok(diag, weir_sim_run(diag, sim, setup.end_ps, NULL));
    weir_sim_free(sim);
}

/* A lookahead near the end of time ("sends to nobody") must not wrap. */
static void send_early(weir_ctx *ctx, void *state, const weir_event *e)
{
    (void)state, (void)e;
    fill(weir_schedule(ctx, 1, GO, 5));
}

static void a_huge_lookahead_does_not_wrap(void **state)
{
    weir_diag *diag = *state;
    weir_event_type early[TYPES] = {types[0], types[1]};
    early[GO].handle = send_early;
    weir_model m = model;
    m.types = early;
    weir_setup setup = wrong_setup(&(wrong_world){NONE});
    setup.model = &m;
    const weir_time huge_ps[ENTITIES] = {WEIR_TIME_MAX, WEIR_TIME_MAX, WEIR_TIME_MAX, WEIR_TIME_MAX,
                                         WEIR_TIME_MAX};
    setup.lookahead_ps = huge_ps;
    weir_sim *sim = new_sim(diag, &setup);
    assert_int_equal(weir_sim_run(diag, sim, 5000, NULL), WEIR_E_MODEL);
    expect_message(diag, "event 'go' has a delay of 5 ps; the least is");
    weir_sim_free(sim);
}

/* ---- set-ups that cannot run ---- */

static void init_for_another(weir_ctx *ctx, void *state)
{
    (void)state;
    weir_schedule(ctx, 0, GO, 1000);
}

static void init_at_once(weir_ctx *ctx, void *state)
{
    (void)state;
    weir_schedule_at(ctx, ctx->entity, GO, -1);
}

static void init_faults(void **state)
{
    weir_diag *diag = *state;
    weir_kind k[2] = {kinds[0], kinds[1]};
    weir_model m = model;
    m.kinds = k;
    weir_setup setup = wrong_setup(&(wrong_world){NONE});
    setup.model = &m;
    weir_sim *sim;
    k[0].init = init_for_another;
    assert_int_equal(weir_sim_new(diag, &setup, &sim), WEIR_E_MODEL);
    assert_null(sim);
    expect_message(diag, "entity 1, in 'init': event 'go' is for entity 0; init schedules for itself only");
    k[0].init = init_at_once;
    assert_int_equal(weir_sim_new(diag, &setup, &sim), WEIR_E_MODEL);
    expect_message(diag, "entity 0, in 'init'");
    expect_message(diag, "delay of -1 ps"); /* as of any time before 0 */
    k[0].init = start;
    k[0].max_events = 0;
    assert_int_equal(weir_sim_new(diag, &setup, &sim), WEIR_E_MODEL);
    expect_message(diag, "schedules more than the 0 events");
}

static void expect_refused(weir_diag *diag, const weir_setup *setup, const char *text)
{
    weir_sim *sim;
    assert_int_equal(weir_sim_new(diag, setup, &sim), WEIR_E_ARG);
    assert_null(sim);
    expect_message(diag, text);
}

static void bad_models_are_refused(void **state)
{
    weir_diag *diag = *state;
    weir_setup setup = wrong_setup(&(wrong_world){NONE});
    weir_model m = model;
    weir_event_type t[TYPES] = {types[0], types[1]};
    weir_kind k[2] = {kinds[0], kinds[1]};
    weir_pool p[1] = {{.name = "pool", .slot_bytes = 8}};
    setup.model = NULL;
    expect_refused(diag, &setup, "model '(null)'");
    setup.model = &m;
    m.n_kinds = 0;
    expect_refused(diag, &setup, "out of range");
    m.n_kinds = WEIR_KINDS_MAX + 1;
    expect_refused(diag, &setup, "out of range");
    m = model;
    m.record_bytes = 12;
    expect_refused(diag, &setup, "record size out of range");
    m = model;
    m.n_types = 0;
    expect_refused(diag, &setup, "event types");
    m = model;
    m.types = t;
    t[1].payload_bytes = 104;
    expect_refused(diag, &setup, "event 'other': no handler, no such kind, or payload of 104 bytes");
    t[1] = types[1];
    t[1].handle = NULL;
    expect_refused(diag, &setup, "event 'other': no handler");
    t[1] = types[1];
    t[1].kind = 2;
    expect_refused(diag, &setup, "event 'other': no handler, no such kind");
    m = model;
    m.kinds = k;
    k[1].state_bytes = 9;
    expect_refused(diag, &setup, "kind 'idler': state of 9 bytes");
    m = model;
    m.pools = p;
    m.n_pools = 1;
    p[0].slot_bytes = 4;
    expect_refused(diag, &setup, "pool 'pool': slots of 4 bytes");
    p[0].slot_bytes = 8;
    const uint32_t first[WORKERS + 1] = {0, 1, 2, 1, 4};
    setup.pool_first[0] = first;
    expect_refused(diag, &setup,
                   "pool 'pool': the slice of entity 2 of its kind ends before it begins (2, 1)");
}

static weir_time no_hook(void *user, weir_time horizon_ps)
{
    (void)user;
    return horizon_ps + 1;
}

static void bad_setups_are_refused(void **state)
{
    weir_diag *diag = *state;
    weir_setup setup = wrong_setup(&(wrong_world){NONE});
    setup.lookahead_ps = NULL;
    expect_refused(diag, &setup, "no lookahead given for 5 entities");
    const weir_time zero_ps[ENTITIES] = {1, 1, 1, 0, 1};
    setup.lookahead_ps = zero_ps;
    expect_refused(diag, &setup, "entity 3 has a lookahead of 0 ps; want at least 1");
    setup = wrong_setup(&(wrong_world){NONE});
    setup.kind_count[1] = UINT32_MAX;
    expect_refused(diag, &setup, "4294967299 entities; the most is 2147483647");
    setup = wrong_setup(&(wrong_world){NONE});
    setup.hook = no_hook;
    setup.hook_first_ps = -2;
    expect_refused(diag, &setup, "first horizon is -2 ps");
    weir_sim_free(NULL);
}

static void nobody_is_a_simulation_too(void **state)
{
    weir_diag *diag = *state;
    weir_setup setup = wrong_setup(&(wrong_world){NONE});
    setup.kind_count[0] = setup.kind_count[1] = 0;
    setup.lookahead_ps = NULL;
    setup.threads = 2;
    for (int engine = WEIR_ENGINE_SEQUENTIAL; engine <= WEIR_ENGINE_OPTIMISTIC; engine++) {
        if (engine == WEIR_ENGINE_GPU)
            continue;
        setup.engine = (weir_engine)engine;
        weir_sim *sim = new_sim(diag, &setup);
        expect_ok(diag, weir_sim_run(diag, sim, WEIR_PS_PER_S, NULL));
        assert_int_equal(weir_sim_now(sim), WEIR_PS_PER_S);
        assert_int_equal(weir_sim_events(sim), 0);
        weir_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_breach_is_told),
        cmocka_unit_test(a_run_that_stands_still_is_stopped),
        cmocka_unit_test(a_huge_lookahead_does_not_wrap),
        cmocka_unit_test(init_faults),
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(bad_setups_are_refused),
        cmocka_unit_test(nobody_is_a_simulation_too),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
