/* Jobs of `model: {interconnect: ...}`: their keys, and what a model is given for them. */
#include <ctype.h>
#include <stdlib.h>

#include "base/memory.h"
#include "jobs/ranks.h"
#include "jobs/read/readers.h"
#include "keys/traffic/traffic.h"
#include "network/files/flow_file.h"
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
static const wi_word arrivals[] = {{"poisson", false, "at random"}, {"periodic", true, "at equal times"}};

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

static void warn_idle(wi_reader *r, const wi_node *node, const ic_asked_job *a)
{
    static const char *const ranges[] = {"range", "shift"}, *const draws[] = {"load", "arrivals"};
    const uint32_t pattern = (uint32_t)a->job.pattern;
    bool exchanges = false;
    for (size_t i = 0; i < a->ranks.n_program; i++)
        exchanges |= a->ranks.program[i].op == JOB_OP_EXCHANGE;
    if (pattern != IC_STENCIL && pattern != IC_TORNADO && !exchanges)
        wi_warn_idle(r, wi_given(&wi_ic_job_section, node, "grid"),
                     "it is for patterns stencil and tornado, and exchange of a program");
    for (size_t i = 0; i < 2; i++) {
        if (pattern != IC_GROUP_SHIFT)
            wi_warn_idle(r, wi_given(&wi_ic_job_section, node, ranges[i]), "it is for pattern: group-shift");
        if (pattern == IC_PING_PONG)
            wi_warn_idle(r, wi_given(&wi_ic_job_section, node, draws[i]),
                         "ping-pong sends as soon as it has been answered");
    }
}

static void check_job(wi_reader *r, const wi_node *node, void *at)
{
    ic_asked_job *a = at;
    warn_idle(r, node, a);
    if (a->grid && !wi_ic_sizes(a->grid, a->job.grid, 3))
        wi_complain(r, a->grid_place, "grid is '%s'; want one to three whole numbers, as 8x9", a->grid);
    for (size_t i = 0; i < a->ranks.n_program; i++)
        if (a->ranks.program[i].op == JOB_OP_EXCHANGE && !a->grid)
            wi_complain(r, a->ranks.program[i].place, "exchange: with whom? the job has no `grid`");
}

static const wi_key job_keys[] = {
    WI_KEY("name", text, ic_asked_job, job.name, .fallback = "job",
           .doc = "for results and messages; each job has another"),
    WI_KEY("pattern", word, ic_asked_job, job.pattern, .fallback = "uniform",
           .with = "!messages !trace !model !program", WI_WORDS(patterns), .also = "traffic",
           .doc = "who sends to whom"),
    WI_KEY("terminals", names, ic_asked_job, terminals, .with = "placement=blocks|random",
           .unset = "those that no job before it has", .also = "hosts nodes",
           .doc = "numbers, in the order in which ranks take them"),
    WI_KEY("message", size32, ic_asked_job, job.message_bytes, .fallback = "1KiB",
           .with = "!messages !trace !model !program", .low = "1B", .high = "1GiB", .also = "size",
           .doc = "size of a message"),
    WI_KEY("load", share, ic_asked_job, job.load, .fallback = "100%",
           .with = "!messages !trace !model !program", .above = "0", .also = "injection rate",
           .doc = "share of the terminal's rate; nothing to ping-pong"),
    WI_KEY("arrivals", word, ic_asked_job, job.periodic, .fallback = "poisson",
           .with = "!messages !trace !model !program", WI_WORDS(arrivals), .also = "interval",
           .doc = "when messages are due"),
    WI_KEY("grid", text, ic_asked_job, grid, .place_offset = offsetof(ic_asked_job, grid_place),
           .unset = "none",
           .doc = "stencil, tornado, and exchange of a program: ranks along each of up to three dimensions, "
                  "as 8x9"),
    WI_KEY("range", count, ic_asked_job, job.range, .fallback = "group",
           .with = "!messages !trace !model !program", .word = "group", .word_value = 0,
           .doc = "group-shift: ranks of a range; group: those of a group, of a subtree below the top, or of "
                  "a ring"),
    WI_KEY("shift", count, ic_asked_job, job.shift, .fallback = "1",
           .with = "!messages !trace !model !program", .low = "1", .doc = "group-shift: how many ranges on"),
    WI_KEY(
        "messages", path, ic_asked_job, messages, .with = "!trace !model !program", .unset = "`pattern`",
        .also = "plan schedule flows",
        .doc =
            "a list of flows, as `flows` of a class, instead of a pattern: nodes are ranks, and times count "
            "from `start`"),
    WI_KEY("allreduce", word, ic_asked_job, allreduce, .fallback = "auto", .with = "trace|model",
           .words = &(const wi_words){wi_job_algorithms, WI_JOB_PLAIN_ALGORITHMS},
           .doc = "how all-reduces of a trace are done"),
    WI_KEY(
        "actions", bool, ic_asked_job, actions, .fallback = "true", .with = "trace|model", .also = "gantt",
        .doc =
            "`actions.csv`: when each operation of each rank started and ended; not of endless iterations"),
    WI_KEY("start", time, ic_asked_job, job.start_ps, .fallback = "0s", .doc = "of its messages"),
    WI_KEY("stop", time, ic_asked_job, job.stop_ps, .absent = -1, .unset = "never", .with = "!messages",
           .doc = "no message is due from then on"),
};
const wi_section wi_ic_job_section = WI_SECTION(
    "interconnect job", job_keys, ic_asked_job, .place_offset = offsetof(ic_asked_job, job.place),
    .check = check_job, .mixin = &wi_section_ranks, .mixin_offset = offsetof(ic_asked_job, ranks),
    .rules = "[" WI_RANKS_RULES
             ", {'properties': {'grid': {'anyOf': [{'type': ['null', 'integer'], 'minimum': 1, 'maximum': "
             "4194304}, {'type': 'string', 'pattern': '^[0-9]*[1-9][0-9]*(x[0-9]*[1-9][0-9]*){0,2}$'}]}}}]");

