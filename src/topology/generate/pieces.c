/* What generators build graphs of: named nodes, links, hosts; see generator.h. */
#include "topology/builder.h"
#include "topology/generator.h"

#include <stdarg.h>
#include <stdio.h>

weir_status wi_check_size(const wi_making *m, double nodes)
{
    if (nodes <= WI_NODES_MAX)
        return WEIR_OK;
    return weir_fail(m->diag, WEIR_E_SCENARIO,
                     "a %s of these parameters has %.0f nodes; a graph holds at most %d", m->generator->name,
                     nodes, WI_NODES_MAX);
}

uint32_t wi_add_named(const wi_making *m, weir_role role, const char *fmt, ...)
{
    char name[64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(name, sizeof name, fmt, args);
    va_end(args);
    return weir_graph_add_node(m->builder, name, role);
}

void wi_connect(const wi_making *m, uint32_t a, uint32_t b, size_t rate)
{
    weir_link link = weir_link_init(a, b);
    link.rate_bps = m->value[rate];
    link.delay_ps = (weir_time)m->value[rate + 1];
    weir_graph_add_link(m->builder, link);
}

void wi_add_hosts(const wi_making *m, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        wi_add_named(m, WEIR_HOST, "h%llu", (unsigned long long)i);
}

void wi_connect_hosts(const wi_making *m, uint32_t n, uint32_t each, size_t rate)
{
    for (uint32_t h = 0; h < n; h++)
        wi_connect(m, h, n + h / each, rate);
}
