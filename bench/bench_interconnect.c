/*
 * The dragonfly of 72 terminals at full load, and the surrogate experiment of Cruz-Camacho et al. (2023), table 1:
 * processor time of a chunk that is delivered, and what going round the network saves and costs. links: models
 * surrogate engine base
 *
 * bench_interconnect grid [SEED]: other patterns, programs and traces, at full and half load, 10 ms of them in bursts of 16; given periods
 * and switching by itself: throughput, and wait and latency, round the network and after it, as shares of full detail. A cell is right when
 * throughputs are within 5 % and wait and latency within 10 %; the last line says how many are.
 * bench_interconnect [MS [BURST [SEEDS [kit]]]]. MS: simulated milliseconds of the experiment, 10 (default) or 100; of these 3 to 8,
 * or 20 to 90, go round the network, and latencies are tracked for 1, or 10, before. BURST: chunks that an output sends
 * in one go (default 1). SEEDS: repetitions (default 1). kit: what the authors' scripts for that paper ask for (codes-org/codes,
 * scripts/reproducibility-pads23): progressive adaptive routing, links of 2 GiB/s, a message every 480 ns. Mean squared error: of the mean
 * latency over a hundredth of the run after the switch back, as these scripts have it (100 us, or 1 ms of 100), against full detail, in us^2;
 * with several seeds their means with 95 % intervals, and the floor: the same error between full-detail runs of different seeds; and, of 10
 * ms, all again for the first 0.8 ms, in which an empty network fills, and for the rest. Every run is checked for its conservation laws, and
 * the throughput rows by the digest of a second run.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "models/interconnect/bypass.h"
#include "../tests/models/usual/director.h"
#include "../tests/models/usual/interconnect.h"

enum {
    WINDOWS = 100
}; /* of a run, as the scripts of the paper cut it (codes, scripts/reproducibility-pads23) */

/* Where a packet's latency begins: at its injection, as in results; in its terminal's buffer of 32 KiB, as for CODES (dragonfly-dally.cxx,
 * packet_generate), by Little's law where terminals are behind all the time; when it was due. */
enum { INJECTED, IN_BUFFER, DUE, MEASURES };
static const char *const measure_names[MEASURES] = {
    "from injection", "from the terminal's buffer of 32 KiB, as CODES", "from when a packet was due"};

typedef struct outcome {
    double took_s, throughput_Bps, round_s;
    double round_simulated_s;
    double latency_us[MEASURES][WINDOWS]; /* of windows */
    double chunks_in[WINDOWS], packets_in[WINDOWS], wait_us[WINDOWS];
    int round_in[WINDOWS]; /* wholly round the network */
    size_t switches;
    uint64_t digest, chunks, events;
} outcome;

typedef struct running {
    weir_diag *diag;
    wi_director *director;
    double round_from_s, round_s; /* processor time round the network */
} running;

static int as_the_kit; /* see above */

static weir_time direct(void *user, weir_time now_ps)
{
    running *r = user;
    weir_time next_ps;
    size_t before, after;
    wi_director_log(r->director, &before);
    bench_must(r->diag, wi_director_call(r->diag, r->director, now_ps, &next_ps));
    const wi_decision *log = wi_director_log(r->director, &after);
    if (after > before && log[after - 1].round)
        r->round_from_s = bench_cpu_s();
    else if (after > before)
        r->round_s += bench_cpu_s() - r->round_from_s;
    return next_ps;
}

