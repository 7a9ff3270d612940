/*
 * What runs have in common: made once however many threads ask, kept while used and beyond that within its room, the longest
 * unused going first; what is too large is its taker's alone; who cannot make a thing leaves it to the next. Pages held
 * by several images stand apart where one writes.
 * label: threads
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>

#include "base/common/common.h"
#include "base/common/cow.h"
#include "diag.h"
#include "skip.h"
#include "splitmix.h"

enum { THREADS = 8, TURNS = 400, KEYS = 6 };

/* A thing: who it is and how often such things came and went. */
typedef struct thing {
    int number;
} thing;

static int made[KEYS], freed;

static weir_status make(weir_diag *diag, void *user, void **out, uint64_t *bytes)
{
    thing *t = malloc(sizeof *t);
    const int number = *(int *)user;
    if (number < 0) {
        free(t);
        return weir_fail(diag, WEIR_E_IO, "thing %d cannot be made", number);
    }
    __atomic_fetch_add(&made[number], 1, __ATOMIC_RELAXED);
    t->number = number;
    *out = t;
    *bytes = 30;
    return WEIR_OK;
}

static void release(void *out)
{
    __atomic_fetch_add(&freed, 1, __ATOMIC_RELAXED);
    free(out);
}

static const wi_common_kind kind = {make, release};

static wi_common_key key_of(int number)
{
    wi_common_key key = {{0}};
    wi_common_key_fold(&key, &number, sizeof number);
    return key;
}

static wi_common_thing *take(wi_common *c, int number)
{
    weir_diag *diag = weir_diag_new();
    const wi_common_key key = key_of(number);
    wi_common_thing *t;
    expect_ok(diag, wi_common_acquire(c, diag, &kind, &key, &number, &t));
    assert_int_equal(((const thing *)wi_common_made(t))->number, number);
    weir_diag_free(diag);
    return t;
}

static int all_made(void)
{
    int n = 0;
    for (int i = 0; i < KEYS; i++)
        n += made[i];
    return n;
}

static int begin(void **state)
{
    (void)state;
    memset(made, 0, sizeof made);
    freed = 0;
    return 0;
}

typedef struct crowd {
    wi_common *common;
    uint64_t room;
} crowd;

static void *come_and_go(void *user)
{
    const crowd *c = user;
    static uint64_t turn;
    uint64_t random = __atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < TURNS; i++) {
        wi_common_thing *one = take(c->common, (int)rnd_below(&random, KEYS)),
                        *two = take(c->common, (int)rnd_below(&random, KEYS));
        assert_true(wi_common_used(c->common).bytes <= c->room);
        wi_common_release(one);
        wi_common_release(two);
    }
    return NULL;
}

static wi_common_use send_crowd(uint64_t room)
{
    pthread_t thread[THREADS];
    crowd c = {wi_common_new(room), room};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, come_and_go, &c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    const wi_common_use use = wi_common_used(c.common);
    assert_int_equal(use.made + use.found, 2 * THREADS * TURNS);
    assert_int_equal(use.made, all_made());
    assert_true(use.most <= room);
    wi_common_free(c.common);
    assert_int_equal(freed, all_made());
    return use;
}

static void each_is_made_once(void **state)
{
    (void)state;
    const wi_common_use use = send_crowd(30 * KEYS);
    for (int i = 0; i < KEYS; i++)
        assert_int_equal(made[i], 1);
    assert_int_equal(use.bytes, 30 * KEYS);
}

/* Room for some of the things, for one, for none: never more is kept, and all get what they ask for. */
static void no_more_than_there_is_room_for(void **state)
{
    (void)state;
    for (uint64_t room = 0; room <= 100; room += 50) {
        begin(NULL);
        send_crowd(room);
    }
}

