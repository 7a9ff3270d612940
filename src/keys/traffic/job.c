/* Keys of a class's job; those that jobs of every network have are in ranks.c. */
#include "jobs/collective.h"
#include "keys/traffic/traffic.h"

typedef weir_scenario_class class_t;

static const wi_key keys[] = {
    WI_KEY("hosts", names, class_t, job.hosts, .unset = "all hosts", .also = "nodes among",
           .doc = "each once, in the order in which ranks take them"),
    WI_KEY("ranks_per_host", count, class_t, job.per_host, .fallback = "1", .low = "1", .high = "1024",
           .also = "gpus gpus_per_host", .doc = "ranks of a host share its interface"),
    WI_KEY("hosts_per_server", count, class_t, job.per_server, .fallback = "1", .low = "1", .high = "1024",
           .also = "nics nics_per_server hosts_per_node",
           .doc = "hosts that follow each other are one server: their ranks reach each other at "
                  "`local_rate`, as the accelerators of `rail` do that have an interface each"),
    WI_KEY("local_rate", rate, class_t, job.local_bps, .fallback = "auto", .word = "auto", .above = "0bps",
           .also = "nvlink nvlink_rate",
           .doc = "of a rank to others of its server, one message after the other, as NVLink's; `auto`: "
                  "messages take `local_delay` alone"),
    WI_KEY("local_delay", time, class_t, job.local_delay_ps, .fallback = "0s", .also = "nvlink_delay",
           .doc = "of each message to a rank of the same server; above 0 with `hosts_per_server`, as hosts "
                  "know of each other by it"),
    WI_KEY("allreduce", word, class_t, job.allreduce, .fallback = "auto",
           .words = &(const wi_words){wi_job_algorithms, WI_JOB_ALGORITHMS}, .also = "algorithm",
           .doc = "how vectors are reduced"),
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
    WI_KEY("actions", bool, class_t, job.actions, .fallback = "true", .also = "gantt",
           .doc = "`actions.csv`: when each operation of each rank started and ended"),
};

void wi_job_check_class(wi_reader *r, const wi_node *node, weir_scenario_class *c)
{
    const weir_scenario_ranks *const ranks = &c->job.ranks;
    const wi_node *const job = wi_node_child(node, "job");
    if (!ranks->trace.text && !ranks->model.place.file && !ranks->n_program)
        wi_complain(r, c->job.place, "what do the ranks do? want one of trace, model and program");
    if (ranks->iterations == 0)
        wi_complain(r, wi_place_of(job, "iterations"),
                    "endless: on packets the end of each operation is kept");
    for (size_t i = 0; i < ranks->n_program; i++)
        if (ranks->program[i].op == JOB_OP_EXCHANGE)
            wi_complain(r, ranks->program[i].place, "exchange: with whom? a job on packets has no grid");
        else if (ranks->program[i].algorithm != WEIR_SC_REDUCE_AUTO)
            wi_complain(r, ranks->program[i].place, "algorithm: on packets `allreduce` and `small` say how");
    if (c->job.per_server > 1 && c->job.local_delay_ps < 1)
        wi_complain(r, wi_place_of(job, "hosts_per_server"),
                    "hosts of a server know of each other by 'local_delay'; want one above 0s");
}

const wi_section wi_section_job = WI_SECTION(
    "job", keys, class_t,
    .doc =
        "A job: ranks that compute, send, receive and do collective operations as a trace or a program says, "
        "or as training a model takes. Each message between hosts is a TCP flow of the class.",
    .mixin = &wi_section_ranks, .mixin_offset = offsetof(class_t, job.ranks),
    .place_offset = offsetof(class_t, job.place),
    .rules = "[" WI_RANKS_RULES
             ", {'anyOf': [{'required': ['trace']}, {'required': ['model']}, {'required': ['program']}]}, "
             "{'properties': {'iterations': {'not': {'const': 'endless'}}}}]");