/* A run in windows; `how` null: in full detail. */
static void run(weir_diag *diag, uint32_t burst, uint64_t seed, weir_time end_ps,
                const wi_director_params *how, const ic_job *asked, outcome *out)
{
    const weir_time window_ps = end_ps / WINDOWS;
    ic_job job;
    ic_params p;
    weir_setup setup;
    weir_sim *sim;
    wi_ic *ic;
    wi_ic_bypass bypass = {0};
    running r = {.diag = diag};
    ic_job_init(&job);
    usual_interconnect(&p);
    if (asked)
        job = *asked;
    if (as_the_kit) {
        const uint64_t rate_bps = UINT64_C(2) << 33; /* 2 GiB/s */
        p.terminal.rate_bps = p.local.rate_bps = p.global.rate_bps = rate_bps;
        p.routing = IC_PAR;
        job.periodic = true;
        job.load = 8.0 * 1024 / 480e-9 / (double)rate_bps;
    }
    p.burst = burst;
    p.seed = seed;
    p.jobs = &job;
    p.n_jobs = 1;
    p.surrogate = how != NULL;
    bench_must(diag, wi_ic_new(diag, &p, &ic));
    wi_ic_setup(ic, &setup);
    if (how) {
        const wi_director_model model = wi_ic_bypass_model(&bypass);
        bench_must(diag, wi_director_new(diag, how, &model, &r.director));
        setup.hook = direct;
        setup.hook_first_ps = wi_director_first(r.director);
        setup.user = &r;
    }
    bench_must(diag, weir_sim_new(diag, &setup, &sim));
    if (how)
        bench_must(diag, wi_ic_bypass_init(diag, &bypass, ic, sim));
    memset(out, 0, sizeof *out);
    const double from_s = bench_cpu_s();
    int64_t packets = 0, latency_ps = 0, total_ps = 0, chunks = 0, waited_ps = 0, sent = 0;
    double round_s = 0.0;
    for (weir_time t = window_ps, i = 0; t <= end_ps; t += window_ps, i++) {
        bench_must(diag, weir_sim_run(diag, sim, t, NULL));
        const int64_t *c = weir_sim_counters(sim);
        out->latency_us[INJECTED][i] =
            c[IC_COUNT_PACKETS] == packets
                ? 0.0
                : 1e-6 * (double)(c[IC_COUNT_LATENCY] - latency_ps) / (double)(c[IC_COUNT_PACKETS] - packets);
        if (c[IC_COUNT_TOTAL_PACKETS] > packets)
            out->latency_us[DUE][i] =
                1e-6 * (double)(c[IC_COUNT_TOTAL] - total_ps) / (double)(c[IC_COUNT_TOTAL_PACKETS] - packets);
        total_ps = c[IC_COUNT_TOTAL];
        out->packets_in[i] = (double)(c[IC_COUNT_PACKETS] - packets);
        packets = c[IC_COUNT_PACKETS];
        latency_ps = c[IC_COUNT_LATENCY];
        const int64_t sent_now = c[IC_COUNT_INJECTED] + c[IC_COUNT_PREDICTED];
        out->wait_us[i] = sent_now == sent
                              ? 0.0
                              : 1e-6 * (double)(c[IC_COUNT_WAITED] - waited_ps) / (double)(sent_now - sent);
        const double full_us = 32768.0 / (double)job.message_bytes * setup.kind_count[IC_KIND_TERMINAL] *
                               1e6 * weir_seconds(window_ps) / (double)(sent_now - sent);
        out->latency_us[IN_BUFFER][i] =
            out->latency_us[INJECTED][i] + (out->wait_us[i] < full_us ? out->wait_us[i] : full_us);
        out->chunks_in[i] = (double)(c[IC_COUNT_CHUNKS] - chunks);
        chunks = c[IC_COUNT_CHUNKS];
        waited_ps = c[IC_COUNT_WAITED];
        sent = sent_now;
        const double round_now_s = how ? weir_seconds(wi_director_round_ps(r.director, t)) : 0.0;
        out->round_in[i] = round_now_s - round_s > 0.5 * weir_seconds(window_ps);
        round_s = round_now_s;
    }
    if (how)
        wi_director_log(r.director, &out->switches);
    out->took_s = bench_cpu_s() - from_s;
    out->round_s = r.round_s;
    out->round_simulated_s = how ? weir_seconds(wi_director_round_ps(r.director, weir_sim_now(sim))) : 0.0;
    bench_must(diag, wi_ic_check(diag, ic, sim));
    out->chunks = (uint64_t)weir_sim_counters(sim)[IC_COUNT_CHUNKS];
    out->throughput_Bps = (double)out->chunks * p.chunk_bytes / weir_seconds(end_ps);
    out->digest = weir_sim_state_digest(sim);
    out->events = weir_sim_events(sim);
    weir_sim_free(sim);
    wi_ic_bypass_free(&bypass);
    wi_director_free(r.director);
    wi_ic_free(ic);
}

