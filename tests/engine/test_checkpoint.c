/*
 * label: threads
 *
 * A simulation that is saved anywhere and goes on elsewhere is the same simulation: digests, counts, records and what
 * is saved later are those of the run that never stopped, whichever engines had which part of it; and one point of a
 * run is saved as the same bytes on every engine.
 */
#include "nightly.h"
#include "harness.h"
#include "splitmix.h"
#include "toy.h"

#include <unistd.h>

#include "engine/move.h"
#include "engine/sim/checkpoint.h"
#include "weir/digest.h"

enum { UNTIL = 400, ENGINES = 4 };

static const weir_engine engines[ENGINES] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CHECK,
                                             WEIR_ENGINE_CONSERVATIVE, WEIR_ENGINE_OPTIMISTIC};
static char path[2][64];

static int make_files(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "/tmp/weir-checkpoint-XXXXXX");
        close(mkstemp(path[i]));
    }
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(path[0]);
    return unlink(path[1]);
}

/* What a run is held against. */
typedef struct seen {
    uint64_t records, record_digest, events, event_digest, state_digest;
} seen;

static weir_status take(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    seen *s = user;
    const unsigned char *at = (const unsigned char *)records;
    for (size_t i = 0; i < n; i++, at += stride) {
        const weir_record_head *head = (const weir_record_head *)(const void *)at;
        s->record_digest = weir_digest_bytes(s->record_digest, head, sizeof *head + (head->bytes & ~7u));
    }
    s->records += n;
    return WEIR_OK;
}

static weir_setup set_up(const toy *t, weir_engine engine, uint32_t threads, seen *user)
{
    weir_setup setup = t->setup;
    setup.engine = engine;
    setup.threads = threads;
    setup.sink = take;
    setup.user = user;
    return setup;
}

static void save(weir_diag *diag, weir_sim *sim, const char *to)
{
    wi_saver *saver;
    expect_ok(diag, wi_saver_open(diag, to, &saver));
    expect_ok(diag, wi_sim_save(diag, sim, saver));
    expect_ok(diag, wi_saver_commit(diag, saver));
}

static weir_sim *restore(weir_diag *diag, const weir_setup *setup, const char *from)
{
    wi_saved *saved;
    weir_sim *sim;
    expect_ok(diag, wi_saved_open(diag, from, &saved));
    expect_ok(diag, wi_sim_restore(diag, setup, saved, &sim));
    wi_saved_close(saved);
    return sim;
}

static void finish(weir_diag *diag, weir_sim *sim, seen *out)
{
    expect_ok(diag, weir_sim_run(diag, sim, UNTIL * TOY_GRID_PS, NULL));
    out->events = weir_sim_events(sim);
    out->event_digest = weir_sim_event_digest(sim);
    out->state_digest = weir_sim_state_digest(sim);
    weir_sim_free(sim);
}

static void expect_same(const seen *got, const seen *want)
{
    assert_true(want->records > 0 && want->events > 0);
    assert_int_equal(got->records, want->records);
    assert_int_equal(got->record_digest, want->record_digest);
    assert_int_equal(got->events, want->events);
    assert_int_equal(got->event_digest, want->event_digest);
    assert_int_equal(got->state_digest, want->state_digest);
}

/* From engine to engine at random times, the ends of the run among them. */
static void goes_on_on_any_engine(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int turn = 0; turn < (SANITIZED ? 8 : 24); turn++) {
        weir_diag *diag = weir_diag_new();
        toy t;
        seen want = {0}, got = {0};
        toy_make(&t, turn % 2);
        weir_setup setup = set_up(&t, WEIR_ENGINE_SEQUENTIAL, 1, &want);
        finish(diag, new_sim(diag, &setup), &want);
        setup = set_up(&t, engines[rnd_below(&random, ENGINES)], 1 + rnd_below(&random, 3), &got);
        weir_sim *sim = new_sim(diag, &setup);
        for (weir_time at = 0; at <= UNTIL * TOY_GRID_PS;
             at += 1 + (weir_time)rnd_below(&random, (uint32_t)(150 * TOY_GRID_PS))) {
            if (turn > 0 || at > 0) /* the first begins by being saved before its first event */
                expect_ok(diag, weir_sim_run(diag, sim, at, NULL));
            save(diag, sim, path[0]);
            weir_sim_free(sim);
            setup = set_up(&t, engines[rnd_below(&random, ENGINES)], 1 + rnd_below(&random, 3), &got);
            sim = restore(diag, &setup, path[0]);
            assert_int_equal(weir_sim_now(sim), at);
            if (turn % 3 == 0) { /* and at once again */
                save(diag, sim, path[0]);
                weir_sim_free(sim);
                sim = restore(diag, &setup, path[0]);
            }
        }
        finish(diag, sim, &got);
        expect_same(&got, &want);
        weir_diag_free(diag);
    }
}

