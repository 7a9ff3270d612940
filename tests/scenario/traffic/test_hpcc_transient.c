/*
 * HPCC's transient against its algorithm as published (Li and others, SIGCOMM 2019, algorithm 1), played by a slow obvious program
 * of its own: one line, exact telemetry in each packet (time, bytes sent, queue behind it, as it leaves), a list of events that is
 * searched from end to end. n flows begin at once with whole windows, so that a queue of (n - 1) B T stands after a round trip; it
 * drains, and is near zero a few round trips after n. weir's ports tell less, as PINT's do (docs/transport.md): over rates, round
 * trips and flows on lossless switches and ports that decide at departure, the peak is that within a quarter of B T and half a
 * packet a flow, what comes after n + 5 round trips within one B T, and how full the line is then within 2 %, with windows of
 * fewer than three packets 6 %.
 *
 * label: slow statistics
 */
#include <math.h>
#include <stdlib.h>

#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "nightly.h"

enum { PACKET = 1500, ACK = 40, PENDING = 8192, FLOWS = 16 };
enum { SEND, ARRIVE, DEPART, ANSWER };

typedef struct telemetry {
    double at_us, sent, queue;
} telemetry;

typedef struct happening {
    double at_us;
    int what, flow;
    double seq; /* where the packet ends */
    telemetry told;
} happening;

typedef struct flow {
    double w, wc, u, nxt, una, last, free_us;
    int stage, waits, heard;
    telemetry told;
} flow;

typedef struct play {
    double line, t_us, delay_us, most; /* bytes/us; round trip; longest window */
    flow flows[FLOWS];
    happening pending[PENDING];
    int n_pending;
    struct {
        int flow;
        double seq;
    } queue[PENDING];
    int head, tail, busy;
    double sent;
} play;

static void later(play *p, happening h)
{
    assert_true(p->n_pending < PENDING);
    p->pending[p->n_pending++] = h;
}

static happening next(play *p)
{
    int first = 0;
    for (int i = 1; i < p->n_pending; i++)
        if (p->pending[i].at_us < p->pending[first].at_us)
            first = i;
    const happening h = p->pending[first];
    p->pending[first] = p->pending[--p->n_pending];
    return h;
}

static void send_if_may(play *p, int i, double now)
{
    flow *f = &p->flows[i];
    if (f->nxt - f->una + PACKET > f->w && f->nxt > f->una)
        return;
    if (now >= f->free_us) {
        const double rate = f->w / p->t_us < p->line ? f->w / p->t_us : p->line;
        f->nxt += PACKET;
        f->free_us = now + PACKET / rate;
        later(p, (happening){now + PACKET / p->line + p->delay_us, ARRIVE, i, f->nxt, {0, 0, 0}});
    }
    if (!f->waits)
        later(p, (happening){f->free_us, SEND, i, 0, {0, 0, 0}});
    f->waits = 1;
}

static void serve(play *p, double now)
{
    if (p->busy || p->head == p->tail)
        return;
    const int at = p->head++ % PENDING;
    p->busy = 1;
    p->sent += PACKET;
    later(p, (happening){now + PACKET / p->line,
                         DEPART,
                         p->queue[at].flow,
                         p->queue[at].seq,
                         {now, p->sent, (double)(p->tail - p->head) * PACKET}});
}

/* MeasureInflight, ComputeWind and NewACK. */
static void answer(play *p, const happening *h)
{
    flow *f = &p->flows[h->flow];
    const double eta = 0.95, w_ai = p->most / 2500.0;
    if (f->heard) {
        const double span = h->told.at_us - f->told.at_us, tau = fmin(span, p->t_us);
        const double load = fmin(h->told.queue, f->told.queue) / (p->line * p->t_us) +
                            (h->told.sent - f->told.sent) / span / p->line;
        f->u = (1.0 - tau / p->t_us) * f->u + tau / p->t_us * load;
        const int update = h->seq > f->last, multiplies = f->u >= eta || f->stage >= 5;
        f->w = fmin(multiplies ? f->wc / (f->u / eta) + w_ai : f->wc + w_ai, p->most);
        if (update) {
            f->stage = multiplies ? 0 : f->stage + 1;
            f->wc = f->w;
            f->last = f->nxt;
        }
    }
    f->heard = 1;
    f->told = h->told;
    f->una = fmax(f->una, h->seq);
}

typedef struct course {
    double peak, after, full; /* queue in B T, at most; later; share of the line then */
} course;

