/*
 * NDP against the data that its authors published with htsim (github.com/nets-cs-pub-ro/NDP, sim/EXAMPLES, files named below): a
 * fat-tree of 432 hosts, 10 Gb/s and 1 us, packets of 9,000 bytes, queues of eight, a first window of 23. Figures 16 and 20a of
 * the SIGCOMM 2017 paper: when the last of n transfers to one host ends, n from 1 to 431, most of the first windows lost whole
 * from a hundred on. Figure 14: what each host of a permutation gets. htsim's data have 64 bytes of headers, weir's 40, so times
 * are compared after that; htsim permutes paths at the sender and returns headers that do not fit, weir picks paths by chance and
 * sends these again after a timeout.
 *
 * label: slow statistics
 */
#include "scenario/run_summary.h"

#define HEAD                                                                                                \
    "weir: 1\nduration: %s\nseed: 2\ntopology:\n  generate: {model: fat-tree, k: 12, rate: 10Gbps, delay: " \
    "1us}\n"                                                                                                \
    "  queue: {type: trim, headers: 45kB}\n" /* 1,125 headers; htsim: 8 packets' bytes of 64 */             \
    "  host_queue: {type: trim, limit_packets: 1000, headers: 100kB}\n"                                     \
    "routing: {ecmp: true, spray: true}\n"
#define CLASS "congestion: ndp, mss: 9000B, window: 1MB, initial_window: 23"

typedef struct point {
    int senders;
    double last_s;
} point;

/* incast_shortflows/incast_ndp_completion_times_23_450000size_all, last column */
static const point figure_16[] = {{1, 0.000404816},   {11, 0.004072573},  {51, 0.018623773},
                                  {101, 0.036774973}, {201, 0.073003037}, {431, 0.156377168}};
/* incast_scaling/incast_ndp_completion_times_23_270000size_max */
static const point figure_20a[] = {{1, 0.000259792},   {2, 0.000479018},   {4, 0.000940624},
                                   {8, 0.001791402},   {10, 0.002250922},  {20, 0.004461322},
                                   {50, 0.010978243},  {100, 0.021870915}, {200, 0.043626307},
                                   {300, 0.065384362}, {400, 0.087140573}};

static void last_of(const point *p, int kb)
{
    char text[900];
    snprintf(text, sizeof text,
             HEAD "traffic:\n- {name: a, from: 'h[%d-431]', to: h0, tcp: {" CLASS
                  ", size: %dkB}}\noutput: {ports: none}\n",
             "2s", 432 - p->senders, kb);
    json_t *s = summary_of(text, NULL, 0, NULL);
    const double got = class_number(s, 0, NULL, "makespan_s") * 9064.0 / 9040.0 / p->last_s;
    assert_true(class_number(s, 0, NULL, "completed") == p->senders);
    /* Few transfers are a few packets' trimming by chance; from 50 on it is the receiver's line. */
    if (!(fabs(got - 1.0) <= (p->senders < 50 ? 0.035 : 0.005)))
        fail_msg("%d senders of %d kB: %g of htsim's time", p->senders, kb, got);
    json_decref(s);
}

static void incasts_end_as_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof figure_16 / sizeof *figure_16; i++)
        last_of(&figure_16[i], 450);
    for (size_t i = 0; i < sizeof figure_20a / sizeof *figure_20a; i++)
        last_of(&figure_20a[i], 270);
}

/* permutation/logfile.rates: a mean of 9.249 Gb/s, 0.926 of the line less headers. By chance paths fill 3 % less. */
static void a_permutation_fills_as_published(void **state)
{
    (void)state;
    char text[900];
    snprintf(text, sizeof text,
             HEAD "traffic:\n- {name: a, pairs: permutation, tcp: {" CLASS
                  "}}\noutput: {ports: none, warmup: 2ms}\n",
             "6ms");
    const double got = run_for(text, NULL, 0, "goodput_bps") / 432.0 / 9.249e9;
    if (!(got >= 0.95 && got <= 1.01))
        fail_msg("%g of htsim's rate", got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incasts_end_as_published),
        cmocka_unit_test(a_permutation_fills_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
