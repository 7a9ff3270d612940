/*
 * The solver against a second one that shares nothing with it but the equations: every flow carries its own
 * cumulated arrivals, delays and losses from hop to hop, in absolute times, over the whole run, with Euler's
 * method and a step five times smaller.
 *
 * The network is a parking lot: three RED or drop-tail queues in a row, one flow through all of them and one
 * through each, with starts that differ. Over RED, windows and queues must agree within 1 % at any time
 * (queues: of their limit). Over drop-tail the flows saw: when a tooth falls hangs on the step, so that means
 * over the last four seconds are compared, within 5 %.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "fluid/nets.h"

enum {
    QUEUES = 3,
    FLOWS = 4,
    SECONDS = 6,
    FINE_PER_S = 10000,
    COARSE_PER_S = 2000,
    N = SECONDS * FINE_PER_S
};

static const double rate = 10e6 / 8, delay = 0.0103, step = 1.0 / FINE_PER_S;
static const int first_hop[FLOWS] = {0, 0, 1, 2}, last_hop[FLOWS] = {2, 0, 1, 2};
static const double sessions[FLOWS] = {4, 6, 5, 7}, starts[FLOWS] = {0, 0.5, 1.0, 1.5};

typedef struct oracle {
    double queue[QUEUES][N + 1], average[QUEUES][N + 1];
    double leaves[QUEUES][N + 1];          /* when fluid that enters at a step's start leaves */
    double in[FLOWS][QUEUES + 1][N + 1];   /* cumulated arrivals at a hop */
    double through[FLOWS][QUEUES][N + 1];  /* of these, what the queue took */
    double age[FLOWS][QUEUES + 1][N + 1];  /* delay of what arrives */
    double lost[FLOWS][QUEUES + 1][N + 1]; /* cumulated losses that arrivals know of */
    double window[FLOWS][N + 1];
} oracle;

static double interpolate(const double *y, double x)
{
    const int k = (int)x;
    return y[k] + (x - k) * (y[k + 1] - y[k]);
}

/* Entry, in steps, of what leaves a queue at a time; -1 before anything does. */
static double entered(const oracle *o, int q, double time, int *from)
{
    if (time <= o->leaves[q][0])
        return -1.0;
    while (o->leaves[q][*from + 1] < time)
        (*from)++;
    const double a = o->leaves[q][*from], b = o->leaves[q][*from + 1];
    return *from + (time - a) / (b - a);
}

static double red_share(const weir_fluid_queue *q, double x)
{
    if (q->type != WEIR_FLUID_RED || x < q->min_bytes)
        return 0.0;
    if (x < q->max_bytes)
        return q->max_p * (x - q->min_bytes) / (q->max_bytes - q->min_bytes);
    return x < 2 * q->max_bytes ? q->max_p + (1 - q->max_p) * (x / q->max_bytes - 1) : 1.0;
}

/* What reaches hop h of a flow (past the last one: the source) at step k. */
static void arrive(oracle *o, int f, int h, int k, double wait, int *from)
{
    const double at = entered(o, h - 1, k * step - wait, from);
    o->in[f][h][k] = at < 0 ? 0 : interpolate(o->through[f][h - 1], at);
    o->lost[f][h][k] = at < 0 ? 0
                              : interpolate(o->lost[f][h - 1], at) + interpolate(o->in[f][h - 1], at) -
                                    interpolate(o->through[f][h - 1], at);
    o->age[f][h][k] = at < 0 ? -1 : interpolate(o->age[f][h - 1], at) + k * step - at * step;
}

static void run(oracle *o, const weir_fluid_queue *law)
{
    static int from[FLOWS][QUEUES + 1];
    memset(from, 0, sizeof from);
    for (int f = 0; f < FLOWS; f++)
        o->window[f][0] = 1.0;
    for (int k = 0; k < N; k++) {
        double total[QUEUES] = {0};
        for (int f = 0; f < FLOWS; f++) {
            const int hops = last_hop[f] - first_hop[f] + 1;
            const double base = 2 * hops * delay;
            /* The source's view, at the steps' ends. */
            arrive(o, f, last_hop[f] + 1, k, delay + hops * delay, &from[f][last_hop[f] + 1]);
            const double rtt = o->age[f][last_hop[f] + 1][k] < 0 ? base : o->age[f][last_hop[f] + 1][k];
            const double *const lost = o->lost[f][last_hop[f] + 1];
            const double losses = (k > 0 ? lost[k] - lost[k - 1] : 0) / (sessions[f] * 1000.0);
            const double w = o->window[f][k];
            double next = w;
            if (k * step >= starts[f] - 1e-9) {
                next = w + step / rtt - 0.5 * w * losses;
                next = next < 1 ? 1 : next > 65.536 ? 65.536 : next;
                o->in[f][first_hop[f]][k + 1] =
                    o->in[f][first_hop[f]][k] + step * sessions[f] * 1000.0 * w / rtt;
            } else {
                o->in[f][first_hop[f]][k + 1] = 0;
            }
            o->window[f][k + 1] = next;
            for (int h = first_hop[f] + 1; h <= last_hop[f]; h++)
                arrive(o, f, h, k + 1, delay, &from[f][h]);
            for (int h = first_hop[f]; h <= last_hop[f]; h++)
                total[h] += o->in[f][h][k + 1] - o->in[f][h][k];
        }
        for (int q = 0; q < QUEUES; q++) {
            const double p = red_share(law, o->average[q][k]);
            const double in = total[q] * (1 - p), end = o->queue[q][k] + in - rate * step;
            const double over = end > (double)law->limit_bytes ? end - (double)law->limit_bytes : 0;
            const double idle = end < 0 ? -end : 0;
            const double keep = over > 0 ? (1 - p) * (1 - over / in) : 1 - p;
            o->queue[q][k + 1] = end < 0 ? 0 : end - over;
            o->leaves[q][k + 1] = (k + 1) * step + o->queue[q][k + 1] / rate;
            if (law->type == WEIR_FLUID_RED)
                o->average[q][k + 1] = o->queue[q][k] + (o->average[q][k] - o->queue[q][k]) *
                                                            pow(1 - law->weight, (total[q] + idle) / 1000.0);
            for (int f = 0; f < FLOWS; f++)
                if (first_hop[f] <= q && q <= last_hop[f])
                    o->through[f][q][k + 1] =
                        o->through[f][q][k] + keep * (o->in[f][q][k + 1] - o->in[f][q][k]);
        }
    }
}

