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
    wi_job_trace trace;
    expect_ok(diag,
              parse_trace(diag,
                          "0 init\n1 init\n"
                          "0 send 1 7 1000   # bytes\n0 recv 1 8\n0 allreduce 64 0\n0 finalize\n\n"
                          "1 recv 0 7 1000\n1 compute 1e6\n1 send 0 8 640\n1 allreduce 64 0\n1 finalize\n",
                          &trace));
    assert_int_equal(trace.ranks, 2);
    assert_int_equal(trace.n_actions, 3 + 4);
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 1 << 20, WEIR_PS_PER_S);
    const weir_time answer_ps = message_ps(1000) + WEIR_PS_PER_MS, back_ps = answer_ps + message_ps(640);
    /* 1 begins the allreduce when its answer has left, 0 when it has come, and its message follows at once. */
    assert_int_equal(rank_of(f, 0)->ended_ps, back_ps + 32000 > answer_ps + 320000 + message_ps(64)
                                                  ? back_ps + 32000
                                                  : answer_ps + 320000 + message_ps(64));
    assert_int_equal(rank_of(f, 1)->ended_ps, back_ps + message_ps(64));
    assert_int_equal(count(f, IC_PROG_MESSAGES), 4);
    fabric_end(f);
    wi_job_trace_free(&trace);
}

/* A receive that is posted late holds a rendezvous up, and no eager message. */
static void rendezvous_waits_for_the_receive(void **state)
{
    static const char text[] = "0 send 1 0 6400\n1 compute 1e5\n1 recv 0 0\n";
    weir_diag *diag = *state;
    wi_job_trace trace;
    expect_ok(diag, parse_trace(diag, text, &trace));
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 10000, WEIR_PS_PER_S);
    assert_int_equal(rank_of(f, 0)->ended_ps, 100 * 32000);
    assert_int_equal(rank_of(f, 1)->ended_ps, 100 * WEIR_PS_PER_US);
    fabric_end(f);
    f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 1000, WEIR_PS_PER_S);
    assert_int_equal(rank_of(f, 0)->ended_ps, 100 * WEIR_PS_PER_US + message_ps(1) + 100 * 32000);
    assert_int_equal(rank_of(f, 1)->ended_ps, 100 * WEIR_PS_PER_US + message_ps(1) + message_ps(6400));
    fabric_end(f);
    wi_job_trace_free(&trace);
}

