/* Readers of jobs: what they count, what is wrong with what, and the files that others have published. */
#include "jobs/read/readers.h"
#include "output/scratch.h"
#include "diag.h"
#include "skip.h"

static const char *file_of(const char *text)
{
    const char *path = scratch_path("job");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    return path;
}

static void expect(const wi_job *job, uint32_t ranks, const uint64_t ops[WI_JOB_KINDS], uint64_t sent)
{
    assert_int_equal(job->n_ranks, ranks);
    for (int k = 0; k < WI_JOB_KINDS; k++)
        assert_int_equal(job->sums.ops[k], ops[k]);
    assert_int_equal(job->sums.bytes[WI_JOB_SEND], sent);
}

static void goal_is_read(void **state)
{
    wi_job job;
    const wi_job_options options = {0};
    expect_ok(*state, wi_job_read(*state,
                                  file_of("/* a remark\n * num_ranks 9 */ // a second\nnum_ranks 3\nrank 2 "
                                          "{\ncalc 7 // another\n}\nrank 0 "
                                          "{\nl1:send 5b to 1 tag 2 cpu 0 /* none */ nic 1\nl2 : send 6b to "
                                          "1 tag 2\nl2 requires l1\n}\nrank 1 {\n"
                                          "recv 5b from 0 tag 2\nrecv 6b from 0 tag 2\n}\n"),
                                  &options, &job));
    expect(&job, 3, (uint64_t[]){1, 2, 2, 0}, 11);
    assert_int_equal(job.sums.critical_ps, 7000);
    assert_int_equal(job.op[1].match, 3); /* the first sent goes to the first received */
    assert_int_equal(job.op[2].match, 4);
    wi_job_free(&job);
    const wi_job_options grouped = {.groups = "groups.json"};
    expect_ok(*state,
              wi_job_read(*state, file_of("\xef\xbb\xbfnum_ranks 1\nrank 0 {\ncalc 7\n}\n"), &grouped, &job));
    expect_message(*state, "groups means nothing here; it is for Chakra's traces");
    wi_job_free(&job);
}

