/* weir check: a scenario checked, resolved and estimated, without running it. */
#include <stdio.h>

#include "base/units/figures.h"
#include "base/memory.h"
#include "cli/terminal/cli.h"
#include "weir/run.h"
#include "weir/scenario.h"

static weir_status print_schema(weir_diag *diag)
{
    WI_FREED char *text = weir_scenario_json_schema();
    if (!text)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the schema");
    fputs(text, stdout);
    return WEIR_OK;
}

/* As comments, so that the output as a whole is a scenario file. */
static void print_estimate(const weir_estimate *e)
{
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {{"nodes", e->nodes}, {"links", e->links},       {"hosts", e->hosts},
                {"ports", e->ports}, {"entities", e->entities}, {"flows", e->flows}};
    char number[24], most[24];
    printf("\n# Estimate\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (e->nodes || rows[i].count) /* a model without a network has entities only */
            printf("#   %-12s %llu\n", rows[i].name, (unsigned long long)rows[i].count);
    if (e->arrivals > 0)
        printf("#   arrivals     about %s flows\n", wi_figure_si(number, e->arrivals));
    if (e->nodes)
        printf("#   packet hops  about %s without loss, at most %s\n", wi_figure_si(number, e->packet_hops),
               wi_figure_si(most, e->packet_hops_most));
    if (e->fluid_steps > 0.0) {
        const bool cheaper = e->fluid_s < e->fluid_as_packets_s;
        printf("#   fluid        %llu flows, %s steps, about %.2g s of processor time\n",
               (unsigned long long)e->fluid_flows, wi_figure_si(number, e->fluid_steps), e->fluid_s);
        printf("#   as packets   %s hops, about %.2g s: %s cheaper\n",
               wi_figure_si(number, e->fluid_as_packet_hops), e->fluid_as_packets_s,
               cheaper ? "fluid is" : "packets are");
    }
    printf("#   memory       %sB\n", wi_figure_si(number, (double)e->memory_bytes));
}

/* The resolved scenario as the text of a file, and the estimate. */
static weir_status print_json(weir_diag *diag, const weir_scenario *scenario, const weir_estimate *e)
{
    WI_FREED char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    weir_status st = out ? weir_scenario_write(diag, scenario, out)
                         : weir_fail(diag, WEIR_E_NOMEM, "no memory for the text");
    if (out)
        fclose(out);
    if (st != WEIR_OK)
        return st;
    json_t *estimate = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:I}", "nodes", (json_int_t)e->nodes, "links",
        (json_int_t)e->links, "hosts", (json_int_t)e->hosts, "ports", (json_int_t)e->ports, "entities",
        (json_int_t)e->entities, "flows", (json_int_t)e->flows, "arrivals", e->arrivals, "packet_hops",
        e->packet_hops, "packet_hops_most", e->packet_hops_most, "memory_bytes", (json_int_t)e->memory_bytes);
    if (e->fluid_steps > 0.0)
        json_object_set_new(estimate, "fluid",
                            json_pack("{s:I, s:f, s:f, s:f, s:f}", "flows", (json_int_t)e->fluid_flows,
                                      "steps", e->fluid_steps, "processor_s", e->fluid_s, "as_packet_hops",
                                      e->fluid_as_packet_hops, "as_packets_processor_s",
                                      e->fluid_as_packets_s));
    return cli_print_json(diag, json_pack("{s:s, s:o}", "scenario", text, "estimate", estimate));
}

CLI_COMMAND(check)
{
    weir_scenario *scenario = NULL;
    weir_estimate estimate;
    if (args->schema)
        return print_schema(diag);
    weir_status st =
        cli_load_scenario(diag, args, code, &scenario) ?: weir_estimate_scenario(diag, scenario, &estimate);
    if (st == WEIR_OK && args->json) {
        st = print_json(diag, scenario, &estimate);
    } else if (st == WEIR_OK) {
        st = weir_scenario_write(diag, scenario, stdout);
        print_estimate(&estimate);
    }
    weir_scenario_free(scenario);
    return st;
}
