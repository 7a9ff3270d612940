/*
 * Good scenarios: values and defaults arrive, --set changes them, the resolved scenario gives the same
 * scenario again. everything.yaml uses every key, which the last test proves.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "net/queue/queues.h"
#include "net/congestion/congestion.h"
#include "scenario/load.h"
#include "scenario/document/document.h"
#include "subject/list.h"
#include "skip.h"

#define EVERYTHING WEIR_TEST_DATA "/everything.yaml"
#define SWITCH WEIR_TEST_DATA "/everything-switch.yaml" /* keys that do not go together with those */
#define TRIM WEIR_TEST_DATA "/everything-trim.yaml"     /* nor these */

static weir_scenario *load_good(const char *path)
{
    weir_scenario *s = NULL;
    weir_diag *diag = weir_diag_new();
    const weir_status st = weir_scenario_load(diag, path, NULL, 0, &s);
    print_messages(diag);
    assert_int_equal(st, WEIR_OK);
    assert_int_equal(weir_diag_count(diag), 0);
    weir_diag_free(diag);
    return s;
}

static const net_red_params *red_of(const weir_scenario_queue *q)
{
    return (const net_red_params *)(const void *)q->params.own;
}

static void values_arrive(void **state)
{
    (void)state;
    weir_scenario *s = load_good(EVERYTHING);
    assert_string_equal(s->name, "everything");
    assert_int_equal(s->duration_ps, 60 * WEIR_PS_PER_S);
    assert_true(s->seed == INT64_MAX);
    assert_int_equal(s->run, 3);
    assert_string_equal(s->topology.file.text, WEIR_TEST_DATA "/net.graphml");
    assert_int_equal(s->topology.file.place.line, 8);
    assert_int_equal(s->topology.link.delay_ps, 2500 * WEIR_PS_PER_US);
    assert_true(s->topology.signal_speed_km_per_s == 180000.5);
    assert_true(s->topology.loss == 0.001);
    assert_int_equal(red_of(&s->topology.queue)->mode, NET_RED_BERNOULLI);
    assert_int_equal(s->topology.host_queue.params.limit_bytes, 65536);
    assert_int_equal(s->topology.access.queue.params.limit_packets, 50);
    assert_int_equal(s->routing.metric, WEIR_METRIC_INVERSE_RATE);
    assert_int_equal(s->n_traffic, 25);
    const weir_scenario_class *bulk = &s->traffic[0];
    assert_int_equal(bulk->place.line, 33);
    assert_int_equal(bulk->place.column, 5);
    assert_int_equal(bulk->from.n, 1);
    assert_int_equal(bulk->to.n, 2);
    assert_string_equal(bulk->to.item[1].text, "New York");
    assert_int_equal(bulk->to.item[1].place.column, 19);
    assert_true(bulk->tcp.ecn);
    assert_int_equal(bulk->packet_sessions, 5);
    assert_int_equal(bulk->fluid_sessions, 15);
    assert_int_equal(bulk->start_ps, WEIR_PS_PER_S);
    assert_int_equal(bulk->start_last_ps, WEIR_PS_PER_S);
    assert_int_equal(s->traffic[1].where, WEIR_SC_DEMANDS);
    assert_int_equal(s->traffic[1].fluid_sessions, 100);
    assert_true(s->traffic[2].tcp.arrivals.per_s == 200);
    assert_string_equal(s->traffic[2].tcp.size.file, WEIR_TEST_DATA "/sizes.txt");
    assert_int_equal(s->traffic[2].tcp.size.place.line, 49);
    assert_int_equal(s->traffic[3].where, WEIR_SC_PAIRS_PERMUTATION);
    assert_true(s->traffic[4].tcp.size.low == 1000 && s->traffic[4].tcp.size.high == 2000);
    assert_true(s->traffic[5].tcp.request.given);
    assert_string_equal(s->traffic[5].pairs[1].from.text, "New York");
    assert_int_equal(s->traffic[5].start_last_ps, 2 * WEIR_PS_PER_S);
    assert_true(s->traffic[8].is_udp && s->traffic[8].udp.jitter == 0.1);
    assert_int_equal(s->traffic[9].udp.on_off, WEIR_SC_DIST_PARETO);
    assert_int_equal(s->traffic[10].udp.rate_bps, 0);
    assert_int_equal(s->traffic[11].where, WEIR_SC_COLLECTIVE);
    assert_int_equal(s->traffic[11].collective.rounds, 3);
    assert_int_equal(s->fluid.order, 1);
    assert_int_equal(s->output.ports, WEIR_SC_PORTS_LIST);
    assert_true(s->output.port.item[1].both);
    assert_string_equal(s->output.port.item[1].to, "Kansas City");
    weir_scenario_free(s);
}

