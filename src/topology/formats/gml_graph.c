/* Attributes of GML and GraphML, what their texts mean, and the graph that they make. */
#include "topology/formats/gml_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#include "weir/units.h"

static const struct {
    wi_gml_element element;
    const char *name;
    wi_gml_field field;
} known[] = {
    {WI_GML_NODE, "label", WI_GML_LABEL},
    {WI_GML_NODE, "name", WI_GML_LABEL},
    {WI_GML_NODE, "Latitude", WI_GML_LATITUDE},
    {WI_GML_NODE, "lat", WI_GML_LATITUDE},
    {WI_GML_NODE, "Longitude", WI_GML_LONGITUDE},
    {WI_GML_NODE, "lon", WI_GML_LONGITUDE},
    {WI_GML_NODE, "x", WI_GML_X},
    {WI_GML_NODE, "y", WI_GML_Y},
    {WI_GML_NODE, "hyperedge", WI_GML_HYPEREDGE},
    {WI_GML_NODE, "role", WI_GML_ROLE},
    {WI_GML_NODE, "as", WI_GML_AS},
    {WI_GML_NODE, "asn", WI_GML_AS},
    {WI_GML_NODE, "class", WI_GML_CLASS},
    {WI_GML_EDGE, "LinkSpeedRaw", WI_GML_SPEED_RAW},
    {WI_GML_EDGE, "LinkSpeed", WI_GML_SPEED},
    {WI_GML_EDGE, "LinkSpeedUnits", WI_GML_UNITS},
    {WI_GML_EDGE, "rate", WI_GML_RATE},
    {WI_GML_EDGE, "delay", WI_GML_DELAY},
    {WI_GML_EDGE, "weight", WI_GML_WEIGHT},
    {WI_GML_EDGE, "link", WI_GML_LINK},
};

static const double RATE_MAX_BPS = 1e18;

/* The attribute of one's own that says what a field is; null: those known by their names do. */
static const char *own_key(const weir_topology_keys *keys, wi_gml_field field)
{
    return field == WI_GML_LABEL                               ? keys->name
           : field >= WI_GML_SPEED_RAW && field <= WI_GML_RATE ? keys->rate
           : field == WI_GML_DELAY                             ? keys->delay
           : field == WI_GML_WEIGHT                            ? keys->weight
                                                               : NULL;
}

/* The fields that keys of one's own can name. */
static const struct {
    wi_gml_field field;
    wi_gml_element element;
    const char *what, *of;
} asked_for[] = {{WI_GML_RATE, WI_GML_EDGE, "rate", "edges"},
                 {WI_GML_DELAY, WI_GML_EDGE, "delay", "edges"},
                 {WI_GML_WEIGHT, WI_GML_EDGE, "weight", "edges"},
                 {WI_GML_LABEL, WI_GML_NODE, "name", "nodes"}};
enum { ASKED = sizeof asked_for / sizeof *asked_for };

/* Whether an attribute of that name is the one of one's own for field i of these. */
static bool is_own(const weir_topology_keys *keys, size_t i, wi_gml_element element, wi_slice name)
{
    const char *const own = own_key(keys, asked_for[i].field);
    return own && asked_for[i].element == element && wi_slice_is(name, own);
}

wi_gml_field wi_gml_field_of(const weir_topology_keys *keys, wi_gml_element element, wi_slice name)
{
    for (size_t i = 0; i < ASKED; i++)
        if (is_own(keys, i, element, name))
            return asked_for[i].field;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].element == element && wi_slice_is(name, known[i].name))
            return own_key(keys, known[i].field) ? WI_GML_UNKNOWN : known[i].field;
    return WI_GML_UNKNOWN;
}

unsigned wi_gml_asked_bit(const weir_topology_keys *keys, wi_gml_element element, wi_slice name)
{
    unsigned bits = 0;
    for (size_t i = 0; i < ASKED && name.text; i++)
        bits |= (unsigned)is_own(keys, i, element, name) << i;
    return bits;
}

void wi_gml_check_asked(wi_source *source, const weir_topology_keys *keys, unsigned found)
{
    for (size_t i = 0; i < ASKED; i++)
        if (own_key(keys, asked_for[i].field) && !(found >> i & 1u))
            wi_fail_at(source, 0, 0, "no attribute '%s' of %s is declared, which keys wants as %s",
                       own_key(keys, asked_for[i].field), asked_for[i].of, asked_for[i].what);
}

/* ---- texts ---- */

/* Refuse an attribute of the node or edge: `is` follows the attribute's name and text. */
static void refuse(wi_gml_graph *g, const char *what, const char *text, const char *is)
{
    char shown[WI_SHOWN];
    wi_fail_at(g->r->source, g->line, 0, "%s%s is '%s'%s", g->subject, what,
               wi_shown(wi_slice_of(text), shown), is);
}

