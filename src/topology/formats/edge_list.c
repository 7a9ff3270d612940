/*
 * Edge lists: a link a line, two node names and possibly more columns.
 *
 * Lines that begin with # or % are comments. Columns are separated by blanks and tabs, or by commas, or by |,
 * whichever the first line of data shows; a column may stand in double quotes, with "" for a quote in it.
 * Names are kept as text, at most 255 bytes. A line may be a header instead of a link: "source,target" and
 * the like, or two whole numbers in a list of three columns (SNAP's as-733 renumbered: nodes and edges).
 *
 * A third column is the weight, where a title does not call it something else and all of it are numbers from
 * 0 to 2^24; else it is left out, with a warning, and so are columns beyond it. Where nobody said that the
 * file is an edge list, lines of different lengths and counts that are not as stated are errors: it may be
 * something else.
 *
 * A comment "# directed" before the first link makes each line one direction: the first of one direction and
 * the first of the other are one link, and so on; what is left leads one way.
 *
 * The same reader, with other expectations, takes Rocketfuel's .intra files (three columns, names hold
 * commas), CAIDA's as-rel (names are AS numbers) and Orbis (blanks between).
 */
#include "topology/read/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topology/read/edge_line.h"
#include "topology/read/link_list.h"

/* Columns of a list without a title that nobody called an edge list: a weight and two more. */
enum { COLUMNS_PRESUMED = 5 };

typedef struct dialect {
    char separator; /* 0: by the first line of data */
    weir_third_column third;
    bool as_numbers;
} dialect;

/* What the third columns of a list of which nothing is known looked like so far. */
typedef struct third_columns {
    uint64_t given, missing;
    int odd_line; /* the first that is no weight; 0: none */
    char odd[WI_SHOWN];
    int beyond_line; /* the first with more than three columns */
} third_columns;

typedef struct edge_list {
    weir_diag *diag;
    wi_source *source;
    const weir_topology_options *options;
    weir_graph_builder *builder;
    dialect dialect;
    wi_link_list links;
    uint64_t records;   /* lines that are links */
    wi_edge_line first; /* of data; its fields stand in first_text */
    char *first_text;
    bool has_header; /* it is not a link */
    bool directed;   /* each line is one direction */
    bool presumed;   /* nobody said that this is an edge list */
    size_t columns;  /* of the first link */
    int columns_line;
    third_columns third;
} edge_list;

static bool is_pair_of_numbers(const wi_edge_line *r)
{
    uint32_t n, m;
    return wi_slice_u32(r->field[0], &n) && wi_slice_u32(r->field[1], &m);
}

static bool is_title(const wi_edge_line *r)
{
    static const char *const titles[][2] = {
        {"source", "target"}, {"from", "to"}, {"src", "dst"}, {"fromnodeid", "tonodeid"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (wi_slice_is(r->field[0], titles[i][0]) && wi_slice_is(r->field[1], titles[i][1]))
            return true;
    return false;
}

static weir_status node_of(edge_list *list, int line, wi_slice name, bool quoted, uint32_t *node)
{
    weir_graph_builder *b = list->builder;
    char text[WI_NAME_MAX + 1];
    char shown[WI_SHOWN];
    if (name.length == 0)
        return weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, line, 0, "an empty node name");
    if (name.length > WI_NAME_MAX)
        return weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, line, 0,
                            "a node name of %zu bytes, '%s'; want at most %d", name.length,
                            wi_shown(name, shown), WI_NAME_MAX);
    if (quoted)
        name = (wi_slice){text, wi_edge_unquoted(name, text)};
    *node = wi_names_find(&b->names, name.text, name.length);
    if (*node != WI_NO_NAME)
        return WEIR_OK;
    memmove(text, name.text, name.length);
    text[name.length] = '\0';
    *node = weir_graph_add_node(b, text, WEIR_ROUTER);
    if (*node == UINT32_MAX)
        return wi_builder_failed(list->diag, list->source, line, b);
    uint32_t as_number;
    if (list->dialect.as_numbers && wi_slice_u32(name, &as_number))
        weir_graph_set_as(b, *node, as_number);
    return WEIR_OK;
}

