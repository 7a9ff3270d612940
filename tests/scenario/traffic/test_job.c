/*
 * Jobs against closed forms. One segment a message, one switch, all links alike: a message takes T = 2 t + 2 d, and where its
 * sender has just acknowledged another, an ACK's time a more. Each gate opens a picosecond late.
 *   chain           its computations, and T of each message
 *   ring of n       2 (n - 1) T + (2 (n - 1) - 1) a; doubling log2 n T + (log2 n - 1) a
 *   tree of 2, 3, 4 2 T + a, 4 T + 3 a, 4 T + 2 t + 3 a: leaves beside each other share the way up, and the way down
 *   hierarchical    2 (m - 1) steps inside a server, and a ring of the servers: hosts of a rail meet at its leaf alone
 *   ranks of a host 2 (n - 1) steps of the local delay and a part at the local rate, one after the other
 *   processors      what shares one follows each other; iterations follow each other
 * All engines give the same digests, and write the same tables; what is refused is named.
 */
#include "scenario/folder_run.h"
#include "scenario/run_summary.h"

/* 800 ps a byte. */
static double tx(double bytes)
{
    return bytes * 0.8e-9;
}

static double message(double bytes)
{
    return 2.0 * tx(bytes + 40) + 2e-6;
}

static const char *trace_of(const char *text)
{
    const char *path = scratch_path("trace.txt");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    return path;
}

static json_t *run_of(const char *trace, const char *keys)
{
    char text[2000];
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 16, access_rate: 10Gbps, "
             "access_delay: 1us}}\ntraffic: [{name: j, job: {trace: '%s'%s}, tcp: {handshake: false}}]\n",
             trace_of(trace), keys);
    return summary_of(text, NULL, 0, NULL);
}

static double number_of(const char *trace, const char *keys, const char *key)
{
    json_t *s = run_of(trace, keys);
    const double value = class_number(s, 0, "job", key);
    json_decref(s);
    return value;
}

/* `gates` of them open one behind the other. */
static void expect_duration(const char *trace, const char *keys, double want, int gates)
{
    const double got = number_of(trace, keys, "duration_s");
    if (!(got > want - 1e-14 && got < want + 1e-12 * gates + 1e-14))
        fail_msg("%s%s: %.12f s, want %.12f s and at most %d ps more", trace, keys, got, want, gates);
}

static void a_chain_takes_its_parts(void **state)
{
    (void)state;
    static const char chain[] =
        "num_ranks 2\nrank 0 {\na: calc 5000\nb: send 1000b to 1\nb requires a\nc: recv 700b from 1\n"
        "c requires b\n}\nrank 1 {\na: recv 1000b from 0\nb: calc 3000\nb requires a\n"
        "c: send 700b to 0\nc requires b\n}\n";
    const double want = 5e-6 + message(1000) + 3e-6 + message(700);
    expect_duration(chain, "", want, 10);
    expect_duration(chain, ", iterations: 3", 3.0 * want, 40);
    expect_duration(chain, ", ranks_per_host: 2, local_rate: 80Gbps, local_delay: 1us",
                    5e-6 + 1e-6 + 1e-7 + 3e-6 + 1e-6 + 0.7e-7, 10);
    expect_duration(chain, ", hosts_per_server: 2, local_rate: 80Gbps, local_delay: 1us",
                    5e-6 + 1e-6 + 1e-7 + 3e-6 + 1e-6 + 0.7e-7, 10);
    json_t *s = run_of(chain, "");
    assert_float_equal(class_number(s, 0, "job", "critical_s"), 8e-6, 1e-15);
    assert_float_equal(class_number(s, 0, "job", "compute_mean_s"), 4e-6, 1e-15);
    assert_int_equal(class_number(s, 0, "job", "messages"), 2);
    assert_int_equal(class_number(s, 0, "job", "bytes"), 1700);
    assert_int_equal(class_number(s, 0, "job", "ranks_ended"), 2);
    json_decref(s);
}

