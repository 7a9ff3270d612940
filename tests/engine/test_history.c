/*
 * The history of what may be taken back: entries of many entities in segments, undone entity by entity in any
 * order, against copies of the whole state; commits free exactly what is early; the bound holds.
 */
#include "harness.h"

#include "engine/rollback/history.h"

enum { ENTITIES = 9, WORDS = 40, MOST_DONE = 4000 };

typedef struct world {
    uint64_t words[ENTITIES][WORDS];
    int64_t counters[4];
} world;

typedef struct track {
    wi_done *last;
    weir_time last_ps;
} track;

/* What an obvious implementation keeps: the entity's words before each event. */
typedef struct copy {
    uint64_t words[WORDS];
    int64_t count[4]; /* what the event has added */
    uint32_t entity;
    weir_time at_ps;
} copy;

typedef struct play {
    uint64_t seed;
    world w;
    track tracks[ENTITIES];
    wi_history h;
    copy *copies; /* [n], those that are not undone, in the order of handling */
    size_t n;
    uint64_t committed;
} play;

static void change(play *p, weir_undo *undo, copy *c)
{
    weir_ctx ctx = {.undo = undo, .counters = p->w.counters, .n_counters = 4};
    uint64_t *words = p->w.words[c->entity];
    for (uint32_t i = rnd_below(&p->seed, 5); i > 0; i--) {
        const uint32_t from = rnd_below(&p->seed, WORDS), most = WORDS - from;
        const uint32_t n = 1 + rnd_below(&p->seed, most < 4 || rnd_below(&p->seed, 9) == 0 ? most : 4);
        const size_t bytes = rnd_below(&p->seed, 4) == 0 ? n * 8 - rnd_below(&p->seed, 8) : n * 8;
        weir_touch(&ctx, words + from, bytes);
        unsigned char *at = (unsigned char *)(words + from);
        for (size_t k = 0; k < bytes; k++)
            at[k] = (unsigned char)rnd(&p->seed);
    }
    for (uint32_t i = rnd_below(&p->seed, 3); i > 0; i--) {
        const uint32_t counter = rnd_below(&p->seed, 4);
        const int64_t delta = (int64_t)(rnd(&p->seed) >> 40) - (1 << 23); /* thousands of them fit */
        weir_count(&ctx, counter, delta);
        c->count[counter] = (int64_t)((uint64_t)c->count[counter] + (uint64_t)delta);
    }
}

static void handle_one(play *p, weir_time at_ps)
{
    copy *c = &p->copies[p->n++];
    wi_event_room event;
    memset(&event, 0, sizeof event);
    *c = (copy){.entity = rnd_below(&p->seed, ENTITIES), .at_ps = at_ps};
    memcpy(c->words, p->w.words[c->entity], sizeof c->words);
    event.event.time_ps = at_ps;
    event.event.target = c->entity;
    *(uint64_t *)(event.room + sizeof(weir_event)) = (uint64_t)at_ps * 3;
    wi_done *begun = wi_history_begin(&p->h);
    assert_non_null(begun);
    memcpy(&begun->event, &event, p->h.stride);
    change(p, &p->h.undo, c);
    const uint32_t sent = rnd_below(&p->seed, 4), records = rnd_below(&p->seed, 8) == 0;
    wi_done *done = p->h.open;
    track *t = &p->tracks[c->entity];
    done->before = t->last;
    done->before_ps = t->last_ps;
    assert_ptr_equal(done, p->h.open);
    wi_sent *list = wi_history_end(&p->h, sent, records);
    assert_non_null(list);
    done = (wi_done *)(void *)((unsigned char *)list - p->h.undo.used - p->h.stride - sizeof *done +
                               sizeof(weir_event));
    for (uint32_t i = 0; i < sent; i++)
        list[i] = (wi_sent){.time_ps = at_ps + i, .target = i};
    if (records)
        memset(list + sent, 7, p->h.rec_stride);
    t->last = done;
    t->last_ps = at_ps;
}

/* Take back the entity's events from at_ps on, in both. */
static void undo_event(play *p, uint32_t entity, weir_time at_ps)
{
    track *t = &p->tracks[entity];
    size_t kept = 0;
    int first = 1;
    while (t->last_ps >= at_ps) {
        wi_done *done = t->last;
        assert_int_equal(done->event.target, entity);
        assert_int_equal(*WEIR_PAYLOAD(uint64_t, &done->event), done->event.time_ps * 3);
        for (uint32_t i = 0; i < done->n_sent; i++)
            assert_int_equal(wi_done_sent(&p->h, done)[i].time_ps, done->event.time_ps + i);
        wi_done_undo(&p->h, done);
        done->undone = 1;
        t->last = done->before;
        t->last_ps = done->before_ps;
    }
    for (size_t i = 0; i < p->n; i++) {
        copy *c = &p->copies[i];
        if (c->entity != entity || c->at_ps < at_ps) {
            p->copies[kept++] = *c;
            continue;
        }
        if (first)
            assert_memory_equal(p->w.words[entity], c->words, sizeof c->words);
        first = 0;
    }
    p->n = kept;
}

