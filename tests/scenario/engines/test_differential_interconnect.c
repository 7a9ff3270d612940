/*
 * Random interconnects on every engine of the host, most of them with stretches of a surrogate: every wiring and routing, several
 * jobs with patterns, placements and programs, small buffers, bursts; suspended or emptied, at given times or by itself.
 * differential.h says what is compared.
 *
 *     scenario_test_differential_interconnect [FIRST_SEED COUNT]     more of them: `make differential-interconnect`
 *
 * label: slow
 */
#include "scenario/engines/differential.h"
#include "scenario/random_scenario.h"

static void random_wiring(random_text *t)
{
    static const char *const of_dragonfly[] = {"minimal", "valiant", "ugal", "par"};
    static const char *const of_tree[] = {"minimal", "adaptive"};
    static const char *const dragonflies[] = {"{p: 1, a: 2, h: 1}", "{p: 2, a: 2, h: 1}",
                                              "{p: 1, a: 4, h: 2, groups: 6}",
                                              "{p: 2, a: 3, h: 1, groups: 3}", "{p: 2, a: 4, h: 2}"};
    static const char *const trees[] = {"{k: 2, levels: 3}", "{k: 4, levels: 2}", "{k: 6, levels: 2}"};
    static const char *const tori[] = {"{size: 9, terminals: 2}", "{size: 4x3}",
                                       "{size: 3x2x2, terminals: 2}", "{size: 5x4}"};
    switch (rnd_below(&t->random, 4)) {
    case 0:
        put_text_of(t, "    tree: %s\n    routing: %s\n", ONE_OF(t, trees), ONE_OF(t, of_tree));
        break;
    case 1:
        put_text_of(t, "    torus: %s\n", ONE_OF(t, tori));
        break;
    default:
        put_text_of(t, "    dragonfly: %s\n    routing: %s\n    bias: %u\n", ONE_OF(t, dragonflies),
                    ONE_OF(t, of_dragonfly), rnd_below(&t->random, 3) * 8);
    }
}

static void random_router(random_text *t)
{
    static const char *const arbitrations[] = {"auto", "round-robin", "oldest", "transit"};
    static const char *const credits[] = {"auto", "1", "3"};
    static const uint32_t bursts[] = {1, 1, 2, 7, 64};
    put_text_of(t, "    burst: %u\n    arbitration: %s\n    credits: %s\n", ONE_OF(t, bursts),
                ONE_OF(t, arbitrations), ONE_OF(t, credits));
    if (random_coin(t, 2))
        put_text_of(t, "    packet: 1KiB\n    local: {buffer: %uKiB, rate: 9Gbps, delay: %uns}\n",
                    2 + rnd_below(&t->random, 5), rnd_below(&t->random, 90));
    if (random_coin(t, 3))
        put_text_of(t, "    router_delay: %uns\n    nic_delay: %uns\n", rnd_below(&t->random, 40),
                    rnd_below(&t->random, 40));
}

static void random_program(random_text *t)
{
    static const char *const actions[] = {"do: barrier",
                                          "do: allreduce, message: 3KiB, algorithm: ring",
                                          "do: allreduce, message: 500B",
                                          "do: bcast, message: 2KiB, root: 1",
                                          "do: allreduce, message: 9KiB, algorithm: halving",
                                          "do: reduce, message: 20KiB",
                                          "do: allgather, message: 200B",
                                          "do: alltoall, message: 30B",
                                          "do: gather, message: 1KiB, root: 2",
                                          "do: scatter, message: 100B",
                                          "do: reduce-scatter, message: 5KiB",
                                          "do: allgather, message: 20KiB, algorithm: ring"};
    put_text_of(t, "program: [{do: compute, time: %uns}, {%s}, {%s}], iterations: endless, eager: %uKiB",
                100 + rnd_below(&t->random, 900), ONE_OF(t, actions), ONE_OF(t, actions),
                1 + rnd_below(&t->random, 20));
}

