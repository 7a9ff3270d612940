/*
 * Files longer than what a reader has on hand: every format gives the graph that the same bytes give from
 * memory, gzip'd or not; messages name the line, far behind the start; a broken file is one error; and memory
 * stays that of the graph.
 * label: slow
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <zlib.h>

#include "output/scratch.h"
#include "topology/generating.h"
#include "base/file/source.h"

enum { NODES = 30000 };

static weir_diag *diag;

static int start(void **state)
{
    (void)state;
    diag = weir_diag_new();
    return diag && scratch_make() ? 0 : -1;
}

static int stop(void **state)
{
    char line[128];
    (void)state;
    weir_diag_free(diag);
    snprintf(line, sizeof line, "rm -rf %s", scratch_folder);
    return system(line);
}

/* Writes to a file of the scratch folder, gzip'd where its name says so; returns its path. */
static const char *put_file(const char *name, const char *data, size_t size)
{
    const char *const path = scratch_path(name);
    gzFile f = gzopen(path, strstr(name, ".gz") ? "wb1" : "wbT");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, data, (unsigned)size), size);
    assert_int_equal(gzclose(f), Z_OK);
    return path;
}

/* ---- the same graph ---- */

typedef void print_format(FILE *f, uint32_t a, uint32_t b);

static void print_pair(FILE *f, uint32_t a, uint32_t b)
{
    fprintf(f, "node%u  node%u\n", a, b);
}

static void print_numbers(FILE *f, uint32_t a, uint32_t b)
{
    fprintf(f, "%u %u\n", a, b);
}

static void print_as_rel(FILE *f, uint32_t a, uint32_t b)
{
    fprintf(f, "%u|%u|0|a comment as long as it takes\n", a + 1, b + 1);
}

static void print_weight(FILE *f, uint32_t a, uint32_t b)
{
    fprintf(f, "City,+%u  City,+%u %u.5\n", a, b, a % 7);
}

static void print_inet_link(FILE *f, uint32_t a, uint32_t b)
{
    fprintf(f, "%u %u %20u\n", a, b, a + b);
}

static void print_sndlib_link(FILE *f, uint32_t a, uint32_t b)
{
    fprintf(f, "  L%u ( N%u N%u ) 10.00 0.00 3.00 0.00 ( 40.00 1.00 )\n", a, a, b);
}

static void print_cch_router(FILE *f, uint32_t a, uint32_t b)
{
    fprintf(f, "%u @Some+Place,+XX + (1) -> <%u> =r%u.example r0\n", a, b, a);
}

static void before_inet(FILE *f)
{
    fprintf(f, "%d %d\n", NODES, NODES - 1);
    for (uint32_t i = 0; i < NODES; i++)
        fprintf(f, "%u %20u %20u\n", i, i % 1000, i / 1000);
}

static void before_sndlib(FILE *f)
{
    fprintf(f, "?SNDlib native format; type: network; version: 1.0\nNODES (\n");
    for (uint32_t i = 0; i < NODES; i++)
        fprintf(f, "  N%u ( %u.5 %u.25 )\n", i, i % 180, i % 90);
    fprintf(f, ")\nLINKS (\n");
}

/* A random tree in a format, comments in front where the format has them, to be some megabytes. */
static char *tree_text(const char *comment, void (*before)(FILE *f), print_format *print, const char *after,
                       size_t *size)
{
    char *text = NULL;
    uint64_t seed = 1;
    FILE *f = open_memstream(&text, size);
    assert_non_null(f);
    if (before)
        before(f);
    for (uint32_t i = 1; i < NODES; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (comment && i % 500 == 1)
            fprintf(f, "%s%*s\n", comment, 30000, "x");
        print(f, i, (uint32_t)(seed >> 33) % i);
    }
    fputs(after, f);
    fclose(f);
    return text;
}

