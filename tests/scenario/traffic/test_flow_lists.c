/*
 * Lists of flows, gravity matrices and REPETITA's demands. A list drawn by chance: every flow of flows.csv has the time, ends
 * and size of its line, to the picosecond, and all engines give one digest. Forms of lines by hand, and each documented error
 * with its line. Gravity against its formula over small graphs whose weights are known. REPETITA's published files against the
 * sums of their README, and a matrix of ours pair by pair.
 * label: threads
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenario/csv_cell.h"
#include "scenario/net_run.h"
#include "output/scratch.h"
#include "scenario/load.h"
#include "network/files/demands.h"
#include "network/files/flow_file.h"
#include "nightly.h"
#include "skip.h"
#include "splitmix.h"

#define STAR "topology: {generate: {model: star, hosts: 6, access_rate: 1Gbps, access_delay: 50us}}\n"

static char list_path[300];

static void write_list(const char *text)
{
    snprintf(list_path, sizeof list_path, "%s", scratch_path("list.csv"));
    FILE *f = fopen(list_path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* ---- forms ---- */

static void lines_of_all_forms(void **state)
{
    (void)state;
    static const char text[] = "time,from,to,bytes,class\r\n"
                               "# a comment\n"
                               "\n"
                               "0.000000000001,a,b,1\n"
                               " 1.5ms , New York ,\"a \"\"b\"\", c\", 10kB , mice\r\n"
                               "2,b,a,1460,\n"
                               "0s,b,\"a\",\"7\",bulk";
    static const struct {
        weir_time at_ps;
        const char *from, *to, *cls;
        uint64_t bytes;
        int line;
    } want[] = {{1, "a", "b", NULL, 1, 4},
                {1500 * US, "New York", "a \"b\", c", "mice", 10000, 5},
                {2 * SEC, "b", "a", NULL, 1460, 6},
                {0, "b", "a", "bulk", 7, 7}};
    weir_diag *diag = weir_diag_new();
    wi_flow_file *f = NULL;
    expect_ok(diag, wi_flow_file_read(wi_source_memory(diag, "list", text, sizeof text - 1), &f));
    assert_int_equal(f->n, 4);
    assert_int_equal(f->most_bytes, 10000);
    for (size_t i = 0; i < 4; i++) {
        const wi_listed_flow *l = &f->flow[i];
        assert_int_equal(l->at_ps, want[i].at_ps);
        assert_int_equal(l->bytes, want[i].bytes);
        assert_int_equal(l->line, want[i].line);
        assert_string_equal(wi_names_text(&f->node, l->from), want[i].from);
        assert_string_equal(wi_names_text(&f->node, l->to), want[i].to);
        assert_true((l->cls == WI_NO_NAME) == (want[i].cls == NULL));
        if (want[i].cls)
            assert_string_equal(wi_names_text(&f->cls, l->cls), want[i].cls);
    }
    wi_flow_file_free(f);
    weir_diag_free(diag);
}

/* A title says in which order fields stand, by the usual names of each. */
static void titles_order_fields(void **state)
{
    static const char *const texts[] = {
        "time,from,to,bytes,class\n1us,a,b,9,c", "to,from,class,size,start_s\nb,a,c,9,1us",
        "src dst size start class\na b 9 1us c", "class,destination,source,at,bytes\nc,b,a,1us,9"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_diag *diag = weir_diag_new();
        wi_flow_file *f = NULL;
        expect_ok(diag, wi_flow_file_read(wi_source_memory(diag, "list", texts[i], strlen(texts[i])), &f));
        assert_int_equal(f->n, 1);
        assert_int_equal(f->flow[0].at_ps, US);
        assert_int_equal(f->flow[0].bytes, 9);
        assert_string_equal(wi_names_text(&f->node, f->flow[0].from), "a");
        assert_string_equal(wi_names_text(&f->node, f->flow[0].to), "b");
        assert_string_equal(wi_names_text(&f->cls, f->flow[0].cls), "c");
        wi_flow_file_free(f);
        weir_diag_free(diag);
    }
}

