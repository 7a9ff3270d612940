/*
 * Latency against load beside a slow, obvious reference: chunks one by one through first-come first-served queues, one
 * a channel, with no end to their buffers (Lindley's recursion), over paths that are found here. Where buffers
 * are never full and packets are single chunks the order of service does not change the mean wait, so both must agree.
 * label: slow
 */
#include <math.h>

#include "nightly.h"
#include "interconnect_run.h"
#include "models/usual/interconnect.h"

enum { STEPS_MAX = 32 };

/* A chunk that gets to the queue of its next channel at a time. */
typedef struct arrival {
    double at_ns, born_ns;
    uint32_t source, target, step;
} arrival;

typedef struct reference {
    const ic_world *w;
    double chunk_ns, router_ns, nic_ns, terminal_ns, local_ns, global_ns;
    double *free_ns; /* [terminals + routers * ports]: of each channel */
    arrival *heap;   /* from 1 */
    size_t n, room;
} reference;

static void push(reference *r, arrival a)
{
    if (r->n + 2 > r->room) {
        r->room = 2 * r->room + 16;
        r->heap = realloc(r->heap, r->room * sizeof *r->heap);
        assert_non_null(r->heap);
    }
    size_t i = ++r->n;
    for (; i > 1 && r->heap[i / 2].at_ns > a.at_ns; i /= 2)
        r->heap[i] = r->heap[i / 2];
    r->heap[i] = a;
}

static arrival pop(reference *r)
{
    const arrival least = r->heap[1], last = r->heap[r->n--];
    size_t i = 1;
    while (2 * i <= r->n) {
        size_t c = 2 * i;
        c += c < r->n && r->heap[c + 1].at_ns < r->heap[c].at_ns;
        if (last.at_ns <= r->heap[c].at_ns)
            break;
        r->heap[i] = r->heap[c];
        i = c;
    }
    r->heap[i] = last;
    return least;
}

/* The port of router `at` that leads to router `to`. */
static uint32_t port_to(const ic_world *w, uint32_t at, uint32_t to)
{
    for (uint32_t port = 0; port < w->ports; port++)
        if (ic_link_of(w, at, port)->peer == w->n_terminals + to)
            return port;
    fail_msg("no link from router %u to %u", at, to);
    return 0;
}

/* Routers from one to another, in a dragonfly with one link a pair of groups. */
static uint32_t dragonfly_routers(const ic_world *w, uint32_t from, uint32_t to, uint32_t *out)
{
    uint32_t n = 0;
    out[n++] = from;
    if (from / w->a != to / w->a)
        for (uint32_t r = from / w->a * w->a; r < (from / w->a + 1) * w->a; r++)
            for (uint32_t port = 0; port < w->ports; port++) {
                const ic_link *link = ic_link_of(w, r, port);
                if (link->class_ != IC_GLOBAL || link->peer == IC_NONE ||
                    (link->peer - w->n_terminals) / w->a != to / w->a)
                    continue;
                if (r != from)
                    out[n++] = r;
                out[n++] = link->peer - w->n_terminals;
            }
    if (out[n - 1] != to)
        out[n++] = to;
    return n;
}

/* In a torus of odd sizes, dimension after dimension. */
static uint32_t torus_routers(const ic_world *w, uint32_t from, uint32_t to, uint32_t *out)
{
    uint32_t n = 0, weight = 1;
    out[n++] = from;
    for (uint32_t d = 0; d < w->dimensions; weight *= w->size[d++])
        for (;;) {
            const uint32_t size = w->size[d], here = from / weight % size, there = to / weight % size;
            if (here == there)
                break;
            const int up = (there + size - here) % size < size - (there + size - here) % size;
            from = from - here * weight + (up ? (here + 1) % size : (here + size - 1) % size) * weight;
            out[n++] = from;
        }
    return n;
}

/* Channel number `step` of a chunk's way, and its delay; whether it is the last. */
static int channel(const reference *r, const arrival *a, uint32_t *which, double *delay_ns)
{
    const ic_world *w = r->w;
    uint32_t routers[STEPS_MAX];
    const uint32_t from = a->source / w->p, to = a->target / w->p;
    const uint32_t n = w->wiring == IC_DRAGONFLY ? dragonfly_routers(w, from, to, routers)
                                                 : torus_routers(w, from, to, routers);
    *delay_ns = r->terminal_ns;
    if (a->step == 0) {
        *which = a->source;
        return 0;
    }
    const uint32_t at = routers[a->step - 1];
    const uint32_t port = a->step == n ? a->target % w->p : port_to(w, at, routers[a->step]);
    *which = w->n_terminals + at * w->ports + port;
    if (a->step == n)
        return 1;
    *delay_ns = ic_link_of(w, at, port)->class_ == IC_GLOBAL ? r->global_ns : r->local_ns;
    return 0;
}

