/* Texts read as topologies, and refused: what tests of readers share. */
#ifndef TESTS_TOPOLOGY_READING_H
#define TESTS_TOPOLOGY_READING_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/topology.h"

static weir_diag *diag;

static inline int start(void **state)
{
    (void)state;
    diag = weir_diag_new();
    return diag == NULL;
}

static inline int stop(void **state)
{
    (void)state;
    weir_diag_free(diag);
    return 0;
}

static inline weir_graph *read_as(const char *name, const char *text, size_t size,
                                  const weir_topology_options *options)
{
    weir_graph *g = NULL;
    const weir_status st = weir_topology_read(diag, name, text, size, options, &g);
    if (st != WEIR_OK)
        print_message("%s\n", weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
    assert_int_equal(st, WEIR_OK);
    return g;
}

static inline weir_graph *read_text(const char *name, const char *text)
{
    return read_as(name, text, strlen(text), NULL);
}

/* The text must be refused with this status, on this line, with these words. */
static inline void refuse_bytes(const char *name, const char *text, size_t size, weir_status status, int line,
                                const char *words)
{
    weir_graph *g = (weir_graph *)diag;
    weir_diag_clear(diag);
    const weir_status st = weir_topology_read(diag, name, text, size, NULL, &g);
    assert_null(g);
    const weir_message *m = weir_diag_get(diag, weir_diag_count(diag) - 1);
    if (st != status || !m || m->line != line || !strstr(m->text, words))
        fail_msg("%s: status %s, line %d: %s; want %s, line %d: %s", name, weir_status_name(st),
                 m ? m->line : -1, m ? m->text : "no message", weir_status_name(status), line, words);
    assert_string_equal(m->file, name);
    assert_int_equal(weir_diag_errors(diag), 1);
}

static inline void refuse(const char *name, const char *text, int line, const char *words)
{
    refuse_bytes(name, text, strlen(text), WEIR_E_FORMAT, line, words);
}

static inline bool said(const char *words)
{
    for (size_t i = 0; i < weir_diag_count(diag); i++)
        if (strstr(weir_diag_get(diag, i)->text, words))
            return true;
    return false;
}

/* The first edge from one named node to another. */
static inline uint32_t edge(const weir_graph *g, const char *from, const char *to)
{
    const uint32_t u = weir_graph_find(g, from), v = weir_graph_find(g, to);
    assert_true(u != UINT32_MAX && v != UINT32_MAX);
    for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++)
        if (g->target[e] == v)
            return e;
    fail_msg("no edge from %s to %s", from, to);
    return 0;
}

static inline char *sample(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", WEIR_TEST_DATA, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = malloc(1 << 16);
    assert_non_null(text);
    *size = fread(text, 1, 1 << 16, f);
    fclose(f);
    return text;
}

#endif
