/*
 * label: slow statistics
 *
 * Packets and fluid in one drop-tail queue never stand above its limit, whatever the batches, and neither starves the other: what
 * comes first to a full queue is lost as often, whichever it is. UDP as fluid finds what it finds as packets. Runs fail by
 * themselves where a byte is missing.
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "scenario/run_summary.h"

typedef struct line {
    int mbps, rtt_ms, limit_bytes, sessions;
} line;

/* limit: queues of 9 to 200 kB, over lines on which 5 to 20 sessions fill them. */
static const line lines[] = {{10, 20, 9000, 5},   {10, 20, 18000, 5},  {40, 20, 18000, 10},
                             {40, 42, 30000, 10}, {10, 40, 50000, 10}, {100, 20, 60000, 20},
                             {40, 42, 200000, 20}};
enum { LINES = sizeof lines / sizeof *lines };

typedef struct found {
    double goodput_bps[2], loss[2], mean_bytes, most_bytes; /* of both classes; of the queue */
} found;

/* fluid: keys of it, or null: all are packets. udp: a fifth of the line, beside TCP as packets; else as many sessions
 * of TCP of either kind. */
static found run_line(const line *l, bool udp, const char *fluid)
{
    char text[1400], other[100];
    snprintf(other, sizeof other, "udp: {rate: %.1fMbps, packet: 1000B}", 0.2 * l->mbps);
    if (!udp)
        snprintf(other, sizeof other, "tcp: {congestion: newreno, sessions: %d}", l->sessions);
    const int n = snprintf(
        text, sizeof text,
        "weir: 1\nduration: 14s\n"
        "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: %dMbps, bottleneck_delay: %.1fms, "
        "access_rate: %dMbps, access_delay: %.1fms}, queue: {limit: %dB}}\n"
        "output: {warmup: 4s}\nfluid: {device: cpu, %s}\ntraffic:\n"
        "  - {name: p, from: l0, to: r0, start: {uniform: [0s, 1s]}, tcp: {congestion: newreno, sessions: "
        "%d}}\n"
        "  - {name: f, from: l0, to: r0, start: {uniform: [0s, 1s]}, %s, fidelity: %s}\n",
        l->mbps, 0.4 * l->rtt_ms, 10 * l->mbps, 0.05 * l->rtt_ms, l->limit_bytes,
        fluid ? fluid : "coupling: lockstep", l->sessions, other, fluid ? "fluid" : "packet");
    assert_true(n > 0 && (size_t)n < sizeof text);
    weir_diag *diag = weir_diag_new();
    weir_run_result result = run_into(diag, text, "limit", NULL, 0);
    json_t *summary = json_loads(result.summary_json, 0, NULL);
    found out = {
        .mean_bytes = csv_cell(result.output_dir, "ports.csv", "port", "left->right", "queue_mean_bytes"),
        .most_bytes = csv_cell(result.output_dir, "ports.csv", "port", "left->right", "queue_max_bytes")};
    for (size_t c = 0; c < 2; c++) {
        out.goodput_bps[c] = class_number(summary, c, NULL, "goodput_bps");
        out.loss[c] = class_number(summary, c, NULL, "loss");
    }
    json_decref(summary);
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return out;
}

static const char *const couplings[] = {"coupling: lockstep", "coupling: async, batch: 20"};

/* A packet's own byte of rounding is allowed for. */
static void check_limit(const line *l, const found *f)
{
    if (!(f->most_bytes <= l->limit_bytes + 1 && f->mean_bytes <= l->limit_bytes &&
          f->most_bytes > 0.5 * l->limit_bytes))
        fail_msg("%d Mb/s: %g bytes stand in %d, %g in the mean", l->mbps, f->most_bytes, l->limit_bytes,
                 f->mean_bytes);
}