static course played(int n, double gbps, double delay_us, double from, double until)
{
    play *p = calloc(1, sizeof *p);
    course c = {0};
    p->line = gbps * 125.0;
    p->delay_us = delay_us;
    p->t_us = 4.0 * delay_us + 2.0 * (PACKET + ACK) / p->line;
    p->most = p->line * p->t_us;
    for (int i = 0; i < n; i++) {
        p->flows[i].w = p->flows[i].wc = p->most;
        send_if_may(p, i, 0.0);
    }
    for (happening h = next(p); h.at_us < until * p->t_us; h = next(p)) {
        if (h.what == SEND) {
            p->flows[h.flow].waits = 0;
        } else if (h.what == ARRIVE) {
            assert_true(p->tail - p->head < PENDING);
            p->queue[p->tail % PENDING].flow = h.flow;
            p->queue[p->tail++ % PENDING].seq = h.seq;
            const double queue = (double)(p->tail - p->head) * PACKET / p->most;
            c.peak = fmax(c.peak, queue);
            c.after = h.at_us >= from * p->t_us ? fmax(c.after, queue) : 0.0;
        } else if (h.what == DEPART) {
            p->busy = 0;
            c.full += h.at_us >= from * p->t_us ? PACKET / (p->most * (until - from)) : 0.0;
            later(p, (happening){h.at_us + 2.0 * (delay_us + ACK / p->line), ANSWER, h.flow, h.seq, h.told});
        } else {
            answer(p, &h);
        }
        serve(p, h.at_us);
        if (h.what == SEND || h.what == ANSWER)
            send_if_may(p, h.flow, h.at_us);
    }
    free(p);
    return c;
}

/* The same of a star of hosts; the queue's maximum after a time is that of a run whose statistics begin then. */
static course simulated(const char *ports, int n, double gbps, double delay_us, double from, double until)
{
    const double t_us = 4.0 * delay_us + 2.0 * 8e-3 * (PACKET + ACK) / gbps;
    double queue[2] = {0};
    course c = {0};
    for (int after = 0; after < 2; after++) {
        char text[900];
        weir_diag *diag = weir_diag_new();
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: %.0fns\ntopology:\n  generate: {model: star, hosts: %d, access_rate: %gGbps, "
            "access_delay: %gus}\n%straffic: [{name: a, from: 'h[1-%d]', to: h0, tcp: {congestion: hpcc, "
            "handshake: false, window: 64MB}}]\noutput: {warmup: %.0fns}\n",
            until * t_us * 1e3, n + 1, gbps, delay_us, ports, n, after ? from * t_us * 1e3 : 0.0);
        weir_run_result r = run_into(diag, text, "run", NULL, 0);
        queue[after] =
            csv_cell(r.output_dir, "ports.csv", "port", "hub->h0", "queue_max_bytes") / (gbps * 125.0 * t_us);
        c.full = csv_cell(r.output_dir, "ports.csv", "port", "hub->h0", "utilisation");
        weir_run_result_free(&r);
        weir_diag_free(diag);
    }
    c.peak = queue[0];
    c.after = queue[1];
    return c;
}

static void incasts_go_as_published(void **state)
{
    (void)state;
    static const char *const ports[] = {"  shared_buffer: {size: 64MB, pfc: {}}\n",
                                        "  queue: {type: priority, limit: 64MB}\n"};
    static const double lines[][2] = {{10.0, 20.0}, {25.0, 2.0}, {40.0, 10.0}, {100.0, 2.0}};
    for (size_t p = 0; p < 2; p++)
        for (size_t l = 0; l < 4; l++)
            for (int n = 2; n <= FLOWS; n *= 2) {
                if (!is_run((p * 4 + l) * 5 + (size_t)n, 1, 3)) /* n stands for its logarithm well enough */
                    continue;
                const double gbps = lines[l][0], delay_us = lines[l][1],
                             bytes = gbps * 125.0 * 4.0 * delay_us;
                const double from = n + 5.0, until = n + 60.0, slack = bytes < 3.0 * n * PACKET ? 0.06 : 0.02;
                const course want = played(n, gbps, delay_us, from, until),
                             got = simulated(ports[p], n, gbps, delay_us, from, until);
                if (!(fabs(got.peak - want.peak) <= 0.25 + 0.5 * n * PACKET / bytes &&
                      fabs(got.peak - (n - 1)) < 0.35 && fabs(got.after - want.after) <= 1.0 &&
                      got.after < 1.0 && fabs(got.full - want.full) <= slack))
                    fail_msg("%s%g Gb/s, %g us, %d flows: %g, then %g, line %g; want %g, then %g, line %g",
                             ports[p], gbps, delay_us, n, got.peak, got.after, got.full, want.peak,
                             want.after, want.full);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incasts_go_as_published),
    };
    assert_non_null(scratch_make());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    return system(command) != 0 ? 1 : failed;
}
