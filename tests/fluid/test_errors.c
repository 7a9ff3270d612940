/* Every kind of bad input is refused before anything runs, with what is wrong in the message. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "fluid/nets.h"

/* Whether a plan is refused with this status and a message that holds `text`. */
static void refused(const net *n, const weir_fluid_options *options, weir_status status, const char *text)
{
    const weir_fluid_plan plan = plan_of(n);
    weir_diag *diag = weir_diag_new();
    weir_fluid *f = (weir_fluid *)(void *)&plan;
    const weir_status got = weir_fluid_new(diag, &plan, options, &f);
    const char *const message =
        weir_diag_count(diag) ? weir_diag_get(diag, weir_diag_count(diag) - 1)->text : "";
    if (got != status || !strstr(message, text) || f)
        fail_msg("want %s with '%s', got %s: %s", weir_status_name(status), text, weir_status_name(got),
                 message);
    weir_diag_free(diag);
}

static net *good(void)
{
    net *n = line(3, 10000000, 0.010);
    n->queue[n->n_queues++] = droptail(125000);
    n->cls[n->n_classes++] = tcp(65536);
    n->cls[n->n_classes++] = udp(1000000);
    add_flow(n, 0, 2, 0, 5, 0, -1);
    return n;
}

static void steps(void **state)
{
    (void)state;
    net *n = good();
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.step_ps = 11 * WEIR_PS_PER_MS;
    refused(n, &o, WEIR_E_SCENARIO, "smallest propagation delay");
    o.step_ps = 0;
    refused(n, &o, WEIR_E_ARG, "step");
    o.step_ps = 2 * WEIR_PS_PER_MS; /* more than a tenth: a warning */
    const weir_fluid_plan plan = plan_of(n);
    weir_diag *diag = weir_diag_new();
    weir_fluid *f = NULL;
    assert_int_equal(weir_fluid_new(diag, &plan, &o, &f), WEIR_OK);
    assert_int_equal(weir_diag_count(diag), 1);
    assert_int_equal(weir_diag_get(diag, 0)->severity, WEIR_WARNING);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "tenth"));
    weir_fluid_free(f);
    weir_diag_free(diag);
    o.step_ps = WEIR_PS_PER_MS;
    o.order = 3;
    refused(n, &o, WEIR_E_ARG, "order");
    net_free(n);
    n = line(2, 10000000, 0.0);
    n->queue[n->n_queues++] = droptail(125000);
    n->cls[n->n_classes++] = tcp(65536);
    add_flow(n, 0, 1, 0, 5, 0, -1);
    refused(n, NULL, WEIR_E_SCENARIO, "propagation delay of 0");
    net_free(n);
}

static void queues(void **state)
{
    (void)state;
    net *n = good();
    n->queue[0] = droptail(0);
    refused(n, NULL, WEIR_E_SCENARIO, "limit of more than 0");
    n->queue[0] = droptail(UINT64_MAX);
    refused(n, NULL, WEIR_E_SCENARIO, "at most 100 s");
    n->queue[0] = red(50e3, 40e3, 0.1, 1e-3, 100000);
    refused(n, NULL, WEIR_E_SCENARIO, "min < max");
    n->queue[0] = red(20e3, 40e3, 0.0, 1e-3, 100000);
    refused(n, NULL, WEIR_E_SCENARIO, "max_p");
    n->queue[0] = red(20e3, 40e3, 0.1, 1.1, 100000);
    refused(n, NULL, WEIR_E_SCENARIO, "weight");
    n->queue[0] = red(20e3, 40e3, 0.1, 0.1, 100000);
    n->queue[0].mean_packet_bytes = 0;
    refused(n, NULL, WEIR_E_SCENARIO, "mean packet");
    net_free(n);
}

static void flows(void **state)
{
    (void)state;
    net *n = good();
    n->flow[0].sessions = 0;
    refused(n, NULL, WEIR_E_SCENARIO, "at least one session");
    n->flow[0].sessions = 1;
    n->flow[0].dst = 3;
    refused(n, NULL, WEIR_E_SCENARIO, "not in the network");
    n->flow[0].dst = 0;
    refused(n, NULL, WEIR_E_SCENARIO, "same node");
    n->flow[0].dst = 2;
    n->flow[0].cls = 2;
    refused(n, NULL, WEIR_E_SCENARIO, "unknown class");
    n->flow[0].cls = 0;
    n->flow[0].start_ps = seconds(2);
    n->flow[0].stop_ps = seconds(1);
    refused(n, NULL, WEIR_E_SCENARIO, "start");
    n->n_flows = 0;
    refused(n, NULL, WEIR_E_SCENARIO, "nothing to simulate");
    net_free(n);
    /* Two islands. */
    static const uint32_t link[][2] = {{0, 1}, {2, 3}};
    n = calloc(1, sizeof *n);
    assert_int_equal(join(NULL, n, 4, link, 2, 10000000, seconds(0.01)), WEIR_OK);
    n->queue[n->n_queues++] = droptail(125000);
    n->cls[n->n_classes++] = tcp(65536);
    add_flow(n, 0, 3, 0, 1, 0, -1);
    refused(n, NULL, WEIR_E_SCENARIO, "no way from 0 to 3");
    net_free(n);
}