static void expect_counters(const play *p)
{
    int64_t sum[4] = {0};
    for (size_t i = 0; i < p->n; i++)
        for (int k = 0; k < 4; k++)
            sum[k] = (int64_t)((uint64_t)sum[k] + (uint64_t)p->copies[i].count[k]);
    assert_memory_equal(sum, p->w.counters, sizeof sum);
}

static void count_one(void *user, const wi_done *done)
{
    assert_int_equal(done->n_records, 1);
    ++*(uint64_t *)user;
}

static void any_order_of_rollbacks(void **state)
{
    (void)state;
    static const size_t bounds[] = {600, 5000, 100000, 1 << 22};
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        play *p = calloc(1, sizeof *p);
        p->copies = malloc(MOST_DONE * sizeof *p->copies);
        p->seed = 7 + b;
        for (int e = 0; e < ENTITIES; e++)
            p->tracks[e].last_ps = -1;
        wi_history_init(&p->h, sizeof(weir_event) + 8, 48, 4, bounds[b]);
        weir_time gvt_ps = 0;
        for (weir_time now_ps = 1; now_ps < MOST_DONE; now_ps++) {
            handle_one(p, now_ps);
            if (rnd_below(&p->seed, 6) == 0) /* a straggler at one entity, not before the GVT */
                undo_event(p, rnd_below(&p->seed, ENTITIES),
                           gvt_ps + rnd_below(&p->seed, (uint32_t)(now_ps - gvt_ps) + 1));
            if (!wi_history_has_room(&p->h) || rnd_below(&p->seed, 200) == 0) {
                gvt_ps = now_ps - rnd_below(&p->seed, 20) < gvt_ps ? gvt_ps : now_ps;
                wi_history_fossil_collect(&p->h, gvt_ps, count_one, &p->committed);
                assert_true(wi_history_first(&p->h) >= gvt_ps || p->h.oldest);
            }
            if (now_ps % 50 == 0)
                expect_counters(p);
        }
        assert_true(p->committed > 50);
        wi_history_fossil_collect(&p->h, WEIR_TIME_MAX, count_one, &p->committed);
        assert_null(p->h.oldest);
        assert_int_equal(p->h.bytes, 0);
        /* The bound, and one entry's log that went beyond. */
        if (p->h.peak > bounds[b] + 2 * (sizeof p->w.words[0] * 10 + 2000) + p->h.segment_room)
            fail_msg("%zu bytes at the peak; the bound is %zu", p->h.peak, bounds[b]);
        wi_history_free(&p->h);
        free(p->copies);
        free(p);
    }
}

static void a_log_that_outgrows_its_segment_moves(void **state)
{
    (void)state;
    enum { MANY = 3 * WI_SEGMENT_BYTES / 8 };
    uint64_t *words = malloc(MANY * sizeof *words), *want = malloc(MANY * sizeof *want), seed = 3;
    for (uint32_t i = 0; i < MANY; i++)
        words[i] = want[i] = rnd(&seed);
    wi_history h;
    wi_history_init(&h, sizeof(weir_event), 0, 1, 1 << 20);
    const weir_event event = {.time_ps = 5, .seq = 77};
    for (int turn = 0; turn < 3; turn++) {
        wi_done *begun = wi_history_begin(&h);
        assert_non_null(begun);
        begun->event = event;
        h.open->head.draws = 99;
        for (uint32_t i = 0; i < MANY; i += 6) {
            weir_undo_bytes(&h.undo, words + i, 48);
            memset(words + i, turn, 48);
        }
        wi_done *done = h.open;
        assert_non_null(wi_history_end(&h, 0, 0));
        assert_int_equal(done->event.seq, 77);
        assert_int_equal(done->head.draws, 99);
        wi_done_undo(&h, done);
        assert_memory_equal(words, want, MANY * sizeof *words);
    }
    wi_history_free(&h);
    free(words);
    free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order_of_rollbacks),
                                       cmocka_unit_test(a_log_that_outgrows_its_segment_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