/* As many sessions of either: what one of packets gets over what one of fluid gets. */
static void tcp_beside_tcp(void **state)
{
    (void)state;
    assert_non_null(scratch_make());
    for (int i = 0; i < 2 * LINES; i++) {
        const line *l = &lines[i / 2];
        const found f = run_line(l, false, couplings[i % 2]);
        const double share = f.goodput_bps[0] / f.goodput_bps[1];
        print_message("  %d Mb/s, %d B, %s: share %.2f, losses %.2f and %.2f %%, queue %.2f, at most %.3f\n",
                      l->mbps, l->limit_bytes, couplings[i % 2], share, 100.0 * f.loss[0], 100.0 * f.loss[1],
                      f.mean_bytes / l->limit_bytes, f.most_bytes / l->limit_bytes);
        check_limit(l, &f);
        if (!(share > 0.65 && share < 1.55))
            fail_msg("%d Mb/s, %d B: a session of packets gets %g of one of fluid", l->mbps, l->limit_bytes,
                     share);
    }
}

/* UDP comes evenly, and loses less than TCP's bursts: as packets, and as fluid. */
static void udp_beside_tcp(void **state)
{
    double log_ratio = 0.0;
    (void)state;
    assert_non_null(scratch_make());
    for (int i = 0; i < LINES; i++) {
        const line *l = &lines[i];
        const found p = run_line(l, true, NULL), f = run_line(l, true, couplings[i % 2]);
        print_message("  %d Mb/s, %d B: as packets TCP loses %.2f, UDP %.2f %%, queue %.2f; as fluid %.2f, "
                      "%.2f, %.2f\n",
                      l->mbps, l->limit_bytes, 100.0 * p.loss[0], 100.0 * p.loss[1],
                      p.mean_bytes / l->limit_bytes, 100.0 * f.loss[0], 100.0 * f.loss[1],
                      f.mean_bytes / l->limit_bytes);
        check_limit(l, &f);
        if (!(fabs(f.goodput_bps[0] / p.goodput_bps[0] - 1.0) < 0.05 && f.loss[1] < f.loss[0] &&
              p.loss[1] < p.loss[0] && fabs(f.mean_bytes - p.mean_bytes) < 0.1 * l->limit_bytes))
            fail_msg("%d Mb/s, %d B: UDP as fluid is not what it is as packets", l->mbps, l->limit_bytes);
        log_ratio += log(f.loss[1] / p.loss[1]) / LINES;
    }
    print_message("  UDP loses %.2f of what it loses as packets, in the geometric mean\n", exp(log_ratio));
    assert_true(exp(log_ratio) > 0.5 && exp(log_ratio) < 2.0);
}

/* A queue that counts packets holds what these are of the sessions that pass, whatever their segments: limits, RED's average and
 * marks. Round trips, mostly queue, within a fifth of packets'. */
static void packets_are_counted_in_their_size(void **state)
{
    static const char *const queues[] = {
        "limit_packets: 60", "type: red, min: 20kB, max: 60kB, average: packets, limit_packets: 200",
        "type: threshold, mark_packets: 20, limit_packets: 200"};
    static const int segments[] = {500, 1460, 8960};
    (void)state;
    for (size_t i = 0; i < 9; i++) {
        double round_s[2];
        for (size_t fluid = 0; fluid < 2; fluid++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "weir: 1\nduration: 8s\n"
                     "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 50Mbps, "
                     "bottleneck_delay: 8ms, access_rate: 1Gbps}, queue: {%s}}\n"
                     "output: {warmup: 3s}\nfluid: {device: cpu}\n"
                     "traffic: [{name: f, from: l0, to: r0, fidelity: %s,\n"
                     "           tcp: {sessions: 10, mss: %dB%s}}]\n",
                     queues[i % 3], fluid ? "fluid" : "packet", segments[i / 3],
                     i % 3 == 2 ? ", congestion: dctcp, ecn: true" : "");
            json_t *summary = summary_of(text, NULL, 0, NULL);
            round_s[fluid] = class_number(summary, 0, NULL, "rtt_mean_s");
            json_decref(summary);
        }
        print_message("  %s, %d B: %.4f s, packets %.4f\n", queues[i % 3], segments[i / 3], round_s[1],
                      round_s[0]);
        assert_true(fabs(round_s[1] / round_s[0] - 1.0) < 0.2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tcp_beside_tcp), cmocka_unit_test(udp_beside_tcp),
                                       cmocka_unit_test(packets_are_counted_in_their_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
