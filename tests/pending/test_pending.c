/*
 * The pending set against an array that is searched from end to end: the same events leave, in the order
 * (time, tie, source, sequence), whole, whatever is ordered, however many times and ties agree.
 */
#include "engine/harness.h"

#include "pending/pending.h"

enum { MOST = 400, SOURCES = 7, SEED = 5 };

typedef struct reference {
    wi_event_room events[MOST];
    size_t n;
} reference;

static int earlier(const weir_event *a, const weir_event *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    if (a->tie != b->tie)
        return a->tie < b->tie;
    if (a->source != b->source)
        return a->source < b->source;
    return (int32_t)(a->seq - b->seq) < 0;
}

static wi_event_room reference_take(reference *r)
{
    size_t least = 0;
    for (size_t i = 1; i < r->n; i++)
        if (earlier(&r->events[i].event, &r->events[least].event))
            least = i;
    const wi_event_room taken = r->events[least];
    r->events[least] = r->events[--r->n];
    return taken;
}

/* How a round draws its events. */
typedef struct event_shape {
    const char *name;
    uint32_t payload, times, ties; /* distinct delays and ties: few give many equal ones */
    uint32_t first_seq;
    int streams;
    uint32_t most; /* pending at once */
} event_shape;

typedef struct round_state {
    const event_shape *shape;
    uint64_t seed;
    uint32_t seq[SOURCES];
    wi_pending p;
    reference r;
} round_state;

static void add_one(round_state *s, weir_time now_ps)
{
    wi_event_room room;
    weir_event *e = &room.event;
    memset(&room, 0, sizeof room);
    e->time_ps = now_ps + rnd_below(&s->seed, s->shape->times) * (weir_time)1000;
    e->tie = rnd_below(&s->seed, s->shape->ties);
    e->source = rnd_below(&s->seed, SOURCES);
    e->seq = s->seq[e->source]++;
    e->target = rnd_below(&s->seed, 1000);
    e->type = (uint16_t)rnd_below(&s->seed, 9);
    for (uint32_t i = 0; i < s->shape->payload; i++)
        room.room[sizeof *e + i] = (unsigned char)rnd(&s->seed);
    /* An ordered event has the tie of its source and number. */
    const int ordered = s->shape->streams && rnd_below(&s->seed, 3) > 0;
    if (ordered)
        e->tie = weir_tie(SEED, e->source, e->seq);
    assert_true(wi_pending_reserve(&s->p, 1));
    s->r.events[s->r.n++] = room;
    wi_pending_add(&s->p, e, ordered);
}

static void expect_next(round_state *s, weir_time *now_ps)
{
    wi_event_room got;
    memset(&got, 0, sizeof got);
    wi_event_room want = reference_take(&s->r);
    assert_int_equal(wi_pending_first(&s->p), want.event.time_ps);
    wi_pending_pop(&s->p, &got.event);
    got.event.link = 0;
    if (memcmp(&got, &want, sizeof(weir_event) + s->shape->payload) != 0)
        fail_msg("%s: got (%lld, %u, %u, %u), want (%lld, %u, %u, %u)", s->shape->name,
                 (long long)got.event.time_ps, got.event.tie, got.event.source, got.event.seq,
                 (long long)want.event.time_ps, want.event.tie, want.event.source, want.event.seq);
    *now_ps = got.event.time_ps;
}

typedef struct tally {
    uint64_t n, sum;
    uint32_t payload;
} tally;

static void tally_add(void *user, const weir_event *e)
{
    tally *t = user;
    t->n++;
    t->sum += weir_event_hash(e->tie, e, t->payload);
}

/* Visiting shows exactly what is pending, whole, hole or not. */
static void expect_visit(const round_state *s)
{
    tally got = {.payload = s->shape->payload}, want = got;
    wi_pending_visit(&s->p, tally_add, &got);
    for (size_t i = 0; i < s->r.n; i++)
        tally_add(&want, &s->r.events[i].event);
    assert_int_equal(got.n, want.n);
    assert_int_equal(got.sum, want.sum);
    assert_int_equal(s->p.count, want.n);
}

static void play(const event_shape *shape)
{
    enum { STEPS = 12000 };
    static round_state s;
    memset(&s, 0, sizeof s);
    s.shape = shape;
    s.seed = 11;
    for (int i = 0; i < SOURCES; i++)
        s.seq[i] = shape->first_seq;
    assert_true(wi_pending_init(&s.p, SEED, SOURCES, shape->payload, shape->streams));
    assert_int_equal(wi_pending_first(&s.p), WEIR_TIME_MAX);
    weir_time now_ps = 0;
    for (int step = 0; step < STEPS; step++) {
        /* Waves: the population swells to `most`, shrinks to nothing, and so on. */
        const int swells = step / 1500 % 2 == 0;
        uint32_t adds = rnd_below(&s.seed, swells ? 4 : 2);
        while (adds-- > 0 && s.r.n < shape->most)
            add_one(&s, now_ps);
        if (s.r.n > 0 && (!swells || rnd_below(&s.seed, 3) > 0))
            expect_next(&s, &now_ps);
        if (step % 97 == 0)
            expect_visit(&s);
    }
    while (s.r.n > 0)
        expect_next(&s, &now_ps);
    assert_int_equal(wi_pending_first(&s.p), WEIR_TIME_MAX);
    assert_int_equal(s.p.count, 0);
    assert_true(s.p.peak <= shape->most && s.p.peak > 0);
    wi_pending_free(&s.p);
}