/* What LogGOPSim's txt2bin made of job.goal (its remarks left out) is the same job; parts of it are refused. */
static void binary_goal_is_the_same(void **state)
{
    static const char text[] = WEIR_SOURCE_DIR "/tests/scenario/data/job.goal",
                      made[] = WEIR_SOURCE_DIR "/tests/scenario/data/job.goal.bin";
    const wi_job_options options = {0};
    wi_job a, b;
    expect_ok(*state, wi_job_read(*state, text, &options, &a));
    expect_ok(*state, wi_job_read(*state, made, &options, &b));
    assert_int_equal(a.n_ops, b.n_ops);
    assert_int_equal(a.n_edges, b.n_edges);
    assert_int_equal(a.sums.critical_ps, b.sums.critical_ps);
    for (uint32_t i = 0, rank = 0, first = 0; i < a.n_ops; i++) { /* the text has its ranks in order, too */
        const wi_job_op *x = &a.op[i], *y = &b.op[i];
        first = x->rank == rank ? first : i;
        rank = x->rank;
        assert_true(x->kind == y->kind && x->rank == y->rank && x->peer == y->peer && x->tag == y->tag &&
                    x->bytes == y->bytes && x->time_ps == y->time_ps && x->processor == y->processor &&
                    x->match == y->match && y->where == i - first);
    }
    wi_job_free(&a);
    wi_job_free(&b);
    char bytes[1000];
    FILE *f = fopen(made, "rb");
    assert_non_null(f);
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t n = 0; n < size; n++) {
        f = fopen(scratch_path("part"), "wb");
        assert_non_null(f);
        assert_true(fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
        assert_int_not_equal(wi_job_read(*state, scratch_path("part"), &options, &b), WEIR_OK);
        wi_job_free(&b);
    }
    for (size_t n = 0; n < size; n++) { /* a wrong byte is refused, or makes another job */
        const char right = bytes[n];
        bytes[n] = (char)(right ^ (1 << n % 8));
        f = fopen(scratch_path("part"), "wb");
        assert_non_null(f);
        assert_true(fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
        bytes[n] = right;
        (void)!wi_job_read(*state, scratch_path("part"), &options, &b);
        wi_job_free(&b);
    }
    weir_diag_clear(*state);
}

static void simai_makes_its_groups(void **state)
{
    wi_job job;
    const wi_job_options options = {0};
    /* 16 ranks: tensor 2, so 8 data-parallel ones, of which 4 are experts'. */
    expect_ok(
        *state,
        wi_job_read(*state,
                    file_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 4 pp: 1 "
                            "all_gpus: 16 checkpoints: 0\n2\na -1 10 ALLGATHER 4000 20 ALLTOALL_EP 4000 30 "
                            "REDUCESCATTER 8000 100\nb -1 1 NONE 0 1 NONE 0 1 ALLREDUCE_DP_EP 100 100\n"),
                    &options, &job));
    expect(&job, 16, (uint64_t[]){96, 0, 0, 64}, 0);
    for (uint32_t i = 0; i < job.n_ops; i++) {
        const wi_job_op *o = &job.op[i];
        if (o->kind != WI_JOB_COLLECTIVE || o->rank != 3)
            continue;
        const uint32_t *member = job.member + job.group_first[o->group];
        const uint32_t n = (o->group + 1 < job.n_groups ? job.group_first[o->group + 1] : job.n_members) -
                           job.group_first[o->group];
        if (o->collective == JOB_OP_ALLGATHER)
            assert_true(n == 2 && member[0] == 2 && member[1] == 3 && o->bytes == 2000);
        else if (o->collective == JOB_OP_ALLTOALL)
            assert_true(n == 4 && member[0] == 1 && member[3] == 7 && o->bytes == 1000);
        else if (o->collective == JOB_OP_REDUCE_SCATTER)
            assert_true(n == 8 && member[0] == 1 && member[7] == 15 && o->bytes == 8000);
        else
            assert_true(n == 2 && member[0] == 3 && member[1] == 11 && o->bytes == 100);
    }
    /* Forward 11 ns, backward 2 ns of b and 50 ns of a. */
    assert_int_equal(job.sums.critical_ps, 63000);
    /* To be counted, rank 0 stands for all. */
    const wi_job_options counting = {.counting = true};
    wi_job counted;
    expect_ok(*state, wi_job_read(*state, scratch_path("job"), &counting, &counted));
    assert_true(counted.alike && counted.n_ranks == 16 && counted.sums.critical_ps == 63000);
    assert_true(16 * counted.n_ops == job.n_ops && 16 * counted.n_edges == job.n_edges);
    for (int k = 0; k < WI_JOB_KINDS; k++)
        assert_true(16 * counted.sums.ops[k] == job.sums.ops[k] &&
                    16 * counted.sums.bytes[k] == job.sums.bytes[k]);
    wi_job_free(&counted);
    wi_job_free(&job);
    /* What is wrong with a rank's is told, and so are products that 32 bits do not hold. */
    static const char *const wrong[][2] = {
        {"MICRO\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 18446744073709551615 1\n", "want at most 1 PiB"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 65536 ep: 65536 pp: 65536\n0\n",
         "want a multiple"}};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(wi_job_read(*state, file_of(wrong[i][0]), &counting, &counted), WEIR_E_FORMAT);
        expect_message(*state, wrong[i][1]);
        wi_job_free(&counted);
    }
}

static void simgrid_s_requests_go_on_beside(void **state)
{
    wi_job job;
    const wi_job_options options = {.flops = 1e9};
    expect_ok(
        *state,
        wi_job_read(*state,
                    file_of("0 init\n1 init\n0 irecv 1 5 100\n0 compute 1000\n0 send 1 6 10\n0 wait 1 0 5\n"
                            "0 allreduce 8 0\n1 recv 0 6 10\n1 send 0 5 100\n1 allreduce 8 0\n0 finalize\n1 "
                            "finalize\n"),
                    &options, &job));
    assert_int_equal(job.sums.ops[WI_JOB_SEND], 2);
    assert_int_equal(job.sums.ops[WI_JOB_COLLECTIVE], 2);
    assert_int_equal(job.sums.critical_ps, 1000000);
    wi_job_free(&job);
}

static wi_job job_of(weir_diag *diag, const char *text)
{
    wi_job job;
    const wi_job_options options = {.flops = 1e9};
    expect_ok(diag, wi_job_read(diag, file_of(text), &options, &job));
    return job;
}

/* Whom the receives of rank 0 are from, by what they take. */
static void expect_from(weir_diag *diag, const char *text, const uint32_t *ranks, uint32_t n)
{
    wi_job job = job_of(diag, text);
    uint32_t k = 0;
    for (uint32_t i = 0; i < job.n_ops; i++)
        if (job.op[i].kind == WI_JOB_RECV && job.op[i].rank == 0) {
            assert_true(k < n && job.op[i].peer == ranks[k]);
            assert_int_equal(job.op[job.op[i].match].rank, ranks[k]);
            assert_int_equal(job.programs.actions[i].peer, ranks[k]);
            assert_int_equal(job.programs.actions[i].bytes, job.op[job.op[i].match].bytes);
            k++;
        }
    assert_int_equal(k, n);
    wi_job_free(&job);
}