/* A queue override starts from topology.queue; a link override from "as it is". */
/* The default is one, whatever the fidelity. */
static void fluid_keeps_its_control(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        int congestion;
    } all[] = {{"traffic.a.fidelity=packet", NET_CC_CUBIC},
               {"traffic.a.fidelity=fluid", NET_CC_CUBIC},
               {"traffic.a.fidelity={packet: 1, fluid: rest}", NET_CC_CUBIC},
               {"traffic.a.tcp={congestion: vegas, sessions: 2}", NET_CC_VEGAS}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        weir_scenario *s = good("weir: 1\nduration: 1s\ntopology: {generate: {model: line}}\n"
                                "traffic: [{name: a, tcp: {sessions: 2}, from: h0, to: h1}]\n",
                                &all[i].set, 1);
        assert_int_equal(s->traffic[0].tcp.congestion, all[i].congestion);
        weir_scenario_free(s);
    }
}

static void overrides_inherit(void **state)
{
    (void)state;
    weir_scenario *s = load_good(EVERYTHING);
    const weir_scenario_queue *first = &s->topology.queues[0].queue, *second = &s->topology.queues[1].queue;
    assert_int_equal(first->params.type, NET_QUEUE_RED);
    assert_int_equal(first->params.limit_bytes, 4000000);
    assert_true(red_of(first)->min == 1000000.0);
    assert_true(red_of(first)->weight == 0.0001 && red_of(first)->ecn && !red_of(first)->gentle);
    assert_int_equal(second->params.type, NET_QUEUE_DROPTAIL);
    assert_int_equal(second->params.limit_packets, 100);
    assert_int_equal(second->params.limit_bytes, 0);
    const weir_link_name *link = &s->topology.queues[1].link.item[1];
    assert_string_equal(link->from, "New York"); /* blanks around the arrow go */
    assert_string_equal(link->to, "Atlanta");
    assert_false(link->both);
    const weir_scenario_link_override *links = s->topology.links;
    assert_int_equal(links[0].rate_bps, 100000000);
    assert_true(links[0].delay_ps < 0 && links[0].loss < 0);
    assert_int_equal(links[1].rate_bps, 0);
    assert_int_equal(links[1].delay_ps, 7 * WEIR_PS_PER_MS);
    assert_true(links[1].loss == 0);
    weir_scenario_free(s);
}

