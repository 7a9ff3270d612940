/*
 * The CUDA solver against the CPU's: every array of the state, byte for byte, after the same steps, and on
 * the way what packets read of ports and leave in them.
 *
 * Networks: the paper's twelve nodes, a small campus, random networks with every kind of queue and source.
 * Each in both precisions, orders 1, 2 and 4, both laws, advanced in pieces that are and are not whole
 * blocks, with packets' bytes put into a queue on the way. In the middle of it rounds of a coupling: several
 * lists of random ports; rounds of a shape that comes often enough to be one graph, others between them.
 */
#include <cstdio>
#include <cstring>

#include "fluid/state/tables.h"

extern "C" {
#include "fluid/state/arrays.h"
}
#include "campus.h"
#include "short_links.h"

/* An emulated device (tests/emulator) is hundreds of times slower, and so is one that is watched (tools/compute-sanitizer): it gets a part of the cases, shorter. */
#if defined WEIR_EMULATED || defined WEIR_GPU_SMALL
enum { SHARE = 20 };
#else
enum { SHARE = 1 };
#endif

static int failures;

static void complain(const char *name, const char *what, const weir_diag *diag)
{
    printf("FAILED %s: %s%s%s\n", name, what, weir_diag_count(diag) ? ": " : "",
           weir_diag_count(diag) ? weir_diag_get(diag, weir_diag_count(diag) - 1)->text : "");
    failures++;
}

static void compare(const char *name, const weir_fluid *cpu, const weir_fluid *gpu)
{
    const fluid_tables *const t = &cpu->tables;
    const size_t real = cpu->real->bytes;
    uint64_t bytes = 0;
    int differ = 0;
#define X(field, size, n, part)                                                                              \
    {                                                                                                        \
        const unsigned char *const a = (const unsigned char *)cpu->state.field;                              \
        const unsigned char *const b = (const unsigned char *)gpu->state.field;                              \
        const uint64_t length = (uint64_t)(n) * (size);                                                      \
        uint64_t at = 0;                                                                                     \
        while (at < length && a[at] == b[at])                                                                \
            at++;                                                                                            \
        if (at < length) {                                                                                   \
            printf("FAILED %s: " #field "[%llu] of %llu differs\n", name, (unsigned long long)(at / (size)), \
                   (unsigned long long)(n));                                                                 \
            differ = 1;                                                                                      \
        }                                                                                                    \
        bytes += length;                                                                                     \
    }
    FLUID_ARRAYS(X)
#undef X
    failures += differ;
    if (!differ)
        printf("ok     %s: %.3f MB equal after %lld steps\n", name, 1e-6 * (double)bytes,
               (long long)cpu->state.now);
}

/* Ports that packets meet, and for each solver what is read there. */
typedef struct meetings {
    uint32_t n;
    uint32_t *ports;
    double *queued, *arrived, *views[2];
    size_t view_bytes; /* of the last read */
} meetings;

static void draw_ports(meetings *m, uint32_t all, uint64_t *seed)
{
    m->n = 1 + (uint32_t)(rnd(seed) % all);
    for (uint32_t i = 0; i < all; i++)
        m->ports[i] = i;
    for (uint32_t i = 0; i < m->n; i++) {
        const uint32_t other = i + (uint32_t)(rnd(seed) % (all - i)), port = m->ports[i];
        m->ports[i] = m->ports[other];
        m->ports[other] = port;
    }
}

/* Take packets in, or not, then steps, then a look at their ends and the one before. */
static weir_status round_of(weir_diag *diag, weir_fluid *f, meetings *m, bool exchange, uint32_t steps,
                            double *views)
{
    const size_t all = (size_t)m->n * (steps + 1);
    weir_status st = WEIR_OK;
    if (exchange)
        st = weir_fluid_exchange(diag, f, m->ports, m->n, m->queued, m->arrived);
    if (st == WEIR_OK)
        st = weir_fluid_launch(diag, f, steps);
    m->view_bytes = 5 * all * sizeof *views;
    return st == WEIR_OK ? weir_fluid_history(diag, f, m->ports, m->n, steps + 1, views, views + all,
                                              views + 2 * all, views + 3 * all, views + 4 * all)
                         : st;
}

/* Forty rounds at the same ports; every tenth is of some other length. Returns whether both saw the same. */
static weir_status rounds_at(weir_diag *diag, weir_fluid *const *f, meetings *m, uint32_t usual,
                             uint64_t *seed, bool *equal)
{
    weir_status st = WEIR_OK;
    for (uint32_t round = 0; round < 40 && st == WEIR_OK; round++) {
        const uint32_t steps = round % 10 == 9 ? (uint32_t)(rnd(seed) % f[0]->lookahead) : usual;
        weir_fluid_port_state port[2];
        for (uint32_t i = 0; i < m->n; i++) {
            m->queued[i] = rnd(seed) % 3 ? draw_between(seed, -2000, 4000) : 0.0;
            m->arrived[i] = draw_between(seed, 0, 2000);
        }
        for (int i = 0; i < 2 && st == WEIR_OK; i++) {
            st = round_of(diag, f[i], m, round % 4 != 3, steps, m->views[i]);
            if (st == WEIR_OK)
                st = weir_fluid_read_port(diag, f[i], m->ports[0], &port[i]);
        }
        *equal = *equal && memcmp(m->views[0], m->views[1], m->view_bytes) == 0 &&
                 memcmp(&port[0], &port[1], sizeof port[0]) == 0;
    }
    return st;
}