static void bad_lines(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "list: this list has no flow"},
        {"time,from,to,bytes\n", "list:1: this list has no flow"},
        {"1,a,b\n", "list:1: 3 fields; want TIME,FROM,TO,BYTES"},
        {"1,a,b,1,c,d\n", "list:1:11: a sixth field"},
        {"1,a,b,1\nx,a,b,1\n", "list:2:1: time: "},
        {"-1,a,b,1\n", "list:1:1: time: "},
        {"1Mbps,a,b,1\n", "list:1:1: time: "},
        {"nan,a,b,1\n", "list:1:1: time: "},
        {"1,a,b,x\n", "list:1:7: bytes: "},
        {"1,a,b,1ms\n", "list:1:7: bytes: "},
        {"1,a,b,0\n", "list:1:7: a flow of 0; want 1 B to 1 PiB"},
        {"1,a,b,2000TB\n", "list:1:7: a flow of 2000TB; want 1 B to 1 PiB"},
        {"1,a,a,5\n", "list:1:3: a flow from 'a' to itself"},
        {"1,,a,5\n", "list:1: a node without a name"},
        {"1,\"a,b,5\n", "list:1:3: a quote that does not end in this line"},
        {"1,\"a\"b,c,5\n", "list:1:3: want a comma after this field"},
        {"time,from,to,bytes\ntime,from,to,bytes\n", "list:2:1: time: "},
        {"time,from,to,rate\n1,a,b,1\n", "list:1:14: title: 'rate' is no such field"},
        {"time,src,from,bytes\n1,a,b,1\n", "list:1:10: title: 'from' comes again"},
        {"time,from,to\n1,a,b\n", "list:1: title: 3 fields; want time, from, to, bytes"},
        {"class,time,from,to,bytes\n1,a,b,1\n", "list:2: 4 fields"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char got[2100];
        weir_diag *diag = weir_diag_new();
        wi_flow_file *f = (wi_flow_file *)1;
        assert_int_equal(wi_flow_file_read(wi_source_memory(diag, "list", bad[i][0], strlen(bad[i][0])), &f),
                         WEIR_E_FORMAT);
        assert_null(f);
        weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
        const char *text = strstr(got, "error: ");
        assert_non_null(text);
        char plain[2200];
        snprintf(plain, sizeof plain, "%.*s%s", (int)(text - got), got, text + strlen("error: "));
        if (strncmp(plain, bad[i][1], strlen(bad[i][1])) != 0)
            fail_msg("line %zu: want\n  %s\ngot\n  %s", i, bad[i][1], plain);
        weir_diag_free(diag);
    }
}

/* ---- a list drawn by chance ---- */

enum { FLOWS = 300 };

typedef struct drawn {
    weir_time at_ps;
    uint32_t from, to;
    uint64_t bytes;
} drawn;

static void draw_list(uint64_t seed, drawn *flow)
{
    char text[FLOWS * 80] = "time,from,to,bytes\n";
    size_t at = strlen(text);
    for (int i = 0; i < FLOWS; i++) {
        drawn *f = &flow[i];
        f->at_ps = (weir_time)(rnd(&seed) % (uint64_t)(400 * MS));
        f->from = (uint32_t)(rnd(&seed) % 6);
        f->to = (f->from + 1 + (uint32_t)(rnd(&seed) % 5)) % 6;
        f->bytes = 1 + rnd(&seed) % (i % 10 ? 20000 : 500000);
        at += (size_t)snprintf(text + at, sizeof text - at, "0.%012lld,h%u,h%u,%llu\n", (long long)f->at_ps,
                               f->from, f->to, (unsigned long long)f->bytes);
    }
    write_list(text);
}

static weir_run_result run_list(weir_diag *diag, const char *engine)
{
    char text[1000];
    const char *sets[] = {engine};
    weir_run_options options;
    weir_run_result result;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1s\n" STAR "traffic: [{name: l, tcp: {}, flows: %s, start: 100ms}]\n",
             list_path);
    weir_scenario *s = good(text, sets, engine ? 1 : 0);
    weir_run_options_init(&options);
    options.output_dir = scratch_path("run");
    options.force = true;
    expect_ok(diag, weir_run(diag, s, &options, &result));
    weir_scenario_free(s);
    return result;
}

