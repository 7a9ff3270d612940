/*
 * Edge lists: a link a line, two node names and possibly more columns.
 *
 * Lines that begin with # or % are comments. Columns are separated by blanks and tabs, or by commas, or by |,
 * whichever the first line of data shows; a column may stand in double quotes, with "" for a quote in it.
 * Names are kept as text, at most 255 bytes. A line may be a header instead of a link: "source,target" and
 * the like, one whose third column is called "weight" and the like, or two whole numbers in a list of three
 * columns (SNAP's as-733 renumbered: nodes and edges).
 *
 * A third column is the weight, where a title does not call it something else and all of it are numbers from
 * 0 to 2^24; else it is left out, with a warning, and so are columns beyond it. Where no one stated that the
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

/* Columns of a list without a title that nobody called an edge list: a weight and two more. */
enum { COLUMNS_PRESUMED = 5 };
#define SAY_EDGES \
    "This may be no edge list; if it is one, say so: --from edges, or format: edges in a scenario"

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
    wi_reading *r;
    wi_source *source;
    dialect dialect;
    uint64_t records;   /* lines that are links */
    wi_edge_line first; /* of data; its fields stand in first_text */
    char *first_text;
    bool has_header; /* it is not a link */
    bool directed;   /* each line is one direction */
    bool presumed;   /* no one stated that this is an edge list */
    size_t columns;  /* of the first link */
    int columns_line;
    third_columns third;
} edge_list;

static bool is_pair_of_numbers(const wi_edge_line *l, uint32_t *n, uint32_t *m)
{
    return wi_slice_u32(l->field[0], n) && wi_slice_u32(l->field[1], m);
}

