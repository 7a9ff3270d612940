/* DUMPI's traces: what calls come to, by hand; communicators, requests and types; what is refused, and every damage. */
#include "jobs/dumpi_writer.h"
#include "jobs/read/readers.h"
#include "output/scratch.h"
#include "diag.h"

enum { RANKS_MAX = 6, VERSION = 0x010000 };
static dumpi_writer rank[RANKS_MAX];

static void save(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

static void begin(int n)
{
    for (int r = 0; r < n; r++) {
        dw_begin(&rank[r]);
        dw_call(&rank[r], CALL_INIT, 0, "4", 0);
    }
}

/* Ends n ranks' files, and returns the meta file's name; its prefix is of another folder. */
static const char *end(int n)
{
    static char name[64], meta[200];
    for (int r = 0; r < n; r++) {
        dw_call(&rank[r], CALL_FINALIZE, 0, "");
        dw_end(&rank[r], VERSION);
        snprintf(name, sizeof name, "t-%04d.bin", r);
        save(scratch_path(name), rank[r].bytes, rank[r].n);
    }
    snprintf(meta, sizeof meta, "hostname=h\nnumprocs=%d\r\nfileprefix=/else/where/t\nversion=1\n", n);
    save(scratch_path("t.meta"), meta, strlen(meta));
    return scratch_path("t.meta");
}

static wi_job job_of(weir_diag *diag, int n)
{
    wi_job job;
    const wi_job_options options = {0};
    expect_ok(diag, wi_job_read(diag, end(n), &options, &job));
    assert_int_equal(job.n_ranks, n);
    return job;
}

static void refused(weir_diag *diag, int n, const char *says)
{
    wi_job job;
    const wi_job_options options = {0};
    if (wi_job_read(diag, end(n), &options, &job) == WEIR_OK)
        fail_msg("read, and not: %s", says);
    expect_message(diag, says);
    wi_job_free(&job);
    weir_diag_clear(diag);
}

/* The k-th operation of a kind of a rank. */
static const wi_job_op *op_of(const wi_job *job, uint32_t r, wi_job_kind kind, int k)
{
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (job->op[i].rank == r && job->op[i].kind == kind && k-- == 0)
            return &job->op[i];
    fail_msg("rank %u has fewer", r);
    return NULL;
}

static void expect_ops(const wi_job *job, uint64_t sends, uint64_t bytes, uint64_t collectives)
{
    assert_int_equal(job->sums.ops[WI_JOB_SEND], sends);
    assert_int_equal(job->sums.ops[WI_JOB_RECV], sends);
    assert_int_equal(job->sums.bytes[WI_JOB_SEND], bytes);
    assert_int_equal(job->sums.ops[WI_JOB_COLLECTIVE], collectives);
}

static void send_to(int from, int to, int count, int tag, int comm)
{
    dw_call(&rank[from], CALL_SEND, 0, "42442", count, T_CHAR, to, tag, comm);
}

static void receive(int at, int from, int count, int tag, int comm)
{
    dw_call(&rank[at], CALL_RECV, 0, "42442s", count, T_CHAR, from, tag, comm, NO_STATUS);
}

/* Rank 0 computes 5 us, sends 4 ints, computes 2 us beside a request, and waits; rank 1 computes 1 us and receives. Calls take a
 * microsecond each, which is none of it. */
static void time_between_calls_is_computing(void **state)
{
    begin(2);
    dw_call(&rank[0], CALL_WTIME, 3000, "");
    dw_call(&rank[0], CALL_ISEND, 2000, "424424", 4, T_INT, 1, 9, WORLD, 2);
    dw_call(&rank[0], CALL_WAIT, 2000, "4s", 2, 1, 1606419960, 9, 0, 9); /* of a send, which has none */
    dw_call(&rank[1], CALL_RECV, 1000, "42442s", 4, T_INT, 0, 9, WORLD, 1, 16, 0, 0, 9);
    rank[1].clock_ns -= 2000; /* a clock that goes back */
    for (int r = 0; r < 2; r++)
        dw_call(&rank[r], CALL_ALLREDUCE, 0, "4212", 3, T_DOUBLE, 3, WORLD);
    wi_job job = job_of(*state, 2);
    expect_ops(&job, 1, 16, 2);
    assert_int_equal(job.sums.compute_ps, 8000000);
    assert_int_equal(job.sums.critical_ps, 7000000);
    assert_int_equal(op_of(&job, 0, WI_JOB_COLLECTIVE, 0)->bytes, 24);
    assert_int_equal(op_of(&job, 1, WI_JOB_RECV, 0)->where, 2); /* the call's number */
    wi_job_free(&job);
    /* Seconds are counted up to 65,535. */
    begin(1);
    rank[0].clock_ns = 65535ull * 1000000000;
    dw_call(&rank[0], CALL_WTIME, 0, "");
    dw_call(&rank[0], CALL_WTIME, 1500000000, "");
    job = job_of(*state, 1);
    assert_int_equal(job.sums.compute_ps / 1000, 65535ull * 1000000000 - 1000 + 1500000000);
    wi_job_free(&job);
    /* Without times nothing takes any. */
    begin(1);
    rank[0].mask = 0;
    dw_call(&rank[0], CALL_WTIME, 5, "");
    job = job_of(*state, 1);
    assert_int_equal(job.sums.compute_ps, 0);
    wi_job_free(&job);
}

static void statuses_say_whom_a_receive_is_from(void **state)
{
    /* By time rank 1 is first, by statuses rank 2, and its tag was 6. */
    begin(3);
    send_to(1, 0, 10, 5, WORLD);
    dw_call(&rank[2], CALL_SEND, 9000, "42442", 20, T_CHAR, 0, 6, WORLD);
    dw_call(&rank[0], CALL_RECV, 0, "42442s", 99, T_CHAR, -1, -1, WORLD, 1, 20, 2, 0, 6);
    dw_call(&rank[0], CALL_IRECV, 0, "424424", 99, T_CHAR, -1, 5, WORLD, 3);
    dw_call(&rank[0], CALL_WAITALL, 0, "4as", 1, 1, 3, 1, 10, 1, 0, 5);
    wi_job job = job_of(*state, 3);
    assert_true(op_of(&job, 0, WI_JOB_RECV, 0)->peer == 2 && op_of(&job, 0, WI_JOB_RECV, 1)->peer == 1);
    assert_int_equal(op_of(&job, 0, WI_JOB_RECV, 0)->tag, 6);
    wi_job_free(&job);
    /* Without them it is what is first. */
    begin(3);
    send_to(1, 0, 10, 5, WORLD);
    dw_call(&rank[2], CALL_SEND, 9000, "42442", 20, T_CHAR, 0, 5, WORLD);
    receive(0, -1, 99, 5, WORLD);
    receive(0, -1, 99, 5, WORLD);
    job = job_of(*state, 3);
    assert_true(op_of(&job, 0, WI_JOB_RECV, 0)->peer == 1 && op_of(&job, 0, WI_JOB_RECV, 1)->peer == 2);
    wi_job_free(&job);
}

/* MPI_PROC_NULL is -1 in MPICH, as any rank is here, and -2 in Open MPI. */
static void nobody_is_told_from_any_rank(void **state)
{
    begin(2);
    for (int r = 0; r < 2; r++) { /* a row of two, and its ends */
        dw_call(&rank[r], CALL_IRECV, 0, "424424", 8, T_CHAR, r - 1, 1, WORLD, 2);
        dw_call(&rank[r], CALL_IRECV, 0, "424424", 8, T_CHAR, r ? -2 : 1, 2, WORLD, 3);
        dw_call(&rank[r], CALL_ISEND, 0, "424424", 8, T_CHAR, r ? -2 : 1, 1, WORLD, 4);
        dw_call(&rank[r], CALL_ISEND, 0, "424424", 8, T_CHAR, r - 1, 2, WORLD, 5);
        dw_call(&rank[r], CALL_WAIT, 0, "4s", 2, NO_STATUS);
        dw_call(&rank[r], CALL_WAITALL, 0, "4as", 4, 4, 3, 4, 5, 1, NO_STATUS);
        dw_call(&rank[r], CALL_RECV, 0, "42442s", 8, T_CHAR, -1, -1, WORLD, 1, 0, -1, 0, -1);
    }
    wi_job job = job_of(*state, 2);
    expect_ops(&job, 2, 16, 0);
    expect_ok(*state, wi_job_to_programs(*state, &job, JOB_AUTO));
    for (size_t i = 0; i < job.programs.n_actions; i++) /* nobody waits for what has not begun */
        assert_true(job.programs.actions[i].op != JOB_OP_WAIT || job.programs.actions[i].slot < 4);
    wi_job_free(&job);
    begin(2);
    send_to(1, 0, 10, 5, WORLD);
    receive(0, -1, 99, 5, WORLD);
    receive(0, -1, 99, 5, WORLD);
    refused(*state, 2, "2 receives are from any rank, or from nobody, and 1 messages are for them");
}

static void requests_are_waited_for(void **state)
{
    begin(2);
    for (int i = 0; i < 4; i++)
        dw_call(&rank[0], CALL_IRECV, 0, "424424", 9, T_CHAR, 1, i, WORLD, 2 + i);
    for (int i = 0; i < 4; i++)
        send_to(1, 0, 1 + i, i, WORLD);
    dw_call(&rank[0], CALL_TEST, 0, "44s", 3, 0, NO_STATUS); /* not yet */
    dw_call(&rank[0], CALL_WAITANY, 0, "4a4s", 4, 4, 2, 3, 4, 5, 2, NO_STATUS);
    dw_call(&rank[0], CALL_WAITSOME, 0, "4a4as", 4, 4, 2, 3, 1, 5, 2, 2, 3, 0, NO_STATUS);
    dw_call(&rank[0], CALL_TEST, 0, "44s", 3, 1, NO_STATUS);
    dw_call(&rank[0], CALL_WAITANY, 0, "4a4s", 1, 1, 1, -32766, NO_STATUS); /* MPI_UNDEFINED */
    dw_call(&rank[0], CALL_TESTALL, 0, "4a4s", 1, 1, 1, 1, NO_STATUS);
    wi_job job = job_of(*state, 2);
    uint32_t waits[8], n = 0;
    for (size_t i = job.programs.first[0]; i < job.programs.first[1]; i++)
        if (job.programs.actions[i].op == JOB_OP_WAIT)
            waits[n++] = job.programs.actions[i].slot;
    assert_true(n == 4 && waits[0] == 2 && waits[1] == 3 && waits[2] == 0 && waits[3] == 1);
    wi_job_free(&job);
    /* Persistent ones begin again and again; what is buffered, freed or cancelled is waited for by nobody. */
    begin(2);
    dw_call(&rank[0], CALL_SEND_INIT, 0, "424424", 7, T_CHAR, 1, 1, WORLD, 2);
    dw_call(&rank[1], CALL_RECV_INIT, 0, "424424", 7, T_CHAR, 0, 1, WORLD, 2);
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 2; r++) {
            dw_call(&rank[r], r ? CALL_START : CALL_STARTALL, 0, r ? "4" : "4a", r ? 2 : 1, 1, 2);
            dw_call(&rank[r], CALL_WAIT, 0, "4s", 2, NO_STATUS);
        }
    dw_call(&rank[0], CALL_REQUEST_FREE, 0, "4", 2);
    dw_call(&rank[0], CALL_BSEND, 0, "42442", 5, T_CHAR, 1, 2, WORLD);
    dw_call(&rank[0], CALL_ISEND, 0, "424424", 6, T_CHAR, 1, 2, WORLD, 3);
    dw_call(&rank[0], CALL_REQUEST_FREE, 0, "4", 3);
    dw_call(&rank[1], CALL_IRECV, 0, "424424", 6, T_CHAR, 0, 3, WORLD, 4);
    dw_call(&rank[1], CALL_CANCEL, 0, "4", 4);
    dw_call(&rank[1], CALL_WAIT, 0, "4s", 4, NO_STATUS);
    receive(1, 0, 6, 2, WORLD);
    receive(1, 0, 6, 2, WORLD);
    job = job_of(*state, 2);
    expect_ops(&job, 5, 32, 0);
    for (size_t i = 0; i < job.programs.n_actions; i++) /* slots of what goes on are nobody else's */
        if (job.programs.actions[i].op == JOB_OP_ISEND)
            assert_int_equal(job.programs.actions[i].slot,
                             job.programs.actions[i].bytes == 7 ? 0 : job.programs.actions[i].bytes - 5);
    wi_job_free(&job);
    /* Both ways at once; with itself a rank exchanges nothing. */
    begin(2);
    for (int r = 0; r < 2; r++) {
        dw_call(&rank[r], CALL_SENDRECV, 0, "424442442s", 3, T_INT, 1 - r, 1, 4, T_INT, 1 - r, 1, WORLD,
                NO_STATUS);
        dw_call(&rank[r], CALL_SENDRECV_REPLACE, 0, "4244442s", 9, T_INT, r, 1, r, 1, WORLD, NO_STATUS);
        send_to(r, 0, 5, 1, SELF);
        receive(r, 0, 5, 1, SELF);
    }
    job = job_of(*state, 2);
    expect_ops(&job, 2, 24, 0);
    wi_job_free(&job);
}