static void the_longest_unused_goes(void **state)
{
    (void)state;
    wi_common *c = wi_common_new(90);
    wi_common_thing *zero = take(c, 0);
    wi_common_release(take(c, 1));
    wi_common_release(take(c, 2));
    wi_common_release(take(c, 1));
    wi_common_release(take(c, 3)); /* in the place of 2: 0 is in use, 1 was used later */
    wi_common_release(take(c, 1));
    wi_common_release(take(c, 0));
    assert_int_equal(made[0] + made[1] + made[3], 3);
    wi_common_release(take(c, 2));
    assert_int_equal(made[2], 2);
    wi_common_release(zero);
    wi_common_free(c);
}

/* What finds all room in use is kept by nobody. */
static void too_large_is_ones_own(void **state)
{
    (void)state;
    wi_common *c = wi_common_new(59);
    wi_common_thing *zero = take(c, 0), *one = take(c, 1);
    assert_int_equal(wi_common_used(c).bytes, 30);
    wi_common_release(one);
    assert_int_equal(freed, 1);
    wi_common_release(zero);
    wi_common_free(c);
    assert_int_equal(freed, 2);
}

static void failing_is_ones_own(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    wi_common *c = wi_common_new(100);
    wi_common_key key = key_of(4);
    wi_common_thing *t;
    int number = -1;
    assert_int_equal(wi_common_acquire(c, diag, &kind, &key, &number, &t), WEIR_E_IO);
    assert_null(t);
    wi_common_release(take(c, 4));
    assert_int_equal(made[4], 1);
    wi_common_free(c);
    weir_diag_free(diag);
}

static void keys_differ(void **state)
{
    (void)state;
    wi_common_key whole = {{0}}, parts = {{0}}, other = {{0}};
    wi_common_key_fold(&whole, "ab", 2);
    wi_common_key_fold(&parts, "a", 1);
    wi_common_key_fold(&parts, "b", 1);
    wi_common_key_fold(&other, "ac", 2);
    assert_string_not_equal(whole.text, parts.text);
    assert_string_not_equal(whole.text, other.text);
}

static void pages_part_where_written(void **state)
{
    (void)state;
    enum { SIZE = 3 * WI_COW_PAGE + 100 };
    static unsigned char bytes[SIZE], head[WI_COW_PAGE];
    uint64_t random = 1;
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)rnd(&random);
    memset(head, 7, sizeof head);
    wi_cow *pages = wi_cow_new(bytes, SIZE);
    if (!pages)
        skip_aloud("files in memory (memfd_create): worlds have copies here");
    size_t size[2];
    unsigned char *image[2];
    for (int k = 0; k < 2; k++) {
        image[k] = wi_cow_map(head, sizeof head, pages, &size[k]);
        assert_non_null(image[k]);
        assert_true(size[k] >= sizeof head + SIZE);
        assert_memory_equal(image[k], head, sizeof head);
        assert_memory_equal(image[k] + sizeof head, bytes, SIZE);
    }
    image[0][sizeof head + WI_COW_PAGE + 5] ^= 1;
    image[0][0] = 9;
    assert_memory_equal(image[1] + sizeof head, bytes, SIZE);
    assert_memory_equal(wi_cow_data(pages), bytes, SIZE);
    assert_int_equal(image[1][0], 7);
    wi_cow_free(pages); /* images keep them */
    assert_memory_equal(image[1] + sizeof head, bytes, SIZE);
    assert_int_equal(image[0][sizeof head + WI_COW_PAGE + 5], bytes[WI_COW_PAGE + 5] ^ 1);
    for (int k = 0; k < 2; k++)
        wi_cow_unmap(image[k], size[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_is_made_once, begin),
        cmocka_unit_test_setup(no_more_than_there_is_room_for, begin),
        cmocka_unit_test_setup(the_longest_unused_goes, begin),
        cmocka_unit_test_setup(too_large_is_ones_own, begin),
        cmocka_unit_test_setup(failing_is_ones_own, begin),
        cmocka_unit_test(keys_differ),
        cmocka_unit_test(pages_part_where_written),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