/* From any rank: what is first when messages take no time, with equal times by rank; receives in the order in which they are posted. */
static void receives_from_any_rank_take_what_is_first(void **state)
{
    /* Rank 2 sends after 1 us, rank 1 after 2 us. */
    expect_from(*state,
                "0 recv -1 5\n0 recv -333 5\n1 compute 2000\n1 send 0 5 20\n2 compute 1000\n2 send 0 5 10\n",
                (uint32_t[]){2, 1}, 2);
    expect_from(*state, "0 recv -1 5\n0 recv -1 5\n1 send 0 5 20\n2 send 0 5 10\n", (uint32_t[]){1, 2}, 2);
    /* Rank 1 sends at time 0, too, but not before it has heard of rank 2. */
    expect_from(*state, "0 recv -1 5\n0 recv -1 5\n1 recv 2 7\n1 send 0 5 20\n2 send 0 5 10\n2 send 1 7 1\n",
                (uint32_t[]){2, 1}, 2);
    /* The receive from rank 1 was posted first; then the tag decides, then any tag, which takes no inner messages. */
    expect_from(*state,
                "0 irecv 1 5\n0 irecv -1 6\n0 irecv -1 -1\n0 waitall\n0 alltoallv 3 1 1 1 3 1 1 1\n"
                "1 send 0 5 1\n1 send 0 5 1\n1 alltoallv 3 1 1 1 3 1 1 1\n"
                "2 send 0 6 1\n2 alltoallv 3 1 1 1 3 1 1 1\n",
                (uint32_t[]){1, 2, 1, 2, 1}, 5);
    /* A message that is there before its receive. */
    expect_from(*state,
                "0 compute 9000\n0 recv -1 5\n0 recv 1 5\n0 recv -1 -444\n1 compute 1\n1 send 0 5 1\n2 "
                "compute 2\n2 send 0 5 1\n1 compute 5\n1 send 0 5 1\n",
                (uint32_t[]){1, 1, 2}, 3);
    /* What takes its message does not go on before it: rank 2 only sends when rank 0 has answered rank 1. */
    expect_from(
        *state,
        "0 irecv -1 1\n0 wait -1 0 1\n0 send 2 1 1\n0 recv -1 1\n1 compute 10\n1 send 0 1 1\n2 recv 0 "
        "1\n2 send 0 1 1\n",
        (uint32_t[]){1, 2}, 2);
}

/* What goes on beside a request does not wait for its message, be it there before the request or after it. */
static void requests_do_not_hold_up_the_longest_chain(void **state)
{
    wi_job job =
        job_of(*state, "0 compute 1\n0 compute 1\n0 compute 1\n0 irecv 1 5\n0 compute 4000\n0 wait 1 0 5\n"
                       "1 compute 5000\n1 send 0 5 1\n");
    assert_int_equal(job.sums.critical_ps, 5000000);
    wi_job_free(&job);
}

