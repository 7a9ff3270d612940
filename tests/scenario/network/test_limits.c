/*
 * A queue's limit below one packet is refused at its place, on every kind of port; one that holds a packet is not, nor one beside
 * traffic some of which fits. The limit by default holds any packet.
 */
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

#define HEAD "weir: 1\nduration: 1ms\ntopology:\n  generate: {model: star, hosts: 3}\n"

static void limits_hold_a_packet(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *traffic, *part; /* null: taken */
    } all[] = {{"queue: {limit: 100B}", "tcp: {}", "limit is 100 bytes, and packets have 1500 at least"},
               {"queue: {limit: 1499B}", "tcp: {}", "limit is 1499 bytes"},
               {"queue: {limit: 1500B}", "tcp: {}", NULL},
               {"queue: {limit: 1000B}", "tcp: {mss: 960B, size: 1kB}", NULL},
               {"queue: {limit: 999B}", "tcp: {mss: 960B, size: 1kB}", "and packets have 1000 at least"},
               {"queue: {limit: 999B}", "tcp: {size: 800B}", NULL},
               {"queue: {limit: 999B}", "tcp: {size: {exponential: 800B}}", NULL},
               {"queue: {limit: 199B}", "udp: {rate: 1Mbps, packet: 200B}", "and packets have 200 at least"},
               {"queue: {limit: 199B}", "udp: {rate: 1Mbps, packet: {exponential: 500B}}", NULL},
               {"queue: {limit: 199B}",
                "tcp: {}}, {name: b, from: h2, to: h0, udp: {rate: 1Mbps, packet: 100B}", NULL},
               {"host_queue: {limit: 1kB}", "tcp: {}", "limit is 1000 bytes"},
               {"access: {queue: {limit: 1kB}}", "tcp: {}", "limit is 1000 bytes"},
               {"queue: {type: red, limit: 1kB, min: 200B, max: 600B}", "tcp: {}", "limit is 1000 bytes"},
               {"queue: {type: codel, limit: 1kB}", "tcp: {}", "limit is 1000 bytes"},
               {"queues: [{link: 'h1--hub', limit: 1kB}]", "tcp: {}", "limit is 1000 bytes"},
               {"queue: {limit: 100B}", "fidelity: fluid, tcp: {}", "limit is 100 bytes"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[600];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text, HEAD "  %s\ntraffic: [{name: a, from: h1, to: h0, %s}]\n", all[i].keys,
                 all[i].traffic);
        const weir_status st = run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result);
        const weir_message *m = weir_diag_get(diag, 0);
        if (all[i].part ? st == WEIR_OK || !m || !strstr(m->text, all[i].part) || m->line != 5
                        : st != WEIR_OK && m && strstr(m->text, "limit is"))
            fail_msg("%s, %s: line %d, '%s'", all[i].keys, all[i].traffic, m ? m->line : 0, m ? m->text : "");
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

/* What a discipline waits for, beyond what a queue holds by default (64 kB at 1 Mb/s, 125 kB at 10) or in packets. */
/* Traffic of routers goes over an access link, whose default nobody asked for. */
static void an_access_link_below_its_router_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *rate, *more, *from;
        bool told;
    } all[] = {{"400Gbps", "", "left", true},
               {"400Gbps", "access: {rate: 50Gbps}", "left", false},
               {"100Gbps", "", "left", false},
               {"400Gbps", "", "l0", false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\ntopology:\n  generate: {model: dumbbell, left: 1, "
                 "access_rate: 10Gbps, bottleneck_rate: %s}\n  %s\ntraffic: [{name: a, from: %s, to: r0, "
                 "tcp: {}}]\n",
                 all[i].rate, all[i].more, all[i].from);
        if (run_says(text, "access: {rate: 400Gbps}") != all[i].told)
            fail_msg("%s, %s, from %s: %d", all[i].rate, all[i].more, all[i].from, !all[i].told);
    }
}

static void a_mark_beyond_the_queue_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *queue, *rate, *ecn, *says; /* null: nothing */
    } all[] = {{"threshold", "1Mbps", "true", "'left' to 'right' holds 64000 bytes, so that its 'mark'"},
               {"threshold", "1Mbps", "false", NULL},
               {"threshold", "10Mbps", "true", NULL},
               {"threshold, mark: 30kB", "1Mbps", "true", NULL},
               {"threshold, limit_packets: 65", "10Mbps", "true", "holds 97500 bytes, so that its 'mark'"},
               {"threshold, limit_packets: 66", "10Mbps", "true", NULL},
               {"threshold, mark_packets: 9", "1Mbps", "true", NULL},
               {"red, min: 20kB, max: 70kB", "1Mbps", "false", "holds 64000 bytes, so that its 'max'"},
               {"red, min: 20kB, max: 70kB", "10Mbps", "false", NULL},
               {"red, min: 20kB, max: 50kB, average: packets", "1Mbps", "false", NULL},
               {"red, min: 20kB, max: 70kB, average: packets, limit_packets: 40", "10Mbps", "false",
                "holds 60000 bytes, so that its 'max'"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\ntopology:\n  generate: {model: dumbbell, left: 1, "
                 "bottleneck_rate: %s}\n  queue: {type: %s}\ntraffic: [{name: a, from: l0, to: r0, tcp: "
                 "{ecn: %s}}]\n",
                 all[i].rate, all[i].queue, all[i].ecn);
        if (run_says(text, all[i].says ? all[i].says : "is never reached") != (all[i].says != NULL))
            fail_msg("%s, %s: want '%s'", all[i].queue, all[i].rate, all[i].says ? all[i].says : "");
    }
}

/* On a line of which 100 ms are 12.5 kB, and the default limit is 64 kB. */
static void the_default_holds_a_packet(void **state)
{
    (void)state;
    static const char *const traffic[] = {
        "tcp: {mss: 65000B}", "tcp: {mss: 65000B, size: {uniform: [200kB, 300kB]}}",
        "tcp: {size: 1kB, request: {size: 65495B}}", "udp: {rate: 500kbps, packet: 65535B}",
        "udp: {rate: 500kbps, packet: {uniform: [65500B, 65535B]}}"};
    for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++) {
        net_run *r = net_run_new("weir: 1\nduration: 10s\ntopology:\n  generate: {model: dumbbell, left: 1, "
                                 "bottleneck_rate: 1Mbps}\ntraffic: [{name: a, from: l0, to: r0, %s}]\n",
                                 traffic[i]);
        net_run_until(r, 10 * SEC);
        assert_true(net_run_port(r, "left->right")->bytes > 130000);
        net_run_end(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_hold_a_packet),
        cmocka_unit_test(a_mark_beyond_the_queue_is_told),
        cmocka_unit_test(an_access_link_below_its_router_is_told),
        cmocka_unit_test(the_default_holds_a_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