static void defaults_arrive(void **state)
{
    (void)state;
    weir_scenario *s = good(BASIC, NULL, 0);
    assert_string_equal(s->name, "s");
    assert_int_equal(s->seed, 1);
    assert_int_equal(s->topology.link.rate_bps, 10000000000);
    assert_int_equal(s->topology.queue.params.limit_bytes, 0);
    assert_null(s->topology.queue.place.file);
    assert_null(s->topology.access.queue.place.file);
    assert_int_equal(s->topology.access.delay_ps, 10 * WEIR_PS_PER_US);
    assert_int_equal(s->topology.n_params, 1);
    assert_string_equal(s->topology.param[0].value.text, "3");
    assert_int_equal(s->routing.ttl, 64);
    const weir_scenario_tcp *tcp = &s->traffic[0].tcp;
    assert_int_equal(tcp->mss_bytes, 1460);
    assert_int_equal(tcp->window_bytes, 1 << 20);
    assert_int_equal(tcp->size.kind, WEIR_SC_DIST_NONE);
    assert_int_equal(tcp->arrivals.kind, WEIR_SC_ARRIVALS_SESSIONS);
    assert_true(tcp->sack && tcp->handshake && !tcp->ecn && !tcp->pacing && !tcp->request.given);
    assert_int_equal(tcp->congestion, NET_CC_CUBIC);
    assert_int_equal(tcp->recovery, WEIR_SC_RECOVERY_RACK);
    assert_int_equal(s->traffic[0].stop_ps, 0);
    assert_int_equal(s->traffic[0].packet_sessions, 1);
    assert_null(s->fluid.place.file);
    assert_int_equal(s->fluid.order, 2);
    assert_int_equal(s->output.interval_ps, WEIR_PS_PER_S / 10);
    assert_int_equal(s->output.ports, WEIR_SC_PORTS_NONE);
    assert_true(s->output.histograms);
    weir_scenario_free(s);
}

static char *resolved(const weir_scenario *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(weir_scenario_write(NULL, s, out), WEIR_OK);
    fclose(out);
    return text;
}

static void assert_round_trip(weir_scenario *s)
{
    char *once = resolved(s);
    weir_scenario *again = good(once, NULL, 0);
    char *twice = resolved(again);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    weir_scenario_free(again);
    weir_scenario_free(s);
}

static void resolved_scenarios_come_back(void **state)
{
    (void)state;
    assert_round_trip(load_good(EVERYTHING));
    assert_round_trip(good(BASIC, NULL, 0));
    assert_round_trip(good(
        "weir: 1\nname: \"on\"\nduration: 1ps\ntopology: {generate: {model: \"a: b\", x: \"#\", y: '1e3'}}\n"
        "traffic: [{name: \"\\\"\\\\\xc3\xa4 \\u2028'\", tcp: , from: 'no', to: \" - \"}]\n",
        NULL, 0));
    /* numbers survive to the last bit */
    weir_scenario *s = good(BASIC "seed: 9223372036854775807\n", NULL, 0);
    s->topology.loss = 0x1.5555555555555p-2;
    char *text = resolved(s);
    weir_scenario *again = good(text, NULL, 0);
    assert_true(again->topology.loss == s->topology.loss && again->seed == s->seed);
    free(text);
    weir_scenario_free(s);
    weir_scenario_free(again);
}

static void sets_change_values(void **state)
{
    const char *const sets[] = {"duration=3s",
                                "topology.link.rate=1Gbps", /* a section that is not in the file */
                                "traffic.a.tcp.sessions=5",
                                "traffic.0.to=[y, z]",
                                "traffic.a.tcp.size={exponential: 10kB}",
                                "traffic.with.dots.start=1s",
                                "topology.generate.nodes=9",
                                "output.warmup=1s",
                                "output.warmup=2s",
                                "name=x=y"};
    (void)state;
    weir_scenario *s = good("weir: 1\n" TOPOLOGY "traffic:\n"
                            "  - {name: a, tcp: {}, from: x, to: y}\n"
                            "  - {name: with, tcp: {}, from: x, to: y}\n"
                            "  - {name: with.dots, tcp: {}, from: x, to: y}\n",
                            sets, sizeof sets / sizeof sets[0]);
    assert_int_equal(s->duration_ps, 3 * WEIR_PS_PER_S);
    assert_int_equal(s->topology.link.rate_bps, 1000000000);
    assert_int_equal(s->traffic[0].tcp.sessions, 5);
    assert_int_equal(s->traffic[0].to.n, 2);
    assert_int_equal(s->traffic[0].tcp.size.kind, WEIR_SC_DIST_EXPONENTIAL);
    assert_int_equal(s->traffic[1].start_ps, 0);
    assert_int_equal(s->traffic[2].start_ps, WEIR_PS_PER_S);
    assert_string_equal(s->topology.param[0].value.text, "9");
    assert_int_equal(s->output.warmup_ps, 2 * WEIR_PS_PER_S);
    assert_string_equal(s->name, "x=y");
    assert_string_equal(s->traffic[0].to.item[0].place.file, "--set traffic.0.to=[y, z]");
    weir_scenario_free(s);
}

