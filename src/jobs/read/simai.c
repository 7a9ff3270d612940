/*
 * Workloads of SimAI and AICB: a header, the number of layers, and a line a layer:
 *
 *   NAME -1  FORWARD_NS TYPE BYTES  INPUT_GRADIENT_NS TYPE BYTES  WEIGHT_GRADIENT_NS TYPE BYTES  UPDATE
 *
 * What all ranks do, as SimAI's fork of ASTRA-sim runs an iteration of HYBRID_TRANSFORMER_FWD_IN_BCKWD: forward, layer by layer,
 * each one's computation and then its collective; then backward from the last layer to the first, each one's input gradient, the
 * collective of that, and its weight gradient. The collective of a weight gradient goes on beside all that follows, one after
 * the other. In MICRO the lines' collectives follow each other, one kind of gradient after the other. UPDATE is not used there
 * either.
 *
 * Groups are those of groups.h. Forward and input gradients go among tensor-parallel ranks, weight gradients among
 * data-parallel ones, those with _EP among experts' ranks, those with _DP_EP among those that hold the same experts. Bytes are
 * those of the whole vector: an ALLGATHER's outcome, a REDUCESCATTER's and ALLREDUCE's input, what an ALLTOALL's rank sends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "jobs/chain.h"
#include "jobs/groups.h"
#include "jobs/read/readers.h"
#include "jobs/read/reading.h"

enum { NAME_BYTES = 99 };

typedef struct collective {
    uint8_t op;
    enum { USUAL, EXPERTS, SAME_EXPERTS } group;
    uint64_t bytes; /* 0: there is none */
} collective;

typedef struct layer {
    weir_time compute_ps[3];
    collective after[3]; /* forward, input gradient, weight gradient */
    uint32_t line, name;
} layer;

typedef struct workload {
    wi_reading r;
    layer *layers;
    uint32_t n_layers;
    bool micro;
    wi_job_groups groups;
} workload;

#define WRONG(w, ...) WI_WRONG_LINE(&(w)->r, (w)->r.line, __VA_ARGS__)

/* ---- lines ---- */

static bool type_of(const char *text, collective *c)
{
    static const struct {
        const char *name;
        uint8_t op;
    } types[] = {{"ALLREDUCE", JOB_OP_ALLREDUCE},
                 {"ALLGATHER", JOB_OP_ALLGATHER},
                 {"REDUCESCATTER", JOB_OP_REDUCE_SCATTER},
                 {"ALLTOALL", JOB_OP_ALLTOALL},
                 {"BROADCAST", JOB_OP_BCAST}};
    static const char *const groups[] = {"", "_EP", "_DP_EP"};
    for (size_t i = 0; i < WI_N_OF(types); i++) {
        const size_t n = strlen(types[i].name);
        for (size_t k = 0; k < WI_N_OF(groups); k++)
            if (strncmp(text, types[i].name, n) == 0 && strcmp(text + n, groups[k]) == 0) {
                c->op = types[i].op;
                c->group = k;
                return true;
            }
    }
    return false;
}

static weir_status one_layer(workload *w, char *line)
{
    char *word[13];
    const int n = wi_reading_words(line, word, 13);
    if (n == 0)
        return WEIR_OK;
    if (n != 12)
        return WRONG(w, "%d words; want the 12 of a layer", n);
    layer l = {.line = w->r.line, .name = wi_job_name(w->r.job, word[0], strnlen(word[0], NAME_BYTES))};
    for (int i = 0; i < 3; i++) {
        char *end[2];
        const unsigned long long ns = strtoull(word[2 + 3 * i], &end[0], 10),
                                 bytes = strtoull(word[4 + 3 * i], &end[1], 10);
        const char *const type = word[3 + 3 * i];
        const bool none = strcmp(type, "NONE") == 0;
        if (*end[0] || *end[1] || ns > INT64_MAX / 1000 || word[2 + 3 * i][0] == '-' ||
            (!none && word[4 + 3 * i][0] == '-'))
            return WRONG(w, "'%s %s %s'; want nanoseconds, a collective, bytes", word[2 + 3 * i], type,
                         word[4 + 3 * i]);
        l.compute_ps[i] = (weir_time)ns * 1000;
        l.after[i].bytes = none ? 0 : bytes;
        if (!none && !type_of(type, &l.after[i]))
            return WRONG(w,
                         "'%s'; want NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL or BROADCAST, with "
                         "_EP or _DP_EP behind it or nothing",
                         type);
    }
    if (wi_reading_has(&w->r, l.name != WI_JOB_NONE))
        WI_READING_PUT(&w->r, w->layers, w->n_layers, l);
    return w->r.status;
}

/* `KEY: N` in the header, no more than is too many ranks; `fallback` where it is not there. */
static uint32_t header_value(const char *text, const char *key, uint32_t fallback)
{
    const char *const at = strstr(text, key);
    const unsigned long value = at ? strtoul(at + strlen(key), NULL, 10) : fallback;
    return value <= WI_JOB_RANKS_MAX ? (uint32_t)value : WI_JOB_RANKS_MAX + 1;
}

