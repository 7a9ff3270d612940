/*
 * Time-independent traces: what they say is done, in its order and time; the published examples of SimGrid; mistakes are named with
 * file and line.
 */
#include "skip.h"
#include "trace_run.h"

static const ic_rank *rank_of(fabric f, uint32_t terminal)
{
    return weir_sim_slot(f.sim, IC_POOL_RANKS, terminal);
}

static int64_t count(fabric f, uint32_t what)
{
    return weir_sim_counters(f.sim)[f.w->program_counters + what];
}

/* Of a message of so many bytes in that switch. */
static weir_time message_ps(uint64_t bytes)
{
    const weir_time chunk_ps = 32000, chunks = (weir_time)((bytes + 63) / 64);
    return 2 * (chunk_ps + 10000) + 100000 + 100000 + (chunks - 1) * chunk_ps;
}

/*
 * Rank 0 sends 1000 bytes to 1, which computes 1e6 flops (1 ms at 1 Gflop/s) and answers with 640; rank 0 has an allreduce with it,
 * recursive doubling: one message each way. So 0 ends when message, computing, answer and allreduce are over; a send is done when
 * its last chunk has left.
 */
static void a_trace_takes_its_time(void **state)
{
    weir_diag *diag = *state;
    wi_job trace;
    expect_ok(diag,
              parse_trace(diag,
                          "0 init\n1 init\n"
                          "0 send 1 7 1000   # bytes\n0 recv 1 8\n0 allreduce 64 0\n0 finalize\n\n"
                          "1 recv 0 7 1000\n1 compute 1e6\n1 send 0 8 640\n1 allreduce 64 0\n1 finalize\n",
                          &trace));
    assert_int_equal(trace.n_ranks, 2);
    assert_int_equal(trace.programs.n_actions, 3 + 4);
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 1 << 20, WEIR_PS_PER_S);
    const weir_time answer_ps = message_ps(1000) + WEIR_PS_PER_MS, back_ps = answer_ps + message_ps(640);
    /* 1 begins the allreduce when its answer has left, 0 when it has come, and its message follows at once. */
    assert_int_equal(rank_of(f, 0)->ended_ps, back_ps + 32000 > answer_ps + 320000 + message_ps(64)
                                                  ? back_ps + 32000
                                                  : answer_ps + 320000 + message_ps(64));
    assert_int_equal(rank_of(f, 1)->ended_ps, back_ps + message_ps(64));
    assert_int_equal(count(f, IC_PROG_MESSAGES), 4);
    fabric_end(f);
    wi_job_free(&trace);
}

/* A receive that is posted late holds a rendezvous up, and no eager message. */
static void rendezvous_waits_for_the_receive(void **state)
{
    static const char text[] = "0 send 1 0 6400\n1 compute 1e5\n1 recv 0 0\n";
    weir_diag *diag = *state;
    wi_job trace;
    expect_ok(diag, parse_trace(diag, text, &trace));
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 10000, WEIR_PS_PER_S);
    assert_int_equal(rank_of(f, 0)->ended_ps, 100 * 32000);
    assert_int_equal(rank_of(f, 1)->ended_ps, 100 * WEIR_PS_PER_US);
    fabric_end(f);
    f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 1000, WEIR_PS_PER_S);
    assert_int_equal(rank_of(f, 0)->ended_ps, 100 * WEIR_PS_PER_US + message_ps(1) + 100 * 32000);
    assert_int_equal(rank_of(f, 1)->ended_ps, 100 * WEIR_PS_PER_US + message_ps(1) + message_ps(6400));
    fabric_end(f);
    wi_job_free(&trace);
}

/* Requests, out of order and over a collective; tags keep messages apart. */
static void requests_are_kept_apart(void **state)
{
    weir_diag *diag = *state;
    wi_job trace;
    expect_ok(diag,
              parse_trace(diag,
                          "0 init 1\n0 isend 1 1 100\n0 isend 1 2 50 6\n0 isend 1 1 3 1\n0 barrier\n0 wait 0 "
                          "1 2\n0 waitall\n"
                          "1 irecv 0 2\n1 irecv 0 1\n1 barrier\n1 wait 0 1 2\n1 irecv 0 1\n1 waitall\n",
                          &trace));
    assert_int_equal(trace.programs.actions[0].bytes, 800); /* doubles after `init 1` */
    assert_int_equal(trace.programs.actions[1].bytes, 50);  /* type 6: bytes */
    assert_int_equal(trace.programs.actions[2].bytes, 12);  /* type 1: int */
    assert_int_equal(trace.programs.actions[7].bytes, 800); /* of the send that it gets */
    assert_int_equal(trace.programs.actions[4].slot, 1);
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 64, WEIR_PS_PER_S);
    assert_true(rank_of(f, 0)->ended && rank_of(f, 1)->ended);
    assert_int_equal(count(f, IC_PROG_MESSAGES), 3 + 2);
    fabric_end(f);
    wi_job_free(&trace);
}

