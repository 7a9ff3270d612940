/*
 * The trace of packets (output.packets). All classes traced, each port's packets, drops by reason, marks and mean wait that the
 * trace adds up to are those of ports.csv, and each flow's received packets those of flows.csv: over queues that decide at arrival
 * and at departure, in shared memories, with ECN and without, losses and failures, ACKs and replies. Packets leave a FIFO in the order in which
 * they came, one after the other. The same bytes and digests on every engine; what cannot be traced is refused by name.
 * label: threads
 */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>

#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "scenario/results/monitor.h"

#define HEAD                                                                                           \
    "weir: 1\nduration: 2s\ntopology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps, " \
    "bottleneck_delay: 10ms}"
#define BOTH(tcp)                                                                                  \
    "traffic: [{name: call, udp: {rate: 300kbps, packet: 200B, jitter: 20%}, from: l0, to: r0},\n" \
    "  {name: get, tcp: {size: 1MB, " tcp "}, from: l1, to: r1, start: 500ms}]\n"

static const char *const cases[] = {
    HEAD "}\n" BOTH("handshake: true"),
    HEAD ", queue: {limit_packets: 20}}\n" BOTH("sack: false"),
    HEAD ", queue: {type: codel, limit_packets: 100}}\n" BOTH("initial_window: 40"),
    HEAD ", queue: {type: codel, limit_packets: 100, ecn: true, target: 1ms}}\n" BOTH("ecn: true"),
    HEAD ", queue: {type: fq_codel, limit_packets: 20}}\n" BOTH("initial_window: 40"),
    HEAD ", queue: {type: pie, limit: 60kB, target: 2ms}}\n" BOTH("initial_window: 40"),
    HEAD ", queue: {type: red, limit: 60kB, min: 5kB, max: 30kB, ecn: true, w: 0.02}}\n" BOTH("ecn: true"),
    HEAD ", queue: {type: threshold, mark: 15kB}}\n" BOTH("ecn: true, congestion: dctcp"),
    HEAD ", loss: 1%}\n" BOTH("handshake: true") "events: [{at: 700ms, fail: {link: left--right}}, {at: "
                                                 "800ms, repair: {link: left--right}}]\n",
    /* ports that share a memory, and those that pause each other */
    HEAD ", shared_buffer: {size: 40kB}}\n" BOTH("initial_window: 40"),
    HEAD ", queue: {type: threshold, mark: 15kB}, shared_buffer: {size: 400kB, pfc: {}}}\n" BOTH(
        "ecn: true, congestion: dctcp"),
    HEAD "}\ntraffic: [{name: call, tcp: {size: 20kB, arrivals: {poisson: 40/s}}, from: l0, to: r0},\n"
         "  {name: get, tcp: {request: {size: 300B, think: 50ms}, size: 60kB}, from: r1, to: l1}]\n",
    /* of which there are no captures */
    HEAD ", queue: {type: trim}}\n" BOTH("congestion: ndp"),
};
enum { CASES = sizeof cases / sizeof *cases };
static const char traced[] = "output.packets=[call, get]";

/* ---- the file ---- */

typedef struct trace_file {
    hid_t file;
    size_t n;
    double *time, *flow, *port, *wait, *sent, *marked, *fate, *bytes;
} trace_file;

static double *column(hid_t file, const char *name, size_t *n)
{
    char path[100];
    hsize_t size[2] = {0, 1};
    snprintf(path, sizeof path, "/packets/%s", name);
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    assert_true(set >= 0);
    const hid_t space = H5Dget_space(set);
    assert_true(H5Sget_simple_extent_dims(space, size, NULL) >= 1);
    double *values = malloc((size[0] + 1) * sizeof *values);
    assert_non_null(values);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    *n = size[0];
    return values;
}

static trace_file open_trace(const char *folder)
{
    char path[600];
    trace_file t = {0};
    snprintf(path, sizeof path, "%s/packets.h5", folder);
    t.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(t.file >= 0);
    t.time = column(t.file, "time_s", &t.n);
    t.flow = column(t.file, "flow", &t.n);
    t.port = column(t.file, "port", &t.n);
    t.wait = column(t.file, "wait_s", &t.n);
    t.sent = column(t.file, "sent_s", &t.n);
    t.marked = column(t.file, "marked", &t.n);
    t.fate = column(t.file, "fate", &t.n);
    t.bytes = column(t.file, "bytes", &t.n);
    assert_true(t.n > 1000);
    return t;
}

