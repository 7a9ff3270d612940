/* Leaving a core: to another that the thread may use, or not at all, and never tied to it afterwards. Where
 * the thread then is for long is the scheduler's affair, so that is not looked at. */
#include "engine/harness.h"

#include <sched.h>

#include "ranks/cores.h"

static void tie_to_one(cpu_set_t *before)
{
    cpu_set_t one;
    const uint32_t here = wi_core_here();
    assert_int_equal(sched_getaffinity(0, sizeof *before, before), 0);
    assert_true(here < CPU_SETSIZE);
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

static void leaving_does_not_tie(void **state)
{
    (void)state;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(wi_cores_allowed(), CPU_COUNT(&before));
    if (CPU_COUNT(&before) < 2)
        skip();
    const uint32_t taken[] = {wi_core_here(), WI_CORE_UNKNOWN};
    assert_true(wi_core_leave(taken, 2));
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

static void no_core_is_left_for_none(void **state)
{
    (void)state;
    cpu_set_t before, after;
    tie_to_one(&before);
    const uint32_t here = wi_core_here();
    assert_int_equal(wi_cores_allowed(), 1);
    assert_false(wi_core_leave(&here, 1)); /* the only one that it may use */
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_int_equal(CPU_COUNT(&after), 1);
    assert_int_equal(wi_core_here(), here);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);

    uint32_t all[CPU_SETSIZE]; /* and where all are taken */
    for (uint32_t i = 0; i < CPU_SETSIZE; i++)
        all[i] = i;
    assert_false(wi_core_leave(all, CPU_SETSIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_does_not_tie),
        cmocka_unit_test(no_core_is_left_for_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