/*
 * What SimGrid 3.32 writes: a number behind waitall, sizes and types of both ways behind sendRecv (tag 0), a test. One round of three
 * ranks, each to the next and from the one before; the last messages are those of a send and a receive.
 */
static void words_of_simgrid_are_done(void **state)
{
    static const char text[] =
        "0 init\n1 init\n2 init\n"
        "0 sendRecv 10 1 10 2 0 0\n1 sendRecv 10 2 80 0 0 6\n2 sendRecv 10 0 10 1 0 0\n"
        "0 irecv 1 5 4 1\n0 test 1 0 5\n0 isend 1 5 4 1\n0 waitall 1\n0 wait 0 1 5\n"
        "1 isend 0 5 4 1\n1 irecv 0 5 -1 1\n1 waitall 2\n2 sendRecv 7 2 7 2\n"
        "0 finalize\n1 finalize\n2 finalize\n";
    weir_diag *diag = *state;
    wi_job trace;
    expect_ok(diag, parse_trace(diag, text, &trace));
    assert_int_equal(trace.programs.first[1],
                     4 + 4); /* a test does nothing; a wait behind a waitall neither */
    assert_int_equal(trace.programs.actions[0].op, JOB_OP_IRECV);
    assert_int_equal(trace.programs.actions[0].bytes, 80); /* ten doubles */
    assert_int_equal(trace.programs.place[3].line, 4);
    for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
        fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, rendezvous ? 0 : 1000, WEIR_PS_PER_S);
        assert_int_equal(count(f, IC_PROG_ENDED), 3);
        assert_int_equal(count(f, IC_PROG_MESSAGES), 3 + 2);
        if (!rendezvous) /* one message; nobody waits for more */
            assert_int_equal(rank_of(f, 2)->ended_ps, message_ps(80));
        fabric_end(f);
    }
    wi_job_free(&trace);
}

/* Rounds of five ranks: each to the next and from the one before, with work and waits in any order, and a collective now and then. */
static void write_rounds(uint64_t *seed, char *out, size_t size)
{
    size_t n = 0;
    for (int round = 0; round < 4; round++) {
        const uint32_t way = rnd_below(seed, 3), bytes = 1 + rnd_below(seed, 9000), tag = rnd_below(seed, 3);
        for (int r = 0; r < 5; r++) {
            const int to = (r + 1) % 5, from = (r + 4) % 5;
            const uint32_t work = rnd_below(seed, 20000), order = rnd_below(seed, 3);
            n += (size_t)snprintf(out + n, size - n, "%d irecv %d %u %u\n%d isend %d %u %u\n", r, from, tag,
                                  bytes, r, to, tag, bytes);
            if (rnd_below(seed, 2))
                n += (size_t)snprintf(out + n, size - n, "%d compute %u\n", r, work);
            if (order == 0)
                n += (size_t)snprintf(out + n, size - n, "%d wait %d %d %u\n%d compute 700\n", r, from, r,
                                      tag, r);
            if (order < 2)
                n += (size_t)snprintf(out + n, size - n, "%d wait %d %d %u\n", r, r, to, tag);
            n += (size_t)snprintf(out + n, size - n, "%d waitall\n", r);
            if (way == 0)
                n += (size_t)snprintf(out + n, size - n, "%d allreduce %u 0\n", r, bytes);
            if (way == 1)
                n += (size_t)snprintf(out + n, size - n, "%d bcast %u 2\n", r, bytes);
        }
    }
}

/* Operations that wait for each other, as other traces have them, take the same time as the programs that they were. */
static void operations_become_programs_again(void **state)
{
    static char text[20000];
    weir_diag *diag = *state;
    uint64_t seed = 5;
    for (int i = 0; i < 60; i++) {
        const uint64_t eager = rnd_below(&seed, 2) ? 1000 : 100000;
        weir_time ended_ps[5];
        wi_job trace;
        write_rounds(&seed, text, sizeof text);
        expect_ok(diag, parse_trace(diag, text, &trace));
        fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, eager, WEIR_PS_PER_S);
        for (uint32_t r = 0; r < 5; r++)
            ended_ps[r] = rank_of(f, r)->ended_ps;
        fabric_end(f);
        wi_job_programs_free(&trace.programs);
        expect_ok(diag, wi_job_to_programs(diag, &trace, JOB_AUTO));
        f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, eager, WEIR_PS_PER_S);
        for (uint32_t r = 0; r < 5; r++)
            if (!rank_of(f, r)->ended || rank_of(f, r)->ended_ps != ended_ps[r])
                fail_msg("case %d: rank %u ends at %lld ps, before at %lld:\n%s", i, r,
                         (long long)rank_of(f, r)->ended_ps, (long long)ended_ps[r], text);
        fabric_end(f);
        wi_job_free(&trace);
    }
}