static void same_graph(const char *name, const char *text, size_t size)
{
    char zipped[64];
    weir_graph *want = NULL, *got = NULL;
    snprintf(zipped, sizeof zipped, "%s.gz", name);
    assert_true(size > WI_LINE_MAX + WI_LINE_MAX / 4);
    if (weir_topology_read(diag, name, text, size, NULL, &want) != WEIR_OK)
        fail_msg("%s: %s", name, weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
    for (int k = 0; k < 2; k++) {
        const char *const path = put_file(k ? zipped : name, text, size);
        if (weir_topology_load(diag, path, NULL, &got) != WEIR_OK)
            fail_msg("%s: %s", path, weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
        assert_int_equal(got->n_nodes, want->n_nodes);
        assert_int_equal(got->n_edges, want->n_edges);
        assert_true(graph_hash(got) == graph_hash(want));
        for (uint32_t i = 0; i < got->n_nodes; i++)
            assert_string_equal(got->name[i], want->name[i]);
        weir_graph_free(got);
    }
    weir_graph_free(want);
}

static void long_lists(void **state)
{
    static const struct {
        const char *name, *comment;
        void (*before)(FILE *f);
        print_format *print;
        const char *after;
    } all[] = {
        {"a.edges", "#", NULL, print_pair, ""},
        {"a.orbis", "#", NULL, print_numbers, "1 2"},
        {"a.as-rel.txt", "#", NULL, print_as_rel, ""},
        {"weights.intra", "#", NULL, print_weight, ""},
        {"latencies.intra", "#", NULL, print_weight, ""},
        {"a.inet", NULL, before_inet, print_inet_link, "\n"},
        {"a.sndlib", "#", before_sndlib, print_sndlib_link, ")\n"},
        {"a.cch", "#", NULL, print_cch_router, "0 @Here -> <1> =r0 r0\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t size;
        char *const text = tree_text(all[i].comment, all[i].before, all[i].print, all[i].after, &size);
        same_graph(all[i].name, text, size);
        free(text);
    }
}

static void long_writings(void **state)
{
    static const char *const formats[] = {"brite", "graphml"};
    (void)state;
    weir_graph *g = generated("barabasi-albert", "N=20000 m=2", 3);
    for (size_t i = 0; i < 2; i++) {
        char name[32], *text;
        size_t size;
        assert_int_equal(weir_topology_print(diag, g, formats[i], &text, &size), WEIR_OK);
        snprintf(name, sizeof name, "a.%s", formats[i]);
        same_graph(name, text, size);
        free(text);
    }
    weir_graph_free(g);
}

/* ---- messages ---- */

static void expect_one(weir_status got, weir_status want, int line, int column, const char *words)
{
    const weir_message *m = weir_diag_get(diag, 0);
    if (got != want || weir_diag_errors(diag) != 1 || m->line != line || m->column != column ||
        !strstr(m->text, words))
        fail_msg("%s, %zu errors, %d:%d %s; want %d:%d %s", weir_status_name(got), weir_diag_errors(diag),
                 m ? m->line : -1, m ? m->column : -1, m ? m->text : "", line, column, words);
    weir_diag_clear(diag);
}

/* From a file as from memory, with the same line and column. */
static void refused(const char *name, const char *text, size_t size, int line, int column, const char *words)
{
    weir_graph *g = NULL;
    expect_one(weir_topology_read(diag, name, text, size, NULL, &g), WEIR_E_FORMAT, line, column, words);
    const char *const path = put_file(name, text, size);
    expect_one(weir_topology_load(diag, path, NULL, &g), WEIR_E_FORMAT, line, column, words);
    assert_null(g);
}

static void far_lines(void **state)
{
    size_t size;
    (void)state;
    char *text = tree_text("#", NULL, print_pair, "node1 node2\nalone\n", &size);
    refused("a.edges", text, size, NODES - 1 + 60 + 2, 0, "one column, 'alone'");
    text[size - 9] = '\0'; /* of "node2" */
    refused("a.edges", text, size, NODES - 1 + 60 + 1, 0, "a NUL byte");
    free(text);
    text = tree_text(NULL, before_inet, print_inet_link, " 1 2 3\n", &size);
    refused("a.inet", text, size, 2 * NODES + 1, 0, "more lines than");
    text[size - 7 - 6] = 'x'; /* the last link's distance */
    char *line = text + size - 8;
    while (line[-1] != '\n')
        line--;
    char *const to = strchr(line, ' ') + 1;
    *to = '!';
    const char *const words = "no node '!";
    refused("a.inet", text, size, 2 * NODES, (int)(to - line) + 1, words);
    free(text);
}

static void lines_too_long(void **state)
{
    const size_t size = 3 * WI_LINE_MAX;
    char *text = malloc(size);
    weir_graph *g = NULL;
    (void)state;
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text, "a b\nb c\n#", 9);
    text[8 + WI_LINE_MAX] = '\n'; /* the longest line there may be */
    memcpy(text + 9 + WI_LINE_MAX, "c d\n", 4);
    const size_t good = 9 + WI_LINE_MAX + 4;
    assert_int_equal(weir_topology_load(diag, put_file("a.edges", text, good), NULL, &g), WEIR_OK);
    assert_int_equal(g->n_edges, 6);
    weir_graph_free(g);
    text[8 + WI_LINE_MAX] = 'x';
    text[9 + WI_LINE_MAX] = '\n';
    refused("a.edges", text, good, 3, 0, "a line of more than 1048576 bytes");
    refused("a.edges", text + 8, size - 8, 1, 0, "a line of more than 1048576 bytes");
    memcpy(text, "BriteConfig\n#", 13);
    for (size_t i = 1000; i < size; i += 1000)
        text[i] = '\n', text[i + 1] = '#';
    const char *const path = put_file("a.conf", text, size);
    expect_one(weir_topology_load(diag, path, NULL, &g), WEIR_E_FORMAT, 0, 0, "a configuration is shorter");
    free(text);
}

/* What is wrong with a file is not wrong with its text. */
static void files_that_fail(void **state)
{
    static char text[200000], packed[200000];
    weir_topology_options options;
    weir_graph *g = NULL;
    size_t n = 0;
    (void)state;
    expect_one(weir_topology_load(diag, scratch_folder, NULL, &g), WEIR_E_IO, 0, 0, "folder");
    expect_one(weir_topology_load(diag, scratch_path("none.txt"), NULL, &g), WEIR_E_IO, 0, 0, "No such file");
    for (int i = 0; n + 32 < sizeof text; i++)
        n += (size_t)sprintf(text + n, "%d %d\n", i * 7919 % 10007, i * 104729 % 10009);
    const char *const path = put_file("a.TXT.gz", text, n);
    weir_topology_options_init(&options);
    options.max_bytes = n - 1;
    expect_one(weir_topology_load(diag, path, &options, &g), WEIR_E_IO, 0, 0, "more than the limit of");
    options.max_bytes = n;
    assert_int_equal(weir_topology_load(diag, path, &options, &g), WEIR_OK);
    weir_graph_free(g);
    weir_diag_clear(diag);

    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    const size_t m = fread(packed, 1, sizeof packed, f);
    packed[m / 2] ^= 0x55;
    packed[m / 2 + 1] ^= 0x55;
    rewind(f);
    assert_int_equal(fwrite(packed, 1, m, f), m);
    fclose(f);
    assert_int_equal(weir_topology_load(diag, path, NULL, &g), WEIR_E_FORMAT);
    assert_int_equal(weir_diag_errors(diag), 1);
    assert_null(g);
}

/* A gzip'd file that ends too early is that one error, whatever the reader still waits for. */
static void cut_off(void **state)
{
    static const char *const names[] = {"a.brite", "a.graphml", "a.inet", "a.sndlib", "a.cch", "a.edges"};
    (void)state;
    weir_graph *g = generated("barabasi-albert", "N=20000 m=2", 3), *none = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text, zipped[32];
        size_t size;
        if (i < 2)
            assert_int_equal(weir_topology_print(diag, g, names[i] + 2, &text, &size), WEIR_OK);
        else
            text = i == 2   ? tree_text(NULL, before_inet, print_inet_link, "", &size)
                   : i == 3 ? tree_text("#", before_sndlib, print_sndlib_link, ")\n", &size)
                   : i == 4 ? tree_text("#", NULL, print_cch_router, "", &size)
                            : tree_text("#", NULL, print_pair, "", &size);
        snprintf(zipped, sizeof zipped, "%s.gz", names[i]);
        weir_diag_clear(diag);
        const char *const path = put_file(zipped, text, size);
        struct stat about;
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(truncate(path, about.st_size * 9 / 10), 0);
        expect_one(weir_topology_load(diag, path, NULL, &none), WEIR_E_FORMAT, 0, 0, "breaks off");
        assert_null(none);
        free(text);
    }
    weir_graph_free(g);
}

/* ---- memory ---- */

static long peak_kb(void)
{
    struct rusage use;
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return use.ru_maxrss;
}

/* A hundred megabytes of which two links remain; gzip'd, less than one. */
static void memory_of_the_graph(void **state)
{
    enum { BLOCK = 1 << 16, BLOCKS = 1600, MOST_KB = 24 << 10 };
    static char block[BLOCK];
    const char *const path = scratch_path("a.edges.gz");
    gzFile f = gzopen(path, "wb1");
    weir_graph *g = NULL;
    (void)state;
    assert_non_null(f);
    memset(block, '#', sizeof block);
    for (size_t i = 99; i < sizeof block; i += 100)
        block[i] = '\n';
    block[BLOCK - 1] = '\n';
    for (int i = 0; i < BLOCKS; i++) {
        if (i == 7 || i == BLOCKS - 1)
            assert_true(gzputs(f, i == 7 ? "a b\n" : "b c\n") > 0);
        assert_int_equal(gzwrite(f, block, BLOCK), BLOCK);
    }
    assert_int_equal(gzclose(f), Z_OK);
    const long before = peak_kb();
    assert_int_equal(weir_topology_load(diag, path, NULL, &g), WEIR_OK);
    assert_int_equal(g->n_edges, 4);
    weir_graph_free(g);
    assert_in_range(peak_kb() - before, 0, MOST_KB);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(memory_of_the_graph), /* first: the peak is the process's */
        CASE(long_lists),          CASE(long_writings), CASE(far_lines),
        CASE(lines_too_long),      CASE(cut_off),       CASE(files_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
