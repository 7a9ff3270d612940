/*
 * Edge lists: a link a line, two node names and possibly more columns.
 *
 * Lines that begin with # or % are comments. Columns are separated by blanks and tabs, or by commas, or by |,
 * whichever the first line of data shows. Names are kept as text, at most 255 bytes. A line may be a header
 * instead of a link: "source,target" and the like, or two whole numbers in a list of three columns (SNAP's
 * as-733 renumbered: nodes and edges). Stated counts are compared, never trusted.
 *
 * The same reader, with other expectations, takes Rocketfuel's .intra files (three columns, names hold
 * commas), CAIDA's as-rel (names are AS numbers) and Orbis (blanks between).
 */
#include "topology/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topology/link_list.h"

enum { FIELDS_MAX = 4 };

typedef struct dialect {
    char separator; /* 0: by the first line of data */
    weir_third_column third;
    bool as_numbers;
} dialect;

typedef struct record {
    int line;
    size_t n_fields; /* all of them, also beyond FIELDS_MAX */
    wi_slice field[FIELDS_MAX];
} record;

typedef struct edge_list {
    weir_diag *diag;
    wi_source *source;
    const weir_topology_options *options;
    weir_graph_builder *builder;
    dialect dialect;
    wi_link_list links;
    uint64_t records; /* lines that are links */
    record first;     /* of data; its fields stand in first_text */
    char *first_text;
    bool has_header; /* it is not a link */
} edge_list;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* '|' if there is one; ',' if there is one and blanks only follow commas; blanks otherwise. */
static char separator_of(wi_slice line)
{
    if (memchr(line.text, '|', line.length))
        return '|';
    if (!memchr(line.text, ',', line.length))
        return ' ';
    for (size_t i = 1; i < line.length; i++)
        if (is_blank(line.text[i]) && !is_blank(line.text[i - 1]) && line.text[i - 1] != ',')
            return ' ';
    return ',';
}

static wi_slice trimmed(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') {
        begin++;
        end--;
    }
    return (wi_slice){begin, (size_t)(end - begin)};
}

static record split(wi_slice line, char separator, int number)
{
    record r = {.line = number};
    const char *at = line.text, *end = line.text + line.length;
    while (at <= end) {
        const char *stop = at;
        while (stop < end && (separator == ' ' ? !is_blank(*stop) : *stop != separator))
            stop++;
        if (r.n_fields < FIELDS_MAX)
            r.field[r.n_fields] = trimmed(at, stop);
        r.n_fields++;
        at = stop + 1;
        while (separator == ' ' && at < end && is_blank(*at))
            at++;
    }
    return r;
}

static bool is_pair_of_numbers(const record *r)
{
    uint32_t n, m;
    return wi_slice_u32(r->field[0], &n) && wi_slice_u32(r->field[1], &m);
}

