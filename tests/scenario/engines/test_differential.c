/*
 * Random scenarios on every engine of the host; differential.h says what is compared. The device's engine has the same scenarios in
 * gpu_scenarios.cu.
 *
 *     scenario_test_differential [FIRST_SEED COUNT]     more of them: `make differential`
 *
 * label: slow
 */
#include "scenario/engines/differential.h"
#include "scenario/random_scenario.h"

static const differential differ = {
    .name = "differential", .write = random_scenario, .check_one_of = 4, .stress_every = 3, .count_ranks = 5};

int main(int argc, char **argv)
{
    return differential_main(argc, argv);
}
