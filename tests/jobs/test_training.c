/*
 * Training by description: its messages are those of AICB's workloads for the same models, its work is the published formula's,
 * and its pipelines take the published time.
 */
#include <math.h>
#include <string.h>

#include "diag.h"
#include "jobs/read/readers.h"
#include "jobs/training.h"
#include "skip.h"

static weir_training gpt_13b(void)
{
    return (weir_training){.layers = 40,
                           .hidden = 5120,
                           .heads = 40,
                           .kv_heads = 40,
                           .ffn = 20480,
                           .vocabulary = 64000,
                           .sequence = 2048,
                           .experts = 1,
                           .top_k = 1,
                           .micro_batch = 1,
                           .micro_batches = 1,
                           .tensor = 8,
                           .pipeline = 1,
                           .data = 2,
                           .expert_parallel = 1,
                           .value_bytes = 2,
                           .gradient_bytes = 4,
                           .sharded = true,
                           .efficiency = 0.5};
}

static wi_job trained(const weir_training *m)
{
    weir_diag *diag = weir_diag_new();
    wi_job job;
    expect_ok(diag, wi_job_train(diag, m, 312e12, &job));
    weir_diag_free(diag);
    return job;
}

/* How many collectives of rank 0 have this kind and so many bytes of the whole vector. */
static uint32_t count(const wi_job *job, int collective, uint64_t bytes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *o = &job->op[i];
        if (o->kind != WI_JOB_COLLECTIVE || o->rank != 0 || o->collective != collective)
            continue;
        const uint32_t end = o->group + 1 < job->n_groups ? job->group_first[o->group + 1] : job->n_members;
        const uint32_t members = end - job->group_first[o->group];
        n += (collective == JOB_OP_ALLGATHER ? members : 1) * o->bytes == bytes;
    }
    return n;
}

#define AICB "peers/aicb/workload/simAI/model_workload/"

/* Tensor-parallel collectives: as many, of as many bytes. */
static void collectives_are_aicbs(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t layers, hidden, heads, tensor;
        bool sequence_parallel;
        uint64_t bytes;
    } models[] = {
        {AICB "G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt", 40, 5120, 40, 8, false, 20971520},
        {AICB "G13B-M1-C02_GPT13B_megatron_tp8_pp1_mbs1_sp_A100.txt", 40, 5120, 40, 8, true, 20971520},
        {AICB "L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1_A100.txt", 32, 4096, 32, 2, false, 16777216}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        weir_training m = gpt_13b();
        wi_job theirs;
        weir_diag *diag = weir_diag_new();
        const wi_job_options options = {.ranks = 2 * models[i].tensor};
        const char *path = data_path(models[i].file);
        expect_ok(diag, wi_job_read(diag, path, &options, &theirs));
        weir_diag_free(diag);
        m.layers = models[i].layers;
        m.hidden = models[i].hidden;
        m.ffn = 4 * m.hidden;
        m.heads = m.kv_heads = models[i].heads;
        m.tensor = models[i].tensor;
        m.sequence_parallel = models[i].sequence_parallel;
        wi_job ours = trained(&m);
        static const int kinds[] = {JOB_OP_ALLREDUCE, JOB_OP_ALLGATHER, JOB_OP_REDUCE_SCATTER};
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            uint32_t want = count(&theirs, kinds[k], models[i].bytes),
                     got = count(&ours, kinds[k], models[i].bytes);
            if (m.sequence_parallel &&
                kinds[k] == JOB_OP_ALLREDUCE) { /* theirs has the embedding's, forward and backward */
                assert_int_equal(want, 2);
                assert_int_equal(got, 0);
            } else if (m.sequence_parallel) { /* ours has the embedding's and the logits' in place of those */
                assert_int_equal(want, 4 * m.layers);
                assert_int_equal(got, want + 2);
            } else {
                assert_int_equal(got, want);
            }
        }
        wi_job_free(&theirs);
        wi_job_free(&ours);
    }
}

/* AICB's file has them in one: 4 bytes of each parameter of a rank, to which it counts learned positions, s h; its vocabulary is 32,000, of
 * the embedding and of the logits. */
static void gradients_are_aicbs(void **state)
{
    (void)state;
    const weir_training m = gpt_13b();
    wi_job job = trained(&m);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < job.n_ops; i++)
        if (job.op[i].rank == 0 && job.op[i].kind == WI_JOB_COLLECTIVE &&
            job.op[i].collective == JOB_OP_REDUCE_SCATTER)
            bytes += job.op[i].bytes;
    assert_int_equal(bytes + 4 * 2048 * 5120, 6497239040);
    wi_job_free(&job);
}

/* With recomputation, 96 B s l h^2 (1 + s / 6h + V / 16lh) operations an iteration (Narayanan and others, SC 2021, equation 3). */
static void work_is_the_formulas(void **state)
{
    (void)state;
    weir_training m = gpt_13b();
    m.recompute = true;
    m.micro_batches = 3;
    m.pipeline = 4;
    wi_job job = trained(&m);
    const double b = 3 * 2, s = 2048, l = 40, h = 5120, v = 64000;
    const double want = 96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
    const double got = (double)job.sums.compute_ps * 1e-12 * 312e12 * 0.5;
    assert_true(fabs(got / want - 1) < 1e-6);
    wi_job_free(&job);
}

/* Without messages' times (1F1B): m passes and p - 1 for the pipeline to fill and drain. */
static void a_pipeline_takes_its_bubble(void **state)
{
    (void)state;
    static const uint32_t cases[][2] = {{1, 1}, {4, 1}, {4, 2}, {4, 4}, {4, 16}, {8, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_training m = gpt_13b();
        m.vocabulary = 0;
        m.data = 1;
        m.pipeline = cases[i][0];
        m.micro_batches = cases[i][1];
        wi_job job = trained(&m);
        const double each = (double)job.sums.compute_ps / (m.tensor * m.pipeline * m.micro_batches);
        assert_true(fabs((double)job.sums.critical_ps / each - (m.micro_batches + m.pipeline - 1)) < 1e-6);
        wi_job_free(&job);
    }
}

/* Experts' ranks exchange a top_k / t bytes to the experts and back, twice; each holds its part of them. */
static void experts_are_spread(void **state)
{
    (void)state;
    weir_training m = gpt_13b();
    m.layers = 1;
    m.experts = 8;
    m.top_k = 2;
    m.data = 8;
    m.expert_parallel = 4;
    wi_job job = trained(&m);
    uint32_t exchanges = 0, gradients = 0;
    for (uint32_t i = 0; i < job.n_ops; i++) {
        const wi_job_op *o = &job.op[i];
        if (o->rank != 9 || o->kind != WI_JOB_COLLECTIVE)
            continue;
        exchanges += o->collective == JOB_OP_ALLTOALL && o->bytes == 20971520 * 2 / 8 / 4;
        gradients += o->collective == JOB_OP_REDUCE_SCATTER && o->bytes == 4ull * 2 * 5120 * 20480 * 2 / 8;
    }
    assert_int_equal(exchanges, 4);
    assert_int_equal(gradients, 1);
    wi_job_free(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_are_aicbs), cmocka_unit_test(gradients_are_aicbs),
        cmocka_unit_test(work_is_the_formulas), cmocka_unit_test(a_pipeline_takes_its_bubble),
        cmocka_unit_test(experts_are_spread)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
