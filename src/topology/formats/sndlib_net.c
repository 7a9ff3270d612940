/*
 * SNDlib's networks as graphs. A link's rate is its pre-installed capacity in META's unit, Mb/s where there is none. Modules
 * are what could be installed besides; by option a link without pre-installed capacity has that of its least or largest
 * module. Links are undirected and parallel ones are kept; but where each has a partner in the other direction, the file lists
 * directions and a pair of them is one link. Coordinates are degrees, unless one lies beyond what degrees can be: then all are
 * plane kilometres, which a note says.
 */
#include "topology/formats/sndlib_net.h"

#include <math.h>

void wi_sndlib_take_module(wi_sndlib_link *link, double capacity)
{
    if (capacity > 0.0 && (link->least == 0.0 || capacity < link->least))
        link->least = capacity;
    link->most = capacity > link->most ? capacity : link->most;
}

double wi_sndlib_most(const wi_sndlib_net *net)
{
    return 1e18 / net->unit_bps;
}

void wi_sndlib_place(wi_sndlib_net *net, uint32_t node, double x, double y)
{
    net->has_xy = true;
    net->beyond_degrees |= fabs(x) > 180 || fabs(y) > 90;
    weir_graph_set_xy(net->builder, node, x, y);
}

weir_status wi_sndlib_add(wi_sndlib_net *net, const wi_sndlib_link *link, int line)
{
    wi_listed listed = wi_listed_init(link->from, link->to);
    double capacity = link->capacity;
    if (capacity == 0.0 && net->options->modules != WEIR_MODULES_NONE) {
        capacity = net->options->modules == WEIR_MODULES_LEAST ? link->least : link->most;
        net->by_module += capacity > 0.0;
    }
    if (capacity > 0.0) {
        const double bps = capacity * net->unit_bps;
        listed.rate_bps = bps < 1.0 ? 1 : (uint64_t)(bps + 0.5);
        net->rated = true;
    }
    listed.zero_rate = listed.zero_back = capacity == 0.0;
    if (link->weight > 0.0)
        listed.weight = listed.weight_back = link->weight;
    return wi_link_list_add(&net->links, listed, WI_LIST_OWN)
               ? WEIR_OK
               : weir_fail_at(net->diag, WEIR_E_NOMEM, net->source->name, line, 0, "out of memory for links");
}

/* A link for each direction, or links of two directions? The format leaves that to a file beside this one. */
static weir_status settle_directions(wi_sndlib_net *s)
{
    wi_link_list directed = {0};
    bool good = true;
    for (size_t i = 0; i < s->links.n && good; i++)
        good = wi_link_list_add(&directed, s->links.item[i], WI_LIST_DIRECTED);
    const uint64_t one_way = wi_link_list_one_way(&directed), paired = directed.paired;
    if (good && one_way == 0 && paired > 0) {
        wi_link_list_free(&s->links);
        s->links = directed;
        weir_note(s->diag, "%s: %llu pairs of opposite links are taken as the two directions of one each",
                  s->source->name, (unsigned long long)paired);
        return WEIR_OK;
    }
    wi_link_list_free(&directed);
    if (good && paired > 0)
        weir_warn(
            s->diag,
            "%s: %llu links have one in the other direction beside them, %llu have none; all are taken as "
            "links of both directions, parallel to each other",
            s->source->name, (unsigned long long)paired, (unsigned long long)one_way);
    return good ? WEIR_OK
                : weir_fail_at(s->diag, WEIR_E_NOMEM, s->source->name, 0, 0, "out of memory for links");
}

static void report(const wi_sndlib_net *s)
{
    weir_note(s->diag, "%s: names of links, costs of capacity, %sdemands and paths are left out",
              s->source->name, s->by_module ? "other modules, " : "modules, ");
    if (s->by_module > 0)
        weir_note(s->diag, "%s: %llu links without a pre-installed capacity have that of their %s module",
                  s->source->name, (unsigned long long)s->by_module,
                  s->options->modules == WEIR_MODULES_LEAST ? "least" : "largest");
    if (s->rated && !s->unit_given)
        weir_note(s->diag, "%s: no unit is stated; capacities are taken as Mb/s", s->source->name);
    if (s->beyond_degrees)
        weir_note(s->diag, "%s: coordinates are no degrees; they are taken as kilometres in a plane",
                  s->source->name);
}

weir_status wi_sndlib_finish(wi_sndlib_net *s, weir_status status)
{
    if (status == WEIR_OK) {
        weir_graph_set_geographic(s->builder, s->has_xy && !s->beyond_degrees);
        report(s);
        status = settle_directions(s);
    }
    if (status == WEIR_OK)
        status = wi_link_list_finish(s->diag, &s->links, s->source, s->options, s->builder);
    wi_link_list_free(&s->links);
    return status;
}
