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
 * An entry a line; a section ends by a line of ")" alone; # begins a comment. What links and modules mean:
 * sndlib_net.c.
 */
#include "topology/formats/sndlib_net.h"
#include "topology/read/sndlib_lexer.h"

enum { FIELDS = 9 };

typedef wi_sndlib_net sndlib;

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

/* What of a line stands behind `from`. */
static wi_slice rest_of(wi_slice line, const char *from)
{
    return (wi_slice){from, (size_t)(line.text + line.length - from)};
}

/* The next line that holds something; false at the end. */
static bool next(sndlib *s, wi_slice *line)
{
    wi_slice first;
    while (wi_next_line(s->r->source, line))
        if (split(*line, &first, 1) > 0)
            return true;
    return false;
}

static void read_meta(sndlib *s, wi_slice line)
{
    wi_slice f[3];
    if (split(line, f, 3) == 3 && wi_slice_is(f[0], "unit") && wi_slice_is(f[1], "="))
        wi_sndlib_set_unit(s, f[2]);
}

static void read_node(sndlib *s, wi_slice line)
{
    wi_slice f[FIELDS];
    const size_t n = split(line, f, FIELDS);
    if (n != 1 && !(n == 5 && wi_slice_is(f[1], "(") && wi_slice_is(f[4], ")"))) {
        wi_fail(s->r->source, "want a node: id ( longitude latitude )");
        return;
    }
    const double x = n == 5 ? wi_number_field(s->r->source, f[2], "longitude", -1e9, 1e9) : 0.0;
    const double y = n == 5 ? wi_number_field(s->r->source, f[3], "latitude", -1e9, 1e9) : 0.0;
    const uint32_t node = wi_new_node(s->r, f[0]);
    if (n == 5)
        wi_sndlib_place(s, node, x, y);
}

/* Capacities of modules in parentheses, in pairs with their costs; a line may end without. */
static void read_modules(sndlib *s, wi_slice line, const char *from, wi_sndlib_link *link)
{
    wi_slice f[2];
    if (split(rest_of(line, from), f, 1) == 0)
        return;
    bool good = wi_slice_is(f[0], "(");
    from = f[0].text + f[0].length;
    while (good && wi_good(s->r)) {
        const size_t n = split(rest_of(line, from), f, 2);
        if (n > 0 && wi_slice_is(f[0], ")"))
            return;
        good = n == 2 && !wi_slice_is(f[1], ")");
        if (!good)
            break;
        const double capacity =
            wi_number_field(s->r->source, f[0], "module's capacity", 0, wi_sndlib_most(s));
        (void)wi_number_field(s->r->source, f[1], "module's cost", -1e18, 1e18);
        wi_sndlib_add_module(link, capacity);
        from = f[1].text + f[1].length;
    }
    wi_fail(s->r->source, "want modules: ( capacity cost capacity cost ... )");
}

static void read_link(sndlib *s, wi_slice line)
{
    wi_slice f[FIELDS];
    if (split(line, f, FIELDS) < FIELDS || !wi_slice_is(f[1], "(") || !wi_slice_is(f[4], ")")) {
        wi_fail(s->r->source,
                "want a link: id ( source target ) capacity cost routing_cost setup_cost ( modules )");
        return;
    }
    wi_sndlib_link link = {.from = wi_known_node(s->r, f[2])};
    link.to = wi_known_node(s->r, f[3]);
    link.capacity = wi_number_field(s->r->source, f[5], "capacity", 0, wi_sndlib_most(s));
    link.weight = wi_number_field(s->r->source, f[7], "routing cost", 0, WI_WEIGHT_MAX);
    if (wi_good(s->r) && s->r->options->modules != WEIR_MODULES_NONE)
        read_modules(s, line, f[FIELDS - 1].text + f[FIELDS - 1].length, &link);
    wi_sndlib_add(s, &link);
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

typedef struct section {
    const char *name;
    void (*take)(sndlib *s, wi_slice line);
} section;

/* All lines of a section up to its ")". What is not taken may hold parentheses of several lines. */
static void read_section(sndlib *s, const section *in)
{
    wi_slice line;
    int depth = 1;
    while (next(s, &line)) {
        depth = in->take ? !is_end(line) : depth_after(depth, line);
        if (depth == 0)
            return;
        if (in->take)
            in->take(s, line);
    }
    wi_fail(s->r->source, "the file breaks off within %s: no line of ')' alone", in->name);
}

static void parse(sndlib *s)
{
    static const section sections[] = {{"META", read_meta},
                                       {"NODES", read_node},
                                       {"LINKS", read_link},
                                       {"DEMANDS", NULL},
                                       {"ADMISSIBLE_PATHS", NULL}};
    enum { N_SECTIONS = sizeof sections / sizeof *sections };
    wi_source *const source = s->r->source;
    wi_slice line, f[3];
    char shown[WI_SHOWN];
    bool seen[N_SECTIONS] = {false};
    if (!next(s, &line) || !wi_sndlib_is_title(line.text, line.length))
        wi_fail(source, "no SNDlib file: the first line does not begin with '?SNDlib native format'");
    while (next(s, &line)) {
        size_t i = 0;
        const size_t n = split(line, f, 3);
        while (i < N_SECTIONS && !wi_slice_is(f[0], sections[i].name))
            i++;
        if (i == N_SECTIONS || n != 2 || !wi_slice_is(f[1], "(")) {
            wi_fail_slice(
                source, f[0],
                "'%s' begins no section; want META, NODES, LINKS, DEMANDS or ADMISSIBLE_PATHS and (",
                wi_shown(f[0], shown));
            return;
        }
        if (seen[i])
            wi_fail_slice(source, f[0], "a second section %s", sections[i].name);
        seen[i] = true;
        read_section(s, &sections[i]);
    }
    if (!seen[1] || !seen[2])
        wi_fail(source, "the file has no NODES or no LINKS");
}

void wi_read_sndlib(wi_reading *r)
{
    sndlib s = {.r = r, .unit_bps = 1e6};
    wi_source_text(r->source);
    parse(&s);
    wi_sndlib_finish(&s);
}