static void speed(weir_diag *diag)
{
    static const uint32_t bursts[] = {1, 4, 16};
    const double codes_ns = 29e9 / (72 * 2e9 / 64 * 1e-3); /* 29 s a simulated ms; docs/performance.md */
    printf("72 terminals, uniform, full load, 1 ms, one core (CODES: %.0f ns a chunk on a like core)\n",
           codes_ns);
    printf("%6s %10s %12s %14s %10s   %s\n", "burst", "Mevents/s", "ns a chunk", "against CODES", "GB/s",
           "digest");
    for (size_t i = 0; i < sizeof bursts / sizeof bursts[0]; i++) {
        outcome one, two;
        run(diag, bursts[i], 1, WEIR_PS_PER_MS, NULL, NULL, &one);
        run(diag, bursts[i], 1, WEIR_PS_PER_MS, NULL, NULL, &two);
        if (one.digest != two.digest) {
            bench_fail("interconnect: digests of two runs differ");
        }
        const double took_s = one.took_s < two.took_s ? one.took_s : two.took_s,
                     ns = 1e9 * took_s / (double)one.chunks;
        printf("%6u %10.2f %12.0f %13.1fx %10.1f   %016llx\n", bursts[i], 1e-6 * (double)one.events / took_s,
               ns, codes_ns / ns, 1e-9 * one.throughput_Bps, (unsigned long long)one.digest);
        fflush(stdout);
    }
}

static double error_us2(const double *got_us, const double *want_us, size_t from, size_t until)
{
    double sum = 0.0;
    for (size_t i = from; i < until; i++)
        sum += (got_us[i] - want_us[i]) * (got_us[i] - want_us[i]);
    return sum / (double)(until - from);
}

/* The 97.5 % quantile of Student's t with n - 1 degrees of freedom. */
static double student(int n)
{
    static const double t[] = {0, 0, 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
    return n < 2 ? 0.0 : n <= 10 ? t[n] : 1.96 + 2.5 / n;
}

static void summary(const char *what, const char *unit, const double *x, int n)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    const double half = n > 1 ? student(n) * sqrt(squares / (n - 1) / n) : 0.0;
    printf("     %-30s %10.3f +- %.3f %s\n", what, sum / n, half, unit);
}

enum { SEEDS_MOST = 100, REFILL = 8 /* windows in which an empty network fills */ };

static double difference_us(const double *got_us, const double *want_us, size_t from, size_t until)
{
    double sum = 0.0;
    for (size_t i = from; i < until; i++)
        sum += got_us[i] - want_us[i];
    return sum / (double)(until - from);
}

/* Mean squared errors of all seeds over a span of windows: of both modes, and the floor; and whether latencies are wrong in the mean. */
static void span(const char *name, double us[][3][WINDOWS], uint32_t seeds, size_t from, size_t until)
{
    static const char *const names[] = {"other seeds in full detail", "hybrid-lite", "hybrid"};
    double mean[3] = {0};
    printf("mean squared error, %s, %u seeds, 95 %% intervals\n", name, seeds);
    for (int mode = 2; mode >= 0; mode--) {
        double error[SEEDS_MOST], late_us[SEEDS_MOST];
        for (uint32_t s = 0; s < seeds; s++) {
            error[s] = error_us2(us[s][mode], us[mode ? s : (s + 1) % seeds][0], from, until);
            late_us[s] = difference_us(us[s][mode], us[mode ? s : (s + 1) % seeds][0], from, until);
            mean[mode] += error[s] / seeds;
        }
        summary(names[mode], "us2", error, (int)seeds);
        summary("  latency too long by", "us", late_us, (int)seeds);
    }
    printf("     hybrid-lite / hybrid           %10.1f\n", mean[1] / mean[2]);
}