static void reductions_take_their_steps(void **state)
{
    (void)state;
    char text[200], keys[200];
    for (int n = 2; n <= 16; n *= 2) {
        const int exponent = n == 2 ? 1 : n == 4 ? 2 : n == 8 ? 3 : 4;
        const double steps = 2.0 * (n - 1);
        snprintf(text, sizeof text, "MICRO\n1\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE %d 1\n", 1000 * n);
        snprintf(keys, sizeof keys, ", ranks: %d, allreduce: ring", n);
        expect_duration(text, keys, 3e-9 + steps * message(1000) + (steps - 1.0) * tx(40), 100);
        snprintf(keys, sizeof keys,
                 ", ranks: %d, allreduce: ring, ranks_per_host: 16, local_rate: 1Gbps, local_delay: 1us", n);
        expect_duration(text, keys, 3e-9 + steps * (1e-6 + 8e-6), 150);
        snprintf(keys, sizeof keys,
                 ", ranks: %d, allreduce: ring, hosts_per_server: 16, local_rate: 1Gbps, local_delay: 1us",
                 n);
        expect_duration(text, keys, 3e-9 + steps * (1e-6 + 8e-6), 150);
        snprintf(text, sizeof text, "MICRO\n1\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1000 1\n");
        snprintf(keys, sizeof keys, ", ranks: %d", n);
        expect_duration(text, keys, 3e-9 + exponent * message(1000) + (exponent - 1.0) * tx(40), 100);
    }
}

/* All-reduce of `bytes`. */
static const char *reduction(int bytes)
{
    static char text[200];
    snprintf(text, sizeof text, "MICRO\n1\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE %d 1\n", bytes);
    return text;
}

static void trees_take_their_depth(void **state)
{
    (void)state;
    const double t = tx(1040), a = tx(40), of_message = message(1000);
    expect_duration(reduction(2000), ", ranks: 1, allreduce: tree", 3e-9, 10);
    expect_duration(reduction(2000), ", ranks: 2, allreduce: tree", 3e-9 + 2.0 * of_message + a, 50);
    expect_duration(reduction(2000), ", ranks: 3, allreduce: tree", 3e-9 + 4.0 * of_message + 3.0 * a, 50);
    expect_duration(reduction(2000), ", ranks: 4, allreduce: tree",
                    3e-9 + 4.0 * of_message + 2.0 * t + 3.0 * a, 50);
    expect_duration(reduction(1), ", ranks: 2, allreduce: tree", 3e-9 + 2.0 * message(1) + a, 50);
    /* In a server the trees are a chain up and down, which the second half goes behind the first. */
    for (int n = 2; n <= 16; n *= 2) {
        char keys[200];
        snprintf(keys, sizeof keys,
                 ", ranks: %d, allreduce: tree, ranks_per_host: 16, local_rate: 8Gbps, local_delay: 2us", n);
        expect_duration(reduction(2000), keys, 3e-9 + 2.0 * (n - 1) * 3e-6 + 1e-6, 200);
    }
}

/* m interfaces a server, n servers; on one switch, and on rails. */
static void hierarchies_take_their_steps(void **state)
{
    (void)state;
    for (int m = 1; m <= 8; m *= 2)
        for (int n = 1; n * m <= 16; n++) {
            char keys[300], text[2000];
            const double inside = 2.0 * (m - 1) * (1e-6 + 1e-6 * n), between = 2.0 * (n - 1),
                         want = 3e-9 + inside + between * message(1000) +
                                (n > 1 ? (between - 1.0) * tx(40) : 0.0);
            snprintf(keys, sizeof keys,
                     ", ranks: %d, allreduce: hierarchical, hosts: 'h[0-%d]', hosts_per_server: %d, "
                     "local_rate: 8Gbps, "
                     "local_delay: 1us",
                     n * m, n * m - 1, m);
            expect_duration(reduction(1000 * n * m), keys, want, 200);
            if (m == 1 || n == 1)
                continue;
            snprintf(
                text, sizeof text,
                "weir: 1\nduration: 1s\ntopology: {generate: {model: rail, groups: 1, servers: %d, rails: "
                "%d, "
                "access_rate: 10Gbps, access_delay: 1us}}\ntraffic: [{name: j, job: {trace: '%s', ranks: %d, "
                "allreduce: hierarchical, hosts_per_server: %d, local_rate: 8Gbps, local_delay: 1us}, tcp: "
                "{handshake: false}}]\n",
                n, m, trace_of(reduction(1000 * n * m)), n * m, m);
            json_t *s = summary_of(text, NULL, 0, NULL);
            const double got = class_number(s, 0, "job", "duration_s");
            if (!(fabs(got - want) < 3e-10))
                fail_msg("%d rails, %d servers: %.12f s, want %.12f s", m, n, got, want);
            json_decref(s);
        }
}

