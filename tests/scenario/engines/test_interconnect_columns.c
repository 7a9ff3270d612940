/*
 * What an interconnect's tables say, against the packets themselves: the same simulation, without its results, stops so often that
 * every packet is seen on its way into the network and out of it, and all columns of jobs.csv, terminals.csv, latency.csv and
 * pairs.csv, and the figures of summary.json, follow from that list. Equal digests show that it is the same simulation.
 */
#include <math.h>

#include "diag.h"
#include "models/interconnect/interconnect.h"
#include "models/interconnect/jobs/job.h"
#include "output/results/remove_tree.h"
#include "output/scratch.h"
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "models/usual/interconnect.h"

enum { TERMINALS = 12, JOBS = 2, RANKS = 6, PACKETS_MAX = 100000, WARM_US = 20, END_US = 120, STEP_NS = 100 };

static const char text[] =
    "weir: 1\nduration: 120us\nseed: 5\nmodel:\n  interconnect:\n"
    "    dragonfly: {p: 1, a: 3, h: 1, groups: 4}\n    routing: ugal\n    pairs: true\n    jobs:\n"
    "      - {name: random, ranks: 6, load: 70%, message: 700B}\n"
    "      - {name: large, ranks: 6, pattern: permutation, load: 60%, message: 10000B}\n"
    "output: {warmup: 20us, interval: 10us}\n";

/* A packet as it was seen; times in ps, -1: not yet. */
typedef struct packet {
    ic_burst burst;
    weir_time left_ps, came_ps;
} packet;

static packet seen[PACKETS_MAX];
static size_t n_seen;

static packet *find(const ic_burst *b)
{
    for (size_t i = n_seen; i-- > 0;)
        if (seen[i].burst.source == b->source && seen[i].burst.packet == b->packet)
            return &seen[i];
    assert_true(n_seen < PACKETS_MAX);
    seen[n_seen] = (packet){*b, -1, -1};
    return &seen[n_seen++];
}

static void see(void *user, const weir_event *event)
{
    const ic_burst *b = WEIR_PAYLOAD(ic_burst, event);
    (void)user;
    if (event->type == IC_ARRIVE && event->source < TERMINALS) { /* on its way to the first router */
        packet *p = find(b);
        p->burst = *b;
        p->left_ps = b->born_ps;
    } else if (event->type == IC_DELIVER) {
        packet *p = find(b);
        p->burst = *b;
        p->came_ps = event->time_ps;
    }
}

/* The scenario's simulation, watched. */
static void watch(weir_diag *diag, uint64_t *event_digest)
{
    ic_job jobs[JOBS];
    ic_params p;
    weir_setup setup;
    weir_sim *sim;
    wi_ic *ic;
    usual_interconnect(&p);
    p.p = 1, p.a = 3, p.h = 1, p.groups = 4;
    p.routing = IC_UGAL;
    p.per_pair = true;
    p.seed = 5;
    for (int j = 0; j < JOBS; j++) {
        ic_job_init(&jobs[j]);
        jobs[j].n_ranks = RANKS;
    }
    jobs[0].load = 0.7;
    jobs[0].message_bytes = 700;
    jobs[1].pattern = IC_PERMUTATION;
    jobs[1].load = 0.6;
    jobs[1].message_bytes = 10000;
    p.jobs = jobs;
    p.n_jobs = JOBS;
    expect_ok(diag, wi_ic_new(diag, &p, &ic));
    wi_ic_setup(ic, &setup);
    expect_ok(diag, weir_sim_new(diag, &setup, &sim));
    for (weir_time t = STEP_NS * WEIR_PS_PER_NS; t <= END_US * WEIR_PS_PER_US;
         t += STEP_NS * WEIR_PS_PER_NS) {
        expect_ok(diag, weir_sim_run(diag, sim, t, NULL));
        expect_ok(diag, weir_sim_pending(diag, sim, see, NULL));
    }
    *event_digest = weir_sim_event_digest(sim);
    weir_sim_free(sim);
    wi_ic_free(ic);
}