static void experiment(weir_diag *diag, uint32_t ms, uint32_t burst, uint32_t seeds)
{
    static outcome plain, other;
    const weir_time end_ps = ms * WEIR_PS_PER_MS, from_ps = ms == 100 ? 20 * WEIR_PS_PER_MS : end_ps / 10 * 3,
                    until_ps = ms == 100 ? 90 * WEIR_PS_PER_MS : end_ps / 10 * 8;
    const wi_period period = {from_ps, until_ps, ms == 100 ? 20 * WEIR_PS_PER_MS : end_ps / 10, {0}};
    static double us[MEASURES][SEEDS_MOST][3][WINDOWS]; /* full detail, both modes */
    const size_t first = (size_t)(until_ps / (end_ps / WINDOWS)), last = WINDOWS;
    printf("\n%u ms, %g of them round the network, burst %u%s\n", ms, weir_seconds(until_ps - from_ps) * 1e3,
           burst, as_the_kit ? ", as the paper's scripts" : "");
    printf("%4s %-12s %8s %10s %8s %12s %12s %14s\n", "seed", "mode", "GB/s", "processor", "faster",
           "of possible", "surrogate", "MSE: injected, buffer, due");
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        run(diag, burst, seed, end_ps, NULL, NULL, &plain);
        printf("%4llu %-12s %8.1f %8.2f s, %.1f us at the end\n", (unsigned long long)seed, "full detail",
               1e-9 * plain.throughput_Bps, plain.took_s, plain.latency_us[INJECTED][WINDOWS - 1]);
        for (int mode = WI_HYBRID_LITE; mode <= WI_HYBRID; mode++) {
            wi_director_params how;
            usual_director(&how);
            how.mode = (wi_surrogate_mode)mode;
            how.periods = &period;
            how.n_periods = 1;
            how.always = true; /* the paper's */
            run(diag, burst, seed, end_ps, &how, NULL, &other);
            const double share = weir_seconds(until_ps - from_ps) / weir_seconds(end_ps);
            const double faster = plain.took_s / other.took_s;
            printf("%4llu %-12s %8.1f %8.2f s %7.2fx %11.1f%% %11.0fx %10.3f %10.3f %10.3f us2\n",
                   (unsigned long long)seed, mode == WI_HYBRID ? "hybrid" : "hybrid-lite",
                   1e-9 * other.throughput_Bps, other.took_s, faster, 100 * faster * (1 - share),
                   plain.took_s * share / other.round_s,
                   error_us2(other.latency_us[INJECTED], plain.latency_us[INJECTED], first, last),
                   error_us2(other.latency_us[IN_BUFFER], plain.latency_us[IN_BUFFER], first, last),
                   error_us2(other.latency_us[DUE], plain.latency_us[DUE], first, last));
            fflush(stdout);
            for (int m = 0; m < MEASURES; m++)
                memcpy(us[m][seed - 1][mode == WI_HYBRID ? 2 : 1], other.latency_us[m], sizeof us[0][0][0]);
        }
        for (int m = 0; m < MEASURES; m++)
            memcpy(us[m][seed - 1][0], plain.latency_us[m], sizeof us[0][0][0]);
    }
    if (seeds < 2)
        return;
    for (int m = 0; m < MEASURES; m++) {
        double(*of)[3][WINDOWS] = us[m];
        printf("\n%s\n", measure_names[m]);
        span("from the switch back to the end", of, seeds, first, last);
        if (ms != 10)
            continue;
        span("first 0.8 ms", of, seeds, first, first + REFILL);
        span("after these", of, seeds, first + REFILL, last);
    }
}

/* A cell of the grid. */
typedef struct traffic {
    const char *name;
    ic_pattern pattern;
    uint32_t ranks, grid[2];
    double load;
    const job_action *actions; /* of programs, and of traces, which have them rank by rank */
    size_t n_actions;
    const size_t *first;
} traffic;

/* Shares of full detail over the windows that `other` was round the network (1), or all behind the first of these (0). */
typedef struct shares {
    double throughput, latency;
} shares;

static shares compare(const outcome *plain, const outcome *other, int round)
{
    double chunks[2] = {0}, packets[2] = {0}, late_us[2] = {0};
    size_t i = 0, n = 0;
    while (i < WINDOWS && !other->round_in[i])
        i++;
    for (; i < WINDOWS; i++) {
        if (other->round_in[i] != round)
            continue;
        const outcome *const both[] = {plain, other};
        for (int k = 0; k < 2; k++) {
            chunks[k] += both[k]->chunks_in[i];
            packets[k] += both[k]->packets_in[i];
            late_us[k] += both[k]->packets_in[i] * (both[k]->latency_us[INJECTED][i] + both[k]->wait_us[i]);
        }
        n++;
    }
    return n ? (shares){chunks[1] / chunks[0], late_us[1] / packets[1] / (late_us[0] / packets[0])}
             : (shares){1.0, 1.0};
}

static int is_right(shares s)
{
    return fabs(s.throughput - 1.0) <= 0.05 && fabs(s.latency - 1.0) <= 0.10;
}