/* The same of what is half of an all-reduce. */
static void halves_take_half(void **state)
{
    static const char *const ops[] = {"reduce-scatter", "allgather"};
    (void)state;
    for (int m = 1; m <= 8; m *= 2)
        for (int n = 1; n * m <= 16; n++)
            for (int i = 0; i < 2 && n * m > 1; i++) {
                char text[1000];
                const double inside = (m - 1) * (1e-6 + 1e-6 * n),
                             want = inside + (n - 1) * message(1000) + (n > 1 ? (n - 2) * tx(40) : 0.0);
                snprintf(text, sizeof text,
                         "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: %d, access_rate: "
                         "10Gbps, "
                         "access_delay: 1us}}\ntraffic: [{name: j, job: {program: [{do: %s, message: %dB}], "
                         "small: 0B, "
                         "allreduce: hierarchical, hosts_per_server: %d, local_rate: 8Gbps, local_delay: "
                         "1us}, tcp: "
                         "{handshake: false}}]\n",
                         n * m, ops[i], i == 0 ? 1000 * n * m : 1000, m);
                json_t *s = summary_of(text, NULL, 0, NULL);
                const double got = class_number(s, 0, "job", "duration_s");
                if (!(got > want - 1e-14 && got < want + 1e-10))
                    fail_msg("%s, %d servers of %d: %.12f s, want %.12f s", ops[i], n, m, got, want);
                json_decref(s);
            }
}

/* Several rings: the lines between servers carry as much each, and none waits for another but for ACKs. Pieces: each waits for its ACK. */
static void channels_and_pieces(void **state)
{
    (void)state;
    for (int m = 3; m <= 8; m += 5)
        for (int n = 2; n * m <= 16; n += 2) {
            char keys[300];
            const double hops = 2.0 * (n * message(1000) + n * (m - 1) * 1e-6) - 2e-6;
            snprintf(keys, sizeof keys,
                     ", ranks: %d, allreduce: ring, channels: %d, hosts: 'h[0-%d]', hosts_per_server: %d, "
                     "local_delay: 1us",
                     n * m, m, n * m - 1, m);
            const double got = number_of(reduction(1000 * n * m * m), keys, "duration_s") - 3e-9;
            if (!(got > hops - 1e-12 && got < hops + 2.0 * n * tx(40) + 1e-9))
                fail_msg("%d rings, %d servers: %.12f s, want %.12f s and ACKs", m, n, got, hops);
        }
    /* Along a tree of two, k pieces of a segment either way and back: a round trip each, and one more. */
    for (int k = 2; k <= 8; k++) {
        const double trip = message(1000) + 2.0 * tx(40) + 2e-6;
        const double got =
            number_of(reduction(2000 * k), ", ranks: 2, allreduce: tree, chunk: 1000B", "duration_s");
        if (!(got > (k - 1) * trip + 2.0 * message(1000) && got < (k + 1) * (trip + 2.0 * tx(1040))))
            fail_msg("%d pieces: %.12f s, a trip is %.12f s", k, got, trip);
    }
    /* Of a hierarchy: each rank passes on 2 (n - 1) of its shares in pieces, one behind the other, so that k times as much takes
     * nearly k times as long. */
    double one = 0.0;
    for (int k = 1; k <= 4; k++) {
        const int m = 2, n = 3;
        json_t *s = run_of(reduction(1000 * n * m * k),
                           ", ranks: 6, allreduce: hierarchical, hosts: 'h[0-5]', hosts_per_server: 2, "
                           "local_rate: 8Gbps, local_delay: 1us, chunk: 1000B");
        const double bytes = class_number(s, 0, NULL, "received_bytes"),
                     want = 2.0 * (n - 1) * n * m * 1000.0 * k;
        const double got = class_number(s, 0, "job", "duration_s");
        one = k == 1 ? got : one;
        assert_int_equal(class_number(s, 0, "job", "ranks_ended"), n * m);
        assert_true(bytes >= want && bytes < 1.01 * want); /* pieces are whole bytes */
        if (!(got > 0.9 * k * one && got <= k * one))
            fail_msg("a hierarchy of %d pieces: %.12f s, of one %.12f s", k, got, one);
        json_decref(s);
    }
    /* Nothing to send, and less than a piece. */
    for (int bytes = 0; bytes <= 1; bytes++)
        for (int i = 0; i < 3; i++) {
            static const char *const words[] = {"ring", "tree", "hierarchical"};
            char keys[200];
            snprintf(keys, sizeof keys, ", ranks: 3, allreduce: %s, channels: 4, chunk: 1000B, eager: 0B",
                     words[i]);
            json_t *s = run_of(reduction(bytes), keys);
            assert_int_equal(class_number(s, 0, "job", "ranks_ended"), 3);
            json_decref(s);
        }
}

