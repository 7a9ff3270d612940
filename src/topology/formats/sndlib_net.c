/*
 * SNDlib's networks as graphs. A link's rate is its pre-installed capacity in META's unit, Mb/s where there
 * is none. Modules are what could be installed besides; by option a link without pre-installed capacity has
 * that of its least or largest module. Links are undirected and parallel ones are kept; but where each has a
 * partner in the other direction, the file lists directions and a pair of them is one link. Coordinates are
 * degrees, unless one lies beyond what degrees can be: then all are plane kilometres, which a note says.
 */
#include "topology/formats/sndlib_net.h"

#include <math.h>

#include "topology/read/sndlib_lexer.h"

void wi_sndlib_add_module(wi_sndlib_link *link, double capacity)
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
    weir_graph_set_xy(net->r->builder, node, x, y);
}

void wi_sndlib_set_unit(wi_sndlib_net *net, wi_slice word)
{
    char shown[WI_SHOWN];
    const double bps = wi_sndlib_unit(word.text, word.length);
    if (!(bps > 0.0)) {
        wi_fail_slice(net->r->source, word, "unknown unit '%s'; known are " WI_SNDLIB_UNITS,
                      wi_shown(word, shown));
        return;
    }
    net->unit_bps = bps;
    net->unit_given = true;
}

void wi_sndlib_add(wi_sndlib_net *net, const wi_sndlib_link *link)
{
    const weir_modules modules = net->r->options->modules;
    wi_listed listed = wi_listed_init(link->from, link->to);
    double capacity = link->capacity;
    if (capacity == 0.0 && modules != WEIR_MODULES_NONE) {
        capacity = modules == WEIR_MODULES_LEAST ? link->least : link->most;
        net->by_module += capacity > 0.0;
    }
    if (capacity > 0.0) {
        listed.rate_bps = wi_rate_of(capacity * net->unit_bps);
        net->rated = true;
    }
    listed.zero_rate = listed.zero_back = capacity == 0.0;
    if (link->weight > 0.0)
        listed.weight = listed.weight_back = link->weight;
    wi_list(net->r, listed, WI_LIST_OWN);
}

/* A link for each direction, or links of two directions? The format leaves that to a file beside this one. */
static void settle_directions(wi_sndlib_net *net)
{
    wi_link_list *const links = &net->r->links;
    const wi_source *const source = net->r->source;
    wi_link_list directed = {0};
    bool good = true;
    for (size_t i = 0; i < links->n && good; i++)
        good = wi_link_list_add(&directed, links->item[i], WI_LIST_DIRECTED);
    const uint64_t one_way = wi_link_list_one_way(&directed), paired = directed.paired;
    if (!good) {
        wi_no_memory(net->r->source, "links");
    } else if (one_way == 0 && paired > 0) {
        const wi_link_list single = *links;
        *links = directed;
        directed = single;
        weir_note(source->diag,
                  "%s: %llu pairs of opposite links are taken as the two directions of one each",
                  source->name, (unsigned long long)paired);
    } else if (paired > 0) {
        weir_warn(source->diag,
                  "%s: %llu links have one in the other direction beside them, %llu have none; all are taken "
                  "as links of both directions, parallel to each other",
                  source->name, (unsigned long long)paired, (unsigned long long)one_way);
    }
    wi_link_list_free(&directed);
}

void wi_sndlib_finish(wi_sndlib_net *net)
{
    weir_diag *const diag = net->r->source->diag;
    const char *const name = net->r->source->name;
    if (!wi_good(net->r))
        return;
    weir_graph_set_geographic(net->r->builder, net->has_xy && !net->beyond_degrees);
    weir_note(diag, "%s: names of links, costs of capacity, %sdemands and paths are left out", name,
              net->by_module ? "other modules, " : "modules, ");
    if (net->by_module > 0)
        weir_note(diag, "%s: %llu links without a pre-installed capacity have that of their %s module", name,
                  (unsigned long long)net->by_module,
                  net->r->options->modules == WEIR_MODULES_LEAST ? "least" : "largest");
    if (net->rated && !net->unit_given)
        weir_note(diag, "%s: no unit is stated; capacities are taken as Mb/s", name);
    if (net->beyond_degrees)
        weir_note(diag, "%s: coordinates are no degrees; they are taken as kilometres in a plane", name);
    settle_directions(net);
}
