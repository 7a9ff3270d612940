/* Jobs of `model: {interconnect: ...}`: their keys, and what a model is given for them. */
#include <stdlib.h>
#include <string.h>

#include "models/interconnect/jobs/plan.h"
#include "jobs/read/trace.h"
#include "scenario/subjects/interconnect/interconnect.h"

static const wi_word patterns[] = {
    {"uniform", IC_UNIFORM, "any other rank"},
    {"neighbour", IC_NEIGHBOUR, "the next rank"},
    {"stencil", IC_STENCIL, "the neighbours in `grid`, which is closed to a torus, in turn"},
    {"transpose", IC_TRANSPOSE, "ranks as a square matrix"},
    {"complement", IC_COMPLEMENT, "the last rank but as many"},
    {"permutation", IC_PERMUTATION, "a random one that leaves nobody alone"},
    {"group-shift", IC_GROUP_SHIFT,
     "a random rank of the range that lies `shift` ranges on: worst for minimal routing"},
    {"tornado", IC_TORNADO,
     "almost half-way round each dimension of `grid`, of a torus that the job fills, or of the ranks in a "
     "ring"},
    {"ping-pong", IC_PING_PONG, "even ranks send to the next one, which answers"},
};
static const wi_word placements[] = {
    {"contiguous", IC_CONTIGUOUS, "the first terminals that are free"},
    {"random", IC_SCATTERED, "any that are free"},
    {"round-robin", IC_ROUND_ROBIN, "the first of each router, then the second of each"},
};
static const wi_word arrivals[] = {{"poisson", false, "at random"}, {"periodic", true, "at equal times"}};
static const wi_word algorithms[] = {
    {"auto", JOB_AUTO, "by size, as MPICH chooses (docs/interconnects.md)"},
    {"ring", JOB_RING, "2 (p - 1) messages of a p-th each; others: p - 1 steps"},
    {"doubling", JOB_DOUBLING, "recursive doubling: log2 p messages of the whole; others: log2 p steps"},
    {"rabenseifner", JOB_RABENSEIFNER,
     "recursive halving and doubling: 2 log2 p messages, of a half, a quarter, ..."},
};
static const wi_word operations[] = {
    {"compute", JOB_OP_COMPUTE, "for `time`"},
    {"exchange", JOB_OP_EXCHANGE,
     "`message` with each neighbour in the job's `grid`, closed to a torus, at once: a stencil"},
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
    WI_KEY("do", word, ic_asked_action, op, .required = true, WI_WORDS(operations), .also = "action op",
           .doc = "what"),
    WI_KEY("time", time, ic_asked_action, time_ps, .fallback = "0s", .high = "100000s",
           .doc = "compute: how long"),
    WI_KEY("message", size32, ic_asked_action, bytes, .fallback = "1KiB", .high = "1GiB",
           .also = "size bytes", .doc = "what is sent, as the operation says"),
    WI_KEY("algorithm", word, ic_asked_action, algorithm, .fallback = "auto", WI_WORDS(algorithms),
           .doc = "allreduce, allgather, reduce-scatter, alltoall, gather, scatter: how"),
    WI_KEY("root", count, ic_asked_action, root, .fallback = "0",
           .doc = "bcast, reduce, gather, scatter: the rank"),
};
static const wi_section action_section = WI_SECTION("action of a program", action_keys, ic_asked_action,
                                                    .place_offset = offsetof(ic_asked_action, place));

uint32_t wi_ic_sizes(const char *text, uint32_t *out, uint32_t most)
{
    uint32_t n = 0;
    for (;;) {
        char *end;
        if (*text < '0' || *text > '9' || n == most)
            return 0;
        const unsigned long size = strtoul(text, &end, 10);
        if (size < 1 || size > 1u << 22)
            return 0;
        out[n++] = (uint32_t)size;
        if (!*end)
            return n;
        if (*end != 'x')
            return 0;
        text = end + 1;
    }
}