static weir_status couple_both(const char *name, weir_diag *diag, weir_fluid *cpu, weir_fluid *gpu)
{
    weir_fluid *const f[2] = {cpu, gpu};
    const uint32_t all = cpu->tables.n_ports;
    const size_t values = 5 * (size_t)all * (cpu->lookahead + 1);
    uint64_t seed = 7;
    bool equal = true;
    weir_status st = WEIR_OK;
    meetings m;
    m.ports = (uint32_t *)malloc(all * sizeof *m.ports);
    m.queued = (double *)malloc(all * sizeof(double));
    m.arrived = (double *)malloc(all * sizeof(double));
    for (int i = 0; i < 2; i++)
        m.views[i] = (double *)malloc(values * sizeof(double));
    for (uint32_t list = 0; list < 3 && st == WEIR_OK; list++) {
        draw_ports(&m, all, &seed);
        st = rounds_at(diag, f, &m, list == 1 ? cpu->lookahead : 1, &seed, &equal);
    }
    if (st == WEIR_OK && !equal)
        complain(name, "ports seen by packets differ", diag);
    free(m.ports);
    free(m.queued);
    free(m.arrived);
    for (int i = 0; i < 2; i++)
        free(m.views[i]);
    return st;
}

static weir_status advance_both(const char *name, weir_diag *diag, weir_fluid *cpu, weir_fluid *gpu)
{
    static const uint32_t piece[] = {1, 7, 2500 / SHARE, 640 / SHARE, 333, 19, 1500 / SHARE};
    weir_status st = WEIR_OK;
    for (size_t i = 0; i < sizeof piece / sizeof *piece && st == WEIR_OK; i++) {
        st = weir_fluid_advance(diag, cpu, piece[i]);
        if (st == WEIR_OK)
            st = weir_fluid_advance(diag, gpu, piece[i]);
        if (st == WEIR_OK)
            st = weir_fluid_add(diag, cpu, 0, 1500.0, 3000.0);
        if (st == WEIR_OK)
            st = weir_fluid_add(diag, gpu, 0, 1500.0, 3000.0);
        if (st == WEIR_OK && i == 3)
            st = couple_both(name, diag, cpu, gpu);
    }
    return st;
}

static void judge(const char *name, const weir_fluid_plan *plan, const weir_fluid_options *from)
{
    weir_diag *const diag = weir_diag_new();
    weir_fluid *cpu = nullptr, *gpu = nullptr;
    weir_fluid_options o = *from;
    weir_status st = weir_fluid_new(diag, plan, &o, &cpu);
    o.backend = weir_fluid_cuda();
    if (st == WEIR_OK)
        st = weir_fluid_new(diag, plan, &o, &gpu);
    if (st == WEIR_OK)
        st = advance_both(name, diag, cpu, gpu);
    if (st == WEIR_OK)
        st = gpu->backend->fetch(diag, gpu->solver, WI_FLUID_ALL);
    if (st == WEIR_OK) /* what rests is owed its counts */
        st = cpu->backend->fetch(diag, cpu->solver, WI_FLUID_ALL);
    if (st != WEIR_OK) {
        complain(name, "stopped", diag);
    } else {
        compare(name, cpu, gpu);
        if (weir_fluid_digest(cpu) != weir_fluid_digest(gpu))
            complain(name, "digests differ", diag);
    }
    weir_fluid_free(cpu);
    weir_fluid_free(gpu);
    weir_diag_free(diag);
}

/* least_ps: weir_fluid_options.least_delay_ps. */
static void judge_all(const char *name, const weir_fluid_plan *plan, weir_time least_ps)
{
    for (int run = 0; run<12; run += SHARE> 1 ? 4 : 1) {
        static const uint32_t order[] = {2, 1, 2};
        char full[100];
        weir_fluid_options o;
        weir_fluid_options_init(&o);
        o.order = order[run % 3];
        o.least_delay_ps = least_ps;
        o.double_precision = run / 3 % 2;
        o.law = run / 6 ? WEIR_FLUID_PAPER : WEIR_FLUID_CONSERVING;
        snprintf(full, sizeof full, "%s, order %u, %s, %s law", name, o.order,
                 o.double_precision ? "double" : "single",
                 o.law == WEIR_FLUID_PAPER ? "the paper's" : "conserving");
        judge(full, plan, &o);
    }
}

int main(void)
{
    net *const twelve = twelve_nodes();
    weir_fluid_plan plan = plan_of(twelve);
    twelve->flow[3].start_ps = seconds(0.5);
    judge_all("twelve nodes", &plan, 0);
    net_free(twelve);
    campus_net *const campus = campus_new(2, 4);
    if (campus) {
        plan = campus_plan(campus);
        judge_all("two campuses", &plan, 0);
    } else {
        failures++;
    }
    campus_free(campus);
    for (int marks = 0; marks < 2; marks++) {
        weir_fluid_queue queue = marks ? red(10e3, 60e3, 0.1, 2e-3, 200000) : droptail(60000);
        weir_fluid_class cls = tcp(65536);
        queue.ecn = cls.ecn = marks;
        net *const n = short_links(queue, cls);
        plan = plan_of(n);
        judge_all(marks ? "short links, marks" : "short links", &plan, seconds(0.008));
        net_free(n);
    }
    for (uint32_t i = 0; i < (SHARE > 1 ? 1u : 4u); i++) {
        char name[40];
        net *const n = random_net(10 + 20 * i, 60 + 300 * i, i + 1, i % 2);
        snprintf(name, sizeof name, "random network %u", i + 1);
        fail_links(n, i + 99, SHARE > 1 ? 0.2 : 2.0);
        plan = plan_of(n);
        judge_all(name, &plan, 0);
        net_free(n);
    }
    printf(failures ? "%d FAILED\n" : "all equal\n", failures);
    return failures != 0;
}