static void uneven_collectives_are_messages(void **state)
{
    /* SimGrid's examples of its replay. 70 + 120 + 130 bytes from each to the others, each a send and a receive, and a wait for all. */
    wi_job job =
        job_of(*state, "0 init\n1 init\n2 init\n0 alltoallv 100 1 40 30 1000 1 80 100\n"
                       "1 alltoallv 1000 80 1 40 1000 40 1 30\n2 alltoallv 1000 100 30 1 1000 30 40 1\n");
    expect(&job, 3, (uint64_t[]){3, 6, 6, 0}, 320);
    wi_job_free(&job);
    /* Each part goes round, past three ranks. */
    job = job_of(*state, "0 init\n1 init\n2 init\n3 init\n"
                         "0 allgatherv 275427 275427 275427 275427 204020 0 0\n"
                         "1 allgatherv 275427 275427 275427 275427 204020 0 0 0 1 2 3\n"
                         "2 allgatherv 275427 275427 275427 275427 204020 0 0\n"
                         "3 allgatherv 204020 275427 275427 275427 204020 0 0\n");
    job.n_ranks = 4;
    assert_int_equal(job.sums.ops[WI_JOB_SEND], 12);
    assert_int_equal(job.sums.bytes[WI_JOB_SEND], 3 * (8 * (275427 + 275427 + 204020) + 275427 * 8));
    wi_job_free(&job);
    job = job_of(*state, "0 allgatherv 1 1 2 3 0 1 3\n1 allgatherv 2 1 2 3\n2 allgatherv 3 1 2 3 2\n");
    assert_int_equal(job.sums.bytes[WI_JOB_SEND], 2 * (1 + 2 + 3));
    wi_job_free(&job);
    /* The sum, and then flops. */
    job = job_of(*state, "0 init\n1 init\n0 reducescatter 100 20 7000 1\n1 reducescatter 100 20 7000 1\n");
    assert_int_equal(job.sums.ops[WI_JOB_COLLECTIVE], 2);
    assert_int_equal(job.sums.bytes[WI_JOB_COLLECTIVE], 2 * 4 * 120);
    assert_int_equal(job.sums.critical_ps, 7000000);
    wi_job_free(&job);
    /* Rank 1 is the root: it gets 10 and 30 bytes, and gives 4 and none. A request that is open stays so. */
    job = job_of(*state, "0 init\n1 init\n2 init\n0 gatherv 10 10 20 30 1\n1 irecv 0 3 5\n"
                         "1 gatherv 20 10 20 30 1\n2 gatherv 30 10 20 30 1\n"
                         "0 scatterv 4 5 0 4 1\n1 scatterv 4 5 0 5 1\n1 wait 0 1 3\n2 scatterv 4 5 0 0 1\n"
                         "0 send 1 3 5\n");
    assert_int_equal(job.sums.ops[WI_JOB_SEND], 4);
    assert_int_equal(job.sums.bytes[WI_JOB_SEND], 10 + 30 + 4 + 5);
    wi_job_free(&job);
    /* Of 3 ranks 1 and 2 away there is somebody for 0 and 1, 0 and 2: two exchanges of 12 bytes, and a computation. */
    job = job_of(*state, "0 scan 3 500 1\n1 scan 3 500 1\n2 scan 3 500 1\n");
    assert_int_equal(job.sums.ops[WI_JOB_SEND], 4);
    assert_int_equal(job.sums.bytes[WI_JOB_SEND], 48);
    assert_int_equal(job.sums.compute_ps, 3 * 500000);
    wi_job_free(&job);
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"\xff\xaa\xdd"
         "DUMPI, and more",
         "what one rank did, as DUMPI traces it; want its .meta"},
        {"num_ranks 0\n", "want num_ranks N"},
        {"num_ranks 2\nrank 2 {\n}\n", "rank 2 of fewer"},
        {"num_ranks 2\nrank 0 {\ncalc 1\n}\nrank 0 {\n}\n", "rank 0 a second time"},
        {"num_ranks 2\nrank 0 {\ncalc 1\n", "has no closing brace"},
        {"num_ranks 2\nrank 0 {\nfly 1\n}\n", "'fly'; want calc NS"},
        {"num_ranks 2\nrank 0 {\nsend 5b to 1 tag\n}\n", "'tag' without a number"},
        {"num_ranks 2\nrank 0 {\nl: calc 1\nl: calc 2\n}\n", "two labels 'l'"},
        {"num_ranks 1\nrank 0 {\ncalc 2000000000000000\ncalc 2000000000000000\n}\n",
         "line 4 (compute): the rank computes for more than 40 days"},
        {"num_ranks 1\nrank 0 {\nsend 1125899906842625b to 0\n}\n",
         "1125899906842625 bytes; want at most 1 PiB"},
        {"MICRO all_gpus: 2\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE -5 1\n",
         "'1 ALLREDUCE -5'; want nanoseconds, a collective, bytes"},
        {"MICRO all_gpus: 2\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 99999999999999999999999 1\n",
         "want at most 1 PiB"},
        {"num_ranks 2\nrank 0 {\nl: calc 1\nl requires m\n}\n", "no label 'm'"},
        {"num_ranks 2\nrank 0 {\nl: calc 1\nm: calc 1\nl requires m\nm requires l\n}\n",
         "a deadlock: it waits for line 4"},
        {"num_ranks 2\nrank 0 {\nsend 5b to 1 tag 3\n}\n", "rank 1 receives no such message with tag 3"},
        {"num_ranks 2\nrank 1 {\nrecv 5b from 0\n}\n", "rank 0 sends no such message"},
        {"num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\nrecv 4b from 0\n}\n",
         "4 bytes for a message of 5"},
        {"num_ranks 2\nrank 0 {\nsend 5b to 7\n}\n", "there is no rank 7"},
        {"num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\nrank 1 {\na: recv 1b "
         "from 0\nb: send 1b to 0\n"
         "b requires a\n}\n",
         "a deadlock: rank 1 never comes to line 9, which sends to it"},
        {"num_ranks 1\n", "a job without operations"},
        {"hello\n", ":1: 'hello' is no action of a rank, and no file of a rank's actions either"},
        {"MICRO\n1\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1\n", "give 'ranks'"},
        {"MICRO all_gpus: 4\n2\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1\n", "2 layers; the file has 1"},
        {"MICRO all_gpus: 4\n1\nm -1 1 NONE 0 1 NONE 0 1 ALLSHARE 4 1\n", "'ALLSHARE'; want NONE"},
        {"MICRO all_gpus: 4\n1\nm -1 1 NONE 0 1\n", "6 words; want the 12"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 3 all_gpus: 4 checkpoints: 0\n0\n",
         "want a multiple"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4294967297 all_gpus: 4\n0\n", /* 2^32 + 1 */
         "want a multiple"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 all_gpus: 4 checkpoints: 2\n0\n",
         "are not read"},
    };
    const wi_job_options options = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wi_job job;
        if (wi_job_read(*state, file_of(wrong[i].text), &options, &job) == WEIR_OK)
            fail_msg("read: %s", wrong[i].text);
        expect_message(*state, wrong[i].says);
        wi_job_free(&job);
    }
}

