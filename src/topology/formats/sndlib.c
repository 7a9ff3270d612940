/*
 * SNDlib's native network format, version 1.0: nodes and links. (Demands are read by the scenario, from the
 * same files.)
 *
 *     ?SNDlib native format; type: network; version: 1.0
 *     META ( key = text ... )
 *     NODES ( id [( longitude latitude )] ... )
 *     LINKS ( id ( source target ) capacity cost routing_cost setup_cost ( {module_capacity module_cost}* )
 * ... )
 *
 * An entry a line; a section ends by a line of ")" alone; # begins a comment. What links and modules mean: sndlib_net.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topology/formats/sndlib_net.h"
#include "topology/read/sndlib_lexer.h"

enum { FIELDS = 9 };

typedef wi_sndlib_net sndlib;

static weir_status fail(sndlib *s, const char *what)
{
    return weir_fail_at(s->diag, WEIR_E_FORMAT, s->source->name, s->source->line, 0, "%s", what);
}

/* The words of a line, parentheses among them: at most `room` are put into `field`; returns how many. */
static size_t split(wi_slice line, wi_slice *field, size_t room)
{
    wi_sndlib_lexer lexer = wi_sndlib_text(line.text, line.length, 1);
    size_t n = 0;
    while (n < room) {
        const wi_sndlib_token t = wi_sndlib_next(&lexer);
        if (t.type == WI_SNDLIB_END)
            break;
        field[n++] = (wi_slice){t.text, t.length};
    }
    return n;
}

/* The next line that holds something; false at the end. */
static bool next(sndlib *s, wi_slice *line)
{
    wi_slice first;
    while (wi_next_line(s->source, line))
        if (split(*line, &first, 1) > 0)
            return true;
    return false;
}

static weir_status take_meta(sndlib *s, wi_slice line)
{
    char shown[WI_SHOWN];
    wi_slice f[3];
    if (split(line, f, 3) < 3 || !wi_slice_is(f[0], "unit") || !wi_slice_is(f[1], "="))
        return WEIR_OK;
    const double bps = wi_sndlib_unit(f[2].text, f[2].length);
    if (bps > 0.0) {
        s->unit_bps = bps;
        s->unit_given = true;
        return WEIR_OK;
    }
    return wi_fail_slice(s->diag, s->source, s->source->line, f[2],
                         "unknown unit '%s'; known are " WI_SNDLIB_UNITS, wi_shown(f[2], shown));
}

static weir_status take_node(sndlib *s, wi_slice line)
{
    wi_slice f[FIELDS];
    double x = NAN, y = NAN;
    uint32_t node;
    weir_status st = WEIR_OK;
    const size_t n = split(line, f, FIELDS);
    if (n != 1 && !(n == 5 && wi_slice_is(f[1], "(") && wi_slice_is(f[4], ")")))
        return fail(s, "want a node: id ( longitude latitude )");
    if (n == 5) {
        st = wi_number_field(s->diag, s->source, s->source->line, f[2], "longitude", -1e9, 1e9, &x);
        if (st == WEIR_OK)
            st = wi_number_field(s->diag, s->source, s->source->line, f[3], "latitude", -1e9, 1e9, &y);
    }
    if (st == WEIR_OK)
        st = wi_new_node(s->diag, s->source, s->source->line, f[0], s->builder, &node);
    if (st != WEIR_OK || n == 1)
        return st;
    wi_sndlib_place(s, node, x, y);
    return WEIR_OK;
}

/* Capacities of modules in parentheses, in pairs with their costs; a line may end without. */
static weir_status take_modules(sndlib *s, wi_slice line, const char *from, wi_sndlib_link *link)
{
    wi_slice f[2];
    const char *const end = line.text + line.length;
    if (split((wi_slice){from, (size_t)(end - from)}, f, 1) == 0)
        return WEIR_OK;
    if (!wi_slice_is(f[0], "("))
        return fail(s, "want modules: ( capacity cost capacity cost ... )");
    from = f[0].text + f[0].length;
    for (;;) {
        const size_t n = split((wi_slice){from, (size_t)(end - from)}, f, 2);
        double capacity, cost;
        if (n > 0 && wi_slice_is(f[0], ")"))
            return WEIR_OK;
        if (n < 2 || wi_slice_is(f[1], ")"))
            return fail(s, "want modules: ( capacity cost capacity cost ... )");
        weir_status st = wi_number_field(s->diag, s->source, s->source->line, f[0], "module's capacity", 0,
                                         wi_sndlib_most(s), &capacity);
        if (st == WEIR_OK)
            st = wi_number_field(s->diag, s->source, s->source->line, f[1], "module's cost", -1e18, 1e18,
                                 &cost);
        if (st != WEIR_OK)
            return st;
        wi_sndlib_take_module(link, capacity);
        from = f[1].text + f[1].length;
    }
}