/* A number within bounds, or NaN where there is no text. */
static double number(wi_gml_graph *g, const char *text, const char *what, double least, double most)
{
    char want[80];
    double value;
    if (!*text)
        return NAN;
    if (wi_slice_number(wi_slice_of(text), &value) && value >= least && value <= most)
        return value;
    snprintf(want, sizeof want, "; want a number from %.9g to %.9g", least, most);
    refuse(g, what, text, want);
    return NAN;
}

/* What a unit such as "M", "Mbps", "Mbit/s" stands for; 0 where there is none that is known. */
static double unit_of(const char *text)
{
    static const char letters[] = "kKMGT";
    static const double bps[] = {1e3, 1e3, 1e6, 1e9, 1e12};
    const char *const at = *text ? strchr(letters, *text) : NULL;
    return at ? bps[at - letters] : 0;
}

/* LinkSpeed is free text ("1-20", "<100") and counts only where it is a number with a unit. A negative number
 * is no such text. */
static void speed_in_units(wi_gml_graph *g, const wi_gml_values *values, wi_listed *link)
{
    const char *text = values->text[WI_GML_SPEED];
    double speed;
    if (link->rate_bps > 0 || !*text)
        return;
    const double bps = unit_of(values->text[WI_GML_UNITS]);
    if (!wi_slice_number(wi_slice_of(text), &speed)) {
        g->odd++;
    } else if (speed < 0 || speed * bps > RATE_MAX_BPS) {
        number(g, text, "LinkSpeed", 0, RATE_MAX_BPS / (bps > 0 ? bps : 1));
    } else {
        link->zero_rate |= speed == 0;
        g->odd += speed > 0 && bps == 0;
        link->rate_bps = (uint64_t)llround(speed * bps);
    }
}

/* A number of `unit` (0: there is none), from 0 to `most`; false: it is no number. */
static bool bare_number(const char *text, double unit, double most, double *out)
{
    return unit > 0 && wi_slice_number(wi_slice_of(text), out) && *out >= 0 && (*out *= unit) <= most;
}

static void read_rate(wi_gml_graph *g, const weir_topology_keys *keys, const char *text, wi_listed *link)
{
    char why[102] = ": ";
    double bps;
    if (!*text)
        return;
    if (keys->rate && bare_number(text, (double)keys->rate_unit_bps, RATE_MAX_BPS, &bps))
        link->rate_bps = bps > 0 ? wi_rate_of(bps) : 0;
    else if (!weir_parse_rate(text, &link->rate_bps, why + 2, sizeof why - 2))
        refuse(g, keys->rate ? keys->rate : "rate", text, why);
    link->zero_rate |= link->rate_bps == 0;
}

static void read_delay(wi_gml_graph *g, const weir_topology_keys *keys, const char *text, wi_listed *link)
{
    char why[102] = ": ";
    double ps;
    if (!*text)
        return;
    if (keys->delay && bare_number(text, (double)keys->delay_unit_ps, 9e18, &ps))
        link->delay_ps = (weir_time)llround(ps);
    else if (!weir_parse_time(text, &link->delay_ps, why + 2, sizeof why - 2))
        refuse(g, keys->delay ? keys->delay : "delay", text, why);
    else if (link->delay_ps < 0)
        refuse(g, "delay", text, ": want 0s or more");
}

/* ---- the graph ---- */

uint32_t wi_gml_id(wi_gml_graph *g, wi_slice id)
{
    const uint32_t number = wi_names_intern(&g->ids, id.text, id.length);
    if (number == WI_NO_NAME ||
        !wi_grow_zeroed(&g->node_of, &g->node_of_room, g->ids.count, sizeof *g->node_of))
        wi_no_memory(g->r->source, "the graph");
    return number;
}

/* The label on one line, or the id. */
static const char *name_of(const wi_gml_values *values, const char *id, char *name)
{
    snprintf(name, WI_GML_TEXT, "%s", values->text[WI_GML_LABEL]);
    wi_one_line(name);
    if (!*name)
        snprintf(name, WI_GML_TEXT, "%s", id);
    wi_one_line(name);
    return name;
}

