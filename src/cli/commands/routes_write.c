/* Files of next ports. */
#include "cli/commands/graphs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "output/csv.h"
#include "base/file/out.h"

static bool ends_in(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix);
    return n > m && strcmp(path + n - m, suffix) == 0;
}

weir_status cli_routes_check_path(weir_diag *diag, const char *path, bool force)
{
    if (!ends_in(path, ".npy") && !ends_in(path, ".csv"))
        return weir_fail(diag, WEIR_E_ARG, "--output %s: tables are written as .npy or .csv", path);
    if (!force && access(path, F_OK) == 0)
        return weir_fail(diag, WEIR_E_ARG, "%s is there already; --force replaces it", path);
    return WEIR_OK;
}

static weir_status open_table(weir_diag *diag, const char *path, const wi_result_column *columns, size_t n,
                              wi_csv **out)
{
    wi_out *file = NULL;
    *out = NULL;
    return wi_out_open_whole(diag, path, &file) ?: wi_csv_begin(diag, file, columns, n, out);
}

#define NODES(X) X(U64, "node", "", i, NULL), X(TEXT, "name", "", graph->name[i], NULL)
static weir_status write_nodes(weir_diag *diag, const weir_graph *graph, const char *path)
{
    static const wi_result_column columns[] = {NODES(WI_COLUMN)};
    wi_csv *csv;
    WI_RETURN_IF_FAILED(open_table(diag, path, columns, 2, &csv));
    for (uint32_t i = 0; i < graph->n_nodes; ++i)
        wi_csv_row(csv, (const wi_cell[]){NODES(WI_CELL)});
    return wi_csv_close(diag, csv);
}

/* One line a pair that has a way. */
#define PAIRS(X)                                                                                  \
    X(TEXT, "from", "", graph->name[i], NULL), X(TEXT, "to", "", graph->name[j], NULL),           \
        X(U64, "port", "", port, NULL), X(TEXT, "next", "", graph->name[graph->target[e]], NULL), \
        X(DOUBLE, "link_cost", "", (double)cost[e] / scale, NULL)
static weir_status write_pairs(weir_diag *diag, const weir_graph *graph, const weir_cost *cost,
                               uint32_t scale, const weir_routes *routes, const char *path)
{
    static const wi_result_column columns[] = {PAIRS(WI_COLUMN)};
    wi_csv *csv;
    WI_RETURN_IF_FAILED(open_table(diag, path, columns, 5, &csv));
    for (uint32_t i = 0; i < graph->n_nodes; ++i) {
        for (uint32_t j = 0; j < graph->n_nodes; ++j) {
            const uint16_t port = weir_routes_port(routes, i, j);
            if (port == WEIR_NO_PORT)
                continue;
            const uint32_t e = graph->first[i] + port;
            wi_csv_row(csv, (const wi_cell[]){PAIRS(WI_CELL)});
        }
    }
    return wi_csv_close(diag, csv);
}

/* NumPy's format, version 1.0: magic, version, length of the header, header padded to 64 bytes, data. */
static void put_header(wi_out *file, uint32_t n)
{
    char header[192];
    const int length =
        snprintf(header, sizeof header,
                 "{'descr': '<u2', 'fortran_order': False, 'shape': (%" PRIu32 ", %" PRIu32 "), }", n, n);
    const int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    const uint8_t start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)padded, (uint8_t)(padded >> 8)};
    wi_out_write(file, start, sizeof start);
    snprintf(header + length, sizeof header - (size_t)length, "%*s", padded - length, "\n");
    wi_out_write(file, header, (size_t)padded);
}

static weir_status write_array(weir_diag *diag, const weir_graph *graph, const weir_routes *routes,
                               const char *path)
{
    const uint32_t n = graph->n_nodes;
    wi_out *file = NULL;
    WI_FREED uint8_t *const row = malloc(2 * (size_t)n + 1);
    const weir_status st = row ? wi_out_open_whole(diag, path, &file)
                               : weir_fail(diag, WEIR_E_NOMEM, "no memory for a row of the table");
    if (st == WEIR_OK)
        put_header(file, n);
    for (uint32_t i = 0; st == WEIR_OK && i < n && !wi_out_failed(file); ++i) {
        for (uint32_t j = 0; j < n; ++j) {
            const uint16_t port = weir_routes_port(routes, i, j);
            row[2 * (size_t)j] = (uint8_t)port;
            row[2 * (size_t)j + 1] = (uint8_t)(port >> 8);
        }
        wi_out_write(file, row, 2 * (size_t)n);
    }
    return st ?: wi_out_close(diag, file);
}

weir_status cli_routes_write(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, uint32_t scale,
                             const weir_routes *routes, const char *path, bool force)
{
    char *nodes = NULL;
    weir_status st = cli_routes_check_path(diag, path, force);
    if (st == WEIR_OK && ends_in(path, ".csv"))
        return write_pairs(diag, graph, cost, scale, routes, path);
    st = st ?: write_array(diag, graph, routes, path);
    if (st == WEIR_OK && asprintf(&nodes, "%.*s.nodes.csv", (int)(strlen(path) - strlen(".npy")), path) < 0)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a file's name");
    st = st ?: write_nodes(diag, graph, nodes);
    free(nodes);
    return st;
}