static void processors_serve_one_at_a_time(void **state)
{
    (void)state;
    expect_duration("num_ranks 1\nrank 0 {\ncalc 2000\ncalc 2000\n}\n", "", 4e-6, 4);
    expect_duration("num_ranks 1\nrank 0 {\ncalc 2000\ncalc 2000 cpu 1\n}\n", "", 2e-6, 4);
    /* b starts with a, c behind it. */
    expect_duration(
        "num_ranks 1\nrank 0 {\na: calc 9000\nb: calc 2000 cpu 1\nb irequires a\nc: calc 9000 cpu 2\n"
        "c requires b\n}\n",
        "", 11e-6, 6);
    json_t *s = run_of("num_ranks 1\nrank 0 {\ncalc 2000\ncalc 1500 cpu 1\n}\n", "");
    assert_true(class_number(s, 0, "job", "waited_max_s") < 1e-11); /* overlapping computations count once */
    json_decref(s);
}

/* A send ends as it starts, or with its last ACK: the two that wait for it start then. */
static void sends_end_when_they_should(void **state)
{
    (void)state;
    static const char text[] =
        "num_ranks 2\nrank 0 {\na: send 1000b to 1\nb: calc 1000\nb requires a\n}\nrank 1 {\n"
        "recv 1000b from 0\n}\n";
    expect_duration(text, "", message(1000), 4);
    expect_duration(text, ", eager: 0B", message(1000) + message(0) + 1e-6, 8);
    /* Again and again: eager ones follow each other on the line, whose round trip is 2.9 of them; others each wait for an ACK. */
    static const char again[] = "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n";
    expect_duration(again, ", iterations: 40", message(1000) + 39.0 * tx(1040), 200);
    expect_duration(again, ", iterations: 40, eager: 0B", 40.0 * message(1000) + 40.0 * message(0), 200);
    /* Many to one, where the receiver's line is full: it has room for all that may come, and nothing waits for a timeout. */
    char many[1000];
    int at = snprintf(many, sizeof many, "num_ranks 9\nrank 0 {\n");
    for (int r = 1; r < 9; r++)
        at += snprintf(many + at, sizeof many - (size_t)at, "recv 1000b from %d\n", r);
    at += snprintf(many + at, sizeof many - (size_t)at, "}\n");
    for (int r = 1; r < 9; r++)
        at += snprintf(many + at, sizeof many - (size_t)at, "rank %d {\nsend 1000b to 0\n}\n", r);
    expect_duration(many, ", iterations: 40", message(1000) + (8.0 * 40.0 - 1.0) * tx(1040), 400);
}

static void engines_agree(void **state)
{
    (void)state;
    static const char *const files[] = {"jobs.csv", "ranks.csv", "actions.csv", "flows.csv"};
    char text[3000];
    /* One key or the other. */
    static const char *const places[][2] = {
        {"traffic.j.job.placement=blocks", "traffic.j.job.local_delay=0s"},
        {"traffic.j.job.ranks_per_host=2", "traffic.j.job.placement=round_robin"},
        {"traffic.j.job.hosts_per_server=2", "traffic.j.job.local_delay=3us"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 20ms\ntopology: {generate: {model: star, hosts: 4}, queue: {limit: 20kB}}\n"
            "traffic:\n- {name: j, start: 1ms, job: {trace: '%s/job.goal', local_rate: 8Gbps, local_delay: "
            "2us, "
            "iterations: 4, eager: 1kB}, tcp: {}}\n- {name: f, from: h0, to: h1, tcp: {sessions: 2}}\n",
            WEIR_TEST_DATA);
        for (int k = 0; k < 2; k++)
            engines_write_alike(text, places[i][k], places[i][k], files, 4);
    }
}