static weir_status third_column(edge_list *list, const wi_edge_line *r, wi_listed *link)
{
    const bool weight = list->dialect.third == WEIR_THIRD_WEIGHT;
    const char *what = weight ? "weight" : "latency";
    const double most = weight ? WI_WEIGHT_MAX : 3600e3;
    char shown[WI_SHOWN];
    double value;
    if (r->n_fields < 3)
        return weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, r->line, 0,
                            "%zu columns; want a third one, the %s", r->n_fields, what);
    if (!wi_slice_number(r->field[2], &value) || value < 0 || value > most)
        return weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, r->line, 0,
                            "the %s is '%s'; want a number from 0 to %.0f", what,
                            wi_shown(r->field[2], shown), most);
    if (weight)
        link->weight = value;
    else
        link->delay_ps = (weir_time)llround(value * (double)WEIR_PS_PER_MS);
    return WEIR_OK;
}

/* A third column of which nobody said what it is: a weight, as long as all of them can be one. */
static void perhaps_weight(edge_list *list, const wi_edge_line *r, wi_listed *link)
{
    third_columns *const t = &list->third;
    double value;
    if (r->n_fields > 3 && t->beyond_line == 0)
        t->beyond_line = r->line;
    if (r->n_fields < 3) {
        t->missing++;
        return;
    }
    t->given++;
    if (wi_slice_number(r->field[2], &value) && value >= 0 && value <= WI_WEIGHT_MAX) {
        link->weight = value;
    } else if (t->odd_line == 0) {
        t->odd_line = r->line;
        wi_shown(r->field[2], t->odd);
    }
}

/* Links of a list take as many columns each; where they don't, this may be no list of links at all. */
static weir_status check_columns(edge_list *list, const wi_edge_line *r)
{
    if (list->columns == 0) {
        list->columns = r->n_fields;
        list->columns_line = r->line;
    }
    if (list->presumed && !list->has_header && r->n_fields > COLUMNS_PRESUMED)
        return weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, r->line, 0,
                            "%zu columns without a title. This may be no edge list; if it is one, say so: "
                            "--from edges, or format: edges in a scenario",
                            r->n_fields);
    if (!list->presumed || r->n_fields == list->columns)
        return WEIR_OK;
    return weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, r->line, 0,
                        "%zu columns; line %d has %zu. This may be no edge list; if it is one, say so: "
                        "--from edges, or format: edges in a scenario",
                        r->n_fields, list->columns_line, list->columns);
}

static weir_status take(edge_list *list, const wi_edge_line *r)
{
    uint32_t a, b;
    weir_status st = check_columns(list, r);
    if (st == WEIR_OK)
        st = node_of(list, r->line, r->field[0], r->quoted[0], &a);
    if (st == WEIR_OK)
        st = node_of(list, r->line, r->field[1], r->quoted[1], &b);
    if (st != WEIR_OK)
        return st;
    wi_listed link = wi_listed_init(a, b);
    if (list->dialect.third == WEIR_THIRD_WEIGHT || list->dialect.third == WEIR_THIRD_LATENCY_MS)
        st = third_column(list, r, &link);
    else if (list->dialect.third == WEIR_THIRD_DEFAULT)
        perhaps_weight(list, r, &link);
    if (st != WEIR_OK)
        return st;
    list->records++;
    const bool merge = list->options->duplicates == WEIR_DUPLICATES_MERGE;
    const wi_listing listing = list->directed ? WI_LIST_DIRECTED : merge ? WI_LIST_MERGE : WI_LIST_OWN;
    if (!wi_link_list_add(&list->links, link, listing))
        return weir_fail_at(list->diag, WEIR_E_NOMEM, list->source->name, r->line, 0,
                            "out of memory for links");
    return WEIR_OK;
}

