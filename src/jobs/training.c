/* See training.h. */
#include "jobs/training.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "jobs/chain.h"
#include "jobs/groups.h"

typedef enum name {
    N_EMBEDDING,
    N_ATTENTION,
    N_PERCEPTRON,
    N_LOGITS,
    N_GRADIENTS,
    N_VALUES,
    N_STAGE,
    NAMES
} name;
static const char *const names[NAMES] = {"embedding", "attention", "perceptron", "logits",
                                         "gradients", "values",    "stage"};

typedef struct maker {
    wi_job *job;
    const weir_training *m;
    double flops; /* of a rank, by its efficiency */
    wi_job_groups groups;
    uint32_t name[NAMES];
    uint32_t layers;     /* of a stage */
    double work[NAMES];  /* of a forward pass over all tensor-parallel ranks */
    uint64_t activation; /* bytes */
    bool failed;
} maker;

/* What a rank has come to; `where` is its layer. */
typedef struct chain {
    wi_job_chain ops;
    uint32_t stage;
} chain;

/* ---- one operation ---- */

static void compute(const maker *k, chain *c, name what, double times)
{
    const double ps = times * k->work[what] / k->groups.tp / k->flops * 1e12;
    wi_job_chain_compute(&c->ops, ps >= 0.5 ? llround(fmin(ps, 9e18)) : 0, k->name[what]);
}

/* `bytes` of the whole vector. */
static void together(const maker *k, chain *c, job_op what, const uint32_t *groups, uint64_t bytes,
                     name named)
{
    wi_job_chain_collective(&c->ops, (uint8_t)what, groups, bytes, k->name[named], false);
}

/* Gradients go on beside what follows, one behind the other. */
static void reduce(const maker *k, chain *c, const uint32_t *groups, uint64_t parameters, name named)
{
    wi_job_chain_collective(&c->ops, k->m->sharded ? JOB_OP_REDUCE_SCATTER : JOB_OP_ALLREDUCE, groups,
                            parameters * k->m->gradient_bytes, k->name[named], true);
}

/* To the rank at the same place of another stage, without waiting for it; and from there. */
static void message(const maker *k, chain *c, wi_job_kind kind, int stages, uint32_t pass, bool backward)
{
    const int peer = (int)c->ops.rank + stages * (int)(k->groups.tp * k->groups.dp);
    const uint64_t bytes =
        k->m->sequence_parallel ? (k->activation + k->groups.tp - 1) / k->groups.tp : k->activation;
    const uint32_t at = wi_job_chain_add(&c->ops, (wi_job_op){.kind = (uint8_t)kind,
                                                              .peer = (uint32_t)peer,
                                                              .tag = 2 * pass + backward,
                                                              .bytes = bytes,
                                                              .name = k->name[N_STAGE]});
    if (kind == WI_JOB_RECV)
        c->ops.last = at;
}

/* ---- parameters of a rank ---- */

static uint64_t attention_parameters(const maker *k)
{
    const uint64_t h = k->m->hidden;
    return 2 * h * h * (k->m->heads + k->m->kv_heads) / k->m->heads / k->groups.tp;
}

static uint64_t perceptron_parameters(const maker *k)
{
    const uint64_t experts = k->m->experts / k->groups.ep;
    return (k->m->gated ? 3u : 2u) * (uint64_t)k->m->hidden * k->m->ffn * experts / k->groups.tp;
}

static uint64_t vocabulary_parameters(const maker *k)
{
    return (uint64_t)k->m->vocabulary * k->m->hidden / k->groups.tp;
}

/* ---- passes ---- */

/* What goes among tensor-parallel ranks around a block. */
static void before(const maker *k, chain *c, name what)
{
    if (k->m->sequence_parallel)
        together(k, c, JOB_OP_ALLGATHER, k->groups.tensor, k->activation, what);
}

static void behind(const maker *k, chain *c, name what)
{
    together(k, c, k->m->sequence_parallel ? JOB_OP_REDUCE_SCATTER : JOB_OP_ALLREDUCE, k->groups.tensor,
             k->activation, what);
}

static void block(const maker *k, chain *c, name what, double times)
{
    const bool spread = what == N_PERCEPTRON && k->groups.ep > 1;
    const uint64_t sent = k->activation * k->m->top_k / k->groups.tp; /* that a rank sends */
    before(k, c, what);
    if (spread)
        together(k, c, JOB_OP_ALLTOALL, k->groups.experts, sent, what);
    compute(k, c, what, times);
    if (spread)
        together(k, c, JOB_OP_ALLTOALL, k->groups.experts, sent, what);
    behind(k, c, what);
}

static void forward(const maker *k, chain *c, uint32_t pass)
{
    const bool last = c->stage + 1 == k->groups.pp;
    c->ops.where = c->stage * k->layers;
    if (c->stage > 0)
        message(k, c, WI_JOB_RECV, -1, pass, false);
    else
        behind(k, c, N_EMBEDDING);
    for (uint32_t l = 0; l < k->layers; l++, c->ops.where++) {
        block(k, c, N_ATTENTION, 1.0);
        block(k, c, N_PERCEPTRON, 1.0);
    }
    if (!last) {
        message(k, c, WI_JOB_SEND, 1, pass, false);
        return;
    }
    before(k, c, N_LOGITS);
    compute(k, c, N_LOGITS, 1.0);
    for (int i = 0; i < 3; i++) /* of the loss: the largest logit, the one that is right, the sum */
        together(k, c, JOB_OP_ALLREDUCE, k->groups.tensor, 4ull * k->m->micro_batch * k->m->sequence,
                 N_LOGITS);
}