static void close_trace(trace_file *t)
{
    double *all[] = {t->time, t->flow, t->port, t->wait, t->sent, t->marked, t->fate, t->bytes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    H5Fclose(t->file);
}

/* Row `i` of a table's names. */
static void name_of(const trace_file *t, const char *table, size_t i, char *out, size_t size)
{
    char path[100];
    snprintf(path, sizeof path, "/%s/name", table);
    const hid_t set = H5Dopen2(t->file, path, H5P_DEFAULT), type = H5Dget_type(set),
                space = H5Dget_space(set);
    const size_t width = H5Tget_size(type), n = (size_t)H5Sget_simple_extent_npoints(space);
    assert_true(i < n && width < size);
    char *all = calloc(n + 1, width);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    snprintf(out, size, "%.*s", (int)width, all + i * width);
    free(all);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

/* ---- against ports.csv ---- */

static void same(const char *folder, const char *port, const char *what, double got, double slack)
{
    const double want = csv_cell(folder, "ports.csv", "port", port, what);
    if (!(fabs(got - want) <= slack))
        fail_msg("%s: %s is %.12g by the trace, %.12g in ports.csv", port, what, got, want);
}

static size_t compare_port(const char *folder, const trace_file *t, double port)
{
    double n[WI_FATE_RECEIVED + 1] = {0}, wait = 0.0, bytes = 0.0;
    char name[300];
    for (size_t i = 0; i < t->n; i++) {
        if (t->port[i] != port)
            continue;
        const int fate = (int)t->fate[i];
        n[fate]++;
        const bool on_line = fate == WI_FATE_SENT || fate == WI_FATE_MARKED || fate == WI_FATE_LOST;
        assert_true(on_line == !isnan(t->sent[i]));
        assert_true(!on_line || fabs(t->time[i] + t->wait[i] - t->sent[i]) < 1e-11);
        wait += on_line ? t->wait[i] : 0.0;
        bytes += on_line ? t->bytes[i] : 0.0;
    }
    const double packets = n[WI_FATE_SENT] + n[WI_FATE_MARKED] + n[WI_FATE_LOST];
    if (packets == 0.0)
        return 0;
    name_of(t, "ports", (size_t)port, name, sizeof name);
    same(folder, name, "packets", packets, 0.0);
    same(folder, name, "bytes", bytes, 0.0);
    same(folder, name, "dropped_limit", n[WI_FATE_FULL], 0.0);
    same(folder, name, "dropped_early", n[WI_FATE_EARLY], 0.0);
    same(folder, name, "dropped_loss", n[WI_FATE_LOST], 0.0);
    same(folder, name, "marked", n[WI_FATE_MARKED], 0.0);
    same(folder, name, "wait_mean_s", wait / packets, 2e-9);
    return 1;
}

static void sums_are_those_of_ports(void **state)
{
    (void)state;
    static const char *const sets[] = {traced, "output.histograms=false"};
    double dropped = 0, marked = 0;
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < CASES; i++) {
        weir_run_result r = run_into(diag, cases[i], "one", sets, 2);
        trace_file t = open_trace(r.output_dir);
        size_t ports = 0;
        for (double port = 0; port < 40; port++)
            ports += compare_port(r.output_dir, &t, port);
        assert_true(ports >= 8); /* both ways */
        for (size_t k = 0; k < t.n; k++) {
            dropped += t.fate[k] == WI_FATE_FULL || t.fate[k] == WI_FATE_EARLY;
            marked += t.fate[k] == WI_FATE_MARKED;
        }
        close_trace(&t);
        weir_run_result_free(&r);
    }
    assert_true(dropped > 50 && marked > 50);
    weir_diag_free(diag);
}

/* ---- against flows.csv, and order ---- */

static void flows_and_order(void **state)
{
    (void)state;
    static const char *const sets[] = {traced};
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < 2; i++) {
        weir_run_result r = run_into(diag, cases[i], "one", sets, 1);
        trace_file t = open_trace(r.output_dir);
        char name[300];
        double received[2] = {0}, line_free = 0.0;
        size_t in_order = 0;
        for (size_t k = 0; k < t.n; k++) {
            if (t.fate[k] == WI_FATE_RECEIVED) {
                name_of(&t, "flows", (size_t)t.flow[k], name, sizeof name);
                received[0] += strcmp(name, "call l0->r0 data") == 0;
                received[1] += strcmp(name, "get l1->r1 data") == 0;
            }
            name_of(&t, "ports", (size_t)t.port[k], name, sizeof name);
            if (strcmp(name, "left->right") != 0 || isnan(t.sent[k]))
                continue;
            if (!(t.sent[k] >=
                  line_free - 1e-11)) /* 10 Mb/s: nothing begins before what went before has left */
                fail_msg("packet %zu begins at %.12f, and the line is free at %.12f", k, t.sent[k],
                         line_free);
            line_free = t.sent[k] + t.bytes[k] * 8e-7;
            in_order++;
        }
        assert_true(in_order > 500);
        assert_true(received[0] == csv_cell(r.output_dir, "flows.csv", "class", "call", "packets_received"));
        assert_true(received[1] == csv_cell(r.output_dir, "flows.csv", "class", "get", "packets_received"));
        close_trace(&t);
        weir_run_result_free(&r);
    }
    weir_diag_free(diag);
}

/* ---- engines ---- */

static void engines_write_the_same(void **state)
{
    (void)state;
    static const char *const files[] = {"packets.h5", "flowmon.xml"};
    for (size_t i = 0; i < CASES; i++)
        engines_write_alike(
            cases[i], "output.warmup=100ms",
            i == CASES - 1
                ? "output={packets: [call, get], flow_monitor: {classes: get}, warmup: 100ms}"
                : "output={packets: [call, get], flow_monitor: {classes: get}, pcap: l1, warmup: 100ms}",
            files, 2);
}

static void what_cannot_be_traced(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"calls", "4:19: error: packets: no class 'calls' in traffic (did you mean 'call'?)"},
        {"fluid", "4:19: error: packets: class 'fluid' is fluid, which has no packets"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 1s\ntopology: {generate: {model: dumbbell}}\noutput: {packets: %s}\n"
            "traffic: [{name: call, tcp: {}, from: l0, to: r0}, {name: fluid, tcp: {}, from: l0, to: r0, "
            "fidelity: fluid}]\n",
            bad[i][0]);
        expect_with(text, strlen(text), NULL, 0, WEIR_E_SCENARIO, &bad[i][1], 1);
    }
}

int main(void)
{
    ONLY_THREADS("engines_*");
    assert_non_null(scratch_make());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_ports),
        cmocka_unit_test(flows_and_order),
        cmocka_unit_test(engines_write_the_same),
        cmocka_unit_test(what_cannot_be_traced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