/* Rows stand in the order of the list. */
static void compare_rows(const char *folder, const drawn *flow)
{
    char path[600], line[CSV_LINE], want[200];
    snprintf(path, sizeof path, "%s/flows.csv", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    for (int i = 0; i < FLOWS; i++) {
        assert_non_null(fgets(line, sizeof line, f));
        char seconds[64];
        snprintf(seconds, sizeof seconds, "0.%012lld", (long long)(flow[i].at_ps + 100 * MS));
        for (size_t n = strlen(seconds); seconds[n - 1] == '0'; n--)
            seconds[n - 1] = '\0';
        snprintf(want, sizeof want, "%d,l,tcp,packet,h%u,h%u,%s,", i, flow[i].from, flow[i].to, seconds);
        if (strncmp(line, want, strlen(want)) != 0)
            fail_msg("want %s, got %s", want, line);
        assert_true(csv_number(csv_at(line, 8)) == (double)flow[i].bytes);
        assert_true(csv_number(csv_at(line, 9)) == (double)flow[i].bytes); /* all of it has arrived */
    }
    assert_null(fgets(line, sizeof line, f));
    fclose(f);
}

static void flows_are_those_of_the_list(void **state)
{
    (void)state;
    static const char *const engines[] = {NULL, "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}", "engine.type=check"};
    drawn flow[FLOWS];
    weir_diag *diag = weir_diag_new();
    for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 3); seed++) {
        uint64_t digest = 0;
        draw_list(seed, flow);
        for (size_t e = 0; e < 4; e++) {
            weir_run_result r = run_list(diag, engines[e]);
            compare_rows(r.output_dir, flow);
            digest = e ? digest : r.state_digest;
            assert_int_equal(r.state_digest, digest);
            weir_run_result_free(&r);
        }
    }
    weir_diag_free(diag);
}

/* ---- classes, and what the topology lacks ---- */

static weir_status build(const char *topology, const char *traffic, weir_diag *diag, wi_network **n,
                         weir_scenario **s)
{
    char text[4000];
    snprintf(text, sizeof text, "weir: 1\nduration: 1s\n%straffic: [%s]\n", topology, traffic);
    *n = NULL;
    weir_status status =
        weir_scenario_parse(diag, "s.yaml", text, strlen(text), scratch_path(""), NULL, 0, s);
    return status == WEIR_OK ? wi_network_build(diag, *s, n) : status;
}

static void lines_go_to_their_class(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    wi_network *n;
    weir_scenario *s = NULL;
    write_list("0,h0,h1,100,a\n1ms,h1,h2,200,b\n2ms,h2,h3,300\n3ms,h3,h4,400,c\n5s,h3,h4,500,a\n");
    expect_ok(diag,
              build(STAR,
                    "{name: a, tcp: {}, flows: list.csv}, {name: b, tcp: {}, flows: list.csv, start: 1ms}, "
                    "{name: c, tcp: {}, from: h0, to: h1}",
                    diag, &n, &s));
    static const struct {
        uint64_t bytes;
        uint16_t cls;
        weir_time at_ps;
    } want[] = {{100, 0, 0}, {300, 0, 2 * MS}, {200, 1, 2 * MS}, {300, 1, 3 * MS}, {0, 2, 0}};
    assert_int_equal(n->plan.n_flows, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(n->plan.flows[i].size_bytes, want[i].bytes);
        assert_int_equal(n->plan.flows[i].cls, want[i].cls);
        assert_int_equal(n->plan.flows[i].start_ps, want[i].at_ps);
    }
    assert_int_equal(weir_diag_count(diag), 1); /* the line of 5 s */
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "1 of 3 flows"));
    wi_network_free(n);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

