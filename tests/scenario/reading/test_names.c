/*
 * Patterns of names: what each matches, which links and nodes a scenario means by them, and that `override`
 * changes what is given and nothing else.
 */
#include "scenario/load.h"

#include "schema/pattern.h"
#include "scenario/net_run.h"
#include "scenario/run_text.h"

static void patterns(void **state)
{
    static const struct {
        const char *pattern, *yes, *no; /* blanks between */
    } cases[] = {
        {"*", "a core1 x--y", NULL},
        {"core*", "core core1 core-x", "cor Core1 xcore1"},
        {"*core", "core x-core", "core1"},
        {"a*b*c", "abc axbxc abbc", "ab acb"},
        {"r?", "r0 rx", "r r10"},
        {"r[0-9]", "r0 r9", "r r10 ra"},
        {"r1[0-5]", "r10 r15", "r16 r1 r105"},
        {"r[0-15]", "r0 r9 r10 r15", "r16 r05 r r155 ra"},
        {"n[01-12]", "n01 n09 n12", "n1 n00 n13 n001"},
        {"n[1,3,8-11]x", "n1x n3x n8x n10x n11x", "n2x n7x n12x n1"},
        {"r[0-15]5", "r05 r155", "r165 r5"},
        {"[a-c]x", "ax cx", "dx x"},
        {"[!0-9]*", "ax x", "0x"},
        {"g[0-3]_r[10-12]", "g0_r10 g3_r12", "g4_r10 g0_r9"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(wi_is_pattern(cases[i].pattern));
        for (int want = 0; want < 2; want++) {
            char text[200], *save = NULL;
            snprintf(text, sizeof text, "%s", want ? cases[i].yes : cases[i].no ? cases[i].no : "");
            for (char *name = strtok_r(text, " ", &save); name; name = strtok_r(NULL, " ", &save))
                if (wi_pattern_matches(cases[i].pattern, name) != want)
                    fail_msg("'%s' %s '%s'", cases[i].pattern, want ? "does not match" : "matches", name);
        }
    }
    assert_false(wi_is_pattern("New York [7"));
    assert_false(wi_is_pattern("r1_2--r2_2"));
}

/* Links of a 3 by 3 grid (12 between routers, 9 of hosts) whose rate an item of `links` changes. */
static uint32_t changed_edges(const char *link)
{
    net_run *r = net_run_new(
        WEIR_1 "topology: {generate: {model: grid, width: 3, height: 3, hosts: 1}, links: [{link: %s, "
               "rate: 7kbps}]}\ntraffic: [{name: a, tcp: {}, from: h0, to: h1}]\n",
        link);
    uint32_t n = 0;
    for (uint32_t e = 0; e < r->network->graph->n_edges; e++)
        n += r->network->graph->rate_bps[e] == 7000;
    net_run_end(r);
    return n;
}

static void links_by_pattern(void **state)
{
    (void)state;
    assert_int_equal(changed_edges("\"*\""), 42);
    assert_int_equal(changed_edges("'r0_0--r1_0'"), 2);
    assert_int_equal(changed_edges("'r*--r*'"), 24);
    assert_int_equal(changed_edges("'r*->r*'"), 24);
    assert_int_equal(changed_edges("'h*->*'"), 9);
    assert_int_equal(changed_edges("'h*--*'"), 18);
    assert_int_equal(changed_edges("'r0_[0-1]--r0_[1-2]'"), 4); /* 0-1 and 1-2 in the first column */
    assert_int_equal(changed_edges("['r1_1->*', 'h4->r1_1']"), 6);
}

static uint32_t flows_of(const char *where)
{
    net_run *r = net_run_new(
        WEIR_1 "topology: {generate: {model: star, hosts: 12}}\ntraffic: [{name: a, tcp: {}, %s}]\n", where);
    const uint32_t n = r->network->plan.n_flows;
    net_run_end(r);
    return n;
}

static void nodes_by_pattern(void **state)
{
    (void)state;
    assert_int_equal(flows_of("from: 'h[0-11]', to: h0"), 11);
    assert_int_equal(flows_of("from: 'h[0-9]', to: h11"), 10);
    assert_int_equal(flows_of("from: 'h[8-11]', to: [h0, 'h[0-1]']"), 8); /* h0 once */
    assert_int_equal(flows_of("from: '*', to: hub"), 12);
    assert_int_equal(flows_of("pairs: [['h[0-11]', h0], [h0, h1]]"), 12);
}

/* Of a star's h0, h1, ... and its router `hub`, traffic by `h*` takes the hosts, and says so; `*` is all hosts; a router sends
 * where it is named, or where no host matches. */
static void hosts_go_first(void **state)
{
    static const struct {
        const char *where, *says;
    } cases[] = {{"from: 'h*', to: h0", "'h*' takes 12 hosts; it matches 1 router too, 'hub'"},
                 {"pairs: [['h*', h1]]", "'h*' takes 12 hosts"},
                 {"from: '*', to: h0", NULL},
                 {"from: 'h[0-11]', to: h0", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300], got[600] = "";
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        assert_int_equal(flows_of(cases[i].where), 11);
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 12}}\ntraffic: [{name: "
                 "a, tcp: "
                 "{}, %s}]\n",
                 cases[i].where);
        assert_int_equal(run_text(diag, text, NULL, NULL, 0, &result), WEIR_OK);
        for (size_t k = 0; k < weir_diag_count(diag); k++)
            if (weir_diag_get(diag, k)->severity == WEIR_WARNING)
                weir_message_format(weir_diag_get(diag, k), got, sizeof got);
        if (cases[i].says ? !strstr(got, cases[i].says) : got[0])
            fail_msg("%s: %s", cases[i].where, got);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
    assert_int_equal(flows_of("from: 'hu*', to: h0"), 1);
    assert_int_equal(flows_of("from: ['h*', hub], to: h0"), 12);
}

static void a_pattern_that_finds_nothing(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"topology: {generate: {model: star}, links: [{link: 'x*--*', rate: 1Mbps}]}\n"
         "traffic: [{name: a, tcp: {}, from: h0, to: h1}]\n",
         "s.yaml:3:52: error: no link matches 'x*--*', of the topology's 4; known are h0--hub"},
        {"topology: {generate: {model: star}, links: [{link: h0->h1, rate: 1Mbps}]}\n"
         "traffic: [{name: a, tcp: {}, from: h0, to: h1}]\n",
         "s.yaml:3:52: error: no link between 'h0' and 'h1' (did you mean 'h0->hub'?)"},
        {"topology: {generate: {model: star}, queues: [{link: h0->hub, limit: 9kB}]}\n"
         "traffic: [{name: a, tcp: {}, from: h0, to: h1}]\n",
         "s.yaml:3:53: error: 'h0->hub' is a host's own interface, whose queue is topology.host_queue"},
        {"topology: {generate: {model: star}, queues: [{link: ['*', 'h?->*'], limit: 9kB}]}\n"
         "traffic: [{name: a, tcp: {}, from: h0, to: h1}]\n",
         "s.yaml:3:59: error: 'h?->*' is a host's own interface, whose queue is topology.host_queue"},
        {"topology: {generate: {model: star}}\ntraffic: [{name: a, tcp: {}, from: 'x*', to: h1}]\n",
         "s.yaml:4:36: error: no node matches 'x*'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600], got[600];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text, "weir: 1\nduration: 1s\n%s", cases[i].text);
        assert_int_equal(run_text(diag, text, NULL, NULL, 0, &result), WEIR_E_SCENARIO);
        weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
        if (strncmp(got, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("want %s, got %s", cases[i].message, got);
        weir_diag_free(diag);
    }
}

/* Two nodes 111.195 km apart (a degree), a link with a rate of its own and none: what `override` leaves. */
static void override_changes_what_is_given(void **state)
{
    static const struct {
        const char *link;
        uint64_t rate_bps;
        weir_time delay_ps;
        const char *written;
    } cases[] = {
        {"{rate: 1Gbps}", 5000000, 555975 * WEIR_PS_PER_NS, "override: false"},
        {"{rate: 1Gbps, override: true}", 1000000000, 555975 * WEIR_PS_PER_NS, "override: rate"},
        {"{delay: 3ms, override: true}", 5000000, 3 * WEIR_PS_PER_MS, "override: delay"},
        {"{rate: 1Gbps, delay: 3ms, override: true}", 1000000000, 3 * WEIR_PS_PER_MS, "override: both"},
        {"{rate: 1Gbps, delay: 3ms, override: rate}", 1000000000, 555975 * WEIR_PS_PER_NS, "override: rate"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net_run *r = net_run_new(WEIR_1 "topology: {file: degree.graphml, link: %s}\n"
                                        "traffic: [{name: a, tcp: {}, from: A, to: B}]\n",
                                 cases[i].link);
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(r->network->graph->rate_bps[0], cases[i].rate_bps);
        assert_int_equal(r->network->graph->delay_ps[0], cases[i].delay_ps);
        expect_ok(r->diag, weir_scenario_write(r->diag, r->scenario, out));
        fclose(out);
        assert_non_null(strstr(text, cases[i].written));
        free(text);
        net_run_end(r);
    }
    EXPECT(WEIR_E_SCENARIO,
           "weir: 1\nduration: 1s\ntopology: {generate: {model: star}, link: {override: true}}\n" TRAFFIC,
           "3:54: error: override: true, and link gives neither rate nor delay");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(links_by_pattern),
        cmocka_unit_test(nodes_by_pattern),
        cmocka_unit_test(hosts_go_first),
        cmocka_unit_test(a_pattern_that_finds_nothing),
        cmocka_unit_test(override_changes_what_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
