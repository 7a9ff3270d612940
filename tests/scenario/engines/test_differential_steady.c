/*
 * Steady states skipped on every engine of the host: random networks of long flows, of which most stand still for most of their time,
 * with pauses, collectives, failures, constant rates and samples between. label: slow
 */
#include "scenario/engines/differential.h"

#include "scenario/random_steady.h"

static const differential differ = {
    .name = "steady", .write = random_steady, .check_one_of = 15, .stress_every = 10, .count_ranks = 3};

int main(int argc, char **argv)
{
    return differential_main(argc, argv);
}