/* Of four ranks, which do several things at once. */
static void random_model(random_text *t)
{
    put_text_of(
        t,
        "model: {layers: %u, hidden: %u, heads: 2, sequence: 8, vocabulary: 20, tensor: %s}, flops: %ue9, "
        "iterations: %s, eager: %uKiB, allreduce: %s",
        1 + rnd_below(&t->random, 3), 8 * (1 + rnd_below(&t->random, 5)),
        random_coin(t, 2) ? "2, data: 2" : "1, data: 4", 1 + rnd_below(&t->random, 50),
        random_coin(t, 2) ? "endless" : "2", 1 + rnd_below(&t->random, 4),
        random_coin(t, 2) ? "auto" : "ring");
}

static void random_job(random_text *t, uint32_t i, int last)
{
    static const char *const patterns[] = {"uniform",    "uniform",   "neighbour", "permutation",
                                           "complement", "ping-pong", "tornado"};
    static const char *const placements[] = {"blocks", "random", "round_robin"};
    static const char *const messages[] = {"64B", "300B", "1KiB", "6KiB"};
    static const uint32_t loads[] = {100, 90, 60, 20};
    /* The last one goes on and is never rare, so that there are latencies to track; it may have two ranks, to whom tornado is
     * nothing. */
    const uint32_t most = last ? 3 : 4, kinds = last ? 6 : 7;
    put_text_of(t, "      - {name: j%u, placement: %s, ", i, ONE_OF(t, placements));
    const bool model = !last && random_coin(t, 4);
    if (!last && !model)
        put_text_of(t, "ranks: 4, ");
    if (model)
        random_model(t);
    else if (!last && random_coin(t, 2))
        random_program(t);
    else
        put_text_of(t, "pattern: %s, message: %s, load: %u%%, arrivals: %s",
                    patterns[rnd_below(&t->random, kinds)], messages[rnd_below(&t->random, most)],
                    loads[rnd_below(&t->random, most)], random_coin(t, 3) ? "periodic" : "poisson");
    if (!last && random_coin(t, 4))
        put_text_of(t, ", start: %uus", rnd_below(&t->random, 3));
    if (!last)
        put_text_of(t, ", stop: %uus", 6 + rnd_below(&t->random, 14));
    put_text_of(t, "}\n");
}

static void random_surrogate(random_text *t)
{
    const char *const mode = random_coin(t, 3) ? "hybrid-lite" : "hybrid";
    put_text_of(t, "    surrogate:\n      mode: %s\n      predictor: %s\n", mode,
                random_coin(t, 2) ? "mean" : "quantile");
    if (random_coin(t, 4)) {
        put_text_of(t, "      batch: %u00ns\n      batches: 4\n      tolerance: 60%%\n      longest: 3us\n",
                    4 + rnd_below(&t->random, 5));
        return;
    }
    const uint32_t from = 4 + rnd_below(&t->random, 3), until = from + rnd_below(&t->random, 4);
    put_text_of(t, "      periods: [{from: %uus, until: %u700ns, track: 3us}", from, until);
    if (random_coin(t, 2))
        put_text_of(t, ", {from: %uus, until: %uus, track: 2us}", until + 3, until + 4);
    put_text_of(t, "]\n      when: %s\n", random_coin(t, 3) ? "settled" : "always");
}

static void random_interconnect(uint64_t seed, char *text, size_t size)
{
    random_text t = {text, size, 0, seed * 1000003u + 29};
    put_text_of(&t, "weir: 1\nduration: 14us\nseed: %u\nrun: %u\nmodel:\n  interconnect:\n",
                (unsigned)(seed % 100000) + 1, rnd_below(&t.random, 3));
    random_wiring(&t);
    random_router(&t);
    put_text_of(&t, "    jobs:\n");
    const int two =
        random_coin(&t, 2); /* the smallest wiring has six terminals, and all have an even number */
    if (two)
        random_job(&t, 0, 0);
    random_job(&t, 1, 1);
    if (!random_coin(&t, 4))
        random_surrogate(&t);
}

static const differential differ = {.name = "differential-interconnect",
                                    .write = random_interconnect,
                                    .check_one_of = 12,
                                    .stress_every = 10,
                                    .count_ranks = 5};

int main(int argc, char **argv)
{
    return differential_main(argc, argv);
}