static bool counts(weir_time at_ps)
{
    return at_ps >= WARM_US * WEIR_PS_PER_US && at_ps < END_US * WEIR_PS_PER_US;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a job's packets come to, after the warm-up. */
typedef struct totals {
    double packets, chunks, latency_s, hops, detours, sent, waited_s, messages;
    double *latency; /* [packets], rising */
} totals;

static totals totals_of(uint32_t job)
{
    totals t = {.latency = malloc((n_seen + 1) * sizeof(double))};
    size_t n = 0;
    for (size_t i = 0; i < n_seen; i++) {
        const packet *p = &seen[i];
        if (p->burst.source / RANKS != job)
            continue;
        if (counts(p->left_ps)) {
            t.sent++;
            t.waited_s += 1e-9 * (p->burst.message + 0.5);      /* whole ns, rounded down */
            t.messages += job == 0 || p->burst.packet % 3 == 0; /* 10,000 B are three packets */
        }
        if (counts(p->came_ps)) {
            t.latency[n] = weir_seconds(p->came_ps - p->left_ps);
            t.latency_s += t.latency[n++];
            t.chunks += p->burst.size;
            t.hops += p->burst.hops;
            t.detours += p->burst.via != IC_NO_VIA;
        }
    }
    t.packets = (double)n;
    qsort(t.latency, n, sizeof *t.latency, by_value);
    return t;
}

static void expect_near(const char *what, double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%s is %.12g, want %.12g", what, got, want);
}

static void check_job(const char *folder, const char *name, const totals *t)
{
    const struct {
        const char *column;
        double want, relative;
    } cells[] = {{"ranks", RANKS, 0.0},
                 {"packets", t->packets, 0.0},
                 {"bytes", t->chunks * 64, 0.0},
                 {"throughput_Bps", t->chunks * 64 / ((END_US - WARM_US) * 1e-6), 1e-12},
                 {"latency_mean_s", t->latency_s / t->packets, 1e-9},
                 {"latency_p50_s", t->latency[(size_t)ceil(0.5 * t->packets) - 1], 0.02},
                 {"latency_p99_s", t->latency[(size_t)ceil(0.99 * t->packets) - 1], 0.02},
                 {"terminal_wait_mean_s", t->waited_s / t->sent, 2e-3},
                 {"hops_mean", t->hops / t->packets, 1e-12},
                 {"non_minimal_share", t->detours / t->packets, 1e-12}};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        expect_near(cells[i].column, csv_cell(folder, "jobs.csv", "job", name, cells[i].column),
                    cells[i].want, cells[i].relative);
    /* A message is counted when its terminal takes it up: one of each rank may still wait for room. */
    const double messages = csv_cell(folder, "jobs.csv", "job", name, "messages");
    assert_true(fabs(messages - t->messages) <= RANKS);
    assert_true(t->packets > 100 && t->detours > 5);
}

static void check_terminals(const char *folder)
{
    static const char *const columns[] = {"packets_sent", "packets_received", "bytes_sent", "bytes_received"};
    for (uint32_t terminal = 0; terminal < TERMINALS; terminal++) {
        char name[16];
        double want[4] = {0};
        snprintf(name, sizeof name, "%u", terminal);
        for (size_t i = 0; i < n_seen; i++) {
            const ic_burst *b = &seen[i].burst;
            const bool sent = b->source == terminal, came = b->target == terminal && seen[i].came_ps >= 0 &&
                                                            seen[i].came_ps < END_US * WEIR_PS_PER_US;
            want[0] += sent;
            want[1] += came;
            want[2] += sent ? b->size * 64 : 0;
            want[3] += came ? b->size * 64 : 0;
        }
        for (int k = 0; k < 4; k++)
            expect_near(columns[k], csv_cell(folder, "terminals.csv", "terminal", name, columns[k]), want[k],
                        0.0);
        expect_near("router", csv_cell(folder, "terminals.csv", "terminal", name, "router"), terminal, 0.0);
    }
}

/* Rows of a table of numbers, its head left out. */
static FILE *open_rows(const char *folder, const char *file)
{
    char path[700], head[CSV_LINE];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(head, sizeof head, f));
    return f;
}

static void check_pairs(const char *folder)
{
    uint32_t source, target;
    unsigned long long packets;
    double mean_s, rows = 0, all = 0;
    FILE *f = open_rows(folder, "pairs.csv");
    for (; fscanf(f, "%u,%u,%llu,%lf\n", &source, &target, &packets, &mean_s) == 4; rows++) {
        double n = 0, sum_s = 0;
        for (size_t i = 0; i < n_seen; i++)
            if (seen[i].burst.source == source && seen[i].burst.target == target && counts(seen[i].came_ps)) {
                n++;
                sum_s += weir_seconds(seen[i].came_ps - seen[i].left_ps);
            }
        expect_near("packets of a pair", (double)packets, n, 0.0);
        expect_near("latency of a pair", mean_s, sum_s / n, 1e-9);
        all += n;
    }
    assert_true(feof(f) && rows == RANKS * (RANKS - 1) + RANKS); /* any other rank; a permutation */
    fclose(f);
    for (size_t i = 0; i < n_seen; i++)
        all -= counts(seen[i].came_ps);
    assert_true(all == 0.0);
}

static void check_latencies(const char *folder, const totals *t)
{
    double from_s, to_s, share, below = 0.0;
    unsigned long long packets;
    FILE *f = open_rows(folder, "latency.csv");
    while (fscanf(f, "%lf,%lf,%llu,%lf\n", &from_s, &to_s, &packets, &share) == 4) {
        double n = 0;
        for (int j = 0; j < JOBS; j++)
            for (size_t i = 0; i < (size_t)t[j].packets; i++)
                n += t[j].latency[i] >= from_s - 1e-13 && t[j].latency[i] < to_s - 1e-13;
        below += n;
        expect_near("packets of a bin", (double)packets, n, 0.0);
        expect_near("cumulative_share", share, below / (t[0].packets + t[1].packets), 1e-9);
    }
    assert_true(feof(f) && below == t[0].packets + t[1].packets);
    fclose(f);
}

static void tables_say_what_packets_did(void **state)
{
    weir_diag *diag = *state;
    uint64_t event_digest;
    weir_run_result result = run_into(diag, text, "columns", NULL, 0);
    watch(diag, &event_digest);
    assert_int_equal(result.event_digest, event_digest);
    const totals t[JOBS] = {totals_of(0), totals_of(1)};
    check_job(result.output_dir, "random", &t[0]);
    check_job(result.output_dir, "large", &t[1]);
    check_terminals(result.output_dir);
    check_pairs(result.output_dir);
    check_latencies(result.output_dir, t);
    free(t[0].latency);
    free(t[1].latency);
    weir_run_result_free(&result);
}

static int make_folder(void **state)
{
    return scratch_make() ? diag_set_up(state) : -1;
}

static int remove_folder(void **state)
{
    (void)diag_tear_down(state);
    return wi_remove_tree(scratch_folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_say_what_packets_did)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