void wi_gml_add_node(wi_gml_graph *g, const wi_gml_values *values)
{
    char name[WI_GML_TEXT];
    weir_graph_builder *const b = g->r->builder;
    if (!wi_good(g->r))
        return;
    const char *const id = wi_names_text(&g->ids, g->id);
    if (g->node_of[g->id])
        wi_fail_at(g->r->source, g->line, 0, "node id '%.64s' is used twice", id);
    snprintf(g->subject, sizeof g->subject, "node '%.64s': ", id);
    const double latitude = number(g, values->text[WI_GML_LATITUDE], "Latitude", -90, 90),
                 longitude = number(g, values->text[WI_GML_LONGITUDE], "Longitude", -360, 360),
                 x = number(g, values->text[WI_GML_X], "x", -1e9, 1e9),
                 y = number(g, values->text[WI_GML_Y], "y", -1e9, 1e9);
    if (!wi_good(g->r))
        return;
    const bool host = wi_slice_is(wi_slice_of(values->text[WI_GML_ROLE]), "host");
    const uint32_t node =
        wi_added(g->r, weir_graph_add_node(b, name_of(values, id, name), host ? WEIR_HOST : WEIR_ROUTER));
    if (node == UINT32_MAX)
        return;
    uint32_t as_number;
    if (wi_slice_u32(wi_slice_of(values->text[WI_GML_AS]), &as_number))
        weir_graph_set_as(b, node, as_number);
    weir_graph_set_class(b, node, wi_class_of_word(wi_slice_of(values->text[WI_GML_CLASS])));
    if (!wi_grow(&g->places, &g->places_room, node + (size_t)1, sizeof *g->places)) {
        wi_no_memory(g->r->source, "the graph");
        return;
    }
    const bool degrees = !isnan(latitude) && !isnan(longitude);
    g->places[node] = (wi_gml_place){degrees ? longitude : x, degrees ? latitude : y, degrees};
    g->geographic |= degrees;
    g->hyperedges += strcmp(values->text[WI_GML_HYPEREDGE], "1") == 0;
    g->node_of[g->id] = node + 1;
}

void wi_gml_add_edge(wi_gml_graph *g, const weir_topology_keys *keys, const wi_gml_values *values)
{
    wi_gml_edge e = {.link = wi_listed_init(g->from, g->to), .line = g->line, .one_way = g->one_way};
    if (!wi_good(g->r))
        return;
    strcpy(g->subject, "edge: ");
    const double raw = number(g, values->text[WI_GML_SPEED_RAW], "LinkSpeedRaw", 0, RATE_MAX_BPS);
    e.link.weight = number(g, values->text[WI_GML_WEIGHT], "weight", 0, WI_WEIGHT_MAX);
    e.link.zero_rate = raw < 1;
    e.link.rate_bps = raw >= 1 ? (uint64_t)llround(raw) : 0;
    speed_in_units(g, values, &e.link);
    read_rate(g, keys, values->text[WI_GML_RATE], &e.link);
    read_delay(g, keys, values->text[WI_GML_DELAY], &e.link);
    if (!wi_slice_u32(wi_slice_of(values->text[WI_GML_LINK]), &e.number))
        e.number = UINT32_MAX;
    if (wi_grow(&g->edges, &g->edges_room, g->n_edges + 1, sizeof *g->edges))
        g->edges[g->n_edges++] = e;
    else
        wi_no_memory(g->r->source, "the graph");
}

/* Nodes of an edge may come behind it: here they are known. */
static void list_edge(wi_gml_graph *g, const wi_gml_edge *e)
{
    const uint32_t missing = g->node_of[e->link.a] ? e->link.b : e->link.a;
    wi_listed link = e->link;
    char number[16];
    if (g->node_of[missing] == 0) {
        wi_fail_at(g->r->source, e->line, 0, "an edge names node '%.64s', which the file does not hold",
                   wi_names_text(&g->ids, missing));
        return;
    }
    link.a = g->node_of[e->link.a] - 1;
    link.b = g->node_of[e->link.b] - 1;
    if (!(e->one_way || g->directed) || g->r->options->duplicates == WEIR_DUPLICATES_KEEP) {
        wi_list(g->r, link, WI_LIST_OWN);
    } else if (e->number == UINT32_MAX) {
        wi_list(g->r, link, WI_LIST_DIRECTED);
    } else {
        const wi_slice id = {number, (size_t)snprintf(number, sizeof number, "%u", e->number)};
        if (!wi_link_list_add_of(&g->r->links, link, id))
            wi_no_memory(g->r->source, "links");
    }
}

void wi_gml_finish(wi_gml_graph *g)
{
    weir_diag *const diag = g->r->source->diag;
    const char *const name = g->r->source->name;
    for (size_t i = 0; i < g->n_edges && wi_good(g->r); i++)
        list_edge(g, &g->edges[i]);
    if (!wi_good(g->r))
        return;
    /* Degrees, where any node has them, or a key says that they do; else places in a plane. */
    for (uint32_t v = 0; v < g->r->builder->names.count; v++)
        if (g->places[v].degrees == (g->degrees || g->geographic))
            weir_graph_set_xy(g->r->builder, v, g->places[v].x, g->places[v].y);
    weir_graph_set_geographic(g->r->builder, g->geographic);
    if (g->hyperedges > 0)
        weir_note(diag, "%s: %llu nodes stand for links with many ends and are taken as routers", name,
                  (unsigned long long)g->hyperedges);
    if (g->odd > 0)
        weir_warn(diag,
                  "%s: %llu edges have a LinkSpeed that is no number with a unit; it counts as not given",
                  name, (unsigned long long)g->odd);
}

void wi_gml_free(wi_gml_graph *g)
{
    wi_names_free(&g->ids);
    free(g->node_of);
    free(g->places);
    free(g->edges);
}