static void expect_refusal(const char *list, const char *traffic, const char *message)
{
    char got[2100] = "";
    weir_diag *diag = weir_diag_new();
    wi_network *n;
    weir_scenario *s = NULL;
    write_list(list);
    assert_true(build(STAR, traffic, diag, &n, &s) != WEIR_OK);
    assert_true(weir_diag_count(diag) > 0);
    weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
    if (!strstr(got, message))
        fail_msg("want %s, got %s", message, got);
    wi_network_free(n);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char one[] = "0,h0,h1,100\n";
#define LISTED(more) "{name: a, flows: list.csv, " more "}"
    expect_refusal("0,h0,h9,100\n", LISTED("tcp: {}"), "list.csv:1: error: ");
    expect_refusal("#\n0,h0,h1,100,bb\n", LISTED("tcp: {}"), "list.csv:2: error: no class 'bb'");
    expect_refusal("0,h0,h1,100,b\n", LISTED("tcp: {}") ", {name: b, tcp: {}, from: h0, to: h1}",
                   "class 'a' has no flow in");
    expect_refusal(one, LISTED("udp: {rate: 1Mbps}"), "a list of flows needs 'tcp'");
    expect_refusal(one, LISTED("tcp: {size: 1kB}"), "size does not go together with flows");
    expect_refusal(one, LISTED("tcp: {arrivals: {poisson: 1/s}}"), "arrivals");
    expect_refusal(one, LISTED("tcp: {sessions: 2}"), "sessions: 2 does not go together with flows");
    expect_refusal(one, LISTED("tcp: {}, stop: 1s"), "stop does not go together with flows");
    expect_refusal(one, LISTED("tcp: {}, start: {uniform: [0s, 1s]}"), "flows: start is one time");
    expect_refusal(one, LISTED("tcp: {}, fidelity: fluid"), "want fidelity: packet");
    expect_refusal(one, LISTED("tcp: {}, from: h0, to: h1"), "flows does not go together with from");
    expect_refusal(one, LISTED("tcp: {}, gravity: {total: 1Mbps}"),
                   "flows does not go together with gravity");
    expect_refusal(one, LISTED("tcp: {}, scale: 2"), "scale means nothing here; it is for demands");
    expect_refusal(one, "{name: a, tcp: {}, flows: nowhere.csv}", "nowhere.csv");
    expect_refusal(one, "{name: a, udp: {rate: 1Mbps}, gravity: {total: 1Mbps}}",
                   "rate does not go together with gravity");
    expect_refusal(one, "{name: a, udp: {}, gravity: {weight: degree}}", "total");
    expect_refusal(one, "{name: a, udp: {}, gravity: {total: 5}}", "total");
    expect_refusal(one, "{name: a, udp: {}, gravity: {total: 1Mbps}, scale: 2}",
                   "scale means nothing here; it is for demands");
}

/* ---- gravity ---- */

static uint64_t rate_of(const wi_network *n, const char *from, const char *to)
{
    uint64_t rate = 0;
    for (uint32_t i = 0; i < n->plan.n_flows; i++)
        if (strcmp(n->graph->name[n->plan.flows[i].src], from) == 0 &&
            strcmp(n->graph->name[n->plan.flows[i].dst], to) == 0)
            rate += n->plan.flows[i].rate_bps;
    return rate;
}

/* A line of three routers, degrees 1, 2, 1: products 2, 1, 2, each twice, of 10. Capacities 10, 40, 30 Mb/s: products
 * 400, 300, 1200, each twice, of 3800. */
static void gravity_is_its_formula(void **state)
{
    (void)state;
    static const char line[] =
        "topology: {generate: {model: line, routers: 3, hosts: 0, rate: 10Mbps, delay: 1ms}, links: [{link: "
        "r1--r2, rate: 30Mbps}]}\n";
    static const struct {
        const char *weight, *from, *to;
        uint64_t bps;
    } want[] = {{"degree", "r0", "r1", 2000000},  {"degree", "r0", "r2", 1000000},
                {"degree", "r2", "r1", 2000000},  {"capacity", "r0", "r1", 1052632},
                {"capacity", "r2", "r0", 789474}, {"capacity", "r1", "r2", 3157895}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char traffic[200];
        weir_diag *diag = weir_diag_new();
        wi_network *n;
        weir_scenario *s = NULL;
        snprintf(traffic, sizeof traffic, "{name: a, udp: {}, gravity: {total: 10Mbps, weight: %s}}",
                 want[i].weight);
        expect_ok(diag, build(line, traffic, diag, &n, &s));
        assert_int_equal(n->plan.n_flows, 6);
        assert_int_equal(rate_of(n, want[i].from, want[i].to), want[i].bps);
        wi_network_free(n);
        weir_scenario_free(s);
        weir_diag_free(diag);
    }
}

