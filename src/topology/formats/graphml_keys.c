/* Attributes of GraphML: which are known, and what their texts mean. */
#include "topology/formats/graphml_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topology/read/link_list.h"
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
    switch (field) {
    case WI_GML_LABEL:
        return keys->name;
    case WI_GML_SPEED_RAW:
    case WI_GML_SPEED:
    case WI_GML_UNITS:
    case WI_GML_RATE:
        return keys->rate;
    case WI_GML_DELAY:
        return keys->delay;
    case WI_GML_WEIGHT:
        return keys->weight;
    default:
        return NULL;
    }
}

wi_gml_field wi_gml_field_of(const weir_topology_keys *keys, wi_gml_element element, wi_slice name)
{
    static const wi_gml_field of_node[] = {WI_GML_LABEL},
                              of_edge[] = {WI_GML_RATE, WI_GML_DELAY, WI_GML_WEIGHT};
    const wi_gml_field *const own = element == WI_GML_NODE ? of_node : of_edge;
    for (size_t i = 0; i < (element == WI_GML_NODE ? 1u : element == WI_GML_EDGE ? 3u : 0u); i++)
        if (own_key(keys, own[i]) && wi_slice_is(name, own_key(keys, own[i])))
            return own[i];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].element == element && wi_slice_is(name, known[i].name))
            return own_key(keys, known[i].field) ? WI_GML_UNKNOWN : known[i].field;
    return WI_GML_UNKNOWN;
}

static const struct {
    wi_gml_field field;
    wi_gml_element element;
    const char *what, *of;
} asked_for[] = {{WI_GML_RATE, WI_GML_EDGE, "rate", "edges"},
                 {WI_GML_DELAY, WI_GML_EDGE, "delay", "edges"},
                 {WI_GML_WEIGHT, WI_GML_EDGE, "weight", "edges"},
                 {WI_GML_LABEL, WI_GML_NODE, "name", "nodes"}};
enum { ASKED = sizeof asked_for / sizeof *asked_for };

unsigned wi_gml_asked_bit(const weir_topology_keys *keys, wi_gml_element element, wi_slice name)
{
    unsigned bits = 0;
    for (size_t i = 0; i < ASKED && name.text; i++) {
        const char *own = own_key(keys, asked_for[i].field);
        if (own && asked_for[i].element == element && wi_slice_is(name, own))
            bits |= 1u << i;
    }
    return bits;
}

weir_status wi_gml_check_asked(weir_diag *diag, const wi_source *source, const weir_topology_keys *keys,
                               unsigned found)
{
    for (size_t i = 0; i < ASKED; i++)
        if (own_key(keys, asked_for[i].field) && !(found >> i & 1u))
            return weir_fail_at(diag, WEIR_E_FORMAT, source->name, 0, 0,
                                "no attribute '%s' of %s is declared, which keys wants as %s",
                                own_key(keys, asked_for[i].field), asked_for[i].of, asked_for[i].what);
    return WEIR_OK;
}

static wi_slice slice_of(const char *text)
{
    return (wi_slice){text, strlen(text)};
}

/* A number within bounds, or NaN where there is no text. */
static bool number(const char *text, const char *what, double least, double most, double *out, char *why,
                   size_t size)
{
    char shown[WI_SHOWN];
    *out = NAN;
    if (!*text)
        return true;
    if (wi_slice_number(slice_of(text), out) && *out >= least && *out <= most)
        return true;
    snprintf(why, size, "%s is '%s'; want a number from %g to %g", what, wi_shown(slice_of(text), shown),
             least, most);
    return false;
}

bool wi_gml_node_of(const wi_gml_values *values, wi_gml_node *node, char *why, size_t why_size)
{
    double latitude, longitude, x, y;
    *node = (wi_gml_node){.x = NAN, .y = NAN, .role = WEIR_ROUTER};
    if (!number(values->text[WI_GML_LATITUDE], "Latitude", -90, 90, &latitude, why, why_size) ||
        !number(values->text[WI_GML_LONGITUDE], "Longitude", -360, 360, &longitude, why, why_size) ||
        !number(values->text[WI_GML_X], "x", -1e9, 1e9, &x, why, why_size) ||
        !number(values->text[WI_GML_Y], "y", -1e9, 1e9, &y, why, why_size))
        return false;
    node->geographic = !isnan(latitude) && !isnan(longitude);
    node->x = node->geographic ? longitude : x;
    node->y = node->geographic ? latitude : y;
    node->hyperedge = strcmp(values->text[WI_GML_HYPEREDGE], "1") == 0;
    if (wi_slice_is(slice_of(values->text[WI_GML_ROLE]), "host"))
        node->role = WEIR_HOST;
    node->node_class = wi_class_of_word(slice_of(values->text[WI_GML_CLASS]));
    if (!wi_slice_u32(slice_of(values->text[WI_GML_AS]), &node->as_number))
        node->as_number = 0;
    return true;
}