static void backward(const maker *k, chain *c, uint32_t pass)
{
    const bool final = pass + 1 == k->m->micro_batches;
    c->ops.where = (c->stage + 1) * k->layers;
    if (c->stage + 1 < k->groups.pp) {
        message(k, c, WI_JOB_RECV, 1, pass, true);
    } else {
        compute(k, c, N_LOGITS, 2.0);
        behind(k, c, N_LOGITS);
        if (final && k->groups.pp > 1) /* with one stage it is the embedding's */
            reduce(k, c, k->groups.data, vocabulary_parameters(k), N_LOGITS);
    }
    for (uint32_t l = 0; l < k->layers; l++) {
        c->ops.where--;
        if (k->m->recompute) {
            block(k, c, N_ATTENTION, 1.0);
            block(k, c, N_PERCEPTRON, 1.0);
        }
        block(k, c, N_PERCEPTRON, 2.0);
        if (final)
            reduce(k, c, k->groups.ep > 1 ? k->groups.same_experts : k->groups.data, perceptron_parameters(k),
                   N_GRADIENTS);
        block(k, c, N_ATTENTION, 2.0);
        if (final)
            reduce(k, c, k->groups.data, attention_parameters(k), N_GRADIENTS);
    }
    if (c->stage > 0) {
        message(k, c, WI_JOB_SEND, -1, pass, true);
        return;
    }
    before(k, c, N_EMBEDDING);
    if (final)
        reduce(k, c, k->groups.data, vocabulary_parameters(k), N_EMBEDDING);
}

/* The new values of what each rank has reduced, to the others. */
static void gather(const maker *k, chain *c)
{
    const bool spread = k->groups.ep > 1, ends = c->stage == 0 || c->stage + 1 == k->groups.pp;
    const uint64_t own = k->layers * (attention_parameters(k) + (spread ? 0 : perceptron_parameters(k))) +
                         (ends ? vocabulary_parameters(k) : 0);
    if (!k->m->sharded || c->ops.beside == WI_JOB_NONE)
        return;
    const uint32_t done = c->ops.last;
    c->ops.last = c->ops.beside;
    together(k, c, JOB_OP_ALLGATHER, k->groups.data, own * k->m->value_bytes, N_VALUES);
    c->ops.failed |= c->ops.last == WI_JOB_NONE ||
                     (c->ops.last != c->ops.beside && !wi_job_after(k->job, c->ops.last, done, false));
    if (spread)
        together(k, c, JOB_OP_ALLGATHER, k->groups.same_experts,
                 k->layers * perceptron_parameters(k) * k->m->value_bytes, N_VALUES);
}

/* One forward and one backward pass in turn, once as many are under way as there are stages behind. */
static void one_rank(maker *k, uint32_t rank)
{
    const uint32_t stage = rank / (k->groups.tp * k->groups.dp), passes = k->m->micro_batches,
                   later = k->groups.pp - 1 - stage;
    const uint32_t ahead = later < passes ? later : passes;
    chain c = {{k->job, rank, WI_JOB_NONE, WI_JOB_NONE, 0, false}, stage};
    for (uint32_t i = 0; i < passes + ahead && !c.ops.failed; i++) {
        if (i < passes)
            forward(k, &c, i);
        if (i >= ahead)
            backward(k, &c, i - ahead);
    }
    gather(k, &c);
    k->failed = c.ops.failed;
}

/* ---- all of it ---- */

static void reckon(maker *k)
{
    const weir_training *const m = k->m;
    const double tokens = (double)m->micro_batch * m->sequence, h = m->hidden;
    k->layers = m->layers / m->pipeline;
    k->activation = (uint64_t)m->micro_batch * m->sequence * m->hidden * m->value_bytes;
    k->work[N_ATTENTION] =
        4.0 * tokens * h * h * (1.0 + (double)m->kv_heads / m->heads) + 4.0 * tokens * m->sequence * h;
    k->work[N_PERCEPTRON] = (m->gated ? 6.0 : 4.0) * tokens * h * m->ffn * m->top_k;
    k->work[N_LOGITS] = 2.0 * tokens * h * m->vocabulary;
}

weir_status wi_job_train(weir_diag *diag, const weir_training *m, double flops, wi_job *out)
{
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    maker k = {.job = out,
               .m = m,
               .flops = flops * m->efficiency,
               .groups = {.tp = m->tensor, .dp = m->data, .ep = m->expert_parallel, .pp = m->pipeline}};
    const uint64_t ranks = (uint64_t)m->tensor * m->data * m->pipeline;
    *out = (wi_job){.file = strdup("model"), .what = "layer"};
    if (ranks > WI_JOB_RANKS_MAX)
        return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(m->place), "%llu ranks: want at most %d",
                            (unsigned long long)ranks, WI_JOB_RANKS_MAX);
    reckon(&k);
    k.failed = !out->file || !wi_job_groups_make(out, &k.groups, &memory);
    for (int i = 0; i < NAMES && !k.failed; i++)
        k.failed = (k.name[i] = wi_job_name(out, names[i], strlen(names[i]))) == WI_JOB_NONE;
    for (uint32_t rank = 0; rank < ranks && !k.failed; rank++)
        one_rank(&k, rank);
    out->n_ranks = (uint32_t)ranks;
    return k.failed ? weir_fail(diag, WEIR_E_NOMEM, "no memory for the operations of %llu ranks",
                                (unsigned long long)ranks)
                    : wi_job_close(diag, out);
}