static void classes(void **state)
{
    (void)state;
    net *n = good();
    n->cls[0].mss_bytes = 0;
    refused(n, NULL, WEIR_E_SCENARIO, "MSS");
    n->cls[0] = tcp(999);
    refused(n, NULL, WEIR_E_SCENARIO, "window limit");
    n->cls[0] = tcp(65536);
    n->cls[0].initial_window = 0.5;
    refused(n, NULL, WEIR_E_SCENARIO, "initial window");
    n->cls[0] = tcp(65536);
    n->cls[0].segments_per_ack = 0;
    refused(n, NULL, WEIR_E_SCENARIO, "segment an ACK");
    n->cls[0] = tcp(65536);
    n->cls[0].decrease = 0;
    refused(n, NULL, WEIR_E_SCENARIO, "decrease");
    n->cls[0] = tcp(65536);
    n->cls[1].off_ps = 1;
    refused(n, NULL, WEIR_E_SCENARIO, "time on");
    static const weir_fluid_rate twice[] = {{5, 1}, {5, 2}};
    n->cls[1] = udp(1);
    n->cls[1].schedule = twice;
    n->cls[1].n_schedule = 2;
    refused(n, NULL, WEIR_E_SCENARIO, "rising times");
    net_free(n);
}

/* Paths may be given; they must lead where the flow goes. */
static void paths(void **state)
{
    (void)state;
    net *n = good();
    const uint32_t right[] = {edge_of(n, 0, 1), edge_of(n, 1, 2)},
                   wrong[] = {edge_of(n, 1, 2), edge_of(n, 0, 1)};
    const uint32_t first[] = {0, 2}, shorter[] = {0, 1};
    weir_fluid_plan plan = plan_of(n);
    weir_fluid *f = NULL;
    plan.routes = NULL;
    assert_int_equal(weir_fluid_new(NULL, &plan, NULL, &f), WEIR_E_ARG);
    plan.path_first = first;
    plan.path_edge = right;
    assert_int_equal(weir_fluid_new(NULL, &plan, NULL, &f), WEIR_OK);
    weir_fluid_free(f);
    plan.path_edge = wrong;
    assert_int_equal(weir_fluid_new(NULL, &plan, NULL, &f), WEIR_E_ARG);
    plan.path_edge = right;
    plan.path_first = shorter;
    assert_int_equal(weir_fluid_new(NULL, &plan, NULL, &f), WEIR_E_ARG);
    net_free(n);
}

/* More than memory holds: bytes needed and there are told, nothing is allocated. */
static void memory(void **state)
{
    (void)state;
    net *n = good();
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.memory_limit_bytes = 1000;
    refused(n, &o, WEIR_E_NOMEM, "are there");
    net_free(n);
}

static void calls(void **state)
{
    (void)state;
    net *n = good();
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid *f = NULL;
    weir_fluid_port_state port;
    weir_fluid_flow_state flow;
    assert_int_equal(weir_fluid_new(NULL, &plan, NULL, &f), WEIR_OK);
    assert_int_equal(weir_fluid_read_port(NULL, f, 2, &port), WEIR_E_ARG);
    assert_int_equal(weir_fluid_read_flow(NULL, f, 1, &flow), WEIR_E_ARG);
    assert_int_equal(weir_fluid_add(NULL, f, 0, 0, -1), WEIR_E_ARG);
    assert_int_equal(weir_fluid_advance(NULL, f, UINT32_MAX), WEIR_E_ARG);
    assert_int_equal(weir_fluid_port(f, edge_of(n, 1, 0)), UINT32_MAX);
    assert_int_equal(weir_fluid_port(f, 1000), UINT32_MAX);
    weir_fluid_free(f);
    weir_fluid_free(NULL);
    net_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps), cmocka_unit_test(queues), cmocka_unit_test(flows), cmocka_unit_test(classes),
        cmocka_unit_test(paths), cmocka_unit_test(memory), cmocka_unit_test(calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