static void agrees_with_a_searched_array(void **state)
{
    (void)state;
    static const event_shape shapes[] = {
        {"distinct times", 0, 1u << 30, UINT32_MAX, 0, 0, MOST},
        {"distinct times, streams", 32, 1u << 30, UINT32_MAX, 0, 1, MOST},
        {"few times", 8, 5, UINT32_MAX, 0, 0, MOST},
        {"few times, streams", 16, 5, UINT32_MAX, 0, 1, MOST},
        {"few times and ties", 32, 3, 3, 0, 0, MOST},
        {"few times and ties, streams", 48, 3, 3, 0, 1, MOST},
        {"one time, one tie: only source and sequence differ", 24, 1, 1, 0, 0, MOST},
        {"one time, one tie, streams", 96, 1, 1, 0, 1, MOST},
        {"sequence numbers wrap", 0, 2, 1, UINT32_MAX - 500, 0, 90},
        {"sequence numbers wrap, streams", 40, 2, 2, UINT32_MAX - 500, 1, 90},
        {"a handful", 64, 4, 2, 0, 1, 3},
        {"one at most", 0, 2, 2, 0, 1, 1},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        play(&shapes[i]);
}

/* More than a thousand events that share (time, tie), from one source and from many. */
static void any_number_of_equal_keys(void **state)
{
    (void)state;
    enum { EQUAL = 1500 };
    wi_pending p;
    assert_true(wi_pending_init(&p, SEED, EQUAL, 0, 0));
    assert_true(wi_pending_reserve(&p, EQUAL));
    for (uint32_t i = 0; i < EQUAL; i++) {
        const uint32_t k = (i * 7919u) % EQUAL;
        const wi_event_room room = {.event = {.time_ps = 5, .tie = 9, .source = k / 10, .seq = k % 10}};
        wi_pending_add(&p, &room.event, 0);
    }
    for (uint32_t k = 0; k < EQUAL; k++) {
        wi_event_room room;
        assert_int_equal(wi_pending_first(&p), 5);
        wi_pending_pop(&p, &room.event);
        assert_int_equal(room.event.source * 10 + room.event.seq, k);
    }
    wi_pending_free(&p);
}

/* Growth keeps what is there; the report of memory is what the header says an event takes. */
static void grows(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    for (int streams = 0; streams < 2; streams++) {
        wi_pending p;
        uint64_t seed = 3;
        assert_true(wi_pending_init(&p, SEED, 10, 32, streams));
        for (uint32_t i = 0; i < MANY; i++) {
            wi_event_room room = {.event = {.time_ps = 1 + i, .tie = (uint32_t)rnd(&seed), .source = i % 10}};
            room.event.seq = i;
            if (streams)
                room.event.tie = weir_tie(SEED, i % 10, i);
            assert_true(wi_pending_reserve(&p, 1));
            wi_pending_add(&p, &room.event, streams);
        }
        assert_int_equal(p.count, MANY);
        /* 56 and one key of the ten streams; 48 and a key of about 19 */
        assert_in_range(wi_pending_event_bytes(&p), (streams ? 56 : 64) * (size_t)MANY,
                        (streams ? 56 : 68) * (size_t)MANY + 1000);
        for (uint32_t i = 0; i < MANY; i++) {
            wi_event_room room;
            assert_int_equal(wi_pending_first(&p), 1 + i);
            wi_pending_pop(&p, &room.event);
            assert_int_equal(room.event.seq, i);
        }
        wi_pending_free(&p);
    }
}

/* ---- removal ---- */

/* The next event that no other one cancels. */
static int take_live(wi_pending *p, weir_event *out)
{
    int failed = 0;
    while (wi_pending_first(p) != WEIR_TIME_MAX) {
        if (wi_pending_tied(p) && wi_pending_annihilate(p, &failed) > 0)
            continue;
        assert_false(failed);
        wi_pending_pop(p, out);
        assert_false(out->instance & WI_INSTANCE_ANTI);
        return 1;
    }
    return 0;
}

static void handle_anti_message(wi_pending *p, const weir_event *e)
{
    wi_event_room anti;
    memset(&anti, 0, sizeof anti);
    anti.event = *e;
    anti.event.instance |= WI_INSTANCE_ANTI;
    assert_true(wi_pending_reserve(p, 1));
    wi_pending_add(p, &anti.event, 0);
}

/* Events that are added, cancelled, sent again under another instance and cancelled again leave the set as if
 * they had never been there; `net` shows the same set at any time. */
static void play_removal(const event_shape *shape, uint64_t seed)
{
    enum { STEPS = 8000 };
    static round_state s;
    memset(&s, 0, sizeof s);
    s.shape = shape;
    s.seed = seed;
    assert_true(wi_pending_init(&s.p, SEED, SOURCES, shape->payload, shape->streams));
    weir_time now_ps = 0;
    for (int step = 0; step < STEPS; step++) {
        const uint32_t adds = rnd_below(&s.seed, 3);
        for (uint32_t i = 0; i < adds && s.r.n < shape->most; i++) {
            add_one(&s, now_ps + 1);
            if (rnd_below(&s.seed, 2) == 0) /* what was sent is taken back, perhaps replaced */
                for (uint32_t again = rnd_below(&s.seed, 4); again > 0; again--) {
                    wi_event_room *last = &s.r.events[s.r.n - 1];
                    handle_anti_message(&s.p, &last->event);
                    if (rnd_below(&s.seed, 3) == 0) {
                        s.r.n--;
                        break;
                    }
                    last->event.instance++;
                    assert_true(wi_pending_reserve(&s.p, 1));
                    const weir_event *e = &last->event;
                    const int ordered = shape->streams && e->tie == weir_tie(SEED, e->source, e->seq);
                    wi_pending_add(&s.p, e, ordered && rnd_below(&s.seed, 2));
                }
        }
        if (s.r.n > 0 && rnd_below(&s.seed, 5) == 0) { /* anything that waits is taken back */
            const size_t i = rnd_below(&s.seed, (uint32_t)s.r.n);
            handle_anti_message(&s.p, &s.r.events[i].event);
            s.r.events[i] = s.r.events[--s.r.n];
        }
        if (step % 89 == 0) {
            tally got = {.payload = shape->payload}, want = got;
            assert_true(wi_pending_visit_net(&s.p, tally_add, &got));
            for (size_t i = 0; i < s.r.n; i++)
                tally_add(&want, &s.r.events[i].event);
            assert_int_equal(got.n, want.n);
            assert_int_equal(got.sum, want.sum);
        }
        if (s.r.n > 0 && rnd_below(&s.seed, 4) > 0) {
            wi_event_room got, want = reference_take(&s.r);
            memset(&got, 0, sizeof got);
            assert_true(take_live(&s.p, &got.event));
            got.event.link = 0;
            assert_memory_equal(&got, &want, sizeof(weir_event) + shape->payload);
            now_ps = got.event.time_ps;
        }
    }
    wi_event_room got;
    for (size_t left = s.r.n; left > 0; left--)
        assert_true(take_live(&s.p, &got.event));
    assert_false(take_live(&s.p, &got.event));
    assert_int_equal(s.p.count, 0);
    wi_pending_free(&s.p);
}

static void what_is_taken_back_never_leaves(void **state)
{
    (void)state;
    static const event_shape shapes[] = {{"distinct times", 8, 1u << 30, UINT32_MAX, 0, 0, MOST},
                                         {"streams", 32, 1u << 30, UINT32_MAX, 0, 1, MOST},
                                         {"few times", 16, 5, UINT32_MAX, 0, 1, MOST},
                                         {"few times and ties", 48, 3, 3, 0, 0, MOST},
                                         {"few times and ties, streams", 0, 3, 3, 0, 1, 60}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            play_removal(&shapes[i], seed);
}

/* A rollback adds thousands of events that are earlier than what was taken last: none is lost. */
static void time_goes_back(void **state)
{
    (void)state;
    enum { FUTURE = 30000, EARLY = 6000, ROUNDS = 30 };
    wi_pending p;
    uint64_t seed = 9, n = 0, added = 0;
    assert_true(wi_pending_init(&p, SEED, 1, 0, 0));
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t more = round == 0 ? FUTURE : EARLY;
        wi_event_room room;
        memset(&room, 0, sizeof room);
        weir_time last_ps = 0;
        for (uint32_t i = 0; i < more; i++, added++) {
            room.event.seq = (uint32_t)added;
            room.event.tie = (uint32_t)rnd(&seed);
            /* Most lie close together, some far off: they are beyond the rung of a split. */
            room.event.time_ps =
                1 + rnd_below(&seed, rnd_below(&seed, 8) == 0 ? 1u << 30 : 1u << (12 + round % 18));
            assert_true(wi_pending_reserve(&p, 1));
            wi_pending_add(&p, &room.event, 0);
        }
        const uint64_t takes = round == ROUNDS - 1 ? added - n : EARLY / 2 + rnd_below(&seed, EARLY);
        for (uint64_t i = 0; i < takes && n < added; i++, n++) {
            const weir_time at_ps = wi_pending_first(&p);
            assert_true(at_ps >= last_ps && at_ps != WEIR_TIME_MAX);
            wi_pending_pop(&p, &room.event);
            last_ps = at_ps;
        }
    }
    assert_int_equal(n, added);
    assert_int_equal(wi_pending_first(&p), WEIR_TIME_MAX);
    assert_int_equal(p.count, 0);
    wi_pending_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_a_searched_array),
                                       cmocka_unit_test(any_number_of_equal_keys), cmocka_unit_test(grows),
                                       cmocka_unit_test(what_is_taken_back_never_leaves),
                                       cmocka_unit_test(time_goes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