static void expect_set(const char *set, const char *message)
{
    const weir_status st = strncmp(message, set, strlen(set)) == 0 && strstr(message, "bad YAML")
                               ? WEIR_E_FORMAT
                               : WEIR_E_SCENARIO;
    char text[300];
    const char *const messages[] = {text};
    snprintf(text, sizeof text, "--set %s", message);
    expect_with(BASIC, strlen(BASIC), &set, 1, st, messages, 1);
}

static void bad_sets_say_so(void **state)
{
    (void)state;
    expect_set("foo", "foo: error: want PATH=VALUE");
    expect_set("=1", "=1: error: want PATH=VALUE");
    expect_set("a..b=1", "a..b=1: error: the path has an empty part");
    expect_set("sed=1", "sed=1: error: unknown key 'sed' in the scenario (did you mean 'seed'?)");
    expect_set("seed=x", "seed=x: error: seed: ");
    expect_set("seed=", "seed=: error: seed has no value");
    expect_set("duration.x=1",
               "duration.x=1: error: 'duration' is a single value in the file; set it as a whole, as in "
               "duration={...}");
    expect_set("traffic.b.start=1s", "traffic.b.start=1s: error: traffic has no item 'b'");
    expect_set("traffic.1.start=1s", "traffic.1.start=1s: error: traffic has no item '1'; it has 1");
    expect_set("traffic.a.start=1", "traffic.a.start=1: error: start: ");
    expect_set("traffic.a.udp.rate=1Mbps",
               "traffic.a.udp.rate=1Mbps: error: udp does not go together with tcp");
    expect_set("seed={", "seed={: error: bad YAML: ");
}

