/*
 * label: slow statistics
 *
 * Queueing theory as a judge: mean waits of M/M/1 and M/D/1, and the long-run rates of UDP senders.
 */
#include "scenario/net_run.h"
#include "nightly.h"

enum { BATCHES = 30 };

/* Moments of the size of a packet that was drawn with mean `mean` from an exponential distribution, rounded
 * and kept within 28 and 65,535 bytes: sums of P(S > k) and (2 k + 1) P(S > k). */
static void exponential_moments(double mean, double *first, double *second)
{
    *first = 28.0;
    *second = 28.0 * 28.0;
    for (int k = 28; k < 65535; k++) {
        const double p = exp(-(k + 0.5) / mean);
        *first += p;
        *second += (2.0 * k + 1.0) * p;
    }
}

/*
 * Pollaczek and Khinchine: a packet that arrives in a Poisson stream waits rho E[S^2] / (2 E[S] (1 - rho)) on
 * average. The queue is a host's own interface, so that arrivals at it are exactly Poisson: 10 Mb/s,
 * 1000-byte packets. The interval is by batch means: thirty batches of 80,000 packets, hundreds of relaxation
 * times each at load 0.9. It must hold the theory's value, and be narrow enough to mean something.
 */
static void pollaczek_khinchine(double load, bool exponential)
{
    const double rate = 1e7;
    double s1 = 1000.0, s2 = 1e6, batch[BATCHES], half;
    if (exponential)
        exponential_moments(1000.0, &s1, &s2);
    const double want_s = load * s2 / (2 * s1 * (1 - load)) * 8 / rate;
    net_run *r = net_run_new(WEIR_1 "topology:\n"
                                    "  generate: {model: line, access_rate: 10Mbps, access_delay: 1us}\n"
                                    "  host_queue: {limit: 1GB}\n"
                                    "traffic:\n"
                                    "  - {name: a, from: h0, to: h1,\n"
                                    "     udp: {rate: %.0fbps, pattern: poisson, packet: %s}}\n",
                             load * rate, exponential ? "{exponential: 1000B}" : "1000B");
    const net_port *nic = net_run_port(r, "h0->r0");
    const weir_time batch_ps = (weir_time)(80000 * 8 * s1 / (load * rate) * 1e12);
    weir_time at = batch_ps / 2;
    net_run_until(r, at);
    net_port before = *nic;
    const net_port warm = *nic;
    for (int i = 0; i < BATCHES; i++) {
        net_run_until(r, at += batch_ps);
        batch[i] = (double)(nic->wait_ns - before.wait_ns) * 1e-9 / (double)(nic->packets - before.packets);
        before = *nic;
    }
    const double mean = mean_of(batch, BATCHES, &half);
    print_message("  M/%c/1 at load %.1f: wait %.1f us +- %.1f, theory %.1f\n", exponential ? 'M' : 'D', load,
                  mean * 1e6, half * 1e6, want_s * 1e6);
    if (!(fabs(mean - want_s) <= half && half <= (load > 0.7 ? 0.1 : 0.02) * want_s))
        fail_msg("load %.1f: mean wait %.2f us +- %.2f, want %.2f us", load, mean * 1e6, half * 1e6,
                 want_s * 1e6);
    assert_int_equal(net_run_drops(r, -1), 0);
    /* The port's own load and its integral of the backlog: by Little's law the mean backlog in bytes is
     * lambda E[S (wait
     * + S/2)] = load (E[wait] rate/8 + E[S^2] / (2 E[S])); with what was measured of the waits. */
    const double span = weir_seconds(at) - weir_seconds(batch_ps / 2);
    const double measured_load = 8 * (double)(nic->bytes - warm.bytes) / span / rate;
    assert_true(fabs(measured_load / load - 1) < 0.005);
    const double backlog = (net_backlog_byte_s(nic) - net_backlog_byte_s(&warm)) / span;
    assert_true(fabs(backlog / (load * (mean * rate / 8 + s2 / (2 * s1))) - 1) < 0.01);
    net_run_end(r);
}

static void waits(void **state)
{
    (void)state;
    for (int exponential = 0; exponential <= 1; exponential++) {
        pollaczek_khinchine(0.5, exponential);
        if (nightly()) /* two thirds of the time */
            pollaczek_khinchine(0.9, exponential);
    }
}

/* Batches of one second of what a sender gives its interface, in bits a second. */
static void expect_rate(const char *udp, double want, double accuracy)
{
    double batch[BATCHES], half;
    net_run *r = net_run_new(WEIR_1 "topology: {generate: {model: line}}\n"
                                    "traffic: [{name: a, from: h0, to: h1, udp: {%s}}]\n",
                             udp);
    const net_port *nic = net_run_port(r, "h0->r0");
    uint64_t before = 0;
    for (int i = 0; i < BATCHES; i++) {
        net_run_until(r, (i + 1) * 20 * SEC);
        batch[i] = 8 * (double)(nic->bytes - before) / 20;
        before = nic->bytes;
    }
    const double mean = mean_of(batch, BATCHES, &half);
    if (!(fabs(mean - want) <= half + want * 2e-5 && half <= accuracy * want))
        fail_msg("%s: %.0f +- %.0f b/s, want %.0f", udp, mean, half, want);
    net_run_end(r);
}

static void rates(void **state)
{
    (void)state;
    expect_rate("rate: 1Mbps", 1e6, 1e-4);
    expect_rate("rate: 1Mbps, packet: 999B, jitter: 50%", 1e6, 0.005);
    expect_rate("rate: 1Mbps, packet: {uniform: [40B, 1500B]}", 1e6, 1e-3);
    expect_rate("rate: 2Mbps, pattern: poisson", 2e6, 0.01);
    /* Small sizes: many draws lie below the least packet, and the rate is kept all the same. */
    expect_rate("rate: 1Mbps, pattern: poisson, packet: {exponential: 60B}", 1e6, 0.01);
    expect_rate("rate: 1Mbps, pattern: poisson, packet: {uniform: [28B, 100B]}", 1e6, 0.01);
    expect_rate("rate: 1Mbps, pattern: poisson, packet: {pareto: {mean: 80B, shape: 2.5}}", 1e6, 0.01);
    /* Bursts of 25 packets, of one, and of less than one. */
    expect_rate("rate: 1Mbps, pattern: onoff, on_time: 100ms, off_time: 100ms", 1e6, 0.05);
    expect_rate("rate: 1Mbps, pattern: onoff, on_time: 2ms, off_time: 6ms", 1e6, 0.02);
    expect_rate("rate: 1Mbps, pattern: onoff, on_time: 500us, off_time: 500us", 1e6, 0.02);
    expect_rate("rate: 1Mbps, pattern: onoff, on_time: 20ms, off_time: 20ms, durations: pareto, shape: 2.5",
                1e6, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits), cmocka_unit_test(rates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
