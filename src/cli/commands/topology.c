/* weir topology info. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/terminal/cli.h"
#include "cli/commands/graphs.h"
#include "weir/topology.h"
#include "weir/units.h"

/* Reals only where they are finite; the statistics always are. */
static json_t *to_json(const weir_topology_stats *s)
{
    json_t *degrees = json_array();
    for (uint32_t d = 0; s->nodes > 0 && d <= s->degree_max; d++)
        json_array_append_new(degrees, json_integer(s->nodes_of_degree[d]));
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:I, s:I, s:I, s:I, s:I, s:b, s:f, s:b, s:I, s:f, s:f, "
        "s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
        "nodes", (json_int_t)s->nodes, "links", (json_int_t)s->links, "hosts", (json_int_t)s->hosts,
        "routers", (json_int_t)s->routers, "degree_min", (json_int_t)s->degree_min, "degree_max",
        (json_int_t)s->degree_max, "degree_mean", s->degree_mean, "nodes_of_degree", degrees, "leaves",
        (json_int_t)s->leaves, "isolated", (json_int_t)s->isolated, "components", (json_int_t)s->components,
        "largest_component", (json_int_t)s->largest_component, "diameter_hops", (json_int_t)s->diameter,
        "diameter_exact", (int)s->diameter_exact, "mean_path_hops", s->mean_path, "mean_path_exact",
        (int)s->mean_path_exact, "mean_path_sources", (json_int_t)s->path_sources, "clustering",
        s->clustering, "transitivity", s->transitivity, "self_loops", (json_int_t)s->self_loops,
        "parallel_links", (json_int_t)s->parallel, "links_without_rate", (json_int_t)s->links_without_rate,
        "links_without_delay", (json_int_t)s->links_without_delay, "rate_min_bps",
        (json_int_t)s->rate_min_bps, "rate_max_bps", (json_int_t)s->rate_max_bps, "delay_min_ps",
        (json_int_t)s->delay_min_ps, "delay_max_ps", (json_int_t)s->delay_max_ps, "nodes_without_coordinates",
        (json_int_t)s->nodes_without_xy, "nodes_at_zero_coordinates", (json_int_t)s->nodes_at_zero);
}

static weir_status print_json(weir_diag *diag, const weir_topology_stats *stats, const char *format)
{
    json_t *root = to_json(stats);
    json_object_set_new(root, "one_way_links", json_integer(stats->one_way));
    json_object_set_new(root, "strong_components", json_integer(stats->strong_components));
    json_object_set_new(root, "largest_strong_component", json_integer(stats->largest_strong));
    if (format)
        json_object_set_new(root, "format", json_string(format));
    return cli_print_json(diag, root);
}

static void print_paths(const weir_topology_stats *s)
{
    printf("components    %u, the largest of %u nodes\n", s->components, s->largest_component);
    if (s->one_way > 0)
        printf("both ways     %u parts in which all nodes reach each other, the largest of %u nodes\n",
               s->strong_components, s->largest_strong);
    printf("diameter      %s%u hops\n", s->diameter_exact ? "" : "at least ", s->diameter);
    printf("mean path     %.4g hops", s->mean_path);
    if (!s->mean_path_exact)
        printf(", from a sample of %u nodes", s->path_sources);
    printf("\nclustering    %.4g, transitivity %.4g\n", s->clustering, s->transitivity);
}

static void print_links(const weir_topology_stats *s)
{
    char low[WEIR_UNITS_TEXT], high[WEIR_UNITS_TEXT];
    printf("rates         ");
    if (s->rate_max_bps > 0)
        printf("%s to %s, ", weir_format_rate(s->rate_min_bps, low), weir_format_rate(s->rate_max_bps, high));
    printf("%u links without\n", s->links_without_rate);
    printf("delays        ");
    if (s->delay_max_ps >= 0)
        printf("%s to %s, ", weir_format_time(s->delay_min_ps, low), weir_format_time(s->delay_max_ps, high));
    printf("%u links without\n", s->links_without_delay);
    printf("coordinates   %u nodes without, %u at 0/0\n", s->nodes_without_xy, s->nodes_at_zero);
    printf("odd links     %u self-loops left out, %u parallel\n", s->self_loops, s->parallel);
}