static weir_status header(workload *w, const char *text, const wi_job_options *options)
{
    w->micro = strncmp(text, "MICRO", 5) == 0;
    w->groups.tp = header_value(text, "model_parallel_NPU_group:", 1);
    w->groups.ep = header_value(text, " ep:", 1);
    w->groups.pp = header_value(text, " pp:", 1);
    w->r.job->n_ranks = options->ranks ? options->ranks : header_value(text, "all_gpus:", 0);
    if (w->r.job->n_ranks == 0 && options->counting) {
        const uint64_t least =
            (uint64_t)w->groups.tp * w->groups.ep * w->groups.pp * (w->groups.ep > 1 ? 1 : 2);
        w->r.job->n_ranks = w->micro ? 2 : least <= WI_JOB_RANKS_MAX ? (uint32_t)least : WI_JOB_RANKS_MAX + 1;
    }
    if (w->r.job->n_ranks == 0)
        return WRONG(w, "the workload does not say how many GPUs there are; give 'ranks'");
    if (header_value(text, " checkpoints:", 0))
        return WRONG(w, "checkpoints, which compute layers again, are not read");
    const uint64_t stage = (uint64_t)w->groups.tp * w->groups.pp;
    if (stage == 0 || w->groups.ep == 0 || w->r.job->n_ranks > WI_JOB_RANKS_MAX ||
        w->r.job->n_ranks % stage || w->r.job->n_ranks / stage % w->groups.ep)
        return WRONG(w,
                     "%u ranks in groups of %u (tensor), %u (experts) and %u (pipeline): want a multiple of "
                     "their product, at most %d",
                     w->r.job->n_ranks, w->groups.tp, w->groups.ep, w->groups.pp, WI_JOB_RANKS_MAX);
    if (w->groups.pp > 1)
        weir_warn_at(
            w->r.diag, w->r.job->file, 1, 1,
            "%u pipeline stages: each does what the file says of one; messages between them are not in it",
            w->groups.pp);
    return WEIR_OK;
}

/* ---- operations ---- */

/* A layer's computation and then its collective: forward, of its input gradient, or of its weight gradient. */
static void add_both(const workload *w, wi_job_chain *c, const layer *l, int what)
{
    const bool beside = what == 2 && !w->micro;
    const collective *const k = &l->after[what];
    const uint32_t *const groups[] = {[USUAL] = beside ? w->groups.data : w->groups.tensor,
                                      [EXPERTS] = w->groups.experts,
                                      [SAME_EXPERTS] = w->groups.same_experts};
    c->where = l->line;
    wi_job_chain_compute(c, l->compute_ps[what], l->name);
    wi_job_chain_collective(c, k->op, groups[k->group], k->bytes, l->name, beside);
}

static void one_rank(workload *w, uint32_t rank)
{
    wi_job_chain c = {w->r.job, rank, WI_JOB_NONE, WI_JOB_NONE, 0, false};
    for (uint32_t i = 0; i < w->n_layers; i++)
        for (int what = 0; what < (w->micro ? 3 : 1); what++)
            add_both(w, &c, &w->layers[i], what);
    for (uint32_t i = w->n_layers; !w->micro && i-- > 0;)
        for (int what = 1; what < 3; what++)
            add_both(w, &c, &w->layers[i], what);
    (void)wi_reading_has(&w->r, !c.failed);
}

static void make_job(workload *w)
{
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    if (w->micro) { /* one group of all */
        w->groups.tp = w->r.job->n_ranks;
        w->groups.ep = w->groups.pp = 1;
    }
    w->groups.dp = w->r.job->n_ranks / (w->groups.tp * w->groups.pp);
    (void)wi_reading_has(&w->r, wi_job_groups_make(w->r.job, &w->groups, &memory));
    for (uint32_t rank = 0; rank < (w->r.job->alike ? 1 : w->r.job->n_ranks) && w->r.status == WEIR_OK;
         rank++)
        one_rank(w, rank);
}

weir_status wi_job_read_simai(weir_diag *diag, wi_job *job, char *text, const wi_job_options *options)
{
    workload w = {.r = {diag, job, job->file, "operations"}};
    unsigned long layers = 0;
    job->what = "line";
    job->asks = false;
    job->alike = options->counting;
    for (char *line; (line = wi_reading_line(&w.r, &text));)
        if (w.r.line == 1)
            w.r.status = header(&w, line, options);
        else if (w.r.line == 2)
            layers = strtoul(line, NULL, 10);
        else
            w.r.status = one_layer(&w, line);
    if (w.r.line == 0)
        (void)WI_WRONG_LINE(&w.r, 1, "no header");
    if (w.n_layers != layers)
        (void)WI_WRONG_LINE(&w.r, 2, "%lu layers; the file has %u", layers, w.n_layers);
    if (w.r.status == WEIR_OK)
        make_job(&w);
    free(w.layers);
    return w.r.status;
}