/* What a third column of that name is; WEIR_THIRD_DEFAULT where the name says nothing. */
static weir_third_column third_called(wi_slice name)
{
    static const struct {
        const char *name;
        weir_third_column is;
    } known[] = {{"weight", WEIR_THIRD_WEIGHT},         {"cost", WEIR_THIRD_WEIGHT},
                 {"metric", WEIR_THIRD_WEIGHT},         {"latency", WEIR_THIRD_LATENCY_MS},
                 {"latency_ms", WEIR_THIRD_LATENCY_MS}, {"delay_ms", WEIR_THIRD_LATENCY_MS}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (wi_slice_is(name, known[i].name))
            return known[i].is;
    return WEIR_THIRD_DEFAULT;
}

static bool is_title(const wi_edge_line *l)
{
    static const char *const titles[][2] = {
        {"source", "target"}, {"from", "to"}, {"src", "dst"}, {"fromnodeid", "tonodeid"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (wi_slice_is(l->field[0], titles[i][0]) && wi_slice_is(l->field[1], titles[i][1]))
            return true;
    return l->n_fields >= 3 && third_called(l->field[2]) != WEIR_THIRD_DEFAULT;
}

static uint32_t node_of(edge_list *list, const wi_edge_line *l, int column)
{
    weir_graph_builder *b = list->r->builder;
    char text[WI_NAME_MAX + 1], shown[WI_SHOWN];
    wi_slice name = l->field[column];
    if (name.length == 0)
        wi_fail_at(list->source, l->line, 0, "an empty node name");
    else if (name.length > WI_NAME_MAX)
        wi_fail_at(list->source, l->line, 0, "a node name of %zu bytes, '%s'; want at most %d", name.length,
                   wi_shown(name, shown), WI_NAME_MAX);
    if (!wi_good(list->r))
        return 0;
    if (l->quoted[column])
        name = (wi_slice){text, wi_edge_unquoted(name, text)};
    const uint32_t known = wi_names_find(&b->names, name.text, name.length);
    if (known != WI_NO_NAME)
        return known;
    memmove(text, name.text, name.length);
    text[name.length] = '\0';
    const uint32_t node = wi_added(list->r, weir_graph_add_node(b, text, WEIR_ROUTER));
    uint32_t as_number;
    if (list->dialect.as_numbers && wi_slice_u32(name, &as_number))
        weir_graph_set_as(b, node, as_number);
    return node;
}

static void third_column(edge_list *list, const wi_edge_line *l, wi_listed *link)
{
    const bool weight = list->dialect.third == WEIR_THIRD_WEIGHT;
    const char *what = weight ? "weight" : "latency";
    const double most = weight ? WI_WEIGHT_MAX : 3600e3;
    char shown[WI_SHOWN];
    double value;
    if (l->n_fields < 3)
        wi_fail_at(list->source, l->line, 0, "%zu columns; want a third one, the %s", l->n_fields, what);
    else if (!wi_slice_number(l->field[2], &value) || value < 0 || value > most)
        wi_fail_at(list->source, l->line, 0, "the %s is '%s'; want a number from 0 to %.0f", what,
                   wi_shown(l->field[2], shown), most);
    else if (weight)
        link->weight = value;
    else
        link->delay_ps = (weir_time)llround(value * (double)WEIR_PS_PER_MS);
}

/* A third column that nobody has named: a weight, as long as all of them can be one. */
static void perhaps_weight(edge_list *list, const wi_edge_line *l, wi_listed *link)
{
    third_columns *const t = &list->third;
    double value;
    if (l->n_fields > 3 && t->beyond_line == 0)
        t->beyond_line = l->line;
    if (l->n_fields < 3) {
        t->missing++;
        return;
    }
    t->given++;
    if (wi_slice_number(l->field[2], &value) && value >= 0 && value <= WI_WEIGHT_MAX) {
        link->weight = value;
    } else if (t->odd_line == 0) {
        t->odd_line = l->line;
        wi_shown(l->field[2], t->odd);
    }
}

/* Links of a list take as many columns each; where they don't, this may be no list of links at all. */
static void check_columns(edge_list *list, const wi_edge_line *l)
{
    if (list->columns == 0) {
        list->columns = l->n_fields;
        list->columns_line = l->line;
    }
    if (list->presumed && !list->has_header && l->n_fields > COLUMNS_PRESUMED)
        wi_fail_at(list->source, l->line, 0, "%zu columns without a title. " SAY_EDGES, l->n_fields);
    else if (list->presumed && l->n_fields != list->columns)
        wi_fail_at(list->source, l->line, 0, "%zu columns; line %d has %zu. " SAY_EDGES, l->n_fields,
                   list->columns_line, list->columns);
}

static void take(edge_list *list, const wi_edge_line *l)
{
    check_columns(list, l);
    const uint32_t a = node_of(list, l, 0), b = node_of(list, l, 1);
    wi_listed link = wi_listed_init(a, b);
    if (list->dialect.third == WEIR_THIRD_WEIGHT || list->dialect.third == WEIR_THIRD_LATENCY_MS)
        third_column(list, l, &link);
    else if (list->dialect.third == WEIR_THIRD_DEFAULT)
        perhaps_weight(list, l, &link);
    list->records++;
    const bool merge = list->r->options->duplicates == WEIR_DUPLICATES_MERGE;
    wi_list(list->r, link, list->directed ? WI_LIST_DIRECTED : merge ? WI_LIST_MERGE : WI_LIST_OWN);
}

/* The next line of data; false at the end, and after a failure. */
static bool next_record(edge_list *list, wi_edge_line *l)
{
    wi_slice line;
    char shown[WI_SHOWN];
    while (wi_next_line(list->source, &line)) {
        list->directed |= list->records == 0 && wi_slice_is(line, "# directed");
        if (line.length == 0 || line.text[0] == '#' || line.text[0] == '%')
            continue;
        if (!list->dialect.separator)
            list->dialect.separator = wi_edge_separator(line);
        *l = wi_edge_split(line, list->dialect.separator, list->source->line);
        if (l->n_fields < 2)
            wi_fail(list->source, "one column, '%s'; want two node names", wi_shown(l->field[0], shown));
        return wi_good(list->r);
    }
    return false;
}

/* The first record waits for the second, which shows whether it is a header: it is copied for that long. */
static void keep_first(edge_list *list)
{
    wi_edge_line *first = &list->first;
    if (!next_record(list, first)) {
        wi_fail(list->source, "no links: the file is empty or holds comments only");
        return;
    }
    size_t length = 0;
    const size_t n = first->n_fields < WI_EDGE_FIELDS ? first->n_fields : WI_EDGE_FIELDS;
    for (size_t i = 0; i < n; i++)
        length += first->field[i].length;
    char *at = list->first_text = malloc(length + 1);
    if (!at)
        wi_no_memory(list->source, "a line");
    for (size_t i = 0; at && i < n; i++) {
        memcpy(at, first->field[i].text, first->field[i].length);
        first->field[i].text = at;
        at += first->field[i].length;
    }
}

/* What a title calls the third column decides what it is. */
static void read_title(edge_list *list, const wi_edge_line *title)
{
    weir_diag *const diag = list->source->diag;
    char shown[WI_SHOWN];
    if (list->dialect.third != WEIR_THIRD_DEFAULT || title->n_fields < 3)
        return;
    list->dialect.third = third_called(title->field[2]);
    if (list->dialect.third == WEIR_THIRD_DEFAULT) {
        list->dialect.third = WEIR_THIRD_IGNORED;
        weir_warn_at(diag, list->source->name, title->line, 0,
                     "the third column, '%s', is left out; weight, cost, metric and latency_ms are known",
                     wi_shown(title->field[2], shown));
    }
    if (title->n_fields > 3)
        weir_warn_at(diag, list->source->name, title->line, 0, "%zu columns beyond the third are left out",
                     title->n_fields - 3);
}

static void parse(edge_list *list)
{
    const wi_edge_line *first = &list->first;
    wi_edge_line l;
    uint32_t n, m;
    keep_first(list);
    bool got = next_record(list, &l);
    if (!wi_good(list->r))
        return;
    list->has_header = is_title(first) ||
                       (got && first->n_fields == 2 && l.n_fields >= 3 && is_pair_of_numbers(first, &n, &m));
    if (!list->has_header)
        take(list, first);
    else if (is_title(first))
        read_title(list, first);
    for (; got && wi_good(list->r); got = next_record(list, &l))
        take(list, &l);
    if (list->records == 0)
        wi_fail_at(list->source, first->line, 0, "no links after the header");
}

/* Says what the header states where that differs from what is there: an error where the file is only presumed
 * to be an edge list; and where a link may have been meant as a header. */
static void check_header(const edge_list *list)
{
    enum { LINKS_TO_SUSPECT = 10 };
    uint32_t nodes, links;
    wi_source *const source = list->source;
    const wi_edge_line *first = &list->first;
    if (!is_pair_of_numbers(first, &nodes, &links))
        return;
    if (!list->has_header) {
        if (first->n_fields == 2 && links >= LINKS_TO_SUSPECT && links + UINT64_C(1) == list->records)
            weir_warn_at(source->diag, source->name, first->line, 0,
                         "'%u %u' is taken as a link, but %u links follow: if it states the numbers of nodes "
                         "and links, make it a comment with #",
                         nodes, links, links);
        return;
    }
    weir_note(source->diag, "%s: line %d is a header, '%u %u', not a link", source->name, first->line, nodes,
              links);
    if (list->presumed && links != list->records)
        wi_fail_at(source, first->line, 0,
                   "the header states %u lines; there are %llu. This may be an Inet topology or an edge "
                   "list: say which, by --from inet or --from edges (format: in a scenario)",
                   links, (unsigned long long)list->records);
    else if (nodes != list->r->builder->names.count || links != list->records)
        weir_warn_at(source->diag, source->name, first->line, 0,
                     "the header states %u nodes and %u lines; there are %u and %llu", nodes, links,
                     list->r->builder->names.count, (unsigned long long)list->records);
}

/* Decide on third columns that nobody has named, and report. */
static void settle_third(edge_list *list)
{
    const third_columns *const t = &list->third;
    weir_diag *const diag = list->source->diag;
    const char *const name = list->source->name;
    wi_link_list *const links = &list->r->links;
    if (t->odd_line > 0) {
        for (size_t i = 0; i < links->n; i++)
            links->item[i].weight = links->item[i].weight_back = NAN;
        links->conflicts = 0;
        weir_warn_at(diag, name, t->odd_line, 0,
                     "the third column is left out: '%s' is no weight, which is a number from 0 to %.0f",
                     t->odd, WI_WEIGHT_MAX);
    } else if (t->given > 0 && t->missing > 0) {
        weir_warn(diag, "%s: %llu of %llu links have no weight in a third column; they get 1", name,
                  (unsigned long long)t->missing, (unsigned long long)list->records);
    } else if (t->given > 0) {
        weir_note(diag, "%s: the third column is taken as the weight", name);
    }
    if (t->beyond_line > 0)
        weir_warn_at(diag, name, t->beyond_line, 0, "columns beyond the third are left out");
}

static void read_list(wi_reading *r, dialect d)
{
    edge_list list = {.r = r,
                      .source = r->source,
                      .dialect = d,
                      .presumed = !r->options->format && d.third == WEIR_THIRD_DEFAULT};
    if (r->options->third_column != WEIR_THIRD_DEFAULT)
        list.dialect.third = r->options->third_column;
    wi_source_text(r->source);
    parse(&list);
    if (wi_good(r)) {
        settle_third(&list);
        check_header(&list);
    }
    free(list.first_text);
}

void wi_read_edges(wi_reading *r)
{
    read_list(r, (dialect){0, WEIR_THIRD_DEFAULT, false});
}

void wi_read_as_rel(wi_reading *r)
{
    read_list(r, (dialect){'|', WEIR_THIRD_IGNORED, true});
    if (wi_good(r) && r->options->third_column == WEIR_THIRD_DEFAULT)
        weir_note(r->source->diag, "%s: what ASes are to each other (provider, customer, peer) is left out",
                  r->source->name);
}

void wi_read_weights(wi_reading *r)
{
    read_list(r, (dialect){' ', WEIR_THIRD_WEIGHT, false});
}

void wi_read_latencies(wi_reading *r)
{
    read_list(r, (dialect){' ', WEIR_THIRD_LATENCY_MS, false});
}

void wi_read_orbis(wi_reading *r)
{
    read_list(r, (dialect){' ', WEIR_THIRD_IGNORED, false});
}