/* The examples of SimGrid: all ranks end; times have their closed forms where nothing else is under way. */
static void published_traces_run(void **state)
{
    static const struct {
        const char *file;
        uint32_t ranks;
        double least_s, most_s; /* of the last rank's end, at 1 Gflop/s and 2 GB/s */
    } cases[] = {               /* 50 kB by two messages and 0.5 s of computing, then 0.5 s more */
                 {"actions_allreduce.txt", 3, 1.0, 1.001},
                 {"actions_alltoall.txt", 3, 0.5e-6, 3e-6},
                 /* 0.5 s twice, and 0.5 s of the reduction */
                 {"actions_bcast.txt", 3, 1.5, 1.501},
                 {"actions_waitall.txt", 3, 1e-6, 1e-5}};
    char path[4600];
    weir_diag *diag = *state;
    snprintf(path, sizeof path, "%s", data_path("hpc-ti-trace"));
    const size_t folder = strlen(path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wi_job trace;
        snprintf(path + folder, sizeof path - folder, "/%s", cases[i].file);
        expect_ok(diag, close_trace(diag, wi_source_file(diag, path), &trace));
        assert_int_equal(trace.n_ranks, cases[i].ranks);
        fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 65536, 10 * WEIR_PS_PER_S);
        weir_time last_ps = 0;
        for (uint32_t r = 0; r < trace.n_ranks; r++) {
            assert_true(rank_of(f, r)->ended);
            last_ps = rank_of(f, r)->ended_ps > last_ps ? rank_of(f, r)->ended_ps : last_ps;
        }
        print_message("%s: %.9f s\n", cases[i].file, weir_seconds(last_ps));
        assert_true(weir_seconds(last_ps) >= cases[i].least_s && weir_seconds(last_ps) <= cases[i].most_s);
        fabric_end(f);
        wi_job_free(&trace);
    }
    /* One file a rank, named by a third. */
    char list[] = "/tmp/weir-trace-XXXXXX";
    const int fd = mkstemp(list);
    assert_true(fd >= 0);
    path[folder] = '\0';
    dprintf(fd, "# two ranks\n%s/actions0.txt\n%s/actions1.txt\n", path, path);
    close(fd);
    wi_job trace;
    expect_ok(diag, close_trace(diag, wi_source_file(diag, list), &trace));
    unlink(list);
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 65536, 10 * WEIR_PS_PER_S);
    assert_int_equal(trace.n_ranks, 2);
    assert_true(rank_of(f, 0)->ended && rank_of(f, 1)->ended);
    /* 1e6 bytes, asked for; 1 s; 1e6 there and, in turn, 1e6 back. */
    assert_true(rank_of(f, 1)->ended_ps > WEIR_PS_PER_S &&
                rank_of(f, 1)->ended_ps < WEIR_PS_PER_S + 4 * WEIR_PS_PER_MS);
    fabric_end(f);
    wi_job_free(&trace);
}

