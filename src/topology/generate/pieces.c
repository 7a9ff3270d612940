/* What generators build graphs of: named nodes, links, hosts; see generator.h. */
#include "topology/builder.h"
#include "topology/generator.h"

#include <stdarg.h>
#include <stdio.h>

weir_status wi_check_size(weir_diag *diag, const char *model, double nodes)
{
    if (nodes <= WI_NODES_MAX)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_SCENARIO,
                     "a %s of these parameters has %.0f nodes; a graph holds at most %d", model, nodes,
                     WI_NODES_MAX);
}

uint32_t wi_add_named(weir_graph_builder *builder, weir_role role, const char *fmt, ...)
{
    char name[64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(name, sizeof name, fmt, args);
    va_end(args);
    return weir_graph_add_node(builder, name, role);
}

void wi_connect(weir_graph_builder *builder, uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps)
{
    weir_link link = weir_link_init(a, b);
    link.rate_bps = rate_bps;
    link.delay_ps = (weir_time)delay_ps;
    weir_graph_add_link(builder, link);
}

void wi_connect_one_way(weir_graph_builder *builder, uint32_t a, uint32_t b, uint64_t rate_bps,
                        uint64_t delay_ps)
{
    weir_link link = weir_link_init(a, b);
    link.rate_bps = rate_bps;
    link.delay_ps = (weir_time)delay_ps;
    link.one_way = true;
    weir_graph_add_link(builder, link);
}

void wi_add_hosts(weir_graph_builder *builder, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        wi_add_named(builder, WEIR_HOST, "h%llu", (unsigned long long)i);
}
