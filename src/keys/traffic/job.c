/* Keys of a class's job. */
#include "keys/traffic/traffic.h"

typedef weir_scenario_class class_t;

static const wi_word placements[] = {
    {"blocks", WEIR_SC_PLACE_BLOCKS, "neighbours share a host, then come those of the next host"},
    {"round_robin", WEIR_SC_PLACE_ROUND_ROBIN, "a rank a host in turn"},
    {"random", WEIR_SC_PLACE_RANDOM, "`blocks`, on hosts in an order that is drawn"},
};

static const wi_word algorithms[] = {
    {"auto", WEIR_SC_REDUCE_AUTO, "`doubling` up to `small`, above it `ring`"},
    {"ring", WEIR_SC_REDUCE_RING, "2 (p - 1) steps of a p-th of the vector"},
    {"doubling", WEIR_SC_REDUCE_DOUBLING, "recursive doubling: log2 p steps of the vector"},
    {"halving", WEIR_SC_REDUCE_HALVING, "Rabenseifner's: recursive halving, then doubling"},
    {"tree", WEIR_SC_REDUCE_TREE,
     "double binary trees of servers, half of the vector along each, and a chain inside a server"},
    {"hierarchical", WEIR_SC_REDUCE_HIERARCHICAL,
     "rings: a reduce-scatter inside servers, an all-reduce among ranks at the same place of them, an "
     "all-gather inside; `ring` where servers have unlike numbers of ranks"},
    {"nccl", WEIR_SC_REDUCE_NCCL,
     "`tree` or `ring`, by size, ranks, servers and rates, as NCCL's model of their times has it"},
};