/* Six ranks: odd and even ones, from the highest down; of the even ones a copy; a group of its own; and a grid of 2 by 3. */
static void communicators_go_together(void **state)
{
    begin(6);
    for (int r = 0; r < 6; r++) {
        dumpi_writer *const w = &rank[r];
        const int mine = r % 2 ? 3 - (r + 1) / 2 : 2 - r / 2, half = 4 + r % 2;
        dw_call(w, CALL_COMM_SPLIT, 0, "2442", WORLD, r % 2, -r, half);
        dw_call(w, CALL_COMM_SIZE, 0, "24", half, 3);
        dw_call(w, CALL_COMM_RANK, 0, "24", half, mine);
        dw_call(w, CALL_BCAST, 0, "4242", 3, T_INT, 2, half); /* from rank 0, and 1 */
        if (r % 2 == 0) {
            dw_call(w, CALL_COMM_DUP, 0, "22", half, 9);
            /* With one tag, in either the other way round: 0 and 2 are ranks 4 and 0. */
            if (mine == 0) {
                send_to(r, 2, 10, 7, half);
                send_to(r, 2, 20, 7, 9);
            }
            if (mine == 2) {
                receive(r, 0, 20, 7, 9);
                receive(r, -1, 10, 7, half);
            }
        }
        dw_call(w, CALL_COMM_SPLIT, 0, "2442", WORLD, r < 2 ? -32766 : 0, 0, r < 2 ? 1 : 10);
        if (r >= 2)
            dw_call(w, CALL_BARRIER, 0, "2", 10);
        /* A group {5, 1, 0} of {0 ... 5}; and {1, 3, 5} without {5, 1, 0}, which is 3, with it: {3, 5, 1, 0}. */
        dw_call(w, CALL_COMM_GROUP, 0, "22", WORLD, 3);
        dw_call(w, CALL_GROUP_INCL, 0, "24a2", 3, 3, 3, 5, 1, 0, 4);
        dw_call(w, CALL_GROUP_RANGE_EXCL, 0, "24444442", 3, 1, 1, 3, 0, 4, 2,
                5); /* one list of three: 0, 2, 4 */
        dw_call(w, CALL_GROUP_DIFFERENCE, 0, "222", 5, 4, 6);
        dw_call(w, CALL_GROUP_UNION, 0, "222", 6, 4, 7);
        dw_call(w, CALL_GROUP_INTERSECTION, 0, "222", 3, 7, 8);
        dw_call(w, CALL_GROUP_EXCL, 0, "24a2", 8, 1, 1, 0, 9); /* {1, 3, 5} of {0, 1, 3, 5} */
        dw_call(w, CALL_COMM_CREATE, 0, "222", WORLD, 7, r == 2 || r == 4 ? 1 : 11);
        if (r != 2 && r != 4)
            dw_call(w, CALL_REDUCE, 0, "42142", 2, T_INT, 3, 1, 11); /* to rank 5 */
        dw_call(w, CALL_COMM_CREATE, 0, "222", WORLD, 9, r % 2 ? 12 : 1);
        if (r % 2)
            dw_call(w, CALL_COMM_RANK, 0, "24", 12, r / 2);
        dw_call(w, CALL_CART_CREATE, 0, "24aa42", WORLD, 2, 2, 2, 3, 2, 0, 0, 0, 13);
        dw_call(w, CALL_CART_SUB, 0, "42a2", 2, 13, 2, 1, 0, 14); /* columns: 0 and 3, 1 and 4, 2 and 5 */
        dw_call(w, CALL_COMM_RANK, 0, "24", 14, r / 3);
        dw_call(w, CALL_ALLREDUCE, 0, "4212", 1, T_INT, 3, 14);
        dw_call(w, CALL_BARRIER, 0, "2", 13); /* which is all of them */
    }
    wi_job job = job_of(*state, 6);
    expect_ops(&job, 2, 30, 6 + 4 + 4 + 6 + 6);
    const wi_job_op *const first = op_of(&job, 0, WI_JOB_RECV, 0), *const bcast =
                                                                       op_of(&job, 3, WI_JOB_COLLECTIVE, 0);
    assert_true(first->peer == 4 && first->bytes == 20);
    assert_true(bcast->peer == 2 && job.member[job.group_first[bcast->group] + 2] == 1);
    const wi_job_op *const reduce = op_of(&job, 1, WI_JOB_COLLECTIVE, 1);
    const uint32_t *const member = job.member + job.group_first[reduce->group];
    assert_true(wi_job_group_size(&job, reduce->group) == 4 && member[0] == 3 && member[1] == 5 &&
                member[2] == 1 && member[3] == 0);
    assert_int_equal(op_of(&job, 5, WI_JOB_COLLECTIVE, 4)->group, 0);
    /* Where only all ranks together do a collective the others are messages: 2 x 2 of broadcasts, 2 x 4 of a barrier, 3 of a
     * reduction and 6 of the columns. */
    expect_ok(*state, wi_job_to_programs(*state, &job, JOB_AUTO));
    uint64_t sends = 0, collectives = 0;
    for (size_t i = 0; i < job.programs.n_actions; i++) {
        sends += job.programs.actions[i].op == JOB_OP_SEND || job.programs.actions[i].op == JOB_OP_ISEND;
        collectives += job.programs.actions[i].op >= JOB_OP_BARRIER;
    }
    assert_int_equal(sends, 2 + 4 + 8 + 3 + 6);
    assert_int_equal(collectives, 6);
    wi_job_free(&job);
}