/* 100 b/s over the 56 pairs of eight hosts: 1.79 b/s each, so 44 of 2 b/s and 12 of 1 b/s. Of five demands of 3 b/s, times 0.6, one is
 * 1 b/s and four are 2 b/s: 9 b/s, but for the last fraction. */
static void small_demands_keep_their_total(void **state)
{
    (void)state;
    static const char star[] = "topology: {generate: {model: star, hosts: 8, access_rate: 10Mbps}}\n";
    static const char matrix[] = "DEMANDS 5\nlabel src dest bw\nd0 1 2 0.003\nd1 2 1 0.003\nd2 1 3 0.003\nd3 "
                                 "3 1 0.003\nd4 2 3 0.003\n"; /* kbit/s */
    static const char *const classes[] = {"{name: a, udp: {}, gravity: {total: 100bps}}",
                                          "{name: a, udp: {}, demands: list.csv, scale: 0.6}"};
    static const uint64_t want_bps[] = {100, 9};
    write_list(matrix);
    for (size_t k = 0; k < 2; k++) {
        weir_diag *diag = weir_diag_new();
        wi_network *n;
        weir_scenario *s = NULL;
        expect_ok(diag, build(star, classes[k], diag, &n, &s));
        uint64_t sum = 0;
        for (uint32_t i = 0; i < n->plan.n_flows; i++) {
            const uint64_t bps = n->plan.flows[i].rate_bps;
            assert_true(bps == 1 || bps == 2);
            sum += bps;
        }
        if (!(sum <= want_bps[k] && sum + 1 >= want_bps[k]))
            fail_msg("%s: %llu bps, want %llu", classes[k], (unsigned long long)sum,
                     (unsigned long long)want_bps[k]);
        wi_network_free(n);
        weir_scenario_free(s);
        weir_diag_free(diag);
    }
}

/* TCP's sessions follow the demands, and only the largest pairs are taken where so few are wanted. */
static void gravity_shares_and_cuts(void **state)
{
    (void)state;
    static const char line[] =
        "topology: {generate: {model: line, routers: 3, hosts: 0, rate: 10Mbps, delay: 1ms}}\n";
    weir_diag *diag = weir_diag_new();
    wi_network *n;
    weir_scenario *s = NULL;
    expect_ok(diag, build(line,
                          "{name: a, tcp: {sessions: 10}, gravity: {total: 1bps}, share: equal}, "
                          "{name: b, udp: {}, gravity: {total: 10Mbps}, max_pairs: 4}",
                          diag, &n, &s));
    uint32_t sessions = 0, pairs = 0;
    for (uint32_t i = 0; i < n->plan.n_flows; i++)
        if (n->plan.flows[i].cls == 0)
            sessions++;
        else
            pairs += n->plan.flows[i].rate_bps == 2000000;
    assert_int_equal(sessions, 60);
    assert_int_equal(pairs, 4);
    wi_network_free(n);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

/* ---- REPETITA ---- */

static void repetita_by_number(void **state)
{
    (void)state;
    static const char matrix[] =
        "DEMANDS 4\nlabel src dest bw\nd0 0 1 1000\nd1 2 0 500.5\nd2 1 2 0\nd3 0 1 1\n";
    static const char line[] =
        "topology: {generate: {model: line, routers: 3, hosts: 0, rate: 10Mbps, delay: 1ms}}\n";
    weir_diag *diag = weir_diag_new();
    wi_network *n;
    weir_scenario *s = NULL;
    write_list(matrix);
    expect_ok(diag, build(line, "{name: a, udp: {}, demands: list.csv, scale: 2}", diag, &n, &s));
    assert_int_equal(rate_of(n, "r0", "r1"), 2002000);
    assert_int_equal(rate_of(n, "r2", "r0"), 1001000);
    assert_int_equal(n->plan.n_flows, 3);
    wi_network_free(n);
    weir_scenario_free(s);
    weir_diag_free(diag);
    write_list("DEMANDS 1\nlabel src dest bw\nd0 0 17 1000\n");
    diag = weir_diag_new();
    assert_int_equal(build(line, "{name: a, udp: {}, demands: list.csv}", diag, &n, &s), WEIR_E_SCENARIO);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "no node 17: the topology has 3"));
    wi_network_free(n);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