/*
 * Three messages of 16 segments, each computed after the last ACK of the one before, with an initial window of one segment. By new
 * connections each takes slow start: windows of 1, 2, 4 and 8, and the last segment. By one that lasts the first does, and the
 * others find a window that holds all: 16 t behind each other and t + 2 d to the last.
 */
static void connections_last(void **state)
{
    (void)state;
    static const char text[] =
        "num_ranks 2\nrank 0 {\na: send 16000b to 1\nb: send 16000b to 1\nb requires a\nc: send "
        "16000b to 1\nc requires b\n}\nrank 1 {\nrecv 16000b from 0\nrecv 16000b from 0\nrecv "
        "16000b from 0\n}\n";
    static const char *const words[] = {"new", "keep", "restart"};
    const double t = tx(1040), a = tx(40), trip = 2.0 * t + 2.0 * a + 4e-4, d2 = 2e-4;
    for (int k = 0; k < 3; k++) {
        char scenario[2000];
        snprintf(
            scenario, sizeof scenario,
            "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 2, access_rate: 10Gbps, "
            "access_delay: "
            "100us}}\ntraffic: [{name: j, job: {trace: '%s', eager: 0B}, tcp: {handshake: false, mss: 1000B, "
            "initial_window: 1, delayed_ack: 1, connection: %s}}]\n",
            trace_of(text), words[k]);
        json_t *s = summary_of(scenario, NULL, 0, NULL);
        const double first = 4.0 * trip + 2.0 * t + d2, whole = 16.0 * t + t + d2, ack = 2.0 * a + d2;
        const double want = k == 0 ? 3.0 * (first + ack) : first + 2.0 * whole + 3.0 * ack;
        const double got = class_number(s, 0, "job", "duration_s");
        if (!(fabs(got - want) < 1e-10))
            fail_msg("%s: %.12f s, want %.12f s", words[k], got, want);
        json_decref(s);
    }
}

/* Each way of an all-reduce, one key or the other: engines agree, and so does what is rolled back. */
static void engines_agree_on_strands(void **state)
{
    (void)state;
    static const char *const files[] = {"jobs.csv", "ranks.csv", "actions.csv", "flows.csv"};
    static const char *const ways[][2] = {
        {"traffic.j.job.allreduce=tree", "traffic.j.job.chunk=3kB"},
        {"traffic.j.job.allreduce=hierarchical", "traffic.j.job.channels=3"},
        {"traffic.j.tcp.connection=keep", "traffic.j.tcp.connection=validate"}};
    char text[3000];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 20ms\ntopology: {generate: {model: star, hosts: 4}, queue: {limit: 20kB}}\n"
            "traffic:\n- {name: j, job: {trace: '%s', ranks: 8, ranks_per_host: 2, allreduce: ring, chunk: "
            "20kB, eager: 1kB, local_rate: 8Gbps, local_delay: 2us}, tcp: {}}\n- {name: f, from: h0, to: h1, "
            "tcp: {sessions: 2}}\n",
            trace_of(reduction(100000)));
        for (int k = 0; k < 2; k++)
            engines_write_alike(text, ways[i][k], ways[i][k], files, 4);
    }
    engines_write_alike("weir: 1\nduration: 20ms\ntopology: {generate: {model: star, hosts: 4}, queue: "
                        "{limit: 20kB}}\ntraffic:\n- {name: "
                        "j, job: {program: [{do: allgather, message: 9kB}, {do: reduce-scatter, message: "
                        "50kB}], small: 0B, iterations: 3, "
                        "ranks: 8, ranks_per_host: 2, allreduce: hierarchical, channels: 2, chunk: 1kB, "
                        "eager: 1kB, local_rate: 8Gbps, "
                        "local_delay: 2us}, tcp: {}}\n- {name: f, from: h0, to: h1, tcp: {sessions: 2}}\n",
                        "traffic.j.job.chunk=3kB", "traffic.j.job.chunk=3kB", files, 4);
}