static void check_job(wi_reader *r, const wi_node *node, void *at)
{
    ic_asked_job *a = at;
    (void)node;
    if (a->grid && !wi_ic_sizes(a->grid, a->job.grid, 3))
        wi_complain(r, a->grid_place, "grid is '%s'; want one to three whole numbers, as 8x9", a->grid);
    for (size_t i = 0; i < a->n_program; i++)
        if (a->program[i].op == JOB_OP_EXCHANGE && !a->grid)
            wi_complain(r, a->program[i].place, "exchange: with whom? the job has no `grid`");
}

static const wi_key job_keys[] = {
    WI_KEY("name", text, ic_asked_job, job.name, .fallback = "job", .doc = "for results and messages"),
    WI_KEY("pattern", word, ic_asked_job, job.pattern, .fallback = "uniform",
           .with = "!messages !program !trace", WI_WORDS(patterns), .also = "traffic",
           .doc = "who sends to whom"),
    WI_KEY("ranks", count, ic_asked_job, job.n_ranks, .fallback = "rest", .word = "rest", .word_value = 0,
           .also = "n", .doc = "ranks; rest: all terminals that are free"),
    WI_KEY("placement", word, ic_asked_job, job.placement, .fallback = "contiguous", WI_WORDS(placements),
           .also = "place mapping", .doc = "of ranks on terminals that no job before it has"),
    WI_KEY("message", size32, ic_asked_job, job.message_bytes, .fallback = "1KiB",
           .with = "!messages !program !trace", .low = "1B", .high = "1GiB", .also = "size",
           .doc = "size of a message"),
    WI_KEY("load", share, ic_asked_job, job.load, .fallback = "100%", .with = "!messages !program !trace",
           .above = "0", .also = "injection rate",
           .doc = "share of the terminal's rate; nothing to ping-pong"),
    WI_KEY("arrivals", word, ic_asked_job, job.periodic, .fallback = "poisson",
           .with = "!messages !program !trace", WI_WORDS(arrivals), .also = "interval",
           .doc = "when messages are due"),
    WI_KEY("grid", text, ic_asked_job, grid, .place_offset = offsetof(ic_asked_job, grid_place),
           .unset = "none",
           .doc = "stencil, tornado, and exchange of a program: ranks along each of up to three dimensions, "
                  "as 8x9"),
    WI_KEY("range", count, ic_asked_job, job.range, .fallback = "group", .with = "!messages !program !trace",
           .word = "group", .word_value = 0,
           .doc = "group-shift: ranks of a range; group: those of a group, of a subtree below the top, or of "
                  "a ring"),
    WI_KEY("shift", count, ic_asked_job, job.shift, .fallback = "1", .with = "!messages !program !trace",
           .low = "1", .doc = "group-shift: how many ranges on"),
    WI_KEY("messages", path, ic_asked_job, messages, .with = "!program !trace",
           .place_offset = offsetof(ic_asked_job, messages_place), .unset = "`pattern`",
           .also = "plan schedule",
           .doc = "a file of messages instead of a pattern: time in seconds, source and target rank, bytes, "
                  "one a line"),
    WI_KEY("program", list, ic_asked_job, program, .with = "!trace",
           .count_offset = offsetof(ic_asked_job, n_program), .section = &action_section,
           .place_offset = offsetof(ic_asked_job, program_place), .unset = "`pattern`", .also = "actions mpi",
           .doc = "what each rank does instead of a pattern, one action after the other"),
    WI_KEY("iterations", count, ic_asked_job, job.iterations, .fallback = "1", .with = "program|trace",
           .word = "endless", .word_value = 0, .also = "repeat loops",
           .doc = "program, trace: how often ranks go through their actions; endless: until `stop`"),
    WI_KEY(
        "eager", size, ic_asked_job, job.eager_bytes, .fallback = "16KiB", .with = "program|trace",
        .also = "threshold rendezvous",
        .doc =
            "program, trace: larger messages are asked for first, and wait for their receive (rendezvous)"),
    WI_KEY("trace", path, ic_asked_job, trace, .place_offset = offsetof(ic_asked_job, trace_place),
           .unset = "`pattern`", .also = "replay",
           .doc = "a time-independent trace to replay instead of a pattern, in SimGrid's format; or a file "
                  "that names one for each rank"),
    WI_KEY("speed", number, ic_asked_job, replay.flops_per_s, .fallback = "1e9", .with = "trace",
           .above = "0", .also = "flops power", .doc = "trace: flops a second of a rank"),
    WI_KEY("allreduce", word, ic_asked_job, replay.allreduce, .fallback = "auto", .with = "trace",
           WI_WORDS(algorithms), .doc = "trace: how its all-reduces are done"),
    WI_KEY("start", time, ic_asked_job, job.start_ps, .fallback = "0s", .doc = "of its messages"),
    WI_KEY("stop", time, ic_asked_job, job.stop_ps, .absent = -1, .unset = "never",
           .doc = "no message is due from then on"),
};
const wi_section wi_ic_job_section = WI_SECTION(
    "interconnect job", job_keys, ic_asked_job, .place_offset = offsetof(ic_asked_job, job.place),
    .check = check_job,
    .rules = "[{'properties': {'grid': {'anyOf': [{'type': ['null', 'integer'], 'minimum': 1, 'maximum': "
             "4194304}, {'type': 'string', 'pattern': '^[0-9]*[1-9][0-9]*(x[0-9]*[1-9][0-9]*){0,2}$'}]}}}]");