static int cell(weir_diag *diag, const traffic *t, uint64_t seed, int *right)
{
    static outcome plain, other;
    const weir_time end_ps = 10 * WEIR_PS_PER_MS;
    const wi_period period = {3 * WEIR_PS_PER_MS, 8 * WEIR_PS_PER_MS, WEIR_PS_PER_MS, {0}};
    ic_job job;
    ic_job_init(&job);
    job.pattern = t->pattern;
    job.n_ranks = t->ranks;
    job.load = t->load;
    job.grid[0] = t->grid[0], job.grid[1] = t->grid[1];
    job.actions = t->actions;
    job.n_actions = t->n_actions;
    job.first_action = t->first;
    job.iterations = 0;
    run(diag, 16, seed, end_ps, NULL, &job, &plain);
    double late_us = 0.0, packets = 0.0;
    for (size_t i = 30; i < 80; i++) {
        packets += plain.packets_in[i];
        late_us += plain.packets_in[i] * (plain.latency_us[INJECTED][i] + plain.wait_us[i]);
    }
    printf("%-24s %4.0f%% %8.1f %9.2f", t->name, 100 * t->load, 1e-9 * plain.throughput_Bps,
           late_us / packets);
    for (int automatic = 0; automatic < 2; automatic++) {
        wi_director_params how;
        usual_director(&how);
        how.periods = automatic ? NULL : &period;
        how.n_periods = !automatic;
        how.longest_ps = automatic ? 3 * WEIR_PS_PER_MS : WEIR_TIME_MAX;
        run(diag, 16, seed, end_ps, &how, &job, &other);
        const shares during = compare(&plain, &other, 1), after = compare(&plain, &other, 0);
        const int good = is_right(during) && is_right(after);
        right[automatic] += good;
        printf(" | %6.3f %6.3f %6.3f %6.3f %c", during.throughput, during.latency, after.throughput,
               after.latency, good ? ' ' : '!');
        if (automatic)
            printf(" %3.0f%% %2zu %5.2fx", 1e4 * other.round_simulated_s, other.switches,
                   plain.took_s / other.took_s);
        else if (other.round_simulated_s > 0.0)
            printf(" %5.0fx", plain.took_s / 2 / other.round_s);
        else
            printf("  stays");
    }
    printf("\n");
    fflush(stdout);
    return 1;
}

enum { TRACE_RANKS = 72, TRACE_ROUNDS = 700 };

/* Traces, which tell each rank's actions one by one: an unbalanced solver on a ring (0), and workers that ask a master (1). */
static void make_trace(int which, job_action *actions, size_t *first)
{
    size_t n = 0;
    for (uint32_t r = 0; r < TRACE_RANKS; r++) {
        first[r] = n;
        for (uint32_t i = 0; i < TRACE_ROUNDS; i++) {
            const weir_time work_ps = WEIR_PS_PER_US * (which ? 20 + 7 * r % 11 : 2 + (r * 5 + i * 3) % 7);
            const uint32_t right = (r + 1) % TRACE_RANKS, left = (r + TRACE_RANKS - 1) % TRACE_RANKS,
                           head = r / 8 * 8;
            if (which == 0) {
                actions[n++] = (job_action){.op = JOB_OP_COMPUTE, .time_ps = work_ps};
                actions[n++] = (job_action){.op = JOB_OP_ISEND, .peer = right, .bytes = 6000};
                actions[n++] = (job_action){.op = JOB_OP_RECV, .peer = left, .bytes = 6000};
                actions[n++] = (job_action){.op = JOB_OP_WAIT};
            } else if (r == head) {
                const uint32_t worker = head + 1 + i % 7;
                actions[n++] = (job_action){.op = JOB_OP_RECV, .peer = worker, .bytes = 200};
                actions[n++] = (job_action){.op = JOB_OP_SEND, .peer = worker, .bytes = 8000};
            } else if (i < TRACE_ROUNDS / 7) {
                actions[n++] = (job_action){.op = JOB_OP_COMPUTE, .time_ps = work_ps};
                actions[n++] = (job_action){.op = JOB_OP_SEND, .peer = head, .bytes = 200};
                actions[n++] = (job_action){.op = JOB_OP_RECV, .peer = head, .bytes = 8000};
            }
        }
    }
    first[TRACE_RANKS] = n;
}