static const wi_key keys[] = {
    WI_KEY("trace", path, class_t, job.trace.text, .required = true, .unless = "model",
           .unset = "`model` is needed", .place_offset = offsetof(class_t, job.trace.place),
           .also = "file workload goal",
           .doc = "what the ranks do: Chakra's `NAME.RANK.et` (any rank's file stands for all), GOAL, a "
                  "workload of SimAI or AICB, or SimGrid's time-independent trace"),
    WI_PART("model", wi_section_training, .unset = "`trace` is needed", .also = "training transformer",
            .doc = "what the ranks train, where there is no trace"),
    WI_KEY("hosts", names, class_t, job.hosts, .unset = "all hosts", .also = "nodes among",
           .doc = "each once, in the order in which ranks take them"),
    WI_KEY("ranks_per_host", count, class_t, job.per_host, .fallback = "1", .low = "1", .high = "1024",
           .also = "gpus gpus_per_host", .doc = "ranks of a host share its interface"),
    WI_KEY("hosts_per_server", count, class_t, job.per_server, .fallback = "1", .low = "1", .high = "1024",
           .also = "nics nics_per_server hosts_per_node",
           .doc = "hosts that follow each other are one server: their ranks reach each other at "
                  "`local_rate`, as the accelerators of `rail` do that have an interface each"),
    WI_KEY("placement", word, class_t, job.placement, .fallback = "blocks", WI_WORDS(placements),
           .doc = "which ranks share a host, and which servers come first"),
    WI_KEY("local_rate", rate, class_t, job.local_bps, .fallback = "auto", .word = "auto", .above = "0bps",
           .also = "nvlink nvlink_rate",
           .doc = "of a rank to others of its server, one message after the other, as NVLink's; `auto`: "
                  "messages take `local_delay` alone"),
    WI_KEY("local_delay", time, class_t, job.local_delay_ps, .fallback = "0s", .also = "nvlink_delay",
           .doc = "of each message to a rank of the same server; above 0 with `hosts_per_server`, as hosts "
                  "know of each other by it"),
    WI_KEY("iterations", count, class_t, job.iterations, .fallback = "1", .low = "1", .high = "1000000",
           .also = "rounds",
           .doc = "of the whole trace; a rank begins the next when it has ended the one before"),
    WI_KEY("allreduce", word, class_t, job.allreduce, .fallback = "auto", WI_WORDS(algorithms),
           .also = "algorithm", .doc = "how vectors are reduced"),
    WI_KEY("small", size, class_t, job.small_bytes, .fallback = "64KiB",
           .doc = "the largest vector that `auto` doubles, and the largest that other collectives send in "
                  "log2 p steps: all-gathers, reduce-scatters, all-to-alls, gathers and scatters"),
    WI_KEY(
        "channels", count, class_t, job.channels, .fallback = "1", .low = "1", .high = "64",
        .also = "nchannels rings",
        .doc =
            "parts of what `ring`, `tree` and `hierarchical` send, side by side; also of larger all-gathers "
            "and reduce-scatters. Ring c enters a server at its rank c, and leaves it on the same rail"),
    WI_KEY("chunk", size, class_t, job.chunk_bytes, .fallback = "0B", .also = "slice pipeline",
           .doc = "the largest message of these: parts are cut into pieces, each of which goes on as it "
                  "comes. On a connection a piece follows when the one before is acknowledged; 0B: not cut"),
    WI_KEY(
        "eager", size, class_t, job.eager_bytes, .fallback = "16KiB",
        .doc =
            "a send of at most so many bytes ends as it starts; a larger one with the ACK of its last byte"),
    WI_KEY("actions", bool, class_t, job.actions, .fallback = "true", .also = "gantt",
           .doc = "`actions.csv`: when each operation of each rank started and ended"),
    WI_KEY("flops", number, class_t, job.flops, .fallback = "0", .low = "0", .also = "flops_per_s peak_perf",
           .doc = "operations a second of a rank, for a model, and for computations that a trace gives as "
                  "operations alone"),
    WI_KEY("memory_rate", rate, class_t, job.memory_bps, .fallback = "auto", .word = "auto", .above = "0bps",
           .doc = "of a rank's memory, likewise for computations that are given in bytes"),
    WI_KEY("ranks", count, class_t, job.ranks, .fallback = "auto", .word = "auto", .low = "1",
           .high = "1048576", .also = "gpus_in_all", .doc = "of SimAI's workloads; `auto`: their `all_gpus`"),
    WI_KEY("groups", path, class_t, job.groups.text, .place_offset = offsetof(class_t, job.groups.place),
           .also = "process_groups comm_groups", .unset = "all ranks are one group",
           .doc = "Chakra: a JSON file of ranks by process group, `{\"0\": [0, 1, 2, 3]}`"),
};

static const wi_clash clashes[] = {
    {"trace", "model", "which says the same; keep one"},
    {"model", "!flops", "operations a second of a rank"},
    {"model", "groups", "which is of traces"},
    {"model", "ranks!=auto", "whose ranks are tensor times data times pipeline"},
    {"model", "memory_rate!=auto", "whose computations are operations alone"},
};

void wi_job_check_class(wi_reader *r, const wi_node *node, class_t *c)
{
    const wi_node *const model = wi_node_child(wi_node_child(node, "job"), "model");
    if (model)
        wi_training_check(r, model, &c->job.model);
    if (model && !(c->job.flops > 0.0))
        wi_complain(r, wi_place_of(wi_node_child(node, "job"), "flops"),
                    "a model's computations take for ever at 0 flops");
    if (c->job.per_server > 1 && c->job.local_delay_ps < 1)
        wi_complain(r, wi_place_of(wi_node_child(node, "job"), "hosts_per_server"),
                    "hosts of a server know of each other by 'local_delay'; want one above 0s");
}

const wi_section wi_section_job = WI_SECTION(
    "job", keys, class_t,
    .doc = "A job: ranks that compute, send, receive and do collective operations as a trace says, or as "
           "training a model takes. Each message between hosts is a TCP flow of the class.",
    .clashes = clashes, .n_clashes = WI_N_OF(clashes), .place_offset = offsetof(class_t, job.place));