static weir_status take_link(sndlib *s, wi_slice line)
{
    wi_slice f[FIELDS];
    wi_sndlib_link link = {0};
    const int at = s->source->line;
    const size_t n = split(line, f, FIELDS);
    if (n < FIELDS || !wi_slice_is(f[1], "(") || !wi_slice_is(f[4], ")"))
        return fail(s, "want a link: id ( source target ) capacity cost routing_cost setup_cost ( modules )");
    weir_status st = wi_known_node(s->diag, s->source, at, f[2], s->builder, &link.from);
    if (st == WEIR_OK)
        st = wi_known_node(s->diag, s->source, at, f[3], s->builder, &link.to);
    if (st == WEIR_OK)
        st = wi_number_field(s->diag, s->source, at, f[5], "capacity", 0, wi_sndlib_most(s), &link.capacity);
    if (st == WEIR_OK)
        st = wi_number_field(s->diag, s->source, at, f[7], "routing cost", 0, WI_WEIGHT_MAX, &link.weight);
    if (st == WEIR_OK && s->options->modules != WEIR_MODULES_NONE)
        st = take_modules(s, line, f[FIELDS - 1].text + f[FIELDS - 1].length, &link);
    return st == WEIR_OK ? wi_sndlib_add(s, &link, at) : st;
}

static int depth_after(int depth, wi_slice line)
{
    wi_sndlib_lexer lexer = wi_sndlib_text(line.text, line.length, 1);
    wi_sndlib_token t;
    while (depth > 0 && (t = wi_sndlib_next(&lexer)).type != WI_SNDLIB_END)
        depth += (t.type == WI_SNDLIB_OPEN) - (t.type == WI_SNDLIB_CLOSE);
    return depth;
}

/* ")" alone, a comment left out. */
static bool is_end(wi_slice line)
{
    wi_slice f[2];
    return split(line, f, 2) == 1 && wi_slice_is(f[0], ")");
}

/* All lines of a section up to its ")". What is not taken may hold parentheses of several lines. */
static weir_status section(sndlib *s, const char *name, weir_status (*take)(sndlib *s, wi_slice line))
{
    wi_slice line;
    int depth = 1;
    weir_status st = WEIR_OK;
    while (st == WEIR_OK && next(s, &line)) {
        depth = take ? !is_end(line) : depth_after(depth, line);
        if (depth == 0)
            return WEIR_OK;
        if (take)
            st = take(s, line);
    }
    return st != WEIR_OK
               ? st
               : wi_breaks_off(s->source, "the file breaks off within %s: no line of ')' alone", name);
}

static weir_status parse(sndlib *s)
{
    static const struct {
        const char *name;
        weir_status (*take)(sndlib *s, wi_slice line);
    } sections[] = {{"META", take_meta},
                    {"NODES", take_node},
                    {"LINKS", take_link},
                    {"DEMANDS", NULL},
                    {"ADMISSIBLE_PATHS", NULL}};
    enum { N_SECTIONS = sizeof sections / sizeof *sections };
    wi_slice line, f[3];
    char shown[WI_SHOWN];
    bool seen[N_SECTIONS] = {false};
    if (!next(s, &line) || !wi_sndlib_is_title(line.text, line.length))
        return wi_breaks_off(s->source,
                             "no SNDlib file: the first line does not begin with '?SNDlib native format'");
    while (next(s, &line)) {
        size_t i = 0;
        const size_t n = split(line, f, 3);
        while (i < N_SECTIONS && !wi_slice_is(f[0], sections[i].name))
            i++;
        if (i == N_SECTIONS || n != 2 || !wi_slice_is(f[1], "("))
            return wi_fail_slice(
                s->diag, s->source, s->source->line, f[0],
                "'%s' begins no section; want META, NODES, LINKS, DEMANDS or ADMISSIBLE_PATHS and (",
                wi_shown(f[0], shown));
        if (seen[i])
            return wi_fail_slice(s->diag, s->source, s->source->line, f[0], "a second section %s",
                                 sections[i].name);
        seen[i] = true;
        const weir_status st = section(s, sections[i].name, sections[i].take);
        if (st != WEIR_OK)
            return st;
    }
    return seen[1] && seen[2] ? s->source->status
                              : wi_breaks_off(s->source, "the file has no NODES or no LINKS");
}

weir_status wi_read_sndlib(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                           weir_graph_builder *builder)
{
    sndlib s = {.diag = diag, .source = source, .options = options, .builder = builder, .unit_bps = 1e6};
    const weir_status st = wi_source_text(source);
    return wi_sndlib_finish(&s, st == WEIR_OK ? parse(&s) : st);
}