static void types_have_their_sizes(void **state)
{
    static const int bytes[] = {24, 64, 36, 12, 228, 168};
    begin(2);
    for (int r = 0; r < 2; r++) {
        dumpi_writer *const w = &rank[r];
        dw_call(w, CALL_TYPE_VECTOR, 0, "44422", 4, 2, 5, T_DOUBLE, 41);                  /* 64 */
        dw_call(w, CALL_TYPE_CONTIGUOUS, 0, "422", 9, T_INT, 42);                         /* 36 */
        dw_call(w, CALL_TYPE_INDEXED, 0, "4aa22", 2, 2, 5, 7, 2, 0, 9, T_CHAR, 43);       /* 12 */
        dw_call(w, CALL_TYPE_STRUCT, 0, "4aab2", 2, 2, 3, 1, 2, 0, 8, 2, 41, 42, 44);     /* 3 * 64 + 36 */
        dw_call(w, CALL_SUBARRAY, 0, "4aaa122", 2, 2, 9, 9, 2, 7, 1, 2, 0, 0, 1, 40, 45); /* 7 * 24 */
        for (int i = 0; i < 6; i++)
            dw_call(w, r ? CALL_RECV : CALL_SEND, 0, r ? "42442s" : "42442", 1, 40 + i, 1 - r, i, WORLD,
                    NO_STATUS);
    }
    wi_job job = job_of(*state, 2);
    for (int i = 0; i < 6; i++)
        assert_int_equal(op_of(&job, 0, WI_JOB_SEND, i)->bytes, bytes[i]);
    wi_job_free(&job);
}