static void print_weights(const weir_graph *g)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        least = g->weight[e] < least ? g->weight[e] : least;
        most = g->weight[e] > most ? g->weight[e] : most;
    }
    if (g->weighted && g->n_edges > 0)
        printf("weights       %.10g to %.10g\n", (double)least / g->weight_scale,
               (double)most / g->weight_scale);
    else
        printf("weights       none\n");
}

static void print_text(const char *path, const weir_topology_stats *s, const weir_graph *g,
                       const char *format)
{
    printf("%s\n", path);
    if (format)
        printf("format        %s\n", format);
    printf("nodes         %u: %u routers, %u hosts\n", s->nodes, s->routers, s->hosts);
    printf("links         %u", s->links);
    if (s->one_way > 0)
        printf(", directed: %u lead one way only", s->one_way);
    printf("\n");
    printf("degree        %u to %u, mean %.4g; %u leaves, %u isolated\n", s->degree_min, s->degree_max,
           s->degree_mean, s->leaves, s->isolated);
    print_paths(s);
    print_links(s);
    print_weights(g);
}

weir_status cli_print_topology(weir_diag *diag, const weir_graph *graph, const char *format,
                               const cli_args *args)
{
    weir_topology_stats stats = {0};
    weir_status st = weir_topology_info(diag, graph, &stats);
    cli_print_messages(diag, args->verbosity);
    if (st == WEIR_OK && args->json)
        st = print_json(diag, &stats, format);
    else if (st == WEIR_OK)
        print_text(args->operands[0], &stats, graph, format);
    weir_topology_stats_free(&stats);
    return st;
}

static json_t *link_to_json(const weir_graph *g, uint32_t e, const char *name)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "link", name, "from",
                     g->name[g->target[g->reverse[e]]], "to", g->name[g->target[e]], "one_way",
                     !weir_edge_exists(g, g->reverse[e]), "rate_bps",
                     g->rate_bps[e] ? json_integer((json_int_t)g->rate_bps[e]) : json_null(), "delay_s",
                     g->delay_ps[e] >= 0 ? json_real(weir_seconds(g->delay_ps[e])) : json_null());
}

weir_status cli_print_links(weir_diag *diag, const weir_graph *g, const cli_args *args)
{
    json_t *list = args->json ? json_array() : NULL;
    char rate[WEIR_UNITS_TEXT], delay[WEIR_UNITS_TEXT];
    for (uint32_t e = 0; e < g->n_edges; e++) {
        const bool one_way = !weir_edge_exists(g, g->reverse[e]);
        char *name = NULL;
        if (!weir_edge_exists(g, e) || (!one_way && g->reverse[e] < e))
            continue;
        if (asprintf(&name, "%s%s%s", g->name[g->target[g->reverse[e]]], one_way ? "->" : "--",
                     g->name[g->target[e]]) < 0)
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for the names of links");
        if (list)
            json_array_append_new(list, link_to_json(g, e, name));
        else
            printf("%s\t%s\t%s\n", name, g->rate_bps[e] ? weir_format_rate(g->rate_bps[e], rate) : "-",
                   g->delay_ps[e] >= 0 ? weir_format_time(g->delay_ps[e], delay) : "-");
        free(name);
    }
    return list ? cli_print_json(diag, list) : WEIR_OK;
}

weir_status cli_load_topology(weir_diag *diag, const cli_args *args, weir_graph **out)
{
    weir_topology_options options;
    weir_topology_options_init(&options);
    options.format = args->from;
    return weir_topology_load(diag, args->operands[0], &options, out);
}

CLI_COMMAND(topology_info)
{
    weir_graph *graph = NULL;
    const char *format = args->from;
    weir_status st = cli_load_topology(diag, args, &graph);
    if (st == WEIR_OK && !format)
        st = weir_topology_detect(diag, args->operands[0], &format);
    if (st != WEIR_OK && st != WEIR_E_NOMEM)
        *code = CLI_USAGE;
    if (st == WEIR_OK && args->plot)
        st = weir_topology_plot(diag, graph, args->plot);
    if (st == WEIR_OK)
        st = args->links ? cli_print_links(diag, graph, args) : cli_print_topology(diag, graph, format, args);
    weir_graph_free(graph);
    return st;
}