/* A program is what a trace says of all ranks. */
static void a_program_is_a_trace_of_all_ranks(void **state)
{
    (void)state;
    static const char head[] =
        "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 6}}\ntraffic: [{name: j, "
        "tcp: {}, job: {iterations: 2, eager: 1kB, placement: round_robin, ranks_per_host: 2, ";
    char trace[1000], program[1000], text[2000];
    size_t n = 0;
    for (int r = 0; r < 12; r++)
        n +=
            (size_t)snprintf(trace + n, sizeof trace - n,
                             "%d compute 5e3\n%d allreduce 4096 0\n%d bcast 900 3\n%d barrier\n", r, r, r, r);
    snprintf(text, sizeof text, "%strace: '%s', flops: 1e9}}]\n", head, trace_of(trace));
    snprintf(program, sizeof program,
             "%sprogram: [{do: compute, time: 5us}, {do: allreduce, message: 4KiB}, {do: bcast, message: "
             "900B, root: 3}, "
             "{do: barrier}]}}]\n",
             head);
    json_t *a = summary_of(text, NULL, 0, NULL), *b = summary_of(program, NULL, 0, NULL);
    assert_true(class_number(a, 0, "job", "ranks_ended") == 12);
    assert_true(class_number(a, 0, "job", "duration_s") == class_number(b, 0, "job", "duration_s"));
    assert_true(json_equal(json_object_get(a, "state_digest"), json_object_get(b, "state_digest")));
    json_decref(a);
    json_decref(b);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *sets[2], *says;
    } wrong[] = {
        {{"traffic.j.job.hosts=h0", NULL},
         "4 ranks on 1 host with 1 rank each; want more hosts, or ranks_per_host: 4"},
        {{"traffic.j.job.hosts=[h0, h1, h2, h3, h0]", NULL}, "'h0' is named twice among the hosts"},
        {{"traffic.j.start={uniform: [0s, 1ms]}", NULL}, "job: start is one time"},
        {{"traffic.j.stop=1ms", NULL}, "whose ranks would wait for ever"},
        {{"traffic.j.job.hosts_per_server=2", NULL},
         "know of each other by 'local_delay'; want one above 0s"},
        {{"traffic.j.tcp={size: 1kB}", NULL}, "whose trace says what is sent"},
        {{"traffic.j.fidelity=fluid", NULL}, "whose flows wait for each other"},
        {{"traffic.j.job.trace=none.goal", NULL}, "no file"},
        {{"traffic.j.from=h0", NULL}, "which says the same; keep one"},
        {{"traffic.j.job={hosts: h0}", NULL}, "want one of trace, model and program"},
        {{"traffic.j.job.ranks=5", NULL}, "ranks is 5, and the trace has 4; leave `ranks` out"},
        {{"traffic.j.job.iterations=endless", NULL}, "endless: on packets the end of each operation is kept"},
        {{"traffic.j.job.program=[{do: barrier}]", NULL}, "trace does not go together with program"},
        {{"traffic.j.job={program: [{do: exchange}]}", NULL}, "a job on packets has no grid"},
        {{"traffic.j.job={program: [{do: bcast, root: 9}]}", NULL}, "action 1 (bcast): root 9 of 4 members"},
        {{"traffic.j.job={program: [{do: allreduce, time: 1us}]}", NULL},
         "time means nothing here; it is for do: compute"},
        {{"traffic.j.job={program: [{do: barrier, message: 1kB}]}", NULL}, "message means nothing here"},
        {{"traffic.j.job={program: [{do: allreduce, root: 1}]}", NULL}, "root means nothing here"},
        {{"traffic.j.job={program: [{do: allreduce, algorithm: ring}]}", NULL},
         "`allreduce` and `small` say how"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1000];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        bool found = false;
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 4}}\n"
                 "traffic: [{name: j, job: {trace: job.goal}, tcp: {}}]\n");
        assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, wrong[i].sets, 1, &result), WEIR_OK);
        for (size_t k = 0; k < weir_diag_count(diag); k++)
            found = found || strstr(weir_diag_get(diag, k)->text, wrong[i].says);
        if (!found) {
            print_messages(diag);
            fail_msg("not said: %s", wrong[i].says);
        }
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

