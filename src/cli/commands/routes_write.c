/* Files of next ports. */
#include "cli/commands/routes_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* A cell as RFC 4180 quotes it. */
static void put_text(FILE *f, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, f);
        return;
    }
    putc('"', f);
    for (; *text; ++text) {
        if (*text == '"')
            putc('"', f);
        putc(*text, f);
    }
    putc('"', f);
}

static void put_nodes(FILE *f, const weir_graph *graph)
{
    fputs("node,name\n", f);
    for (uint32_t i = 0; i < graph->n_nodes; ++i) {
        fprintf(f, "%" PRIu32 ",", i);
        put_text(f, graph->name[i]);
        putc('\n', f);
    }
}

/* One line a pair that has a way. */
static void put_pairs(FILE *f, const weir_graph *graph, const weir_cost *cost, const weir_routes *routes)
{
    fputs("from,to,port,next,link_cost\n", f);
    for (uint32_t i = 0; i < graph->n_nodes && !ferror(f); ++i) {
        for (uint32_t j = 0; j < graph->n_nodes; ++j) {
            const uint16_t port = weir_routes_port(routes, i, j);
            if (port == WEIR_NO_PORT)
                continue;
            const uint32_t e = graph->first[i] + port;
            put_text(f, graph->name[i]);
            putc(',', f);
            put_text(f, graph->name[j]);
            fprintf(f, ",%u,", port);
            put_text(f, graph->name[graph->target[e]]);
            fprintf(f, ",%" PRIu64 "\n", cost[e]);
        }
    }
}

/* NumPy's format, version 1.0: magic, version, length of the header, header padded to 64 bytes, data. */
static bool put_array(FILE *f, const weir_graph *graph, const weir_routes *routes)
{
    const uint32_t n = graph->n_nodes;
    char header[192];
    uint8_t *const row = malloc(2 * (size_t)n + 1);
    if (!row)
        return false;
    const int length =
        snprintf(header, sizeof header,
                 "{'descr': '<u2', 'fortran_order': False, 'shape': (%" PRIu32 ", %" PRIu32 "), }", n, n);
    const int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    const uint8_t start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)padded, (uint8_t)(padded >> 8)};
    fwrite(start, 1, sizeof start, f);
    fprintf(f, "%-*s\n", padded - 1, header);
    for (uint32_t i = 0; i < n && !ferror(f); ++i) {
        for (uint32_t j = 0; j < n; ++j) {
            const uint16_t port = weir_routes_port(routes, i, j);
            row[2 * (size_t)j] = (uint8_t)port;
            row[2 * (size_t)j + 1] = (uint8_t)(port >> 8);
        }
        fwrite(row, 2, n, f);
    }
    free(row);
    return true;
}

/* What is to be written where; `part` is the file's name until it is whole. */
static weir_status finish(weir_diag *diag, FILE *f, const char *part, const char *path)
{
    bool good = !ferror(f);
    good = fflush(f) == 0 && good;
    good = fsync(fileno(f)) == 0 && good;
    good = fclose(f) == 0 && good;
    if (good && rename(part, path) == 0)
        return WEIR_OK;
    const weir_status st = weir_fail(diag, WEIR_E_IO, "%s: %s", path, strerror(errno));
    unlink(part);
    return st;
}

static weir_status begin(weir_diag *diag, const char *path, const char *suffix, char **name, char **part,
                         FILE **f)
{
    *f = NULL;
    *part = NULL;
    if (asprintf(name, "%s%s", path, suffix) < 0) {
        *name = NULL;
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a file's name");
    }
    if (asprintf(part, "%s.part", *name) < 0) {
        *part = NULL;
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a file's name");
    }
    *f = fopen(*part, "wb");
    return *f ? WEIR_OK : weir_fail(diag, WEIR_E_IO, "%s: %s", *name, strerror(errno));
}

static weir_status write_nodes(weir_diag *diag, const weir_graph *graph, const char *path)
{
    char *base = strndup(path, strlen(path) - strlen(".npy")), *name = NULL, *part = NULL;
    FILE *f = NULL;
    weir_status st = base ? begin(diag, base, ".nodes.csv", &name, &part, &f)
                          : weir_fail(diag, WEIR_E_NOMEM, "no memory for a file's name");
    if (st == WEIR_OK) {
        put_nodes(f, graph);
        st = finish(diag, f, part, name);
    }
    free(base);
    free(name);
    free(part);
    return st;
}

weir_status cli_routes_write(weir_diag *diag, const weir_graph *graph, const weir_cost *cost,
                             const weir_routes *routes, const char *path, bool force)
{
    char *name = NULL, *part = NULL;
    FILE *f = NULL;
    weir_status st = cli_routes_check_path(diag, path, force);
    if (st == WEIR_OK)
        st = begin(diag, path, "", &name, &part, &f);
    if (st == WEIR_OK && ends_in(path, ".csv")) {
        put_pairs(f, graph, cost, routes);
        st = finish(diag, f, part, path);
    } else if (st == WEIR_OK) {
        if (put_array(f, graph, routes)) {
            st = finish(diag, f, part, path);
        } else {
            st = weir_fail(diag, WEIR_E_NOMEM, "no memory for a row of the table");
            fclose(f);
            unlink(part);
        }
        if (st == WEIR_OK)
            st = write_nodes(diag, graph, path);
    }
    free(name);
    free(part);
    return st;
}