static void mistakes_are_named_with_their_line(void **state)
{
    static const struct {
        const char *text, *message;
        int line;
    } cases[] = {
        {"0 init\nx send 1 0 1\n", "'x' is no rank", 2},
        {"0\n", "rank 0 has no action", 1},
        {"0 isned 1 0 1\n", "unknown action 'isned' (did you mean 'isend'?)", 1},
        {"0 frobnicate\n", "unknown action 'frobnicate'; known are ", 1},
        {"0 send 1 0\n1 recv 0 0\n", "'send' lacks an argument", 1},
        {"0 send 1 0 1 1 1\n", "1 arguments too many", 1},
        {"0 send 1 0 -1\n", "'-1' is no size", 1},
        {"0 send 1 0 1 30\n", "'30' is no type", 1},
        {"0 recv -2 0 1\n", "'-2' is no rank", 1},
        {"0 send 0 -1 1\n", "'-1' is no tag", 1},
        {"0 recv -1 0 1\n", "rank 0, line 1 (recv): no message comes for it before it goes on", 1},
        {"1 recv 0 -1 1\n0 send 1 3 1\n1 recv 0 -1 1\n", "rank 1, line 3 (recv): no message comes for it", 3},
        {"0 irecv -1 4\n0 wait -1 0 5\n1 send 0 4 1\n",
         "rank 0 waits for a message from any rank, or of any tag, that it has not begun", 2},
        {"0 compute nan\n", "'nan' is no number of flops", 1},
        {"0 compute 1e23\n", "want less than 1,000,000", 1},
        {"0 send 1 0 2e9\n", "want at most 1 GiB", 1},
        {"0 send 1 0 1\n1 init\n", "rank 0, line 1 (send): rank 1 receives no such message with tag 0", 1},
        {"0 init\n1 init\n1 recv 0 3 1\n", "rank 1, line 3 (recv): rank 0 sends no such message with tag 3",
         3},
        {"0 send 1 0 10\n1 recv 0 0 5\n", "rank 1, line 2 (recv): 5 bytes for a message of 10", 2},
        {"0 send 5 0 1\n1 init\n", "there is no rank 5; want 0 to 1", 1},
        {"0 bcast 1 7\n1 bcast 1 7\n", "root 7 of 2 members", 1},
        {"0 send 0 0 1\n1 init\n", "rank 0 sends to itself", 1},
        {"0 init\n2 init\n", "no line of rank 1", 1},
        {"0 isend 1 0 1\n0 wait 0 1 4\n1 recv 0 0\n",
         "rank 0 waits for a message to rank 1 with tag 4 that it has not begun", 2},
        {"0 wait 2 1 4\n1 init\n", "rank 0 waits for a message between 2 and 1", 1},
        {"0 barrier\n1 init\n", "rank 1 of its group never does it", 1},
        {"0 barrier\n1 allreduce 1 1\n", "rank 0 does a barrier of 0 bytes with root 0 here", 2},
        {"0 bcast 10\n1 bcast 11\n",
         "rank 0 does a bcast of 10 bytes with root 0 here, this one has 11 and 0", 2},
        {"0 finalize\n0 barrier\n", "goes on after its finalize", 2},
        {"0 alltoallv 1 2 3\n", "3 numbers; want 4 for ranks 0 to 0", 1},
        {"0 init\n1 gatherv 1 1 1 0 0 0 7\n", "1 numbers too many for ranks 0 to 1", 2},
        {"0 init\n1 gatherv 1 1 1 2\n", "root 2 of 2 ranks", 2},
        {"0 init\n1 scatterv 1 x 1\n", "'x' is no number from 0 on", 2},
        {"0 init\n1 allgatherv 2 2e9 2\n", "a message of 2000000000 bytes; want at most 1 GiB", 2},
        {"0 init\n1 reducescatter 6e8 6e8 1\n", "1200000000 bytes; want at most 1 GiB", 2},
        {"0 init\n1 alltoallv 2 1 1 2 1 1 30\n", "'30' is no type", 2},
        {"0 init\n0 waitAny 3\n", "'waitAny' cannot be replayed: which request it took", 2},
        {"0 waitall x\n", "'x' is no number of requests", 1},
        {"0 sendRecv 10 1 10\n", "'sendRecv' lacks an argument", 1},
        {"0 sendRecv 10 1 10 -2\n", "'-2' is no rank", 1},
        {"0 sendRecv 8 1 4 1\n1 sendRecv 8 0 8 0\n", "4 bytes for a message of 8", 1},
        {"# nothing\n", "there is no action", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_diag *diag = weir_diag_new();
        wi_job trace;
        if (parse_trace(diag, cases[i].text, &trace) != WEIR_E_FORMAT)
            fail_msg("case %zu: '%s' is read", i, cases[i].text);
        expect_message(diag, cases[i].message);
        assert_int_equal(weir_diag_get(diag, weir_diag_count(diag) - 1)->line, cases[i].line);
        wi_job_free(&trace);
        weir_diag_free(diag);
    }
    weir_diag *diag = weir_diag_new();
    wi_job trace;
    assert_int_equal(close_trace(diag, wi_source_file(diag, "/nowhere/trace.txt"), &trace), WEIR_E_IO);
    wi_job_free(&trace);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_trace_takes_its_time),
                                       cmocka_unit_test(rendezvous_waits_for_the_receive),
                                       cmocka_unit_test(requests_are_kept_apart),
                                       cmocka_unit_test(words_of_simgrid_are_done),
                                       cmocka_unit_test(operations_become_programs_again),
                                       cmocka_unit_test(published_traces_run),
                                       cmocka_unit_test(mistakes_are_named_with_their_line)};
    return test_result(cmocka_run_group_tests(tests, diag_set_up, diag_tear_down));
}