static weir_status next_record(edge_list *list, wi_edge_line *r, bool *got)
{
    wi_slice line;
    char shown[WI_SHOWN];
    *got = false;
    while (wi_next_line(list->source, &line)) {
        list->directed |= list->records == 0 && wi_slice_is(line, "# directed");
        if (line.length == 0 || line.text[0] == '#' || line.text[0] == '%')
            continue;
        if (!list->dialect.separator)
            list->dialect.separator = wi_edge_separator(line);
        *r = wi_edge_split(line, list->dialect.separator, list->source->line);
        if (r->n_fields < 2)
            return weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, r->line, 0,
                                "one column, '%s'; want two node names", wi_shown(r->field[0], shown));
        *got = true;
        return WEIR_OK;
    }
    return list->source->status;
}

/* The first record waits for the second, which tells whether it is a header: it is copied for that long. */
static weir_status keep_first(edge_list *list)
{
    wi_edge_line *first = &list->first;
    bool got;
    const weir_status st = next_record(list, first, &got);
    if (st != WEIR_OK)
        return st;
    if (!got)
        return wi_breaks_off(list->source, "no links: the file is empty or holds comments only");
    size_t length = 0;
    const size_t n = first->n_fields < WI_EDGE_FIELDS ? first->n_fields : WI_EDGE_FIELDS;
    for (size_t i = 0; i < n; i++)
        length += first->field[i].length;
    list->first_text = malloc(length + 1);
    if (!list->first_text)
        return weir_fail_at(list->diag, WEIR_E_NOMEM, list->source->name, first->line, 0,
                            "out of memory for a line");
    char *at = list->first_text;
    for (size_t i = 0; i < n; i++) {
        memcpy(at, first->field[i].text, first->field[i].length);
        first->field[i].text = at;
        at += first->field[i].length;
    }
    return WEIR_OK;
}

/* What a title calls the third column decides what it is. */
static void take_title(edge_list *list, const wi_edge_line *title)
{
    static const char *const weights[] = {"weight", "cost", "metric"};
    static const char *const latencies[] = {"latency", "latency_ms", "delay_ms"};
    char shown[WI_SHOWN];
    if (list->dialect.third != WEIR_THIRD_DEFAULT || title->n_fields < 3)
        return;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        if (wi_slice_is(title->field[2], weights[i]))
            list->dialect.third = WEIR_THIRD_WEIGHT;
        if (wi_slice_is(title->field[2], latencies[i]))
            list->dialect.third = WEIR_THIRD_LATENCY_MS;
    }
    if (list->dialect.third == WEIR_THIRD_DEFAULT) {
        list->dialect.third = WEIR_THIRD_IGNORED;
        weir_warn_at(list->diag, list->source->name, title->line, 0,
                     "the third column, '%s', is left out; weight, cost, metric and latency_ms are known",
                     wi_shown(title->field[2], shown));
    }
    if (title->n_fields > 3)
        weir_warn_at(list->diag, list->source->name, title->line, 0,
                     "%zu columns beyond the third are left out", title->n_fields - 3);
}

static weir_status parse(edge_list *list)
{
    const wi_edge_line *first = &list->first;
    wi_edge_line r;
    bool got;
    weir_status st = keep_first(list);
    if (st != WEIR_OK)
        return st;
    st = next_record(list, &r, &got);
    if (st != WEIR_OK)
        return st;
    list->has_header =
        is_title(first) || (got && first->n_fields == 2 && r.n_fields >= 3 && is_pair_of_numbers(first));
    if (!list->has_header)
        st = take(list, first);
    else if (is_title(first))
        take_title(list, first);
    while (st == WEIR_OK && got) {
        st = take(list, &r);
        if (st == WEIR_OK)
            st = next_record(list, &r, &got);
    }
    if (st == WEIR_OK && list->records == 0)
        st = weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, first->line, 0,
                          "no links after the header");
    return st;
}

/* Says what the header states where that differs from what is there: an error where the file is only presumed
 * to be an edge list; and where a link may have been meant as a header. */