static void collectives_have_their_bytes(void **state)
{
    static const int sent[3][3] = {{9, 0, 5}, {0, 9, 6}, {0, 2, 9}}; /* of all-to-all: from each to each */
    begin(3);
    for (int r = 0; r < 3; r++) {
        dumpi_writer *const w = &rank[r];
        if (r == 1) { /* the root, whose own part is in its place */
            dw_call(w, CALL_GATHER, 0,
                    "442424"
                    "2",
                    1, -1, 0, 1, WORLD, 5, T_INT);
            dw_call(w, CALL_SCATTER, 0,
                    "442424"
                    "2",
                    1, -1, 0, 1, WORLD, 6, T_INT);
            dw_call(w, CALL_GATHERV, 0,
                    "444242"
                    "aa2",
                    1, 3, 0, T_INT, 1, WORLD, 3, 10, 99, 30, 3, 0, 0, 0, T_CHAR);
            dw_call(w, CALL_SCATTERV, 0,
                    "442424"
                    "2aa",
                    1, 3, T_CHAR, 0, T_CHAR, 1, WORLD, 3, 4, 99, 0, 3, 0, 0, 0);
        } else {
            dw_call(w, CALL_GATHER, 0, "44242", r, 5, T_INT, 1, WORLD);
            dw_call(w, CALL_SCATTER, 0, "44242", r, 6, T_INT, 1, WORLD);
            dw_call(w, CALL_GATHERV, 0,
                    "444242"
                    "2",
                    r, 3, r ? 30 : 10, T_CHAR, 1, WORLD, T_CHAR);
            dw_call(w, CALL_SCATTERV, 0,
                    "442424"
                    "2",
                    r, 3, T_CHAR, r ? 0 : 4, T_CHAR, 1, WORLD);
        }
        dw_call(w, CALL_ALLGATHER, 0, "42422", -1, 0, 7, T_INT, WORLD);
        dw_call(w, CALL_ALLTOALL, 0, "42422", 8, T_INT, 8, T_INT, WORLD);
        dw_call(w, CALL_REDUCE_SCATTER, 0, "4a212", 3, 3, 1, 2, 3, T_INT, 3, WORLD);
        dw_call(w, CALL_ALLGATHERV, 0, "442aa22", 3, 0, T_CHAR, 3, 1, 2, 3, 3, 0, 0, 0, T_CHAR, WORLD);
        dw_call(w, CALL_ALLTOALLV, 0, "4aa2aa22", 3, 3, sent[r][0], sent[r][1], sent[r][2], 3, 0, 0, 0,
                T_CHAR, 3, sent[0][r], sent[1][r], sent[2][r], 3, 0, 0, 0, T_CHAR, WORLD);
        dw_call(w, CALL_SCAN, 0, "4212", 2, T_INT, 3, WORLD);
        dw_call(w, CALL_ALLREDUCE, 0, "4212", 2, T_INT, 3, SELF); /* nothing */
    }
    wi_job job = job_of(*state, 3);
    /* To the root 10 and 30, from it 4; each part of 1, 2, 3 twice; 5, 6 and 2; and 8 both ways between 0 and 1, 0 and 2. */
    expect_ops(&job, 2 + 1 + 6 + 3 + 4, 40 + 4 + 12 + 13 + 32, 3 * 5);
    static const uint64_t bytes[] = {20, 24, 28, 32, 24};
    for (int k = 0; k < 5; k++)
        for (uint32_t r = 0; r < 3; r++)
            assert_int_equal(op_of(&job, r, WI_JOB_COLLECTIVE, k)->bytes, bytes[k]);
    wi_job_free(&job);
}