/* The rank that a list of flows names by its number, or as htsim's do, by h and its number; UINT32_MAX: none. */
static uint32_t rank_of(const wi_flow_file *file, uint32_t name)
{
    const char *const text = wi_names_text(&file->node, name);
    char *end;
    const unsigned long number = strtoul(text + (text[0] == 'h'), &end, 10);
    return isdigit((unsigned char)text[text[0] == 'h']) && !*end && number < INT32_MAX ? (uint32_t)number
                                                                                       : UINT32_MAX;
}

/* A list of flows as a plan. */
static weir_status plan_of(weir_diag *diag, const ic_asked_job *a, ic_job *job, wi_ic_job_files *files)
{
    const weir_time most_ps = WEIR_TIME_MAX - job->start_ps - 1;
    wi_flow_file *file = NULL;
    uint32_t ranks = 0;
    weir_status status = wi_flow_file_read(wi_source_file(diag, a->messages), &file);
    if (status == WEIR_OK && !(files->plan = calloc(file->n, sizeof *files->plan)))
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for %zu messages", file->n);
    for (size_t i = 0; status == WEIR_OK && i < file->n; i++) {
        const wi_listed_flow *const f = &file->flow[i];
        const uint32_t from = rank_of(file, f->from), to = rank_of(file, f->to);
        if (from == UINT32_MAX || to == UINT32_MAX)
            status = weir_fail_at(diag, WEIR_E_SCENARIO, a->messages, f->line, 1,
                                  "'%s' is no rank; want a whole number from 0 on",
                                  wi_names_text(&file->node, from == UINT32_MAX ? f->from : f->to));
        else if (f->after || f->cls != WI_NO_NAME)
            status = weir_fail_at(diag, WEIR_E_SCENARIO, a->messages, f->line, 1,
                                  "interconnects take no %s of a list of flows",
                                  f->after ? "triggers" : "classes");
        ranks = from >= ranks ? from + 1 : ranks;
        ranks = to >= ranks ? to + 1 : ranks;
        const weir_time at_ps = job->start_ps + (f->at_ps < most_ps ? f->at_ps : most_ps);
        files->plan[i] = (ic_plan_entry){at_ps, from, to, f->bytes, (uint32_t)f->line};
    }
    job->pattern = IC_PLANNED;
    job->plan = files->plan;
    job->n_plan = file ? file->n : 0;
    job->plan_file = a->messages;
    job->n_ranks = job->n_ranks ? job->n_ranks : ranks;
    wi_flow_file_free(file);
    return status;
}

/* Numbers of operations in their ranks, and the job for its results. */
static weir_status keep_job(weir_diag *diag, wi_job *job, wi_ic_job_files *files)
{
    WI_FREED uint32_t *n = calloc((size_t)job->n_ranks + 1, sizeof *n);
    files->place = malloc(((size_t)job->n_ops + 1) * sizeof *files->place);
    if (!n || !files->place)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u operations", job->n_ops);
    for (uint32_t i = 0; i < job->n_ops; i++)
        files->place[i] = n[job->op[i].rank]++;
    files->job = *job;
    *job = (wi_job){0};
    return WEIR_OK;
}