static bool is_title(const record *r)
{
    static const char *const titles[][2] = {
        {"source", "target"}, {"from", "to"}, {"src", "dst"}, {"fromnodeid", "tonodeid"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (wi_slice_is(r->field[0], titles[i][0]) && wi_slice_is(r->field[1], titles[i][1]))
            return true;
    return false;
}

static weir_status node_of(edge_list *list, int line, wi_slice name, uint32_t *node)
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
    *node = wi_names_find(&b->names, name.text, name.length);
    if (*node != WI_NO_NAME)
        return WEIR_OK;
    memcpy(text, name.text, name.length);
    text[name.length] = '\0';
    *node = weir_graph_add_node(b, text, WEIR_ROUTER);
    if (*node == UINT32_MAX)
        return wi_builder_failed(list->diag, list->source, line, b);
    uint32_t as_number;
    if (list->dialect.as_numbers && wi_slice_u32(name, &as_number))
        weir_graph_set_as(b, *node, as_number);
    return WEIR_OK;
}

static weir_status third_column(edge_list *list, const record *r, wi_listed *link)
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

static weir_status take(edge_list *list, const record *r)
{
    uint32_t a, b;
    weir_status st = node_of(list, r->line, r->field[0], &a);
    if (st == WEIR_OK)
        st = node_of(list, r->line, r->field[1], &b);
    if (st != WEIR_OK)
        return st;
    wi_listed link = wi_listed_init(a, b);
    if (list->dialect.third == WEIR_THIRD_WEIGHT || list->dialect.third == WEIR_THIRD_LATENCY_MS)
        st = third_column(list, r, &link);
    if (st != WEIR_OK)
        return st;
    list->records++;
    if (!wi_link_list_add(&list->links, link, list->options->duplicates == WEIR_DUPLICATES_MERGE))
        return weir_fail_at(list->diag, WEIR_E_NOMEM, list->source->name, r->line, 0,
                            "out of memory for links");
    return WEIR_OK;
}

static weir_status next_record(edge_list *list, record *r, bool *got)
{
    wi_slice line;
    char shown[WI_SHOWN];
    *got = false;
    while (wi_next_line(list->source, &line)) {
        if (line.length == 0 || line.text[0] == '#' || line.text[0] == '%')
            continue;
        if (!list->dialect.separator)
            list->dialect.separator = separator_of(line);
        *r = split(line, list->dialect.separator, list->source->line);
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
    record *first = &list->first;
    bool got;
    const weir_status st = next_record(list, first, &got);
    if (st != WEIR_OK)
        return st;
    if (!got)
        return wi_breaks_off(list->source, "no links: the file is empty or holds comments only");
    size_t length = 0;
    const size_t n = first->n_fields < FIELDS_MAX ? first->n_fields : FIELDS_MAX;
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

static weir_status parse(edge_list *list)
{
    const record *first = &list->first;
    record r;
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

/* Says what the header states where that differs from what is there; and where a link may have been meant as
 * a header. */
static void check_header(const edge_list *list)
{
    enum { LINKS_TO_SUSPECT = 10 };
    uint32_t nodes, links;
    const record *first = &list->first;
    if (!wi_slice_u32(first->field[0], &nodes) || !wi_slice_u32(first->field[1], &links))
        return;
    if (!list->has_header) {
        if (first->n_fields == 2 && links >= LINKS_TO_SUSPECT && links + UINT64_C(1) == list->records)
            weir_warn_at(list->diag, list->source->name, first->line, 0,
                         "'%u %u' is taken as a link, but %u links follow: if it states the numbers of nodes "
                         "and links, "
                         "make it a comment with #",
                         nodes, links, links);
        return;
    }
    weir_note(list->diag, "%s: line %d is a header, '%u %u', not a link", list->source->name, first->line,
              nodes, links);
    if (nodes != list->builder->names.count || links != list->records)
        weir_warn_at(list->diag, list->source->name, first->line, 0,
                     "the header states %u nodes and %u lines; there are %u and %llu", nodes, links,
                     list->builder->names.count, (unsigned long long)list->records);
}

static weir_status read_list(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                             weir_graph_builder *builder, dialect d)
{
    edge_list list = {.diag = diag, .source = source, .options = options, .builder = builder, .dialect = d};
    if (options->third_column != WEIR_THIRD_DEFAULT)
        list.dialect.third = options->third_column;
    weir_status st = wi_source_text(source);
    if (st == WEIR_OK)
        st = parse(&list);
    if (st == WEIR_OK) {
        check_header(&list);
        st = wi_link_list_finish(diag, &list.links, source, options, builder);
    }
    wi_link_list_free(&list.links);
    free(list.first_text);
    return st;
}

weir_status wi_read_edges(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                          weir_graph_builder *builder)
{
    return read_list(diag, source, options, builder, (dialect){0, WEIR_THIRD_IGNORED, false});
}

weir_status wi_read_as_rel(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                           weir_graph_builder *builder)
{
    return read_list(diag, source, options, builder, (dialect){'|', WEIR_THIRD_IGNORED, true});
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
