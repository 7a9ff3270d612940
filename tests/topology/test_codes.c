/*
 * Link files of CODES: files as its generators write them (three words within a group, of dragonfly-custom and -dally; two, of
 * dragonfly-plus) give the network that a matrix of links, filled by the same rule, has: each link once, parallel ones as often as
 * they are there. What the files cannot be is refused by name: broken ends, loops, a link without its way back, one between
 * groups that stays in one, a file without its partner.
 */
#include "reading.h"

#include <unistd.h>

static char folder[64];

typedef struct bytes {
    char at[1 << 16];
    size_t n;
} bytes;

static void word(bytes *b, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        b->at[b->n++] = (char)(value >> 8 * i);
}

static void put(const char *name, const bytes *b)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(b->at, 1, b->n, f) == b->n);
    fclose(f);
}

/* Both files, and what comes of them; null with a message otherwise. */
static weir_graph *read_pair(const bytes *inter, const bytes *intra)
{
    char path[128];
    weir_topology_options options;
    weir_graph *g = NULL;
    put("t-inter", inter);
    put("t-intra", intra);
    snprintf(path, sizeof path, "%s/t-inter", folder);
    weir_topology_options_init(&options);
    options.format = "codes";
    weir_diag_clear(diag);
    const weir_status st = weir_topology_load(diag, path, &options, &g);
    assert_true((st == WEIR_OK) == (g != NULL));
    return g;
}

/* ---- a dragonfly as dragonfly-dally-topo-gen.py makes it: a routers a group, h links of each to others, k between two groups ---- */

enum { ROUTERS = 256 };

typedef struct matrix {
    uint32_t n;
    uint8_t links[ROUTERS][ROUTERS];
} matrix;

static void dally(uint32_t a, uint32_t h, uint32_t k, size_t words, bytes *inter, bytes *intra, matrix *m)
{
    const uint32_t groups = a * h / k + 1;
    memset(m, 0, sizeof *m);
    inter->n = intra->n = 0;
    m->n = groups * a;
    assert_true(m->n <= ROUTERS);
    for (uint32_t from = 0; from < a; from++)
        for (uint32_t to = 0; to < a; to++) {
            if (from == to)
                continue;
            word(intra, from);
            word(intra, to);
            if (words == 3)
                word(intra, 0);
            for (uint32_t g = 0; g < groups; g++)
                m->links[g * a + from][g * a + to]++;
        }
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t i = 0; i < a * h; i++) {
            const uint32_t other = (g + 1 + i % (groups - 1)) % groups, r = i / h;
            const uint32_t from = g * a + r, to = other * a + (a - 1 - r);
            word(inter, from);
            word(inter, to);
            m->links[from][to]++;
        }
}

/* Every arc of the graph is one of the matrix, and there are as many. */
static void same(const weir_graph *g, const matrix *m)
{
    uint32_t want = 0, got = 0;
    matrix *left = malloc(sizeof *left);
    *left = *m;
    assert_int_equal(g->n_nodes, m->n);
    for (uint32_t a = 0; a < m->n; a++)
        for (uint32_t b = 0; b < m->n; b++)
            want += m->links[a][b];
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->end[v]; e++, got++)
            assert_true(left->links[v][g->target[e]]-- > 0);
    assert_int_equal(got, want);
    free(left);
}

static void as_their_generator_writes_them(void **state)
{
    (void)state;
    static const uint32_t all[][3] = {{2, 1, 1}, {4, 2, 1}, {4, 2, 2}, {4, 2, 4}, {6, 3, 1}, {8, 4, 8}};
    bytes *inter = calloc(1, sizeof *inter), *intra = calloc(1, sizeof *intra);
    matrix *m = malloc(sizeof *m);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t words = 2; words <= 3; words++) {
            dally(all[i][0], all[i][1], all[i][2], words, inter, intra, m);
            weir_graph *g = read_pair(inter, intra);
            assert_non_null(g);
            same(g, m);
            char name[32];
            snprintf(name, sizeof name, "g1_r%u", all[i][0] - 1);
            assert_int_equal(weir_graph_find(g, name), 2 * all[i][0] - 1);
            weir_graph_free(g);
        }
    free(inter);
    free(intra);
    free(m);
}

