/* Keys of a job's ranks that every network has. */
#include "jobs/collective.h"
#include "jobs/ranks.h"
#include "keys/traffic/traffic.h"

typedef weir_scenario_ranks ranks_t;

static const wi_word placements[] = {
    {"blocks", WEIR_SC_PLACE_BLOCKS, "neighbours share a host, or a router, then come those of the next"},
    {"round_robin", WEIR_SC_PLACE_ROUND_ROBIN, "a rank a host in turn, or a router"},
    {"random", WEIR_SC_PLACE_RANDOM,
     "on hosts or terminals in an order that is drawn; a server's stay together"},
};

const wi_word wi_job_algorithms[WI_JOB_ALGORITHMS] = {
    {"auto", WEIR_SC_REDUCE_AUTO,
     "by size: on packets `doubling` up to `small`, above it `ring`; on interconnects as MPICH chooses "
     "(docs/interconnects.md)"},
    {"ring", WEIR_SC_REDUCE_RING, "2 (p - 1) steps of a p-th of the vector"},
    {"doubling", WEIR_SC_REDUCE_DOUBLING, "recursive doubling: log2 p steps of the vector"},
    {"halving", WEIR_SC_REDUCE_HALVING, "Rabenseifner's: recursive halving, then doubling"},
    {"tree", WEIR_SC_REDUCE_TREE,
     "double binary trees of servers, half of the vector along each, and a chain inside a server"},
    {"hierarchical", WEIR_SC_REDUCE_HIERARCHICAL,
     "rings: a reduce-scatter inside servers, an all-reduce among ranks at the same place of them, an "
     "all-gather inside; larger reduce-scatters begin inside servers too, and larger all-gathers between "
     "them; `ring` where servers have unlike numbers of ranks"},
    {"nccl", WEIR_SC_REDUCE_NCCL,
     "`tree` or `ring`, by size, ranks, servers and rates, as NCCL's model of their times has it"},
};

static const wi_word operations[] = {
    {"compute", JOB_OP_COMPUTE, "for `time`"},
    {"exchange", JOB_OP_EXCHANGE,
     "`message` with each neighbour in the job's `grid`, closed to a torus, at once: a stencil; on "
     "interconnects"},
    {"barrier", JOB_OP_BARRIER, "dissemination"},
    {"bcast", JOB_OP_BCAST, "`message` from `root` to all, a binomial tree"},
    {"reduce", JOB_OP_REDUCE, "the same the other way"},
    {"allreduce", JOB_OP_ALLREDUCE, "of `message`, by `algorithm`"},
    {"allgather", JOB_OP_ALLGATHER, "`message` of each rank, to all"},
    {"reduce-scatter", JOB_OP_REDUCE_SCATTER, "of `message`"},
    {"alltoall", JOB_OP_ALLTOALL, "`message` from each to each"},
    {"gather", JOB_OP_GATHER, "`message` of each rank to `root`"},
    {"scatter", JOB_OP_SCATTER, "`message` of `root` to each"},
};

static const wi_key action_keys[] = {
    WI_KEY("do", word, weir_sc_action, op, .required = true, WI_WORDS(operations), .also = "action op",
           .doc = "what"),
    WI_KEY("time", time, weir_sc_action, time_ps, .fallback = "0s", .with = "do=compute", .high = "100000s",
           .doc = "compute: how long"),
    WI_KEY("message", size32, weir_sc_action, bytes, .fallback = "1KiB", .with = "do!=compute|barrier",
           .high = "1GiB", .also = "size bytes", .doc = "what is sent, as the operation says"),
    WI_KEY("algorithm", word, weir_sc_action, algorithm, .fallback = "auto",
           .with = "do=allreduce|allgather|reduce-scatter|alltoall|gather|scatter",
           .words = &(const wi_words){wi_job_algorithms, WI_JOB_PLAIN_ALGORITHMS},
           .doc = "allreduce, allgather, reduce-scatter, alltoall, gather, scatter: how; on interconnects"),
    WI_KEY("root", count, weir_sc_action, root, .fallback = "0", .with = "do=bcast|reduce|gather|scatter",
           .doc = "bcast, reduce, gather, scatter: the rank"),
};

