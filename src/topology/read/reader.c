/* Nodes and links of the readers. */
#include "topology/read/reader.h"

#include <math.h>
#include <string.h>

static const char *const class_words[] = {
    [WEIR_CLASS_NONE] = "",     [WEIR_CLASS_LEAF] = "leaf",         [WEIR_CLASS_BORDER] = "border",
    [WEIR_CLASS_STUB] = "stub", [WEIR_CLASS_BACKBONE] = "backbone", [WEIR_CLASS_SERVER] = "server",
};

const char *wi_class_word(weir_node_class node_class)
{
    return class_words[node_class];
}

weir_node_class wi_class_of_word(wi_slice word)
{
    for (size_t i = 1; i < sizeof class_words / sizeof *class_words; i++)
        if (wi_slice_is(word, class_words[i]))
            return (weir_node_class)i;
    return WEIR_CLASS_NONE;
}

void wi_next_fields(wi_reading *r, const char *what, size_t wanted, wi_slice *field)
{
    wi_slice line = {"", 0};
    for (size_t i = 0; i < wanted; i++)
        field[i] = line;
    while (line.length == 0)
        if (!wi_next_line(r->source, &line)) {
            wi_fail(r->source, "the file breaks off: %s is missing", what);
            return;
        }
    const size_t n = wi_split(line, field, wanted);
    if (n != wanted)
        wi_fail(r->source, "%zu fields; want %zu: %s", n, wanted, what);
}

uint32_t wi_known_node(wi_reading *r, wi_slice name)
{
    char shown[WI_SHOWN];
    const uint32_t node = wi_names_find(&r->builder->names, name.text, name.length);
    if (node == WI_NO_NAME)
        wi_fail_slice(r->source, name, "no node '%s' stands above", wi_shown(name, shown));
    return node;
}

uint32_t wi_added(wi_reading *r, uint32_t node)
{
    const weir_graph_builder *const b = r->builder;
    if (node == UINT32_MAX && b->failed == WEIR_E_NOMEM)
        wi_no_memory(r->source, "the graph's nodes");
    else if (node == UINT32_MAX)
        wi_fail(r->source, "%s", b->why);
    return node;
}

uint32_t wi_new_node(wi_reading *r, wi_slice name)
{
    char text[WI_NAME_MAX + 1], shown[WI_SHOWN];
    if (name.length > WI_NAME_MAX)
        wi_fail_slice(r->source, name, "a node name of %zu bytes, '%s'; want at most %d", name.length,
                      wi_shown(name, shown), WI_NAME_MAX);
    else if (wi_names_find(&r->builder->names, name.text, name.length) != WI_NO_NAME)
        wi_fail_slice(r->source, name, "node '%s' is there already", wi_shown(name, shown));
    if (!wi_good(r))
        return UINT32_MAX;
    memcpy(text, name.text, name.length);
    text[name.length] = '\0';
    return wi_added(r, weir_graph_add_node(r->builder, text, WEIR_ROUTER));
}

void wi_list(wi_reading *r, wi_listed link, wi_listing listing)
{
    if (wi_good(r) && !wi_link_list_add(&r->links, link, listing))
        wi_no_memory(r->source, "links");
}

uint64_t wi_rate_of(double bps)
{
    return bps < 1 ? 1 : (uint64_t)llround(bps);
}

weir_status wi_read_with(wi_format_reader *reader, wi_source *source, const weir_topology_options *options,
                         weir_graph **out)
{
    wi_reading r = {.source = source, .options = options, .builder = weir_graph_builder_new()};
    if (!r.builder)
        wi_no_memory(source, "a graph");
    if (wi_good(&r))
        reader(&r);
    if (wi_good(&r))
        wi_link_list_finish(&r.links, source, options->weight_scale, r.builder);
    if (wi_good(&r))
        source->status = weir_graph_build(source->diag, r.builder, out);
    if (wi_good(&r) && r.builder->n_renamed > 0)
        weir_warn(source->diag,
                  "%s: %u nodes are called as others before them, and get a number behind: the first is '%s'",
                  source->name, r.builder->n_renamed, (*out)->name[r.builder->renamed]);
    wi_link_list_free(&r.links);
    weir_graph_builder_free(r.builder);
    return source->status;
}