/* Letter of a unit such as "M", "Mbps", "Mbit/s"; 0 where there is none that is known. */
static double unit_of(const char *text)
{
    static const struct {
        char letter;
        double bps;
    } units[] = {{'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (*text == units[i].letter)
            return units[i].bps;
    return 0;
}

/* LinkSpeed is free text ("1-20", "<100") and counts only where it is a number with a unit. A negative number
 * is no such text. */
static bool speed_in_units(const wi_gml_values *values, wi_gml_edge *edge, char *why, size_t size)
{
    const char *text = values->text[WI_GML_SPEED];
    double speed;
    if (edge->rate_bps > 0 || !*text)
        return true;
    const double bps = unit_of(values->text[WI_GML_UNITS]);
    if (!wi_slice_number(slice_of(text), &speed)) {
        edge->odd = true;
        return true;
    }
    if (speed < 0 || speed * bps > RATE_MAX_BPS)
        return number(text, "LinkSpeed", 0, RATE_MAX_BPS / (bps > 0 ? bps : 1), &speed, why, size);
    edge->zero_rate |= speed == 0;
    edge->odd = speed > 0 && bps == 0;
    edge->rate_bps = (uint64_t)llround(speed * bps);
    return true;
}

static bool unit_text(const char *what, const char *text, const char *reason, char *why, size_t size)
{
    char shown[WI_SHOWN];
    snprintf(why, size, "%s is '%s': %s", what, wi_shown(slice_of(text), shown), reason);
    return false;
}

/* A number of `unit` (0: there is none), from 0 to `most`; false: it is no number. */
static bool bare_number(const char *text, double unit, double most, double *out)
{
    return unit > 0 && wi_slice_number(slice_of(text), out) && *out >= 0 && (*out *= unit) <= most;
}

static bool rate_of(const weir_topology_keys *keys, const char *text, wi_gml_edge *edge, char *reason,
                    size_t size)
{
    double bps;
    if (!keys->rate || !bare_number(text, (double)keys->rate_unit_bps, RATE_MAX_BPS, &bps))
        return weir_parse_rate(text, &edge->rate_bps, reason, size);
    edge->rate_bps = bps > 0 && bps < 1 ? 1 : (uint64_t)llround(bps);
    return true;
}

static bool delay_of(const weir_topology_keys *keys, const char *text, wi_gml_edge *edge, char *reason,
                     size_t size)
{
    double ps;
    if (!keys->delay || !bare_number(text, (double)keys->delay_unit_ps, 9e18, &ps))
        return weir_parse_time(text, &edge->delay_ps, reason, size);
    edge->delay_ps = (weir_time)llround(ps);
    return true;
}

bool wi_gml_edge_of(const weir_topology_keys *keys, const wi_gml_values *values, wi_gml_edge *edge, char *why,
                    size_t why_size)
{
    double raw;
    char reason[100];
    *edge = (wi_gml_edge){.delay_ps = -1, .weight = NAN};
    if (!number(values->text[WI_GML_SPEED_RAW], "LinkSpeedRaw", 0, RATE_MAX_BPS, &raw, why, why_size) ||
        !number(values->text[WI_GML_WEIGHT], "weight", 0, WI_WEIGHT_MAX, &edge->weight, why, why_size))
        return false;
    edge->zero_rate = raw < 1;
    if (raw >= 1)
        edge->rate_bps = (uint64_t)llround(raw);
    if (!speed_in_units(values, edge, why, why_size))
        return false;
    const char *rate = values->text[WI_GML_RATE], *delay = values->text[WI_GML_DELAY];
    if (*rate && !rate_of(keys, rate, edge, reason, sizeof reason))
        return unit_text(keys->rate ? keys->rate : "rate", rate, reason, why, why_size);
    if (*delay && !delay_of(keys, delay, edge, reason, sizeof reason))
        return unit_text(keys->delay ? keys->delay : "delay", delay, reason, why, why_size);
    if (*delay && edge->delay_ps < 0)
        return unit_text("delay", delay, "want 0s or more", why, why_size);
    if (wi_slice_u32(slice_of(values->text[WI_GML_LINK]), &edge->link) && edge->link < UINT32_MAX)
        edge->link++;
    edge->zero_rate |= *rate && edge->rate_bps == 0;
    return true;
}