/* Requests, out of order and over a collective; tags keep messages apart. */
static void requests_are_kept_apart(void **state)
{
    weir_diag *diag = *state;
    wi_job_trace trace;
    expect_ok(diag,
              parse_trace(diag,
                          "0 init 1\n0 isend 1 1 100\n0 isend 1 2 50 6\n0 isend 1 1 3 1\n0 barrier\n0 wait 0 "
                          "1 2\n0 waitall\n"
                          "1 irecv 0 2\n1 irecv 0 1\n1 barrier\n1 wait 0 1 2\n1 irecv 0 1\n1 waitall\n",
                          &trace));
    assert_int_equal(trace.actions[0].bytes, 800); /* doubles after `init 1` */
    assert_int_equal(trace.actions[1].bytes, 50);  /* type 6: bytes */
    assert_int_equal(trace.actions[2].bytes, 12);  /* type 1: int */
    assert_int_equal(trace.actions[7].bytes, 800); /* of the send that it gets */
    assert_int_equal(trace.actions[4].slot, 1);
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 64, WEIR_PS_PER_S);
    assert_true(rank_of(f, 0)->ended && rank_of(f, 1)->ended);
    assert_int_equal(count(f, IC_PROG_MESSAGES), 3 + 2);
    fabric_end(f);
    wi_job_trace_free(&trace);
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
    wi_job_trace trace;
    expect_ok(diag, parse_trace(diag, text, &trace));
    assert_int_equal(trace.first[1], 4 + 4); /* a test does nothing; a wait behind a waitall neither */
    assert_int_equal(trace.actions[0].op, JOB_OP_IRECV);
    assert_int_equal(trace.actions[0].bytes, 80); /* ten doubles */
    assert_int_equal(trace.place[3].line, 4);
    for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
        fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, rendezvous ? 0 : 1000, WEIR_PS_PER_S);
        assert_int_equal(count(f, IC_PROG_ENDED), 3);
        assert_int_equal(count(f, IC_PROG_MESSAGES), 3 + 2);
        if (!rendezvous) /* one message; nobody waits for more */
            assert_int_equal(rank_of(f, 2)->ended_ps, message_ps(80));
        fabric_end(f);
    }
    wi_job_trace_free(&trace);
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
        wi_job_trace trace;
        wi_job_trace_options how;
        wi_job_trace_options_init(&how);
        snprintf(path + folder, sizeof path - folder, "/%s", cases[i].file);
        expect_ok(diag, wi_job_trace_read(wi_source_file(diag, path), &how, &trace));
        assert_int_equal(trace.ranks, cases[i].ranks);
        fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 65536, 10 * WEIR_PS_PER_S);
        weir_time last_ps = 0;
        for (uint32_t r = 0; r < trace.ranks; r++) {
            assert_true(rank_of(f, r)->ended);
            last_ps = rank_of(f, r)->ended_ps > last_ps ? rank_of(f, r)->ended_ps : last_ps;
        }
        print_message("%s: %.9f s\n", cases[i].file, weir_seconds(last_ps));
        assert_true(weir_seconds(last_ps) >= cases[i].least_s && weir_seconds(last_ps) <= cases[i].most_s);
        fabric_end(f);
        wi_job_trace_free(&trace);
    }
    /* One file a rank, named by a third. */
    char list[] = "/tmp/weir-trace-XXXXXX";
    const int fd = mkstemp(list);
    assert_true(fd >= 0);
    path[folder] = '\0';
    dprintf(fd, "# two ranks\n%s/actions0.txt\n%s/actions1.txt\n", path, path);
    close(fd);
    wi_job_trace trace;
    wi_job_trace_options how;
    wi_job_trace_options_init(&how);
    expect_ok(diag, wi_job_trace_read(wi_source_file(diag, list), &how, &trace));
    unlink(list);
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 65536, 10 * WEIR_PS_PER_S);
    assert_int_equal(trace.ranks, 2);
    assert_true(rank_of(f, 0)->ended && rank_of(f, 1)->ended);
    /* 1e6 bytes, asked for; 1 s; 1e6 there and, in turn, 1e6 back. */
    assert_true(rank_of(f, 1)->ended_ps > WEIR_PS_PER_S &&
                rank_of(f, 1)->ended_ps < WEIR_PS_PER_S + 4 * WEIR_PS_PER_MS);
    fabric_end(f);
    wi_job_trace_free(&trace);
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
        {"0 recv -1 0 1\n", "messages from anybody cannot be replayed", 1},
        {"0 recv 1 -1 1\n", "messages of any tag cannot be replayed", 1},
        {"0 compute nan\n", "'nan' is no number of flops", 1},
        {"0 compute 1e23\n", "want less than 1,000,000", 1},
        {"0 send 1 0 2e9\n", "want at most 1 GiB", 1},
        {"0 send 1 0 1\n1 init\n", "rank 0 sends to rank 1 with tag 0, and nothing receives that", 1},
        {"0 init\n1 init\n1 recv 0 3 1\n", "rank 1 receives from rank 0 with tag 3, and nothing sends that",
         3},
        {"0 send 1 0 10\n1 recv 0 0 5\n", "a receive of 5 bytes for a message of 10 (t.txt:1)", 2},
        {"0 send 5 0 1\n1 init\n", "rank 5; the trace has ranks 0 to 1", 1},
        {"0 bcast 1 7\n1 bcast 1 7\n", "rank 7; the trace has ranks 0 to 1", 1},
        {"0 send 0 0 1\n1 init\n", "rank 0 sends to itself", 1},
        {"0 init\n2 init\n", "no line of rank 1", 1},
        {"0 isend 1 0 1\n0 wait 0 1 4\n1 recv 0 0\n",
         "rank 0 waits for a message to rank 1 with tag 4 that it has not begun", 2},
        {"0 wait 2 1 4\n1 init\n", "rank 0 waits for a message between 2 and 1", 1},
        {"0 barrier\n1 init\n", "rank 0 has 'barrier' here, its collective number 1; rank 1 has none", 1},
        {"0 barrier\n1 allreduce 1 1\n", "rank 1's collective number 1 is 'allreduce'", 2},
        {"0 bcast 10\n1 bcast 11\n",
         "rank 1's collective number 1 is 'bcast' of 11 bytes, root 0; rank 0's (t.txt:1)", 2},
        {"0 finalize\n0 barrier\n", "goes on after its finalize", 2},
        {"0 alltoallv 1 2 3\n", "'alltoallv' cannot be replayed: counts for each rank", 1},
        {"0 init\n0 waitAny 3\n", "'waitAny' cannot be replayed: which request it took", 2},
        {"0 waitall x\n", "'x' is no number of requests", 1},
        {"0 sendRecv 10 1 10\n", "'sendRecv' lacks an argument", 1},
        {"0 sendRecv 10 1 10 -2\n", "'-2' is no rank", 1},
        {"0 sendRecv 8 1 4 1\n1 sendRecv 8 0 8 0\n", "a receive of 4 bytes for a message of 8 (t.txt:2)", 1},
        {"# nothing\n", "there is no action", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_diag *diag = weir_diag_new();
        wi_job_trace trace;
        if (parse_trace(diag, cases[i].text, &trace) != WEIR_E_FORMAT)
            fail_msg("case %zu: '%s' is read", i, cases[i].text);
        expect_message(diag, cases[i].message);
        assert_int_equal(weir_diag_get(diag, weir_diag_count(diag) - 1)->line, cases[i].line);
        wi_job_trace_free(&trace);
        weir_diag_free(diag);
    }
    weir_diag *diag = weir_diag_new();
    wi_job_trace trace;
    wi_job_trace_options how;
    wi_job_trace_options_init(&how);
    assert_int_equal(wi_job_trace_read(wi_source_file(diag, "/nowhere/trace.txt"), &how, &trace), WEIR_E_IO);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_takes_its_time),  cmocka_unit_test(rendezvous_waits_for_the_receive),
        cmocka_unit_test(requests_are_kept_apart), cmocka_unit_test(words_of_simgrid_are_done),
        cmocka_unit_test(published_traces_run),    cmocka_unit_test(mistakes_are_named_with_their_line)};
    return test_result(cmocka_run_group_tests(tests, diag_set_up, diag_tear_down));
}
