/*
 * Columns of flows.csv computed another way: flow_columns.py follows each packet of packets.h5, with and without a warm-up, over
 * drop-tail, RED with and without ECN, CoDel, random loss, and transfers that end. Sent, received, dropped, marked and sent-again
 * packets, bytes, goodput, loss, delays and jitter must be the same.
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "skip.h"

#define HEAD                                                                                           \
    "weir: 1\nduration: 4s\ntopology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps, " \
    "bottleneck_delay: 10ms}"
#define CALL "traffic:\n- {name: call, udp: {rate: 300kbps, packet: 200B, jitter: 20%}, from: l0, to: r0}\n"
#define GET(tcp) CALL "- {name: get, tcp: {" tcp "}, from: l1, to: r1, start: 500ms}\n"
#define RED ", queue: {type: red, limit: 60kB, min: 5kB, max: 30kB, w: 0.02"

static const char *const scenarios[] = {
    HEAD "}\n" GET("size: 1MB"),
    HEAD ", queue: {limit_packets: 20}, loss: 0.2%}\n" GET("sack: false"),
    HEAD ", queue: {limit_packets: 20}, loss: 1%}\n" GET("congestion: newreno, delayed_ack: 1"),
    HEAD RED "}}\n" GET("congestion: newreno"),
    HEAD RED ", ecn: true}}\n" GET("ecn: true"),
    HEAD ", queue: {type: codel, ecn: true, target: 1ms}}\n" GET("ecn: true, initial_window: 40"),
    HEAD ", queue: {type: threshold, mark: 15kB}}\n" GET("ecn: true, congestion: dctcp"),
};

static void columns_are_what_packets_say(void **state)
{
    (void)state;
    if (system("/usr/bin/env PATH=/usr/bin:$PATH python3 -c 'import h5py'") != 0)
        skip_aloud("no python3-h5py here");
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        for (int warm = 0; warm <= 1; warm++) {
            char text[2000], line[1000];
            snprintf(text, sizeof text, "%soutput: {packets: [call, get], warmup: %s}\n", scenarios[i],
                     warm ? "700ms" : "0s");
            weir_diag *diag = weir_diag_new();
            weir_run_result result = run_into(diag, text, "columns", NULL, 0);
            snprintf(line, sizeof line,
                     "/usr/bin/env PATH=/usr/bin:$PATH python3 '%s/tests/scenario/flow_columns.py' '%s' %s 4",
                     WEIR_SOURCE_DIR, result.output_dir, warm ? "0.7" : "0");
            if (system(line) != 0)
                fail_msg("scenario %zu, %s warm-up", i, warm ? "with" : "without");
            weir_run_result_free(&result);
            weir_diag_free(diag);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_what_packets_say)};
    assert_non_null(scratch_make());
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