/* One call of rank 0 after MPI_Init, and what is said of it. */
#define WRONG(says, ...)                \
    do {                                \
        begin(2);                       \
        dw_call(&rank[0], __VA_ARGS__); \
        refused(*state, 2, says);       \
    } while (0)

static void what_is_wrong_is_named(void **state)
{
    WRONG("t-0000.bin: rank 0, call 2 (MPI_Put): traffic of its kind is not read", CALL_PUT, 0, "4", 0);
    WRONG("call 2 (MPI_Intercomm_create): traffic of its kind", CALL_INTERCOMM_CREATE, 0, "4", 0);
    WRONG("call 2 (MPI_Barrier): communicator 7 is none that the trace has made", CALL_BARRIER, 0, "2", 7);
    WRONG("communicator 1 is none", CALL_BARRIER, 0, "2", 1);
    WRONG("group 7 is none that the trace has made", CALL_GROUP_UNION, 0, "222", 7, 2, 3);
    WRONG("the trace does not say how many bytes datatype 39 has", CALL_SEND, 0, "42442", 1, 39, 1, 0, WORLD);
    WRONG("-1 elements", CALL_SEND, 0, "42442", -1, T_INT, 1, 0, WORLD);
    WRONG("a message of 8000000000 bytes; want at most 1 GiB", CALL_SEND, 0, "42442", 1000000000, T_DOUBLE, 1,
          0, WORLD);
    WRONG("tag -1", CALL_SEND, 0, "42442", 1, T_INT, 1, -1, WORLD);
    WRONG("rank 2 of a communicator of 2", CALL_SEND, 0, "42442", 1, T_INT, 2, 1, WORLD);
    WRONG("request 9 is none that the rank has begun", CALL_WAIT, 0, "4s", 9, NO_STATUS);
    WRONG("request -5", CALL_WAIT, 0, "4s", -5, NO_STATUS);
    WRONG("place 3 of 1 requests", CALL_WAITANY, 0, "4a4s", 1, 1, 1, 3, NO_STATUS);
    WRONG("root -2; inter-communicators are not read", CALL_BCAST, 0, "4242", 1, T_INT, -2, WORLD);
    WRONG("call 2 (MPI_Comm_size): it says 3, and by the trace it is 2", CALL_COMM_SIZE, 0, "24", WORLD, 3);
    WRONG("it makes a communicator with others, and rank 1 never comes to it", CALL_COMM_DUP, 0, "22", WORLD,
          4);
    WRONG("1 and 2 counts for 2 members", CALL_ALLTOALLV, 0, "4aa2aa22", 2, 1, 1, 0, T_CHAR, 2, 1, 1, 0,
          T_CHAR, WORLD);
    WRONG("rank 1 receives no such message with tag 3", CALL_SEND, 0, "42442", 1, T_INT, 1, 3, WORLD);
    WRONG("1 of its group never does it", CALL_BARRIER, 0, "2", WORLD);
    WRONG("rank 0, behind call 1: no function at byte ", 290, 0, "");
    begin(2);
    rank[1].thread = 1;
    dw_call(&rank[1], CALL_WTIME, 0, "");
    refused(*state, 2, "rank 1, call 2 (MPI_Wtime): by thread 1, and others by thread 0");
    begin(2);
    for (int r = 0; r < 2; r++) {
        dw_call(&rank[r], r ? CALL_COMM_DUP : CALL_COMM_SPLIT, 0, r ? "22" : "2442", WORLD, r ? 4 : 0, 0, 4);
        dw_call(&rank[r], CALL_BARRIER, 0, "2", 4);
    }
    refused(*state, 2, "rank 1, call 2: rank 0 makes another kind of communicator in its call 2");
    begin(2);
    for (int r = 0; r < 2; r++) {
        dw_call(&rank[r], CALL_COMM_DUP, 0, "22", WORLD, 4);
        dw_call(&rank[r], CALL_RECV, 0, "42442s", 1, T_INT, 1 - r, -1, 4, NO_STATUS);
    }
    refused(*state, 2,
            "it receives any tag of a communicator that is not the world's, and there is no status");
    begin(2);
    for (int r = 0; r < 2; r++)
        dw_call(&rank[r], CALL_CART_CREATE, 0, "24aa42", WORLD, 2, 2, 2, 3, 2, 0, 0, 0, 13);
    refused(*state, 2, "a grid of 6 for 2 ranks");
    /* Files. */
    const wi_job_options options = {0};
    static const struct {
        const char *meta, *says;
    } metas[] = {{"numprocs=0\nfileprefix=t\n", "numprocs is '0'; want 1 to 1048576"},
                 {"numprocs=-3\nfileprefix=t\n", "numprocs is '-3'"},
                 {"fileprefix=t\nnumprocs=2x\n", "numprocs is '2x'"},
                 {"numprocs=3\nfileprefix=t\n", "t-0002.bin"},
                 {"numprocs=1\nfileprefix=nowhere\n", "nowhere-0000.bin"}};
    wi_job job;
    begin(2);
    (void)end(2);
    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
        (void)remove(scratch_path("t-0002.bin"));
        save(scratch_path("u.meta"), metas[i].meta, strlen(metas[i].meta));
        assert_int_not_equal(wi_job_read(*state, scratch_path("u.meta"), &options, &job), WEIR_OK);
        expect_message(*state, metas[i].says);
        wi_job_free(&job);
    }
    static const uint32_t versions[] = {0x000608, 0x020000};
    for (int i = 0; i < 2; i++) {
        dw_begin(&rank[0]);
        dw_end(&rank[0], versions[i]);
        save(scratch_path("t-0000.bin"), rank[0].bytes, rank[0].n);
        assert_int_equal(wi_job_read(*state, scratch_path("t.meta"), &options, &job), WEIR_E_FORMAT);
        expect_message(*state, i ? "version 2.0.0; read are 0.6.9 to 1" : "version 0.6.8; read are");
        wi_job_free(&job);
    }
    weir_diag_clear(*state);
}