/* The makespan is of all messages, whatever the warm-up leaves out. */
static void makespans_begin_with_the_first_message(void **state)
{
    static const char *const warm[] = {"output.warmup=0s", "output.warmup=2500us", "output.warmup=90ms"};
    char text[1000];
    double makespan[3];
    (void)state;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 100ms\ntopology: {generate: {model: star, hosts: 2}}\ntraffic: [{name: j, "
             "job: {trace: '%s', iterations: 3}, tcp: {}}]\n",
             trace_of("num_ranks 2\nrank 0 {\na: calc 1000000\nb: send 1000b to 1\nb requires a\n}\n"
                      "rank 1 {\na: recv 1000b from 0\n}\n"));
    for (int i = 0; i < 3; i++) {
        weir_diag *diag = weir_diag_new();
        weir_run_result result = run_into(diag, text, "makespan", &warm[i], 1);
        json_t *s = json_loads(result.summary_json, 0, NULL);
        makespan[i] = json_number_value(
            json_object_get(json_array_get(json_object_get(s, "classes"), 0), "makespan_s"));
        json_decref(s);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
    assert_in_range((uintmax_t)(1e6 * makespan[0]), 8000, 8500);
    assert_true(makespan[1] == makespan[0] && makespan[2] == makespan[0]);
}

/* Ranks without operations begin and end with each iteration; starts that wait for starts, in any order. */
static void idle_ranks_and_chains_of_starts(void **state)
{
    static const char *const sets[] = {"output.warmup=0s"};
    static const char trace[] =
        "num_ranks 3\nrank 1 {\nc: calc 5000 cpu 2\nb: calc 5000 cpu 1\na: calc 5000\n"
        "z: calc 1000 cpu 3\na requires z\nc irequires b\nb irequires a\n}\n";
    char text[1000];
    (void)state;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 10ms\ntopology: {generate: {model: star, hosts: 3}}\ntraffic: [{name: j, "
             "start: 1ms, "
             "job: {trace: '%s', iterations: 40}, tcp: {}}]\n",
             trace_of(trace));
    weir_diag *diag = weir_diag_new();
    weir_run_result result = run_into(diag, text, "idle", sets, 1);
    json_t *s = json_loads(result.summary_json, 0, NULL);
    assert_int_equal(class_number(s, 0, "job", "ranks_ended"), 3);
    assert_true(fabs(class_number(s, 0, "job", "duration_s") - 40 * 6e-6) < 1e-9);
    char *ranks = read_text(scratch_path("idle/ranks.csv")),
         *actions = read_text(scratch_path("idle/actions.csv"));
    assert_non_null(strstr(ranks, "j,0,h0,ended,40,0.001000000039,0,0.000000000039\n"));
    assert_null(strstr(ranks, "-"));
    assert_non_null(strstr(actions, "j,0,1,3,c,compute,,,0.001001"));
    free(ranks);
    free(actions);
    json_decref(s);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

/* Ranks at a router that no flow begins or ends at. */
static void ranks_at_a_router_alone(void **state)
{
    (void)state;
    char text[1000];
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1s\ntopology: {generate: {model: erdos-renyi, nodes: 6, links: 8}}\n"
             "traffic: [{name: j, job: {trace: '%s', ranks_per_host: 4, local_rate: 1Gbps}, tcp: {}}]\n",
             WEIR_TEST_DATA "/job.goal");
    json_t *s = summary_of(text, NULL, 0, NULL);
    assert_int_equal(class_number(s, 0, "job", "ranks_ended"), 4);
    assert_int_equal(class_number(s, 0, "job", "messages"), 0);
    json_decref(s);
}

/* A rank has one receiver there, or none: it computes, or only receives. */
static void paths_alone_serve_where_receivers_are_one(void **state)
{
    (void)state;
    static const char *const traces[] = {
        "num_ranks 1\nrank 0 {\ncalc 1000\n}\n",
        "num_ranks 2\nrank 0 {\nsend 90000b to 1 tag 0\n}\nrank 1 {\nrecv 90000b from 0 tag 0\n}\n",
        "num_ranks 3\nrank 0 {\nsend 9b to 1 tag 0\nrecv 9b from 2 tag 0\n}\nrank 1 {\nsend 9b to 2 tag 0\n"
        "recv 9b from 0 tag 0\n}\nrank 2 {\nsend 9b to 0 tag 0\nrecv 9b from 1 tag 0\n}\n"};
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        char text[1000];
        static const char *const forwarding[] = {"routing.forwarding=table", "routing.forwarding=source"};
        weir_run_result by[2];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1s\ntopology: {generate: {model: ring, routers: 6}}\n"
                 "traffic: [{name: j, job: {trace: '%s'}, tcp: {}}]\n",
                 trace_of(traces[i]));
        for (int k = 0; k < 2; k++)
            json_decref(summary_of(text, &forwarding[k], 1, &by[k]));
        assert_int_equal(by[0].event_digest, by[1].event_digest);
        assert_int_equal(by[0].state_digest, by[1].state_digest);
    }
}

/* The job begins with its class, to the picosecond. */
static void the_start_is_the_class_s(void **state)
{
    (void)state;
    char text[1000];
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 2}}\n"
             "traffic: [{name: j, start: 3ms, job: {trace: '%s'}, tcp: {}}]\n",
             trace_of("num_ranks 1\nrank 0 {\ncalc 2000\n}\n"));
    json_t *s = summary_of(text, NULL, 0, NULL);
    assert_true(class_number(s, 0, "job", "start_s") == 0.003);
    json_decref(s);
}

