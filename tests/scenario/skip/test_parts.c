/*
 * Parts of a network that are judged and moved in time apart: no event of one is ever for another (what random networks do is looked
 * at, event by event), those that share a port, a host's program, a switch's memory or a histogram are one, and others are not. Results
 * of what moves beside a part that is skipped are those of the full run, bit for bit.
 */
#include "scenario/net_run.h"

#include "packets/skip/skipper.h"
#include "scenario/random_steady.h"
#include "scenario/run_text.h"

#define LEAVES                                                                                         \
    "topology:\n  generate: {model: leaf-spine, leaves: 4, spines: 2, hosts: 2, access_rate: 10Gbps, " \
    "access_delay: 1us, rate: 10Gbps, delay: 1us}\n"

static wi_skipper *skipper_of(net_run *r)
{
    wi_skipper *s = NULL;
    const wi_skip_params params = {.error = 0.01, .end_ps = SEC};
    expect_ok(r->diag, wi_skipper_new(r->diag, r->network->net, &params, &s));
    return s;
}

static void expect_parts(uint32_t want, const char *text)
{
    net_run *r = net_run_new(WEIR_1 "%s", text);
    wi_skipper *s = skipper_of(r);
    if (s->n_parts != want)
        fail_msg("%u parts, want %u, of\n%s", s->n_parts, want, text);
    wi_skipper_free(s);
    net_run_end(r);
}

#define LONG(name, from, to) "  - {name: " name ", pairs: [[" from ", " to "]], tcp: {size: 9MB}}\n"

#define SQUARE                                                                                             \
    "topology: {generate: {model: grid, width: 2, height: 2, hosts: 1}}\ntraffic:\n" LONG("a", "h0", "h1") \
        LONG("b", "h2", "h3")

static void what_is_one(void **state)
{
    (void)state;
    expect_parts(2, LEAVES "traffic:\n" LONG("a", "h0", "h2") LONG("b", "h4", "h6"));
    /* ports to spine 0 carry both where it is the one way, and one host's interface does */
    expect_parts(1, LEAVES "traffic:\n" LONG("a", "h0", "h2") LONG("b", "h1", "h3"));
    expect_parts(1, LEAVES "traffic:\n" LONG("a", "h0", "h2") LONG("b", "h2", "h6"));
    /* behind one leaf alone */
    expect_parts(2, LEAVES "traffic:\n" LONG("a", "h0", "h1") LONG("b", "h2", "h3"));
    /* a spine's memory */
    expect_parts(1, LEAVES "  shared_buffer: {size: 400kB}\ntraffic:\n" LONG("a", "h0", "h2")
                        LONG("b", "h4", "h6"));
    expect_parts(2, LEAVES "  shared_buffer: {size: 400kB}\ntraffic:\n" LONG("a", "h0", "h1")
                        LONG("b", "h2", "h3"));
    /* a class's histogram */
    expect_parts(1, LEAVES "traffic: [{name: a, pairs: [[h0, h1], [h2, h3]], tcp: {size: 9MB}}]\n");
    expect_parts(2, LEAVES "traffic: [{name: a, pairs: [[h0, h1], [h2, h3]], tcp: {size: 9MB}}]\n"
                           "output: {histograms: false}\n");
    /* ranks of a job wait for each other, though no message goes between these two pairs of hosts */
    expect_parts(
        2, LEAVES
        "traffic:\n  - {name: a, tcp: {}, job: {program: [{do: bcast, message: 2kB}], ranks: 2, hosts: "
        "[h0, h1]}}\n  - {name: b, tcp: {}, job: {program: [{do: bcast, message: 2kB}], ranks: 2, "
        "hosts: [h2, h3]}}\n");
    /* routes that change: two links side by side, each with a flow, until one fails and its flow goes round by the other */
    expect_parts(2, SQUARE);
    expect_parts(
        1, SQUARE
        "events: [{at: 3ms, fail: {link: \"r0_0--r1_0\"}}, {at: 9ms, repair: {link: \"r0_0--r1_0\"}}]\n");
    expect_parts(2, SQUARE "events: [{at: 3ms, fail: {link: \"r0_0--r0_1\"}}]\n");
}