/* Numbers of files may have other than four digits. */
static void files_are_found(void **state)
{
    wi_job job;
    const wi_job_options options = {0};
    begin(1);
    (void)end(1);
    save(scratch_path("u-000000.bin"), rank[0].bytes, rank[0].n);
    save(scratch_path("u.meta"), "numprocs=1\nfileprefix=u", 23);
    expect_ok(*state, wi_job_read(*state, scratch_path("u.meta"), &options, &job));
    wi_job_free(&job);
}

/* Each part of a file is refused, and each wrong byte is refused or makes another job. */
static void damage_is_survived(void **state)
{
    wi_job job;
    const wi_job_options options = {0};
    begin(2);
    for (int r = 0; r < 2; r++) { /* who is r among all is 1 - r there */
        dw_call(&rank[r], CALL_COMM_SPLIT, 0, "2442", WORLD, 0, -r, 4);
        dw_call(&rank[r], CALL_ISEND, 9, "424424", 4, T_INT, r, 9, 4, 2);
        dw_call(&rank[r], CALL_RECV, 9, "42442s", 4, T_INT, -1, -1, 4, 1, 16, r, 0, 9);
        dw_call(&rank[r], CALL_WAITALL, 0, "4as", 1, 1, 2, NO_STATUS);
        dw_call(&rank[r], CALL_ALLGATHERV, 0, "442aa22", 2, 0, T_CHAR, 2, 1, 2, 2, 0, 0, T_CHAR, 4);
        dw_call(&rank[r], CALL_COMM_GROUP, 0, "22", WORLD, 3);
        dw_call(&rank[r], CALL_GROUP_INCL, 0, "24a2", 3, 2, 2, 1, 0, 4);
        dw_call(&rank[r], CALL_COMM_CREATE, 0, "222", WORLD, 4, 6);
        dw_call(&rank[r], CALL_CART_CREATE, 0, "24aa42", WORLD, 2, 2, 2, 1, 2, 0, 0, 0, 7);
        dw_call(&rank[r], CALL_CART_SUB, 0, "42a2", 2, 7, 2, 1, 0, 8);
        dw_call(&rank[r], CALL_ALLREDUCE, 0, "4212", 3, T_DOUBLE, 3, 8);
    }
    job = job_of(*state, 2);
    expect_ops(&job, 4, 32 + 3, 2);
    wi_job_free(&job);
    dumpi_writer *const w = &rank[1];
    for (size_t n = 0; n < w->n; n++) {
        save(scratch_path("t-0001.bin"), w->bytes, n);
        assert_int_equal(wi_job_read(*state, scratch_path("t.meta"), &options, &job), WEIR_E_FORMAT);
        wi_job_free(&job);
    }
    for (size_t n = 0; n < w->n; n++)
        for (int bit = 0; bit < 8; bit += 1 + n % 3) {
            w->bytes[n] ^= (uint8_t)(1 << bit);
            save(scratch_path("t-0001.bin"), w->bytes, w->n);
            w->bytes[n] ^= (uint8_t)(1 << bit);
            (void)!wi_job_read(*state, scratch_path("t.meta"), &options, &job);
            wi_job_free(&job);
        }
    weir_diag_clear(*state);
}

static int set_up(void **state)
{
    return scratch_make() ? diag_set_up(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_between_calls_is_computing),
                                       cmocka_unit_test(statuses_say_whom_a_receive_is_from),
                                       cmocka_unit_test(nobody_is_told_from_any_rank),
                                       cmocka_unit_test(requests_are_waited_for),
                                       cmocka_unit_test(communicators_go_together),
                                       cmocka_unit_test(types_have_their_sizes),
                                       cmocka_unit_test(collectives_have_their_bytes),
                                       cmocka_unit_test(what_is_wrong_is_named),
                                       cmocka_unit_test(files_are_found),
                                       cmocka_unit_test(damage_is_survived)};
    return cmocka_run_group_tests(tests, set_up, diag_tear_down);
}