static double reference_latency_ns(const ic_params *p, const ic_world *w, double load, double warm_ns,
                                   double end_ns)
{
    reference r = {.w = w,
                   .chunk_ns = 32.0,
                   .router_ns = 1e-3 * (double)p->router_ps,
                   .nic_ns = 1e-3 * (double)p->nic_ps,
                   .terminal_ns = 1e-3 * (double)p->terminal.delay_ps,
                   .local_ns = 1e-3 * (double)p->local.delay_ps,
                   .global_ns = 1e-3 * (double)p->global.delay_ps,
                   .free_ns = calloc(w->n_terminals + (size_t)w->n_routers * w->ports, sizeof(double))};
    uint64_t random = 99;
    double sum = 0.0, packets = 0.0;
    for (uint32_t t = 0; t < w->n_terminals; t++)
        for (double at = 0.0;;) {
            at += -log(((double)(rnd(&random) >> 11) + 1) * 0x1p-53) * r.chunk_ns / load;
            if (at > end_ns)
                break;
            const uint32_t other = rnd_below(&random, w->n_terminals - 1);
            push(&r, (arrival){at, -1.0, t, other + (other >= t), 0});
        }
    while (r.n > 0) {
        arrival a = pop(&r);
        uint32_t which;
        double delay_ns;
        const int last = channel(&r, &a, &which, &delay_ns);
        const double start_ns = a.at_ns > r.free_ns[which] ? a.at_ns : r.free_ns[which];
        r.free_ns[which] = start_ns + r.chunk_ns;
        if (a.step == 0)
            a.born_ns = start_ns; /* latency begins with the first chunk's start */
        a.at_ns = start_ns + r.chunk_ns + delay_ns + (last ? r.nic_ns : r.router_ns);
        a.step++;
        if (!last) {
            push(&r, a);
        } else if (a.at_ns >= warm_ns && a.at_ns < end_ns) {
            sum += a.at_ns - a.born_ns;
            packets += 1.0;
        }
    }
    free(r.heap);
    free(r.free_ns);
    return sum / packets;
}

static void latency_rises_as_the_reference_says(void **state)
{
    static const double loads[] = {0.1, 0.4, 0.6, 0.75, 0.85};
    weir_diag *diag = *state;
    for (int wiring = 0; wiring < 2; wiring++)
        for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i += SANITIZED ? 4 : 1) {
            ic_job job;
            ic_params p;
            ic_job_init(&job);
            usual_interconnect(&p);
            job.message_bytes = 64; /* packets of one chunk */
            job.load = loads[i];
            p.jobs = &job;
            p.n_jobs = 1;
            p.terminal.buffer_bytes = p.local.buffer_bytes = p.global.buffer_bytes = 1 << 18;
            p.batch = 1;
            if (wiring) {
                p.wiring = IC_TORUS;
                p.p = 1;
                p.dimensions = 2;
                p.size[0] = p.size[1] = 5;
            }
            const weir_time warm_ps = 60 * WEIR_PS_PER_US, end_ps = 300 * WEIR_PS_PER_US;
            fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
            fabric_run(diag, f, warm_ps);
            const int64_t latency = fabric_count(f, IC_COUNT_LATENCY),
                          packets = fabric_count(f, IC_COUNT_PACKETS);
            fabric_run(diag, f, end_ps);
            const double got = 1e-3 * (double)(fabric_count(f, IC_COUNT_LATENCY) - latency) /
                               (double)(fabric_count(f, IC_COUNT_PACKETS) - packets);
            const double want =
                reference_latency_ns(&p, f.w, loads[i], 1e-3 * (double)warm_ps, 1e-3 * (double)end_ps);
            print_message("%s, load %.2f: %.1f ns, reference %.1f ns\n", wiring ? "torus" : "dragonfly",
                          loads[i], got, want);
            if (!(fabs(got / want - 1.0) < 0.02))
                fail_msg("load %.2f: %.1f ns, want %.1f", loads[i], got, want);
            fabric_end(f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(latency_rises_as_the_reference_says)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
