/*
 * A build without MPI, whatever this one is: the file of that build is compiled into the test. Started by
 * mpirun it refuses, and says what to do; alone it is one rank of one.
 */
#include "engine/harness.h"

#undef WEIR_HAVE_MPI
#include "ranks/ranks.c" /* before the library's own, which is then not linked */

static void alone(void **state)
{
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMI_SIZE");
    expect_ok(*state, weir_ranks_begin(*state));
    assert_int_equal(weir_ranks(), 1);
    assert_int_equal(weir_rank(), 0);
    assert_int_equal(weir_ranks_agree(*state, WEIR_E_IO), WEIR_E_IO);
    weir_ranks_end();
}

static void refuses_to_be_one_of_several(void **state)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (int i = 0; i < 2; i++) {
        setenv(sizes[i], "3", 1);
        setenv(ranks[i], "2", 1);
        weir_diag_clear(*state);
        assert_int_equal(weir_ranks_begin(*state), WEIR_E_UNSUPPORTED);
        expect_message(
            *state, "started as 3 processes, and this build has no MPI: build weir where MPI is installed");
        assert_int_equal(weir_rank(), 2); /* so that only rank 0 prints it */
        assert_int_equal(weir_ranks(), 1);
        unsetenv(sizes[i]);
        unsetenv(ranks[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alone),
                                       cmocka_unit_test(refuses_to_be_one_of_several)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