static weir_status check_header(const edge_list *list)
{
    enum { LINKS_TO_SUSPECT = 10 };
    uint32_t nodes, links;
    const wi_edge_line *first = &list->first;
    if (!wi_slice_u32(first->field[0], &nodes) || !wi_slice_u32(first->field[1], &links))
        return WEIR_OK;
    if (!list->has_header) {
        if (first->n_fields == 2 && links >= LINKS_TO_SUSPECT && links + UINT64_C(1) == list->records)
            weir_warn_at(list->diag, list->source->name, first->line, 0,
                         "'%u %u' is taken as a link, but %u links follow: if it states the numbers of nodes "
                         "and links, "
                         "make it a comment with #",
                         nodes, links, links);
        return WEIR_OK;
    }
    weir_note(list->diag, "%s: line %d is a header, '%u %u', not a link", list->source->name, first->line,
              nodes, links);
    if (list->presumed && links != list->records)
        return weir_fail_at(list->diag, WEIR_E_FORMAT, list->source->name, first->line, 0,
                            "the header states %u lines; there are %llu. This may be an Inet topology or an "
                            "edge list: say which, by --from inet or --from edges (format: in a scenario)",
                            links, (unsigned long long)list->records);
    if (nodes != list->builder->names.count || links != list->records)
        weir_warn_at(list->diag, list->source->name, first->line, 0,
                     "the header states %u nodes and %u lines; there are %u and %llu", nodes, links,
                     list->builder->names.count, (unsigned long long)list->records);
    return WEIR_OK;
}

/* What became of third columns of which nobody said what they are. */
static void settle_third(edge_list *list)
{
    const third_columns *const t = &list->third;
    const char *const name = list->source->name;
    if (t->odd_line > 0) {
        for (size_t i = 0; i < list->links.n; i++)
            list->links.item[i].weight = list->links.item[i].weight_back = NAN;
        list->links.conflicts = 0;
        weir_warn_at(list->diag, name, t->odd_line, 0,
                     "the third column is left out: '%s' is no weight, which is a number from 0 to %.0f",
                     t->odd, WI_WEIGHT_MAX);
    } else if (t->given > 0 && t->missing > 0) {
        weir_warn(list->diag, "%s: %llu of %llu links have no weight in a third column; they get 1", name,
                  (unsigned long long)t->missing, (unsigned long long)list->records);
    } else if (t->given > 0) {
        weir_note(list->diag, "%s: the third column is taken as the weight", name);
    }
    if (t->beyond_line > 0)
        weir_warn_at(list->diag, name, t->beyond_line, 0, "columns beyond the third are left out");
}

static weir_status read_list(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                             weir_graph_builder *builder, dialect d)
{
    edge_list list = {.diag = diag,
                      .source = source,
                      .options = options,
                      .builder = builder,
                      .dialect = d,
                      .presumed = !options->format && d.third == WEIR_THIRD_DEFAULT};
    if (options->third_column != WEIR_THIRD_DEFAULT)
        list.dialect.third = options->third_column;
    weir_status st = wi_source_text(source);
    if (st == WEIR_OK)
        st = parse(&list);
    if (st == WEIR_OK) {
        settle_third(&list);
        st = check_header(&list);
    }
    if (st == WEIR_OK) {
        st = wi_link_list_finish(diag, &list.links, source, options, builder);
    }
    wi_link_list_free(&list.links);
    free(list.first_text);
    return st;
}

weir_status wi_read_edges(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                          weir_graph_builder *builder)
{
    return read_list(diag, source, options, builder, (dialect){0, WEIR_THIRD_DEFAULT, false});
}

weir_status wi_read_as_rel(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                           weir_graph_builder *builder)
{
    const weir_status st =
        read_list(diag, source, options, builder, (dialect){'|', WEIR_THIRD_IGNORED, true});
    if (st == WEIR_OK && options->third_column == WEIR_THIRD_DEFAULT)
        weir_note(diag, "%s: what ASes are to each other (provider, customer, peer) is left out",
                  source->name);
    return st;
}

weir_status wi_read_weights(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                            weir_graph_builder *builder)
{
    return read_list(diag, source, options, builder, (dialect){' ', WEIR_THIRD_WEIGHT, false});
}

weir_status wi_read_latencies(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                              weir_graph_builder *builder)
{
    return read_list(diag, source, options, builder, (dialect){' ', WEIR_THIRD_LATENCY_MS, false});
}

weir_status wi_read_orbis(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                          weir_graph_builder *builder)
{
    return read_list(diag, source, options, builder, (dialect){' ', WEIR_THIRD_IGNORED, false});
}
