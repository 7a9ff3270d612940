/*
 * Links that lead one way, in the packet network: packets and ACKs take their own ways, no port stands for a
 * direction that is missing, pairs without a way are named by direction, and failures and repairs leave
 * directions as they are. Runs over random directed graphs have the same digests on every engine.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenario/run_text.h"
#include "splitmix.h"

static char folder[] = "/tmp/weir-directed-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    char text[80];
    (void)state;
    snprintf(text, sizeof text, "rm -r %s", folder);
    return system(text);
}

static void put(const char *name, const char *text)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

#define HEAD "weir: 1\nduration: 2s\ntopology: {file: g.txt, link: {rate: 5Mbps, delay: 2ms}}\n"

static void expect_error(const char *traffic, const char *words)
{
    char text[1000];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(text, sizeof text, HEAD "%s", traffic);
    assert_true(run_text(diag, text, folder, NULL, 0, &result) != WEIR_OK);
    const weir_message *m = weir_diag_get(diag, weir_diag_count(diag) - 1);
    if (!m || !strstr(m->text, words) || m->line != 4)
        fail_msg("line %d: %s; want %s", m ? m->line : 0, m ? m->text : "", words);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void no_way(void **state)
{
    (void)state;
    put("g.txt", "# directed\na b\nb c\n");
    expect_error("traffic: [{name: t, tcp: {}, from: a, to: c}]\n",
                 "'c' has no route to 'a', by which ACKs would come back");
    expect_error("traffic: [{name: t, tcp: {}, from: c, to: a}]\n", "'c' has no route to 'a'");
    expect_error("traffic: [{name: t, udp: {rate: 1Mbps}, from: c, to: a}]\n", "'c' has no route to 'a'");
    expect_error("traffic: [{name: t, tcp: {}, fidelity: fluid, from: a, to: b}]\n",
                 "'b' has no route to 'a'");
    put("g.txt", "# directed\na b\nb c\nc a\n");
    expect_error("traffic: [{name: t, tcp: {}, fidelity: fluid, from: a, to: b}]\n",
                 "the link from a to b leads one way, and fluid takes ACKs back");
}

/* A text of a run, and its digests and summary. */
static weir_run_result run(const char *traffic, const char *engine, char *summary, size_t size)
{
    char text[4000];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(text, sizeof text, HEAD "%sengine: {%s}\n", traffic, engine);
    const weir_status st = run_text(diag, text, folder, NULL, 0, &result);
    if (st != WEIR_OK)
        fail_msg("%s\n%s", weir_diag_get(diag, weir_diag_count(diag) - 1)->text, text);
    snprintf(summary, size, "%s", result.summary_json);
    const weir_run_result numbers = result; /* its texts are gone */
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return numbers;
}

static double number_after(const char *text, const char *name)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    const char *at = strstr(text, quoted);
    if (!at)
        fail_msg("no %s", name);
    return at ? strtod(at + strlen(quoted), NULL) : 0;
}

/* Round a ring of four: 1 hop there, 3 back, 8 ms and the time to send. */
static void ring(void **state)
{
    char summary[20000];
    (void)state;
    put("g.txt", "# directed\na b\nb c\nc d\nd a\n");
    run("traffic: [{name: t, tcp: {size: 1kB}, from: a, to: b}, {name: u, udp: {rate: 1Mbps}, from: b, to: "
        "a}]\n",
        "type: sequential", summary, sizeof summary);
    assert_int_equal(number_after(summary, "ports"), 4 + 2); /* and those toward the two implicit hosts */
    assert_int_equal(number_after(summary, "links"), 4);
    assert_int_equal(number_after(summary, "packets_dropped"), 0);
}

/* Rings of both kinds of links with chords, whose links fail and come back. */
static void engines_agree(void **state)
{
    char text[4000], traffic[2000], summary[20000];
    uint64_t seed = 5;
    (void)state;
    for (int round = 0; round < 6; round++) {
        enum { NODES = 12 };
        size_t n = (size_t)snprintf(text, sizeof text, "# directed\n");
        for (unsigned v = 0; v < NODES; v++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "n%u n%u\n", v, (v + 1) % NODES);
            const unsigned w = (unsigned)(rnd(&seed) % NODES);
            if (w != v)
                n += (size_t)snprintf(text + n, sizeof text - n, "n%u n%u\n", v, w);
            if (w != v && v % 3 == 0)
                n += (size_t)snprintf(text + n, sizeof text - n, "n%u n%u\n", w, v);
        }
        put("g.txt", text);
        snprintf(traffic, sizeof traffic,
                 "routing: {convergence: 50ms, ecmp: %s}\n"
                 "traffic:\n  - {name: t, tcp: {window: 32kB}, pairs: {random: 8}}\n"
                 "  - {name: u, udp: {rate: 300kbps}, pairs: {random: 8}}\n"
                 "events:\n  - {at: 0.5s, fail: {link: \"n0--n1\"}}\n"
                 "  - {at: 1s, repair: {link: \"n0--n1\"}, fail: {node: n5}}\n"
                 "  - {at: 1.5s, repair: {node: n5}}\n",
                 round % 2 ? "true" : "false");
        const weir_run_result a = run(traffic, "type: sequential", summary, sizeof summary);
        const weir_run_result b = run(traffic, "type: conservative, threads: 3", summary, sizeof summary);
        const weir_run_result c = run(traffic, "type: check", summary, sizeof summary);
        assert_true(a.event_digest == b.event_digest && a.state_digest == b.state_digest);
        assert_true(a.event_digest == c.event_digest && a.state_digest == c.state_digest);
        assert_true(a.packet_hops > 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_way),
        cmocka_unit_test(ring),
        cmocka_unit_test(engines_agree),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