/* A run that goes on from a checkpoint has failures in force as its parts are found. They stay so: such runs repaired every link. */
static void failures_stay_in_force(void **state)
{
    (void)state;
    net_run *r = net_run_new(
        WEIR_1 SQUARE
        "events: [{at: 3ms, fail: {link: \"r0_0--r1_0\"}}, {at: 9ms, repair: {link: \"r0_0--r1_0\"}}]\n");
    wi_net *net = r->network->net;
    const weir_time next_ps = wi_net_change(net, 5 * MS);
    const uint32_t in_force = net->next_step;
    assert_true(in_force > 0 && next_ps == 9 * MS);
    wi_skipper *s = skipper_of(r);
    assert_int_equal(net->next_step, in_force);
    wi_skipper_free(s);
    net_run_end(r);
}

/* ---- no event crosses ---- */

typedef struct crossing {
    const wi_skipper *s;
    uint64_t events;
    bool crossed;
} crossing;

static void see(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride, uint32_t n)
{
    crossing *c = user;
    (void)scheduled, (void)stride, (void)n;
    const uint32_t part = c->s->part_of[event->target];
    c->crossed |= part == NET_NONE || part != c->s->part_of[event->source];
    c->events++;
}

static void nothing_crosses(void **state)
{
    uint32_t several = 0, failures = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 75; seed++) {
        char text[4096];
        crossing c = {0};
        random_steady(seed, text, sizeof text);
        net_run *r = net_run_new("%s", text);
        wi_skipper *s = skipper_of(r);
        c.s = s;
        weir_sim_free(r->sim);
        weir_setup setup = {.seed = seed, .observer = see, .observer_user = &c};
        wi_net_setup(r->net, &setup);
        expect_ok(r->diag, weir_sim_new(r->diag, &setup, &r->sim));
        const weir_time end_ps = s->n_parts > 1 ? 40 * MS : MS;
        for (uint32_t i = 0; i < r->net->n_steps && r->net->steps[i].at_ps < end_ps; i++) {
            net_run_until(r, r->net->steps[i].at_ps);
            (void)wi_net_change(r->network->net, r->net->steps[i].at_ps);
            failures++;
        }
        net_run_until(r, end_ps);
        if (c.crossed)
            fail_msg("an event is for another part:\n%s", text);
        several += s->n_parts > 1 && c.events > 1000;
        wi_skipper_free(s);
        net_run_end(r);
    }
    print_message("  %u of 75 networks had several parts, with %u failures\n", several, failures);
    assert_true(several >= 15 && failures >= 3);
}

/* ---- results ---- */

static char *run_json(const char *text, uint64_t *events)
{
    weir_run_result r;
    weir_diag *diag = weir_diag_new();
    expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &r));
    char *json = strdup(r.summary_json);
    assert_non_null(json);
    *events = r.events;
    weir_run_result_free(&r);
    weir_diag_free(diag);
    return json;
}

/* What the summary has of a class, from its name on. */
static const char *class_in(const char *json, const char *name)
{
    const char *at = strstr(json, "\"classes\"");
    assert_non_null(at = at ? strstr(at, name) : NULL);
    return at;
}

static double number(const char *at, const char *key)
{
    assert_non_null(at = strstr(at, key));
    return strtod(at + strlen(key), NULL);
}

static void what_moves_is_as_it_was(void **state)
{
    static const char *const text =
        "weir: 1\nduration: 60ms\n" LEAVES "  queue: {type: threshold, mark: 100kB, limit: 2MB}\ntraffic:\n"
        "  - {name: long, pairs: [[h0, h2]], tcp: {congestion: dctcp, window: 256kB, size: 60MB}}\n"
        "  - {name: short, from: [h4, h5], to: [h6, h7], tcp: {congestion: dctcp, size: {exponential: 30kB}, "
        "arrivals: {load: 30%}}}\n";
    static const char *const keys[] = {"\"completed\": ", "\"goodput_bps\": ", "\"packets\": "};
    char all[4096];
    uint64_t full_events, events;
    (void)state;
    char *full = run_json(text, &full_events);
    snprintf(all, sizeof all, "%ssteady: {skip: true}\n", text);
    char *skip = run_json(all, &events);
    const char *a = class_in(full, "\"short\""), *b = class_in(skip, "\"short\"");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strstr(a, keys[i]))
            assert_true(number(a, keys[i]) == number(b, keys[i]));
    assert_true(number(strstr(skip, "\"steady\""), "\"skips\": ") > 0.0);
    assert_true(10 * events < 7 * full_events);
    free(full);
    free(skip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_one), cmocka_unit_test(failures_stay_in_force),
        cmocka_unit_test(nothing_crosses), cmocka_unit_test(what_moves_is_as_it_was)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