static void grid(weir_diag *diag, uint64_t seed)
{
    static const job_action solver[] = {{.op = JOB_OP_COMPUTE, .time_ps = 5 * WEIR_PS_PER_US},
                                        {.op = JOB_OP_EXCHANGE, .bytes = 8192},
                                        {.op = JOB_OP_ALLREDUCE, .algorithm = JOB_DOUBLING, .bytes = 64}},
                            mixed[] = {{.op = JOB_OP_EXCHANGE, .bytes = 16384},
                                       {.op = JOB_OP_COMPUTE, .time_ps = 2 * WEIR_PS_PER_US},
                                       {.op = JOB_OP_ALLREDUCE, .algorithm = JOB_DOUBLING, .bytes = 8},
                                       {.op = JOB_OP_ALLREDUCE, .algorithm = JOB_DOUBLING, .bytes = 8}},
                            all_to_all[] = {{.op = JOB_OP_COMPUTE, .time_ps = 20 * WEIR_PS_PER_US},
                                            {.op = JOB_OP_ALLTOALL, .bytes = 2048}};
    static job_action trace[TRACE_RANKS * TRACE_ROUNDS * 4];
    static size_t first[TRACE_RANKS + 1];
    static const traffic patterns[] = {{"uniform", IC_UNIFORM, 72, {0}, 1.0, NULL, 0, NULL},
                                       {"neighbour", IC_NEIGHBOUR, 72, {0}, 1.0, NULL, 0, NULL},
                                       {"stencil 8x9", IC_STENCIL, 72, {8, 9}, 1.0, NULL, 0, NULL},
                                       {"transpose, 64", IC_TRANSPOSE, 64, {0}, 1.0, NULL, 0, NULL},
                                       {"permutation", IC_PERMUTATION, 72, {0}, 1.0, NULL, 0, NULL},
                                       {"group shift", IC_GROUP_SHIFT, 72, {0}, 1.0, NULL, 0, NULL},
                                       {"tornado", IC_TORNADO, 72, {0}, 1.0, NULL, 0, NULL}},
                         programs[] = {
                             {"program: solver", IC_PROGRAMMED, 72, {8, 9}, 1.0, solver, 3, NULL},
                             {"program: exchange, sums", IC_PROGRAMMED, 64, {8, 8}, 1.0, mixed, 4, NULL},
                             {"program: all-to-all", IC_PROGRAMMED, 72, {0}, 1.0, all_to_all, 2, NULL}};
    int right[2] = {0}, cells = 0;
    printf("10 ms, 3 to 8 round the network (given) or by itself, 3 at most (automatic); shares of full "
           "detail: throughput, and wait "
           "and latency, round the network; the same after it; stays: in full detail, what was tracked had "
           "not settled; ! where "
           "one is off by more than 5 or 10 %%\n");
    printf("%-24s %5s %8s %9s | %27s   %6s | %27s   %4s %2s %6s\n", "traffic", "load", "GB/s", "late us",
           "given", "faster", "automatic", "round", "n", "faster");
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        for (int half = 0; half < 2; half++) {
            traffic t = patterns[i];
            t.load = half ? 0.5 : 1.0;
            cells += cell(diag, &t, seed, right);
        }
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        cells += cell(diag, &programs[i], seed, right);
    for (int which = 0; which < 2; which++) {
        make_trace(which, trace, first);
        const traffic t = {which ? "trace: master, workers" : "trace: ring",
                           IC_PROGRAMMED,
                           TRACE_RANKS,
                           {0},
                           1.0,
                           trace,
                           first[TRACE_RANKS],
                           first};
        cells += cell(diag, &t, seed, right);
    }
    printf("right: given %d, automatic %d of %d\n", right[0], right[1], cells);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "grid") == 0) {
        weir_diag *of_grid = weir_diag_new();
        grid(of_grid, (uint64_t)bench_count(argc, argv, 2, 1, SEEDS_MOST));
        weir_diag_free(of_grid);
        return 0;
    }
    const int ms = bench_count(argc, argv, 1, 10, 100), burst = bench_count(argc, argv, 2, 1, 255),
              seeds = bench_count(argc, argv, 3, 1, SEEDS_MOST);
    weir_diag *diag = weir_diag_new();
    as_the_kit = argc > 4 && strcmp(argv[4], "kit") == 0;
    speed(diag);
    experiment(diag, (uint32_t)ms, (uint32_t)burst, (uint32_t)seeds);
    weir_diag_free(diag);
    return 0;
}
