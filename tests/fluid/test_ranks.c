/*
 * The campus network over four ranks: the program starts itself under mpirun, and each rank compares what it has
 * with a solver of its own that has all. Bits are the same, and a rank's histories are at most 40 % of all; each
 * campus has flows from every other, so a part that kept its neighbours whole would have all of them. 1,000
 * campuses are bench_fluid_ranks. Skips aloud without MPI or mpirun. label: slow
 */
#include "campus.h"
#include "fluid/state/internal.h"
#include "over_ranks.h"
#include "weir/ranks.h"

enum { CAMPUSES = 8, HOSTS = 6, STEPS = 200 };

static void a_part_is_small(void **state)
{
    (void)state;
    campus_net *const net = campus_new(CAMPUSES, HOSTS);
    assert_non_null(net);
    const weir_fluid_plan plan = campus_plan(net);
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.threads = 1;
    weir_fluid *whole = NULL, *part = NULL;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &whole), WEIR_OK);
    o.over_ranks = true;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &part), WEIR_OK);
    const uint64_t all = wi_fluid_state_bytes(&whole->tables, &wi_fluid_single),
                   own = wi_fluid_state_bytes(&part->tables, &wi_fluid_single);
    printf("rank %u: %.1f of %.1f MB\n", weir_rank(), 1e-6 * (double)own, 1e-6 * (double)all);
    assert_true(own > 0 && 10 * own <= 4 * all);
    assert_int_equal(weir_fluid_advance(NULL, whole, STEPS), WEIR_OK);
    assert_int_equal(weir_fluid_advance(NULL, part, STEPS), WEIR_OK);
    assert_true(weir_fluid_digest(part) == weir_fluid_digest(whole));
    weir_fluid_free(part);
    weir_fluid_free(whole);
    campus_free(net);
}

static void parts_are_small(void **state)
{
    (void)state;
    run_over_ranks(4, "WEIR_TEST_INSIDE=1", 600, "", "fluid-ranks.log");
}

static int on_a_rank(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_part_is_small)};
    if (weir_ranks_begin(NULL) != WEIR_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_ranks_end();
    return failed;
}

int main(void)
{
    if (getenv("WEIR_TEST_INSIDE"))
        return on_a_rank();
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_small)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