/* ---- what others have published ---- */

static void read_published(weir_diag *diag, const char *file, const wi_job_options *options, wi_job *job)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", data_path(file));
    expect_ok(diag, wi_job_read(diag, path, options, job));
}

static void published_goal(void **state)
{
    wi_job job;
    const wi_job_options options = {0};
    read_published(*state, "peers/loggopsim/src/LogGOPSim/binary_tree_32.goal", &options, &job);
    expect(&job, 32, (uint64_t[]){0, 31, 31, 0}, 31);
    wi_job_free(&job);
}

#define AICB "peers/aicb/workload/simAI/"
/* Collectives of a rank, as columns 4 to 11 of each file have them: awk's sums, groups of one left out. */
static void published_workloads(void **state)
{
    static const struct {
        const char *file;
        uint32_t ranks, collectives;
    } files[] = {{AICB "model_workload/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt", 128, 174},
                 {AICB "model_workload/G13B-M1-C02_GPT13B_megatron_tp8_pp1_mbs1_sp_A100.txt", 128, 334},
                 {AICB "model_workload/G175B-M1-C03_GPT175B_megatron_tp8_pp1_mbs1_A100.txt", 16, 33},
                 {AICB "model_workload/L65B_D1_C08_Llama65B_deepspeed_zero3_A100.txt", 16, 1},
                 {AICB "model_workload/L7B-D1-C02_Llama7B_deepspeed_zero3_A100.txt", 16, 1},
                 {AICB "model_workload/L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1_A100.txt", 16, 142},
                 {AICB "micro_test/all_gather.txt", 8, 19},
                 {AICB "micro_test/all_reduce.txt", 8, 19},
                 {AICB "micro_test/all_to_all.txt", 8, 19},
                 {AICB "micro_test/muti_all_reduce.txt", 16, 19},
                 {"peers/simai/example/microAllReduce.txt", 8, 2}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        wi_job job;
        const wi_job_options options = {.ranks = files[i].ranks};
        read_published(*state, files[i].file, &options, &job);
        if (job.sums.ops[WI_JOB_COLLECTIVE] != (uint64_t)files[i].ranks * files[i].collectives)
            fail_msg("%s: %llu collectives", files[i].file,
                     (unsigned long long)job.sums.ops[WI_JOB_COLLECTIVE]);
        wi_job_free(&job);
    }
    wi_job job;
    const wi_job_options options = {.ranks = 16};
    char path[4096];
    snprintf(path, sizeof path, "%s",
             data_path(AICB "model_workload/L65B-M1-C05_Llama65B_megatron_tp8_pp1_mbs1_A100.txt"));
    assert_int_equal(wi_job_read(*state, path, &options, &job), WEIR_E_FORMAT);
    expect_message(*state, "839 layers; the file has");
    wi_job_free(&job);
}