/* What a trace or a model says, as programs. */
static weir_status replay_of(weir_diag *diag, const ic_asked_job *a, ic_job *job, wi_ic_job_files *files)
{
    wi_job of = {0};
    weir_status status = wi_job_make(diag, &a->ranks, 0, true, &of)
                             ?: wi_job_to_programs(diag, &of, wi_job_algorithm(a->allreduce));
    files->programs = of.programs;
    of.programs = (wi_job_programs){0};
    job->actions = files->programs.actions;
    job->n_actions = files->programs.n_actions;
    job->first_action = files->programs.first;
    job->lane = files->programs.lane;
    job->lanes = files->programs.lanes;
    job->n_ranks = of.n_ranks;
    if (wi_job_eager_is_auto(&a->ranks) && !of.asks)
        job->eager_bytes = UINT64_MAX;
    job->times = a->actions && job->iterations > 0;
    if (status == WEIR_OK && job->times)
        status = wi_memory_check(diag, "when each operation ends",
                                 ((uint64_t)of.n_ops + of.n_ranks) * job->iterations * sizeof(weir_time),
                                 job->place)
                     ?: keep_job(diag, &of, files);
    wi_job_free(&of);
    return status;
}

/* Terminals by their numbers. */
static weir_status terminals_of(weir_diag *diag, const ic_asked_job *a, ic_job *job, wi_ic_job_files *files)
{
    if (a->terminals.n == 0)
        return WEIR_OK;
    if (!(files->terminals = calloc(a->terminals.n, sizeof *files->terminals)))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %zu terminals", a->terminals.n);
    for (size_t i = 0; i < a->terminals.n; i++) {
        const weir_name *const name = &a->terminals.item[i];
        char *end;
        files->terminals[i] = (uint32_t)strtoul(name->text, &end, 10);
        if (!isdigit((unsigned char)name->text[0]) || *end || end - name->text > 9)
            return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(name->place),
                                "terminal '%s'; want a whole number from 0 on", name->text);
    }
    job->terminals = files->terminals;
    job->n_terminals = (uint32_t)a->terminals.n;
    return WEIR_OK;
}

/* The model's words for a job; what it points to is freed by wi_ic_job_free. */
weir_status wi_ic_job_of(weir_diag *diag, const ic_asked_job *a, ic_job *job, wi_ic_job_files *files)
{
    const weir_scenario_ranks *const ranks = &a->ranks;
    *files = (wi_ic_job_files){0};
    *job = a->job;
    if (job->stop_ps < 0)
        job->stop_ps = WEIR_TIME_MAX;
    job->placement = ranks->placement;
    job->n_ranks = ranks->n;
    job->iterations = ranks->iterations;
    job->eager_bytes = wi_job_eager(ranks);
    const weir_status status = terminals_of(diag, a, job, files);
    if (status != WEIR_OK || a->messages)
        return status ?: plan_of(diag, a, job, files);
    if (!ranks->trace.text && !ranks->model.place.file && !ranks->n_program)
        return WEIR_OK;
    job->pattern = IC_PROGRAMMED;
    if (!ranks->n_program)
        return replay_of(diag, a, job, files);
    if (!(files->programs.actions = calloc(ranks->n_program, sizeof *files->programs.actions)))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a program of %zu actions", ranks->n_program);
    for (size_t i = 0; i < ranks->n_program; i++)
        files->programs.actions[i] = wi_job_action(&ranks->program[i]);
    job->actions = files->programs.actions;
    job->n_actions = ranks->n_program;
    return WEIR_OK;
}

void wi_ic_job_built(wi_ic_job_files *files)
{
    free(files->plan);
    free(files->terminals);
    free(files->programs.actions);
    free(files->programs.first);
    free(files->programs.lane);
    free(files->programs.lanes);
    files->plan = NULL;
    files->terminals = NULL;
    files->programs.actions = NULL;
    files->programs.first = NULL;
    files->programs.lane = NULL;
    files->programs.lanes = NULL;
}

weir_place wi_ic_place_of(const ic_asked_job *asked, const wi_ic_job_files *files, size_t action)
{
    const weir_scenario_ranks *const ranks = &asked->ranks;
    if (ranks->n_program)
        return ranks->program[action].place;
    const wi_job_place at = files->programs.place[action];
    const char *const file = files->programs.n_files ? files->programs.file[at.file] : ranks->trace.text;
    return at.line && file ? (weir_place){file, (int)at.line, 1}
           : file          ? ranks->trace.place
                           : ranks->model.place;
}

void wi_ic_job_free(wi_ic_job_files *files)
{
    wi_ic_job_built(files);
    wi_job_programs_free(&files->programs);
    wi_job_free(&files->job);
    free(files->place);
}