/* The same simulation, which changes its engine where it stands. */
static void changes_its_engine(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int turn = 0; turn < (SANITIZED ? 8 : 60); turn++) {
        weir_diag *diag = weir_diag_new();
        toy t;
        seen want = {0}, got = {0};
        toy_make(&t, turn % 2);
        weir_setup setup = set_up(&t, WEIR_ENGINE_SEQUENTIAL, 1, &want);
        finish(diag, new_sim(diag, &setup), &want);
        setup = set_up(&t, engines[rnd_below(&random, ENGINES)], 1 + rnd_below(&random, 3), &got);
        weir_sim *sim = new_sim(diag, &setup);
        for (weir_time at = 0; at <= UNTIL * TOY_GRID_PS;
             at += 1 + (weir_time)rnd_below(&random, (uint32_t)(60 * TOY_GRID_PS))) {
            if (turn > 0 || at > 0)
                expect_ok(diag, weir_sim_run(diag, sim, at, NULL));
            const wi_move to = {engines[rnd_below(&random, ENGINES)], 1 + rnd_below(&random, 3), 0};
            weir_sim_memory before, after;
            expect_ok(diag, weir_sim_fetch(diag, sim));
            weir_sim_memory_use(sim, &before);
            expect_ok(diag, wi_sim_move(diag, sim, &to));
            weir_sim_memory_use(sim, &after);
            assert_true(after.pending_peak >= before.pending_peak); /* the most at any time, anywhere */
            if (turn % 3 == 0) { /* one that it cannot have: it goes on with one core */
                const wi_move gpu = {WEIR_ENGINE_GPU, 0, 0};
                assert_int_equal(wi_sim_move(diag, sim, &gpu), WEIR_E_UNSUPPORTED);
            }
        }
        finish(diag, sim, &got);
        expect_same(&got, &want);
        weir_diag_free(diag);
    }
}

static unsigned char *bytes_of(const char *file, size_t *n)
{
    FILE *f = fopen(file, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    unsigned char *all = malloc(*n + 1);
    assert_int_equal(fread(all, 1, *n, f), *n);
    fclose(f);
    return all;
}

static void is_the_same_bytes_on_every_engine(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    toy t;
    toy_make(&t, 1);
    for (int k = 0; k < ENGINES; k++) {
        seen s = {0};
        const weir_setup setup = set_up(&t, engines[k], 3, &s);
        weir_sim *sim = new_sim(diag, &setup);
        expect_ok(diag, weir_sim_run(diag, sim, 137 * TOY_GRID_PS + 11, NULL));
        save(diag, sim, path[k > 0]);
        weir_sim_free(sim);
        if (k == 0)
            continue;
        size_t n, m;
        unsigned char *a = bytes_of(path[0], &n), *b = bytes_of(path[1], &m);
        assert_int_equal(n, m);
        assert_memory_equal(a, b, n);
        free(a);
        free(b);
    }
    weir_diag_free(diag);
}

/* Saving is looking: the run that was saved on the way ends as if it had not been. */
static void saving_changes_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < ENGINES; k++) {
        weir_diag *diag = weir_diag_new();
        toy t;
        seen want = {0}, got = {0};
        toy_make(&t, 1);
        weir_setup setup = set_up(&t, engines[k], 2, &want);
        finish(diag, new_sim(diag, &setup), &want);
        setup.user = &got;
        weir_sim *sim = new_sim(diag, &setup);
        for (int i = 1; i < 10; i++) {
            expect_ok(diag, weir_sim_run(diag, sim, i * 31 * TOY_GRID_PS, NULL));
            save(diag, sim, path[0]);
        }
        finish(diag, sim, &got);
        expect_same(&got, &want);
        weir_diag_free(diag);
    }
}