static void bad_repetita(void **state)
{
    (void)state;
    static const char head[] = "DEMANDS 1\nlabel src dest bw\n";
    static const char *const bad[][2] = {
        {"d 0 1\n", "want LABEL SOURCE TARGET BANDWIDTH"},
        {"d 0 1 2 3\n", "want LABEL SOURCE TARGET BANDWIDTH"},
        {"d a 1 2\n", "source: want a node's number, not a"},
        {"d 0 -1 2\n", "target: want a node's number, not -1"},
        {"d 0 9999999999 2\n", "target: want a node's number"},
        {"d 0 1 x\n", "bandwidth: "},
        {"d 0 1 -5\n", "bandwidth: want a number of 0 or more, not -5"},
        {"d 0 1 1e30\n", "beyond 1e18"},
        {"d 1 1 5\n", "a demand of a node with itself"},
        {"d 0 1 5\ne 1 0 5\n", "is not the one in the first line"},
        {"", "is not the one in the first line"},
        {"d 0 1 0\n", "no demand above zero"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[300];
        wi_demands *d;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text, "%s%s", head, bad[i][0]);
        assert_int_equal(wi_demands_parse(diag, "d", text, strlen(text), &d), WEIR_E_FORMAT);
        assert_null(d);
        if (!strstr(weir_diag_get(diag, 0)->text, bad[i][1]))
            fail_msg("want %s, got %s", bad[i][1], weir_diag_get(diag, 0)->text);
        weir_diag_free(diag);
    }
}

/* Numbers and sums as the data sets' README has them, in kb/s. */
static void published_repetita(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        size_t n;
        double total;
    } all[] = {
        {"Abilene.0000.demands", 110, 5.90639e7},    {"AttMpls.0000.demands", 600, 2.50632e7},
        {"Bics.0000.demands", 1056, 1.10361e7},      {"Cogentco.0000.demands.gz", 38612, 1.12893e7},
        {"Geant2012.0000.demands", 1560, 1.05875e8}, {"rf1755_real_hard.0000.demands.gz", 7482, 1.52082e8}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[100];
        snprintf(name, sizeof name, "repetita/%s", all[i].file);
        wi_demands *d = NULL;
        weir_diag *diag = weir_diag_new();
        expect_ok(diag, wi_demands_load(diag, data_path(name), &d));
        assert_int_equal(d->n + d->n_zero, all[i].n);
        assert_true(fabs((double)d->total_bps / 1e3 / all[i].total - 1.0) < 1e-5);
        wi_demands_free(d);
        weir_diag_free(diag);
    }
}

int main(void)
{
    ONLY_THREADS("flows_are_*");
    assert_non_null(scratch_make());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_all_forms),
        cmocka_unit_test(titles_order_fields),
        cmocka_unit_test(bad_lines),
        cmocka_unit_test(flows_are_those_of_the_list),
        cmocka_unit_test(lines_go_to_their_class),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(gravity_is_its_formula),
        cmocka_unit_test(small_demands_keep_their_total),
        cmocka_unit_test(gravity_shares_and_cuts),
        cmocka_unit_test(repetita_by_number),
        cmocka_unit_test(bad_repetita),
        cmocka_unit_test(published_repetita),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