/* Edison's and Theta's columns: three links between two routers, of type 1 beside one of type 0; and a link one way alone. */
static void parallel_and_one_way(void **state)
{
    (void)state;
    bytes *inter = calloc(1, sizeof *inter), *intra = calloc(1, sizeof *intra);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t way = 0; way < 2; way++) {
            word(intra, way);
            word(intra, 1 - way);
            word(intra, i > 0);
        }
    word(inter, 0);
    word(inter, 3);
    word(inter, 3);
    word(inter, 0);
    word(inter, 1);
    word(inter, 2);
    weir_graph *g = read_pair(inter, intra);
    assert_non_null(g);
    assert_int_equal(g->n_nodes, 4);
    assert_int_equal(g->n_one_way, 1);
    assert_int_equal(g->end[0] - g->first[0], 5);
    weir_graph_free(g);
    free(inter);
    free(intra);
}

typedef struct wrong {
    size_t n_inter, n_intra; /* bytes */
    uint32_t inter[8], intra[12];
    const char *words;
} wrong;

static void what_they_cannot_be(void **state)
{
    (void)state;
    static const wrong all[] = {
        {16, 16, {0, 2, 2, 0}, {0, 1, 1, 0}, NULL},
        {12, 16, {0, 2, 2, 0}, {0, 1, 1, 0}, "link 1 breaks off after 4 of its 8 bytes"},
        {0, 16, {0}, {0, 1, 1, 0}, "no links between groups"},
        {16, 0, {0, 2, 2, 0}, {0}, "0 bytes are no links within a group"},
        {16, 8, {0, 2, 2, 0}, {0, 1}, "each link in both directions"},
        {16, 16, {0, 2, 2, 0}, {0, 1, 1, 2}, "each link in both directions"},
        {16, 20, {0, 2, 2, 0}, {0, 1, 1, 0, 0}, "20 bytes are no links within a group"},
        {16, 24, {0, 2, 2, 0}, {0, 1, 7, 1, 0, 7}, "last is 0 or 1"},
        {16, 16, {0, 2, 2, 0}, {1, 1, 1, 1}, "each link in both directions"},
        {16, 16, {0, 1, 1, 0}, {0, 1, 1, 0}, "joins routers 0 and 1, both of group 0: a group has 2"},
        {16, 16, {2, 2, 2, 0}, {0, 1, 1, 0}, "joins router 2 to itself"},
        {16, 16, {0, 4294967295u, 2, 0}, {0, 1, 1, 0}, "is this a link file of CODES?"},
        {16, 16, {0, 16777216, 2, 0}, {0, 1, 1, 0}, "want numbers below 16777216"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bytes *inter = calloc(1, sizeof *inter), *intra = calloc(1, sizeof *intra);
        for (size_t k = 0; k < 8; k++)
            word(inter, all[i].inter[k]);
        for (size_t k = 0; k < 12; k++)
            word(intra, all[i].intra[k]);
        inter->n = all[i].n_inter;
        intra->n = all[i].n_intra;
        weir_graph *g = read_pair(inter, intra);
        const weir_message *m = weir_diag_get(diag, weir_diag_count(diag) - 1);
        if ((g != NULL) != (all[i].words == NULL) || (all[i].words && !strstr(m->text, all[i].words)))
            fail_msg("case %zu: %s", i, m ? m->text : "read");
        weir_graph_free(g);
        free(inter);
        free(intra);
    }
}

static void where_their_partner_is(void **state)
{
    (void)state;
    static const bytes pair = {{0, 0, 0, 0, 1, 0, 0, 0, 1}, 16};
    weir_topology_options options;
    weir_graph *g = NULL;
    char path[128];
    weir_topology_options_init(&options);
    options.format = "codes";
    put("alone-inter", &pair);
    put("nothing", &pair);
    snprintf(path, sizeof path, "%s/alone-inter", folder);
    assert_int_equal(weir_topology_load(diag, path, &options, &g), WEIR_E_IO);
    assert_non_null(strstr(weir_diag_get(diag, weir_diag_count(diag) - 1)->text, "alone-intra"));
    snprintf(path, sizeof path, "%s/nothing", folder);
    assert_int_equal(weir_topology_load(diag, path, &options, &g), WEIR_E_FORMAT);
    assert_non_null(strstr(weir_diag_get(diag, weir_diag_count(diag) - 1)->text, "'inter' in its name"));
    assert_int_equal(weir_topology_read(diag, "x-inter", pair.at, pair.n, &options, &g), WEIR_E_FORMAT);
    assert_null(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_their_generator_writes_them),
        cmocka_unit_test(parallel_and_one_way),
        cmocka_unit_test(what_they_cannot_be),
        cmocka_unit_test(where_their_partner_is),
    };
    strcpy(folder, "/tmp/weir-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    const int failed = cmocka_run_group_tests(tests, start, stop);
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0 ? 1 : failed;
}