/* Frozen events stay frozen, and wake as much later as they would have. */
static int is_letter(void *user, const weir_event *event)
{
    (void)user;
    return event->type == TOY_LETTER;
}

static void suspended_events_are_kept(void **state)
{
    (void)state;
    for (int k = 0; k < ENGINES; k++) {
        weir_diag *diag = weir_diag_new();
        toy t;
        seen end[2] = {{0}, {0}};
        toy_make(&t, 1);
        for (int saved = 0; saved < 2; saved++) {
            weir_setup setup = set_up(&t, saved ? engines[k] : WEIR_ENGINE_SEQUENTIAL, 2, &end[saved]);
            weir_sim *sim = new_sim(diag, &setup);
            expect_ok(diag, weir_sim_run(diag, sim, 100 * TOY_GRID_PS, NULL));
            expect_ok(diag, weir_sim_suspend(diag, sim, 0, is_letter, NULL));
            expect_ok(diag, weir_sim_run(diag, sim, 110 * TOY_GRID_PS, NULL));
            if (saved) {
                save(diag, sim, path[0]);
                weir_sim_free(sim);
                setup.engine = engines[(k + 1) % ENGINES];
                sim = restore(diag, &setup, path[0]);
            }
            expect_ok(diag, weir_sim_run(diag, sim, 120 * TOY_GRID_PS, NULL));
            expect_ok(diag, weir_sim_resume(diag, sim, 0, NULL, NULL));
            finish(diag, sim, &end[saved]);
        }
        expect_same(&end[1], &end[0]);
        weir_diag_free(diag);
    }
}

static void layouts_differ(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    const uint64_t layout = wi_sim_layout(&t.setup);
    assert_int_equal(wi_sim_layout(&t.setup), layout);
    t.setup.seed++;
    assert_true(wi_sim_layout(&t.setup) != layout);
    t.setup.seed--;
    t.types[TOY_LETTER].payload_bytes += 8;
    assert_true(wi_sim_layout(&t.setup) != layout);
    t.types[TOY_LETTER].payload_bytes -= 8;
    t.setup.n_counters++;
    assert_true(wi_sim_layout(&t.setup) != layout);
}

/* Sections that are whole, and are another simulation's, or none's. */
static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    toy t;
    seen s = {0};
    wi_saver *saver;
    wi_saved *saved;
    weir_sim *sim;
    toy_make(&t, 1);
    weir_setup setup = set_up(&t, WEIR_ENGINE_SEQUENTIAL, 1, &s);
    expect_ok(diag, wi_saver_open(diag, path[0], &saver));
    expect_ok(diag, wi_saver_commit(diag, saver));
    expect_ok(diag, wi_saved_open(diag, path[0], &saved));
    assert_int_equal(wi_sim_restore(diag, &setup, saved, &sim), WEIR_E_FORMAT);
    expect_message(diag, "no section 'engine'");
    wi_saved_close(saved);
    sim = new_sim(diag, &setup);
    expect_ok(diag, weir_sim_run(diag, sim, 50 * TOY_GRID_PS, NULL));
    save(diag, sim, path[0]);
    weir_sim_free(sim);
    expect_ok(diag, wi_saved_open(diag, path[0], &saved));
    setup.n_counters++;
    assert_int_equal(wi_sim_restore(diag, &setup, saved, &sim), WEIR_E_FORMAT);
    expect_message(diag, "section 'counters' is shorter");
    setup.n_counters--;
    setup.seed++; /* whose ties are others */
    assert_int_equal(wi_sim_restore(diag, &setup, saved, &sim), WEIR_E_FORMAT);
    expect_message(diag, "none of this simulation's");
    wi_saved_close(saved);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(goes_on_on_any_engine),
                                       cmocka_unit_test(changes_its_engine),
                                       cmocka_unit_test(is_the_same_bytes_on_every_engine),
                                       cmocka_unit_test(saving_changes_nothing),
                                       cmocka_unit_test(suspended_events_are_kept),
                                       cmocka_unit_test(layouts_differ),
                                       cmocka_unit_test(what_does_not_fit_is_refused)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