static void expect_load_error(const char *path, weir_status status, const char *part)
{
    weir_scenario *s = (weir_scenario *)&path;
    weir_diag *diag = weir_diag_new();
    char text[2100] = "";
    assert_int_equal(weir_scenario_load(diag, path, NULL, 0, &s), status);
    assert_null(s);
    if (weir_diag_count(diag) > 0)
        weir_message_format(weir_diag_get(diag, 0), text, sizeof text);
    if (!strstr(text, part))
        fail_msg("want '%s' in '%s'", part, text);
    weir_diag_free(diag);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void files_that_cannot_be_read(void **state)
{
    char folder[] = "/tmp/weir-scenario-XXXXXX", path[100], other[100];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.yaml", folder);
    snprintf(other, sizeof other, "%s/secret.txt", folder);
    expect_load_error(path, WEIR_E_IO, "No such file");
    expect_load_error(folder, WEIR_E_IO, "directory");
    write_file(path, "");
    expect_load_error(path, WEIR_E_FORMAT, "there is nothing in this file");
    write_file(path, "weir: 1\nduration: 1s\ntopology: {file: missing.graphml}\n" TRAFFIC);
    expect_load_error(path, WEIR_E_SCENARIO, "s.yaml:3:18: error: file: no file '");
    write_file(path, "weir: 1\nduration: 1s\ntopology: {file: .}\n" TRAFFIC);
    expect_load_error(path, WEIR_E_SCENARIO, "is a folder; want a file");
    write_file(path, "weir: 1\nduration: 1s\ntopology: {file: secret.txt}\n" TRAFFIC);
    write_file(other, "x");
    chmod(other, 0);
    if (geteuid() != 0) /* root reads everything */
        expect_load_error(path, WEIR_E_SCENARIO, "cannot be read: Permission denied");
    unlink(path);
    unlink(other);
    rmdir(folder);
}

static void writing_can_fail(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip_aloud("no /dev/full here");
    weir_scenario *s = good(BASIC, NULL, 0);
    weir_diag *diag = weir_diag_new();
    assert_int_equal(weir_scenario_write(diag, s, full), WEIR_E_IO);
    assert_int_equal(weir_diag_errors(diag), 1);
    weir_diag_free(diag);
    weir_scenario_free(s);
    fclose(full);
}

/* Truncated anywhere, the file gives errors or a scenario, and nothing else. */
static void every_prefix(void **state)
{
    char text[16384];
    (void)state;
    FILE *f = fopen(EVERYTHING, "r");
    assert_non_null(f);
    const size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_true(length < sizeof text);
    for (size_t n = 0; n <= length; n += 7) {
        weir_scenario *s;
        weir_diag *diag = weir_diag_new();
        const weir_status st = weir_scenario_parse(diag, "s.yaml", text, n, NULL, NULL, 0, &s);
        assert_int_equal(st == WEIR_OK, s != NULL);
        assert_int_equal(st == WEIR_OK, weir_diag_errors(diag) == 0);
        weir_scenario_free(s);
        weir_diag_free(diag);
    }
}

static void assert_uses_all(const char *text, const wi_section *section)
{
    for (size_t i = 0; i < section->n_keys; i++) {
        char key[80];
        snprintf(key, sizeof key, "%s:", section->keys[i].name);
        /* Neither goes together with a file that is read; test_topologies.c has them. */
        const bool made =
            strcmp(section->keys[i].name, "generate") == 0 || strcmp(section->keys[i].name, "brite") == 0;
        /* A dragonfly has neither; test_interconnect.c has them. */
        const bool wired =
            strcmp(section->keys[i].name, "tree") == 0 || strcmp(section->keys[i].name, "torus") == 0;
        if (made || wired)
            continue;
        if (!strstr(text, key))
            fail_msg("everything.yaml does not use key '%s' of %s", section->keys[i].name, section->name);
        if (section->keys[i].section)
            assert_uses_all(text, section->keys[i].section);
    }
    if (section->mixin)
        assert_uses_all(text, section->mixin);
    for (size_t v = 0; section->variants && v < section->variants->n; v++)
        assert_uses_all(text, section->variants->item[v]);
}

static void everything_is_everything(void **state)
{
    /* A file has one model or a network: each model has a file of its name that uses its keys. */
#define DATA_OF(name, doc, also) WEIR_TEST_DATA "/" #name ".yaml",
    static const char *const files[] = {EVERYTHING, SWITCH, TRIM, WI_SUBJECTS(DATA_OF)};
#undef DATA_OF
    char text[32768] = "";
    size_t length = 0;
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        weir_scenario *s = NULL;
        weir_diag *diag = weir_diag_new();
        assert_int_equal(weir_scenario_load(diag, files[i], NULL, 0, &s), WEIR_OK);
        weir_scenario_free(s);
        weir_diag_free(diag);
        FILE *f = fopen(files[i], "r");
        assert_non_null(f);
        length += fread(text + length, 1, sizeof text - 1 - length, f);
        fclose(f);
    }
    assert_uses_all(text, &wi_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(overrides_inherit),
        cmocka_unit_test(defaults_arrive),
        cmocka_unit_test(fluid_keeps_its_control),
        cmocka_unit_test(resolved_scenarios_come_back),
        cmocka_unit_test(sets_change_values),
        cmocka_unit_test(bad_sets_say_so),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(writing_can_fail),
        cmocka_unit_test(every_prefix),
        cmocka_unit_test(everything_is_everything),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
