/*
 * Admission of runs by memory: what is in at once never counts for more than there is, whoever comes when; the first run is
 * alone until it has said what it takes; one that takes more than there is comes in when nobody else is, and a stop lets
 * everybody in.
 * label: threads
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "base/common/common.h"
#include "diag.h"
#include "splitmix.h"
#include "study/runs/quota.h"
#include "wait.h"

enum { THREADS = 8, RUNS = 300 };

typedef struct shared {
    wi_quota *quota;
    pthread_mutex_t lock;
    double used, most;
    uint32_t in;
    uint64_t seed;
} shared;

static void count(shared *s, double bytes, int sign)
{
    pthread_mutex_lock(&s->lock);
    s->used += sign * bytes;
    s->in += (uint32_t)sign;
    if (s->in > 1) /* alone it may be more than there is */
        s->most = s->used > s->most ? s->used : s->most;
    pthread_mutex_unlock(&s->lock);
}

static void *come_and_go(void *user)
{
    shared *s = user;
    pthread_mutex_lock(&s->lock);
    uint64_t random = ++s->seed;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < RUNS; i++) {
        const bool huge = rnd_below(&random, 50) == 0;
        const double bytes = huge ? 150.0 : 1.0 + (double)rnd_below(&random, 60);
        double counted = wi_quota_enter(s->quota, false, NULL);
        counted = wi_quota_change(s->quota, counted, bytes, NULL);
        assert_true(counted == bytes);
        count(s, bytes, 1);
        if (rnd_below(&random, 8) == 0)
            wait_a_little();
        count(s, bytes, -1);
        wi_quota_leave(s->quota, counted);
    }
    return NULL;
}

static void no_more_than_there_is(void **state)
{
    pthread_t thread[THREADS];
    shared s = {.quota = wi_quota_new(100.0, NULL), .lock = PTHREAD_MUTEX_INITIALIZER};
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, come_and_go, &s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_true(s.most <= 100.0 && s.in == 0 && s.used == 0.0);
    assert_true(wi_quota_look(s.quota).waited && wi_quota_look(s.quota).largest == 150.0);
    wi_quota_free(s.quota);
}

static void *enter(void *user)
{
    shared *s = user;
    const double counted = wi_quota_enter(s->quota, false, NULL);
    count(s, 0.0, 1);
    wi_quota_leave(s->quota, counted);
    return NULL;
}

