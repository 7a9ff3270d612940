/*
 * Random scenarios with fluid on every engine of the host, on threads and ranks; differential.h says what is compared. Over
 * ranks each solves its part of the fluid, unless it is too small for that.
 *
 *     scenario_test_differential_fluid [FIRST_SEED COUNT]     more of them: `make differential`
 *
 * label: slow
 */
#include "scenario/engines/differential.h"
#include "scenario/random_fluid.h"

static const differential differ = {.name = "differential-fluid",
                                    .write = random_fluid,
                                    .check_one_of = 4,
                                    .stress_every = UINT64_MAX, /* ranks meet at the fluid's steps */
                                    .count_ranks = 4,
                                    .ranks = 4};

int main(int argc, char **argv)
{
    return differential_main(argc, argv);
}