/* The model's words for a job; what it points to is freed by wi_ic_job_free. */
weir_status wi_ic_job_of(weir_diag *diag, const ic_asked_job *a, ic_job *job, wi_ic_job_files *files)
{
    weir_status status = WEIR_OK;
    *files = (wi_ic_job_files){0};
    *job = a->job;
    if (job->stop_ps < 0)
        job->stop_ps = WEIR_TIME_MAX;
    if (a->messages) {
        status = wi_ic_plan_read(wi_source_file(diag, a->messages), &files->plan);
        job->pattern = IC_PLANNED;
        job->plan = files->plan.entry;
        job->n_plan = files->plan.n;
        job->plan_file = a->messages;
        job->n_ranks = job->n_ranks ? job->n_ranks : files->plan.ranks;
    } else if (a->trace) {
        status = wi_job_trace_read(wi_source_file(diag, a->trace), &a->replay, &files->trace);
        job->pattern = IC_PROGRAMMED;
        job->actions = files->trace.actions;
        job->n_actions = files->trace.n_actions;
        job->first_action = files->trace.first;
        if (status == WEIR_OK && job->n_ranks && job->n_ranks != files->trace.ranks)
            status = weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(job->place),
                                  "job '%s' has %u ranks, and its trace %u; leave `ranks` out", job->name,
                                  job->n_ranks, files->trace.ranks);
        job->n_ranks = files->trace.ranks;
    } else if (a->n_program) {
        files->actions = calloc(a->n_program, sizeof *files->actions);
        if (!files->actions)
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for a program of %zu actions", a->n_program);
        for (size_t i = 0; i < a->n_program; i++)
            files->actions[i] = (job_action){.op = (uint8_t)a->program[i].op,
                                             .algorithm = (uint8_t)a->program[i].algorithm,
                                             .peer = a->program[i].root,
                                             .bytes = a->program[i].bytes,
                                             .time_ps = a->program[i].time_ps};
        job->pattern = IC_PROGRAMMED;
        job->actions = files->actions;
        job->n_actions = a->n_program;
    }
    return status;
}

void wi_ic_job_built(wi_ic_job_files *files)
{
    wi_ic_plan_free(&files->plan);
    free(files->trace.actions);
    free(files->trace.first);
    free(files->actions);
    files->trace.actions = files->actions = NULL;
    files->trace.first = NULL;
}

weir_place wi_ic_place_of(const ic_asked_job *asked, const wi_ic_job_files *files, size_t action)
{
    if (!asked->trace)
        return asked->program[action].place;
    const wi_job_trace_place at = files->trace.place[action];
    return at.line ? (weir_place){files->trace.file[at.file], (int)at.line, 1} : asked->trace_place;
}

void wi_ic_job_free(wi_ic_job_files *files)
{
    wi_ic_plan_free(&files->plan);
    wi_job_trace_free(&files->trace);
    free(files->actions);
    *files = (wi_ic_job_files){0};
}