static void published_traces(void **state)
{
#ifndef WEIR_HAVE_PROTOBUF
    (void)state;
    skip_aloud("this build reads no Chakra traces");
#else
    static const char *const kinds[] = {"all_gather", "all_reduce", "all_to_all", "reduce_scatter"};
    static const uint32_t sizes[] = {4, 8, 16};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            char name[300];
            wi_job job;
            const wi_job_options options = {0};
            snprintf(name, sizeof name,
                     "peers/astra-sim/examples/workload/microbenchmarks/%s/%unpus_1MB/%s.0.et", kinds[k],
                     sizes[s], kinds[k]);
            read_published(*state, name, &options, &job);
            expect(&job, sizes[s], (uint64_t[]){0, 0, 0, sizes[s]}, 0);
            const uint64_t bytes = k == 2 ? 1048576 / sizes[s] : 1048576;
            assert_int_equal(job.sums.bytes[WI_JOB_COLLECTIVE], sizes[s] * bytes);
            wi_job_free(&job);
        }
    wi_job job;
    const wi_job_options empty = {.groups = file_of("{\"0\": [0, 1, 2, 3], \"1\": []}")};
    assert_int_equal(
        wi_job_read(
            *state,
            data_path(
                "peers/astra-sim/examples/workload/microbenchmarks/all_to_all/4npus_1MB/all_to_all.0.et"),
            &empty, &job),
        WEIR_E_FORMAT);
    expect_message(*state, "group '1' has no ranks");
    wi_job_free(&job);
#endif
}

#ifdef WEIR_HAVE_PROTOBUF
/* A file of one rank: metadata of no bytes, and all-reduces in two process groups, of 100 bytes or of nobody says how many. */
static const char *reductions(bool sized)
{
    static const char type[] = "\x18\x07\x52\x0d\x0a\x09"
                               "comm_type\x48",
                      size[] = "\x52\x0d\x0a\x09"
                               "comm_size\x48\x64",
                      group[] = "\x52\x0d\x0a\x07"
                                "pg_name\xea\x01\x01";
    FILE *f = fopen(scratch_path("t.0.et"), "w");
    assert_non_null(f);
    fputc(0, f);
    for (int i = 0; i < 2; i++) {
        fputc(2 + 17 + 15 + (sized ? 15 : 0), f);
        fprintf(f, "\x08%c", i);
        fwrite(type, 1, sizeof type, f); /* with the 0 behind it: an all-reduce */
        fprintf(f, "%s%s%c", sized ? size : "", group, 'a' + i);
    }
    assert_int_equal(fclose(f), 0);
    return scratch_path("t.0.et");
}
#endif

/* A collective that does not say how large it is is none of 0 bytes; groups that nobody describes are told of. */
static void what_chakra_leaves_out(void **state)
{
#ifndef WEIR_HAVE_PROTOBUF
    (void)state;
    skip_aloud("this build reads no Chakra traces");
#else
    const wi_job_options options = {0};
    wi_job job;
    expect_ok(*state, wi_job_read(*state, reductions(true), &options, &job));
    assert_int_equal(job.sums.bytes[WI_JOB_COLLECTIVE], 200);
    expect_message(*state, "process groups 'a' and 'b', each of which all ranks do");
    wi_job_free(&job);
    assert_int_equal(wi_job_read(*state, reductions(false), &options, &job), WEIR_E_FORMAT);
    expect_message(*state, "no comm_size from 0 on says how large it is");
    wi_job_free(&job);
    /* Where rank 1's file is not there and rank 2's is, it is no job of one rank. */
    const char *const first = reductions(true);
    FILE *f = fopen(scratch_path("t.2.et"), "w");
    assert_true(f && fclose(f) == 0);
    assert_int_equal(wi_job_read(*state, first, &options, &job), WEIR_E_IO);
    expect_message(*state, "t.1.et: no such file, but of later ranks");
    wi_job_free(&job);
#endif
}

static int set_up(void **state)
{
    return scratch_make() ? diag_set_up(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goal_is_read),
        cmocka_unit_test(binary_goal_is_the_same),
        cmocka_unit_test(simai_makes_its_groups),
        cmocka_unit_test(simgrid_s_requests_go_on_beside),
        cmocka_unit_test(receives_from_any_rank_take_what_is_first),
        cmocka_unit_test(requests_do_not_hold_up_the_longest_chain),
        cmocka_unit_test(uneven_collectives_are_messages),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(published_goal),
        cmocka_unit_test(published_workloads),
        cmocka_unit_test(published_traces),
        cmocka_unit_test(what_chakra_leaves_out),
    };
    return test_result(cmocka_run_group_tests(tests, set_up, diag_tear_down));
}
