/*
 * Records: whole, in the order (time, entity, number), each exactly once, at any number per instant, drained
 * at stop points and not before their instant is over.
 */
#include "harness.h"
#include "toy.h"

enum { GRID = TOY_GRID_PS };

typedef struct taken {
    weir_sim *sim;
    weir_time last_ps;
    uint32_t last_entity;
    uint32_t next[4096]; /* number that each entity's next record has */
    uint64_t n, batches, sum;
    int refuse;
} taken;

static weir_status take(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    taken *t = user;
    const unsigned char *at = (const unsigned char *)records;
    if (t->refuse)
        return WEIR_E_IO;
    t->batches++;
    for (size_t i = 0; i < n; i++, at += stride) {
        const weir_record_head *r = (const void *)at;
        assert_true(r->time_ps > t->last_ps || (r->time_ps == t->last_ps && r->entity >= t->last_entity) ||
                    t->n == 0);
        assert_int_equal(r->number, t->next[r->entity]++);
        assert_true(sizeof *r + r->bytes <= stride);
        t->last_ps = r->time_ps;
        t->last_entity = r->entity;
        t->sum += *(const uint64_t *)(const void *)(r + 1);
        t->n++;
    }
    return WEIR_OK;
}

static void toy_records_in_order(void **state)
{
    weir_diag *diag = *state;
    static toy t;
    taken got = {0};
    toy_make(&t, 1);
    t.setup.sink = take;
    t.setup.user = &got;
    weir_sim *sim = new_sim(diag, &t.setup);
    expect_ok(diag, weir_sim_run(diag, sim, 0, NULL));
    assert_int_equal(got.n, 0); /* not even init's: until 0 there is nothing to run */
    expect_ok(diag, weir_sim_run(diag, sim, 3000 * GRID, NULL));
    assert_true(got.n > 15000 && got.batches >= 3); /* more than the buffer holds */
    uint64_t records = 0;
    for (uint32_t e = 0; e < TOY_NODES; e++)
        records += got.next[e];
    assert_int_equal(records, got.n);
    const uint64_t with_sink = weir_sim_state_digest(sim);
    weir_sim_free(sim);

    /* The digest holds the records, sink or not, whatever the stop points. */
    t.setup.sink = NULL;
    sim = new_sim(diag, &t.setup);
    for (weir_time at_ps = 0; at_ps <= 3000 * GRID; at_ps += 100 * GRID)
        expect_ok(diag, weir_sim_run(diag, sim, at_ps, NULL));
    assert_int_equal(weir_sim_state_digest(sim), with_sink);
    weir_sim_free(sim);
}

static void a_sink_may_refuse(void **state)
{
    weir_diag *diag = *state;
    static toy t;
    taken got = {.refuse = 1};
    toy_make(&t, 1);
    t.setup.sink = take;
    t.setup.user = &got;
    weir_sim *sim = new_sim(diag, &t.setup);
    assert_int_equal(weir_sim_run(diag, sim, 3000 * GRID, NULL), WEIR_E_IO);
    expect_message(diag, "records could not be taken");
    assert_int_equal(weir_sim_run(diag, sim, 3001 * GRID, NULL), WEIR_E_IO);
    expect_message(diag, "cannot go on");
    weir_sim_free(sim);
}

/* Many entities that all write at the same instants, from init on: more records at once than the buffer. */
enum { CROWD = 3000 };

static void crowd_init(weir_ctx *ctx, void *state)
{
    (void)state;
    for (uint64_t i = 0; i < 3; i++)
        *(uint64_t *)weir_record(ctx, 0, 8) = i;
    weir_schedule(ctx, ctx->entity, 0, 1);
}

static void crowd_beat(weir_ctx *ctx, void *state, const weir_event *e)
{
    (void)state, (void)e;
    for (uint64_t i = 0; i < 2; i++)
        *(uint64_t *)weir_record(ctx, 0, 8) = 10 + i;
    weir_schedule(ctx, ctx->entity, 0, 5);
}

static void any_number_at_one_instant(void **state)
{
    weir_diag *diag = *state;
    static const weir_kind kinds[1] = {
        {.name = "one", .init = crowd_init, .max_events = 1, .max_records = 3}};
    static const weir_event_type types[1] = {
        {.name = "beat", .handle = crowd_beat, .max_events = 1, .max_records = 2}};
    static const weir_model model = {
        .name = "crowd", .kinds = kinds, .types = types, .n_kinds = 1, .n_types = 1, .record_bytes = 8};
    static weir_time lookahead_ps[CROWD];
    for (int i = 0; i < CROWD; i++)
        lookahead_ps[i] = 1;
    taken got = {0};
    const weir_setup setup = {
        .model = &model, .kind_count = {CROWD}, .lookahead_ps = lookahead_ps, .sink = take, .user = &got};
    weir_sim *sim = new_sim(diag, &setup);
    expect_ok(diag, weir_sim_run(diag, sim, 11, NULL)); /* beats at 0, 5 and 10 */
    assert_int_equal(got.n, CROWD * (3 + 3 * 2));
    assert_int_equal(got.sum, (uint64_t)CROWD * (3 + 3 * 21));
    assert_int_equal(got.last_ps, 10);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(got.next[i], 9);
    weir_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(toy_records_in_order),
                                       cmocka_unit_test(a_sink_may_refuse),
                                       cmocka_unit_test(any_number_at_one_instant)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