/* Sums of windows and queues, and the largest difference on the way, as shares. */
typedef struct comparison {
    double window[FLOWS], queue[QUEUES], oracle_window[FLOWS], oracle_queue[QUEUES];
    double worst_window, worst_queue;
} comparison;

static void compare(weir_fluid *f, const net *n, const oracle *o, int fine, double limit, comparison *c)
{
    for (uint32_t i = 0; i < FLOWS; i++) {
        weir_fluid_flow_state s;
        assert_int_equal(weir_fluid_read_flow(NULL, f, i, &s), WEIR_OK);
        assert_true(isfinite(s.window)); /* fmax passes over NaN */
        c->worst_window = fmax(c->worst_window, fabs(s.window / o->window[i][fine] - 1));
        if (fine >= 2 * FINE_PER_S) {
            c->window[i] += s.window;
            c->oracle_window[i] += o->window[i][fine];
        }
    }
    for (uint32_t q = 0; q < QUEUES; q++) {
        weir_fluid_port_state s;
        assert_int_equal(weir_fluid_read_port(NULL, f, weir_fluid_port(f, edge_of(n, q, q + 1)), &s),
                         WEIR_OK);
        assert_true(isfinite(s.queue_bytes));
        c->worst_queue = fmax(c->worst_queue, fabs(s.queue_bytes - o->queue[q][fine]) / limit);
        if (fine >= 2 * FINE_PER_S) {
            c->queue[q] += s.queue_bytes;
            c->oracle_queue[q] += o->queue[q][fine];
        }
    }
}

/* per_s: the solver's steps a second. */
static comparison run_both(weir_fluid_queue law, int per_s)
{
    comparison c;
    memset(&c, 0, sizeof c);
    oracle *o = calloc(1, sizeof *o);
    net *n = line(QUEUES + 1, 10000000, delay);
    assert_non_null(o);
    n->queue[n->n_queues++] = law;
    n->cls[n->n_classes++] = tcp(65536);
    for (uint32_t f = 0; f < FLOWS; f++)
        add_flow(n, (uint32_t)first_hop[f], (uint32_t)last_hop[f] + 1, 0, (uint32_t)sessions[f], starts[f],
                 -1);
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid *f = NULL;
    weir_fluid_options options;
    weir_fluid_options_init(&options);
    options.step_ps = WEIR_PS_PER_S / per_s;
    assert_int_equal(weir_fluid_new(NULL, &plan, &options, &f), WEIR_OK);
    run(o, &law);
    for (int k = FINE_PER_S / 100; k <= N; k += FINE_PER_S / 100) {
        assert_int_equal(weir_fluid_advance(NULL, f, (uint32_t)per_s / 100), WEIR_OK);
        compare(f, n, o, k, (double)law.limit_bytes, &c);
    }
    weir_fluid_free(f);
    net_free(n);
    free(o);
    return c;
}

static void near_means(const double *got, const double *wanted, int n, const char *what)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] / wanted[i] - 1) <= 0.05))
            fail_msg("mean %s %d is %g of the oracle's", what, i, got[i] / wanted[i]);
}

static void red_queues(void **state)
{
    (void)state;
    const comparison c = run_both(red(10e3, 80e3, 0.1, 2e-3, 200000), 2000);
    if (!(c.worst_window <= 0.01 && c.worst_queue <= 0.01))
        fail_msg("windows differ by %g, queues by %g", c.worst_window, c.worst_queue);
    near_means(c.window, c.oracle_window, FLOWS, "window");
    near_means(c.queue, c.oracle_queue, QUEUES, "queue");
}

static void droptail_queues(void **state)
{
    (void)state;
    const comparison c = run_both(droptail(40000), FINE_PER_S);
    near_means(c.window, c.oracle_window, FLOWS, "window");
    near_means(c.queue, c.oracle_queue, QUEUES, "queue");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(red_queues),
        cmocka_unit_test(droptail_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