static uint32_t number_in(shared *s)
{
    pthread_mutex_lock(&s->lock);
    const uint32_t n = s->in;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static void the_first_is_alone_until_it_has_said(void **state)
{
    pthread_t thread;
    shared s = {.quota = wi_quota_new(100.0, NULL), .lock = PTHREAD_MUTEX_INITIALIZER};
    (void)state;
    double counted = wi_quota_enter(s.quota, false, NULL);
    assert_true(counted == 100.0);
    assert_int_equal(pthread_create(&thread, NULL, enter, &s), 0);
    for (int i = 0; i < 50; i++) { /* whenever the other comes */
        assert_int_equal(number_in(&s), 0);
        wait_a_little();
    }
    counted = wi_quota_change(s.quota, counted, 50.0, NULL); /* half of it: another of the kind has room */
    wait_until(number_in(&s) == 1);
    pthread_join(thread, NULL);
    wi_quota_leave(s.quota, counted);
    wi_quota_free(s.quota);
}

static void a_stop_ends_the_waiting(void **state)
{
    volatile int stop = 1;
    (void)state;
    wi_quota *quota = wi_quota_new(100.0, NULL);
    double a = wi_quota_change(quota, wi_quota_enter(quota, false, NULL), 80.0, NULL),
           b = wi_quota_enter(quota, false, &stop);
    b = wi_quota_change(quota, b, 90.0, &stop);
    wi_quota_leave(quota, a);
    wi_quota_leave(quota, b);
    const wi_quota_seen seen = wi_quota_look(quota);
    assert_true(!seen.waited && seen.most == 2 && seen.largest == 90.0);
    wi_quota_free(quota);
    assert_true(wi_quota_enter(NULL, false, NULL) == 0.0 && wi_quota_change(NULL, 0.0, 5.0, NULL) == 0.0);
    wi_quota_leave(NULL, 0.0);
    const double alone = wi_quota_memory(1),
                 shared_by_many = wi_quota_memory(1000); /* others take and give meanwhile */
    assert_true(alone > 0.0 && shared_by_many < alone);
}

typedef struct visitor {
    wi_quota *quota;
    int in; /* has come in */
    bool alone;
} visitor;

static void *visit(void *user)
{
    visitor *v = user;
    const double counted = wi_quota_enter(v->quota, v->alone, NULL);
    __atomic_store_n(&v->in, 1, __ATOMIC_RELEASE);
    wi_quota_leave(v->quota, counted);
    return NULL;
}

/* Who wants to be alone waits for all that are in, and comes before those that would come in beside them. */
static void alone_is_alone(void **state)
{
    pthread_t thread[2];
    wi_quota *quota = wi_quota_new(100.0, NULL);
    visitor alone = {.quota = quota, .alone = true}, small = {.quota = quota};
    (void)state;
    double first = wi_quota_change(quota, wi_quota_enter(quota, false, NULL), 10.0, NULL);
    assert_int_equal(wi_quota_look(quota).most, 1);
    double second = wi_quota_change(quota, wi_quota_enter(quota, false, NULL), 10.0, NULL);
    assert_int_equal(wi_quota_look(quota).most, 2);
    assert_int_equal(pthread_create(&thread[0], NULL, visit, &alone), 0);
    wi_quota_leave(quota, first);
    while (!wi_quota_look(quota).waited) /* it is there and waits */
        wait_a_little();
    assert_int_equal(pthread_create(&thread[1], NULL, visit, &small), 0);
    wait_a_little();
    assert_false(__atomic_load_n(&alone.in, __ATOMIC_ACQUIRE));
    assert_false(__atomic_load_n(&small.in, __ATOMIC_ACQUIRE));
    wi_quota_leave(quota, second);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_true(alone.in && small.in);
    wi_quota_free(quota);
}

static weir_status make_thing(weir_diag *diag, void *user, void **made, uint64_t *bytes)
{
    (void)diag;
    *made = user;
    *bytes = 60;
    return WEIR_OK;
}

static void free_thing(void *made)
{
    (void)made;
}

/* What runs have in common counts while one uses it, and makes room when none does. */
static void what_is_shared_counts(void **state)
{
    static const wi_common_kind kind = {make_thing, free_thing};
    const wi_common_key key = {"thing"};
    const int stop = 1;
    int user = 0;
    weir_diag *diag = weir_diag_new();
    wi_common *common = wi_common_new(80);
    wi_common_thing *thing;
    wi_quota *quota = wi_quota_new(100.0, common);
    (void)state;
    expect_ok(diag, wi_common_acquire(common, diag, &kind, &key, &user, &thing));
    const double first = wi_quota_change(quota, wi_quota_enter(quota, false, NULL), 30.0, NULL);
    assert_false(wi_quota_look(quota).waited);
    const double second = wi_quota_enter(quota, false, &stop); /* 30 + 30 + 60: would wait */
    assert_true(second == 30.0);
    wi_quota_leave(quota, second);
    wi_common_release(thing);
    assert_true(wi_common_used(common).bytes == 60);
    wi_quota_leave(quota, wi_quota_enter(quota, false, NULL)); /* 60 of which nobody uses */
    assert_true(wi_common_used(common).bytes == 0);
    wi_quota_leave(quota, first);
    wi_quota_free(quota);
    wi_common_free(common);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_there_is), cmocka_unit_test(the_first_is_alone_until_it_has_said),
        cmocka_unit_test(a_stop_ends_the_waiting), cmocka_unit_test(alone_is_alone),
        cmocka_unit_test(what_is_shared_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