/* A job that the run's end cuts off keeps what it has done. */
static void what_is_under_way(void **state)
{
    (void)state;
    static const char two[] =
        "num_ranks 2\nrank 0 {\na: calc 600000000\nb: calc 600000000\nb requires a\n}\nrank 1 {\ncalc 1\n}\n";
    json_t *s = run_of(two, "");
    assert_int_equal(class_number(s, 0, "job", "ranks_ended"), 1);
    assert_int_equal(class_number(s, 0, "job", "operations_ended"), 2);
    const json_t *job = json_object_get(json_array_get(json_object_get(s, "classes"), 0), "job");
    assert_true(json_is_null(json_object_get(job, "duration_s")));
    json_decref(s);
}

/* Of many ranks they are more than 64 bits of picoseconds. */
static void long_computations_add_up(void **state)
{
    (void)state;
    char trace[1200], text[400];
    int at = snprintf(trace, sizeof trace, "num_ranks 20\n");
    for (int r = 0; r < 20; r++)
        at += snprintf(trace + at, sizeof trace - (size_t)at, "rank %d {\ncalc 1000000000000000\n}\n", r);
    snprintf(text, sizeof text,
             "weir: 1\nduration: until-done 20d\ntopology: {generate: {model: star, hosts: 20}}\n"
             "traffic: [{name: j, job: {trace: '%s'}, tcp: {}}]\n",
             trace_of(trace));
    json_t *s = summary_of(text, NULL, 0, NULL);
    assert_float_equal(class_number(s, 0, "job", "compute_mean_s"), 1e6, 1e-6);
    json_decref(s);
}

/* A rate of servers that nobody shares. */
static void local_rates_of_nobody(void **state)
{
    char text[1000];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    (void)state;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 4}}\n"
             "traffic: [{name: j, job: {program: [{do: barrier}], local_rate: 1Tbps}, tcp: {}}]\n");
    assert_int_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
    const weir_message *m = weir_diag_get(diag, 0);
    assert_true(m && m->line == 4 && strstr(m->text, "local_rate is between ranks of a server"));
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make() ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_its_parts),
        cmocka_unit_test(reductions_take_their_steps),
        cmocka_unit_test(trees_take_their_depth),
        cmocka_unit_test(hierarchies_take_their_steps),
        cmocka_unit_test(halves_take_half),
        cmocka_unit_test(channels_and_pieces),
        cmocka_unit_test(processors_serve_one_at_a_time),
        cmocka_unit_test(sends_end_when_they_should),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(connections_last),
        cmocka_unit_test(engines_agree_on_strands),
        cmocka_unit_test(a_program_is_a_trace_of_all_ranks),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(what_is_under_way),
        cmocka_unit_test(ranks_at_a_router_alone),
        cmocka_unit_test(idle_ranks_and_chains_of_starts),
        cmocka_unit_test(makespans_begin_with_the_first_message),
        cmocka_unit_test(paths_alone_serve_where_receivers_are_one),
        cmocka_unit_test(the_start_is_the_class_s),
        cmocka_unit_test(long_computations_add_up),
        cmocka_unit_test(local_rates_of_nobody),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
