/* --pairs A:B,"C, D":E and --pair A B. */
#include "cli/commands/graphs.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

typedef struct reading {
    weir_diag *diag;
    const weir_graph *graph;
    cli_node_pair *item;
    size_t n;
} reading;

/* `option` and the sign between its names are for the message. */
static weir_status add(reading *r, const char *option, char between, const char *from, const char *to)
{
    const cli_node_pair pair = {weir_graph_find(r->graph, from), weir_graph_find(r->graph, to)};
    if (pair.from == UINT32_MAX || pair.to == UINT32_MAX)
        return weir_fail(r->diag, WEIR_E_ARG, "--%s %s%c%s: no node is named '%s'", option, from, between, to,
                         pair.from == UINT32_MAX ? from : to);
    r->item[r->n++] = pair;
    return WEIR_OK;
}

/* A name up to `end` or the end of the text, in quotes or not; `out` holds as many bytes as the text. Returns
 * what is behind it, null where a quote is not closed. */
static const char *take_name(const char *at, const char *ends, char *out)
{
    if (*at != '"') {
        const size_t n = strcspn(at, ends);
        memcpy(out, at, n);
        out[n] = '\0';
        return at + n;
    }
    for (at++; *at; at++) {
        if (*at == '"' && at[1] != '"')
            break;
        at += *at == '"';
        *out++ = *at;
    }
    *out = '\0';
    return *at == '"' ? at + 1 : NULL;
}

static weir_status read_list(reading *r, const char *list)
{
    const size_t size = strlen(list) + 1;
    WI_FREED char *from = malloc(size), *to = malloc(size);
    weir_status st = from && to ? WEIR_OK : weir_fail(r->diag, WEIR_E_NOMEM, "no memory for --pairs");
    for (const char *at = list; st == WEIR_OK && *at;) {
        const char *const begin = at;
        at = take_name(at, ":,", from);
        const bool colon = at && *at == ':';
        at = colon ? take_name(at + 1, ",", to) : NULL;
        if (!at || (*at != ',' && *at != '\0')) {
            st = weir_fail(r->diag, WEIR_E_ARG,
                           "--pairs wants FROM:TO[,FROM:TO...], not '%s'; a name with , or : stands in "
                           "double quotes, or take --pair FROM TO",
                           begin);
            break;
        }
        st = add(r, "pairs", ':', from, to);
        at += *at == ',';
    }
    return st;
}

/* More pairs than a list can hold. */
static size_t at_most(const char *list)
{
    size_t n = 1;
    for (; list && *list; list++)
        n += *list == ',';
    return n;
}

weir_status cli_read_pairs(weir_diag *diag, const weir_graph *graph, const cli_args *args,
                           cli_node_pair **pairs, size_t *n)
{
    reading r = {.diag = diag, .graph = graph};
    *pairs = NULL;
    *n = 0;
    r.item = malloc((at_most(args->pairs) + args->n_pair) * sizeof *r.item);
    if (!r.item)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for pairs of nodes");
    weir_status st = args->pairs ? read_list(&r, args->pairs) : WEIR_OK;
    for (size_t i = 0; st == WEIR_OK && i < args->n_pair; i++)
        st = add(&r, "pair", ' ', args->pair[2 * i], args->pair[2 * i + 1]);
    if (st != WEIR_OK) {
        free(r.item);
        return st;
    }
    *pairs = r.item;
    *n = r.n;
    return WEIR_OK;
}