static void check_action(wi_reader *r, const wi_node *node, void *at)
{
    const weir_sc_action *const a = at;
    if (a->algorithm == WEIR_SC_REDUCE_HALVING && a->op != JOB_OP_ALLREDUCE)
        wi_complain(r, wi_place_of(node, "algorithm"),
                    "algorithm: halving is for do: allreduce; want auto, ring or doubling");
}

static const wi_section action_section =
    WI_SECTION("action of a program", action_keys, weir_sc_action,
               .place_offset = offsetof(weir_sc_action, place), .check = check_action);

static const wi_key keys[] = {
    WI_KEY("trace", path, ranks_t, trace.text, .with = "!model !program",
           .place_offset = offsetof(ranks_t, trace.place), .unset = "none",
           .also = "file workload goal replay dumpi",
           .doc = "what the ranks do: Chakra's `NAME.RANK.et` (any rank's file stands for all), GOAL, a "
                  "workload of SimAI or AICB, SimGrid's time-independent trace, or a file that names one of "
                  "these for each rank, or DUMPI's `NAME.meta`"),
    {.name = "model",
     .kind = &wi_kind_section,
     .section = &wi_section_training,
     .offset = offsetof(ranks_t, model),
     .with = "!program",
     .unset = "none",
     .also = "training transformer",
     .doc = "what the ranks train, where there is no trace"},
    WI_KEY("program", list, ranks_t, program, .count_offset = offsetof(ranks_t, n_program),
           .section = &action_section, .place_offset = offsetof(ranks_t, program_place), .unset = "none",
           .also = "mpi", .doc = "what each rank does, one action after the other"),
    WI_KEY(
        "ranks", count, ranks_t, n, .fallback = "auto", .with = "!model", .word = "auto", .low = "1",
        .high = "1048576", .also = "n gpus_in_all",
        .doc =
            "of a program, a pattern, or SimAI's workloads; `auto`: of these their `all_gpus`, else one on "
            "each seat (a free terminal, or `ranks_per_host` a host)"),
    WI_KEY("placement", word, ranks_t, placement, .fallback = "blocks", WI_WORDS(placements),
           .also = "place mapping", .doc = "which ranks share a host or router, and which come first"),
    WI_KEY("iterations", count, ranks_t, iterations, .fallback = "1", .low = "1", .high = "1000000",
           .with = "trace|model|program", .word = "endless", .word_value = 0, .also = "rounds repeat loops",
           .doc =
               "of all that they do; a rank begins the next when it has ended the one before. `endless`, on "
               "interconnects: until `stop`"),
    WI_KEY("eager", size, ranks_t, eager_bytes, .fallback = "auto", .with = "trace|model|program",
           .word = "auto", .word_value = WI_JOB_EAGER_AUTO, .also = "threshold rendezvous",
           .doc = "a send of at most so many bytes ends as it starts; a larger one with the ACK of its last "
                  "byte. On interconnects larger ones are asked for first, and wait for their receive "
                  "(rendezvous). `auto`: 16KiB; on interconnects no send of Chakra, SimAI or a model waits"),
    WI_KEY("flops", number, ranks_t, flops, .fallback = "0", .with = "trace|model", .low = "0",
           .also = "flops_per_s peak_perf speed power",
           .doc = "operations a second of a rank, for a model, and for computations that a trace gives as "
                  "operations alone; 0: not given, and 1e9 for SimGrid's traces"),
    WI_KEY("memory_rate", rate, ranks_t, memory_bps, .fallback = "auto", .with = "trace", .word = "auto",
           .above = "0bps", .doc = "of a rank's memory, likewise for computations that are given in bytes"),
    WI_KEY("groups", path, ranks_t, groups.text, .with = "trace",
           .place_offset = offsetof(ranks_t, groups.place), .also = "process_groups comm_groups",
           .unset = "all ranks are one group",
           .doc = "Chakra: a JSON file of ranks by process group, `{\"0\": [0, 1, 2, 3]}`"),
};

static void check(wi_reader *r, const wi_node *node, void *at)
{
    ranks_t *const ranks = at;
    const wi_node *const model = wi_node_child(node, "model");
    if (model)
        wi_training_check(r, model, &ranks->model);
    if (model && !(ranks->flops > 0.0))
        wi_complain(r, wi_place_of(node, "flops"), "a model's computations take for ever at 0 flops");
}

const wi_section wi_section_ranks = WI_SECTION("ranks of a job", keys, ranks_t, .check = check);
