/*
 * What a file is: every file of the shared data is told right or refused, and of a file that was damaged in
 * one place comes the graph of its own format or an error, never another format's graph. The data is found by
 * WEIR_DATA, by default ../shared/data beside the source; where it is not, that part skips.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology/formats/formats.h"
#include "weir/topology.h"

/* ---- samples ---- */

typedef struct sample {
    const char *name, *text;
    const char *format; /* null: refused */
    const char *says;   /* of what is refused */
} sample;

static const sample samples[] = {
    {"a.txt", "1 2\n2 3\n", "edges", NULL},
    {"a.csv", "source,target,weight\n1,2,3\n", "edges", NULL},
    {"a.txt", "3 2\n0 1 1\n1 2 1\n", "edges", NULL}, /* a header, and as many lines as it states */
    {"a.txt", "3 2\n0 10 20\n1 30 40\n2 50 60\n0 1 22\n1 2 33\n", "inet", NULL},
    {"a.txt", "3 2\n0 10 20\n1 30 40\n2 50 60\n0 1 22\n", NULL, "may be inet or edges"},
    {"a.txt", "0 10 20\n1 30 40\n2 50 60\n0 1 22\n1 2 33\n", NULL, "may be inet or edges"},
    {"a.txt", "3 2\n0 10 20\n1 30 40\n2 50\n0 1 22\n1 2 33\n", NULL, "2 columns; line 2 has 3"},
    {"a.txt", "<?xml version='1.0'?><graphml><graph/></graphml>", "graphml", NULL},
    {"a", "<graphml><graph/></graphml>", "graphml", NULL},
    {"a.txt", "64500|64501|-1\n64501|64502|0\n", "as-rel", NULL},
    {"a.txt", "1 @A (1) -> <2> =a r0\n2 @A (1) -> <1> =b r0\n", "cch", NULL},
    {"a.brite", "<graphml><graph/></graphml>", NULL, "by its name this is brite, by its content graphml"},
    {"a.dat", "a b\n", NULL, "neither the file's name nor its content"},
    {"a.dat", "a b\n", NULL, "--from"},
    {"a.txt", "0 0\n1000 0.5\n2000 1\n", NULL, "a distribution of sizes"},
    {"a.txt", "0 0\n1000 0.5\n2000 0.75\n", NULL, "a distribution of sizes"},
    {"a.txt", "98 99\n99 100\n", "edges", NULL}, /* rises to 100, and is a line of nodes */
    {"a.txt", "graph [\n node [ id 0 ] ]\n", "gml", NULL},
    {"a.gml", "Creator \"x\"\ngraph\n[ node [ id 0 ] ]\n", "gml", NULL},
    {"a.txt", "NODES 2\nlabel x y\n", NULL, "the file breaks off"},
    {"a.txt", "DEMANDS 2\nlabel src dest bw\n", NULL, "REPETITA"},
    {"a.txt", "0 init\n0 send 1 0 1e6\n", NULL, "5 columns; line 1 has 2"},
    {"a.txt", "a b 3\nb c\n", NULL, "2 columns; line 1 has 3"},
    {"a.txt", "1 h1 h3 10000 100 1068\n0 h2 h6 10000 100 1759\n", NULL, "6 columns without a title"},
    {"a.txt", "3 9\na b 3\nb c 4\n", NULL, "the header states 9 lines; there are 2"},
};

static void of_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *s = &samples[i];
        weir_diag *diag = weir_diag_new();
        weir_graph *g = NULL;
        const weir_status st = weir_topology_read(diag, s->name, s->text, strlen(s->text), NULL, &g);
        const wi_source source = wi_source_memory(NULL, s->name, s->text, strlen(s->text));
        const wi_sniffed told = wi_sniff(&source);
        const weir_message *m = weir_diag_get(diag, weir_diag_count(diag) - 1);
        if ((st == WEIR_OK) != (s->format != NULL))
            fail_msg("sample %zu: %s", i, m ? m->text : "was read");
        if (s->format && strcmp(told.format ? told.format : "edges", s->format) != 0)
            fail_msg("sample %zu is told as %s", i, told.format);
        if (!s->format && !strstr(m->text, s->says))
            fail_msg("sample %zu: %s", i, m->text);
        weir_graph_free(g);
        weir_diag_free(diag);
    }
}

/* ---- the shared data ---- */

static const char *data_folder(void)
{
    const char *set = getenv("WEIR_DATA");
    const char *folder = set ? set : WEIR_SOURCE_DIR "/../shared/data";
    return access(folder, R_OK) == 0 ? folder : NULL;
}

/* What a file of the data is, by its folder and name; null: no topology. */
static const char *known_format(const char *path)
{
    static const struct {
        const char *part, *format;
    } all[] = {{".gml", "gml"},      {".graphml", "graphml"},       {".graph", "repetita"},
               {".brite", "brite"},  {"/brite/", "brite-conf"},     {"/Inet_", "inet"},
               {"/Orbis_", "edges"}, /* the same graph */
               {"cch", "cch"},       {".weights.intra", "weights"}, {".latencies.intra", "latencies"},
               {"as-rel", "as-rel"}, {"/as-graph/", "edges"},       {".native.txt", "sndlib"}};
    static const char *const ns3[] = {"/topology.txt", "/fat.txt", "/ali_32host", "/topo-pl-"};
    static const char *const other[] = {".demands",  ".seed",    "seed_file", ".al",  "/codes/",
                                        "README.md", "/traffic", "/hpc-",     ".xml", "/wifi"};
    if (strstr(path, "/sndlib/") && strstr(path, ".xml"))
        return "sndlib-xml";
    if (strstr(path, ".topo"))
        return "htsim";
    for (size_t i = 0; i < sizeof ns3 / sizeof *ns3; i++)
        if (strstr(path, ns3[i]))
            return "ns3-rdma";
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strstr(path, other[i]))
            return NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strstr(path, all[i].part))
            return all[i].format;
    return NULL;
}

static size_t files, topologies;

static int one_file(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)where;
    const char *relative = strstr(path, "/data/"), *format = NULL;
    if (kind != FTW_F || !relative)
        return 0;
    const char *const want = known_format(relative + 5);
    weir_diag *diag = weir_diag_new();
    weir_status st = weir_topology_detect(diag, path, &format);
    files++;
    topologies += want != NULL;
    /* Some configurations import what is not there, or is not read. */
    if (want && (st != WEIR_OK || strcmp(format, want) != 0))
        fail_msg("%s is told as %s, not %s", path, format ? format : "nothing", want);
    if (!want && st == WEIR_OK) { /* told by its name: then reading finds out */
        weir_graph *g = NULL;
        if (weir_topology_load(diag, path, NULL, &g) == WEIR_OK)
            fail_msg("%s is read as %s", path, format);
    }
    weir_diag_free(diag);
    return 0;
}

static void of_data(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder) {
        print_message("no shared data; set WEIR_DATA to where it is\n");
        skip();
    }
    assert_int_equal(nftw(folder, one_file, 16, FTW_PHYS), 0);
    print_message("%zu files, %zu of them topologies\n", files, topologies);
    assert_true(topologies > 90 && files > topologies + 40);
}

/* ---- damage ---- */

static const char *const damaged[] = {
    "ns3-topology-read/Inet_small_toposample.txt", "ns3-topology-read/RocketFuel_sample_4755.r0.cch_maps.txt",
    "brite/found/RTBarabasi5.brite", "sndlib/polska.native.txt", "topology-zoo/Abilene.graphml"};

static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *text = malloc(1 << 20);
    *size = fread(text, 1, (1 << 20) - 1, f);
    text[*size] = '\0';
    fclose(f);
    return text;
}

static const char *line_at(const char *text, size_t number)
{
    while (number-- > 0 && text)
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    return text;
}

/* One kind of damage at one line; false: no such line. */
static bool damage(const char *text, size_t size, int kind, size_t number, char *out, size_t *length)
{
    const char *at = line_at(text, number);
    const char *end = at ? strchr(at, '\n') : NULL;
    if (!end)
        return false;
    end++;
    const size_t head = (size_t)(at - text), line = (size_t)(end - at), rest = size - head - line;
    char *to = memcpy(out, text, head);
    to += head;
    if (kind == 1 || kind == 2) /* 0: the line goes */
        to = (char *)memcpy(to, at, line) + line;
    if (kind == 2) /* it comes twice */
        to = (char *)memcpy(to, at, line) + line;
    if (kind == 3) { /* its last column goes */
        size_t keep = line - 1;
        while (keep > 0 && at[keep - 1] != ' ' && at[keep - 1] != '\t')
            keep--;
        to = (char *)memcpy(to, at, keep) + keep;
        *to++ = '\n';
    }
    if (kind == 4) { /* its first number is another one */
        memcpy(to, at, line);
        *to = *to >= '0' && *to < '9' ? (char)(*to + 1) : *to;
        to += line;
    }
    if (kind != 1) /* 1: the file ends behind it */
        to = (char *)memcpy(to, end, rest) + rest;
    *length = (size_t)(to - out);
    return true;
}

static void of_damaged(void **state)
{
    (void)state;
    const char *folder = data_folder();
    size_t tried = 0, read = 0;
    if (!folder)
        skip();
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        char path[1024];
        size_t size, length;
        snprintf(path, sizeof path, "%s/%s", folder, damaged[i]);
        char *text = slurp(path, &size);
        if (!text)
            continue;
        char *copy = malloc(2 * size + 2);
        weir_graph *whole = NULL;
        const wi_source source = wi_source_memory(NULL, "x.txt", text, size);
        const char *const format = wi_sniff(&source).format;
        assert_int_equal(weir_topology_read(NULL, "x.txt", text, size, NULL, &whole), WEIR_OK);
        for (int kind = 0; kind < 5; kind++)
            for (size_t n = 0; n < 60 && damage(text, size, kind, n, copy, &length); n++) {
                weir_graph *g = NULL;
                tried++;
                if (weir_topology_read(NULL, "x.txt", copy, length, NULL, &g) != WEIR_OK)
                    continue;
                read++;
                const wi_source again = wi_source_memory(NULL, "x.txt", copy, length);
                const char *const told = wi_sniff(&again).format;
                if (!told || strcmp(told, format) != 0 || g->n_nodes > whole->n_nodes + 1)
                    fail_msg("%s, damage %d of line %zu: read as %s of %u nodes", damaged[i], kind, n + 1,
                             told ? told : "edges", g->n_nodes);
                weir_graph_free(g);
            }
        weir_graph_free(whole);
        free(copy);
        free(text);
    }
    print_message("%zu damaged files, %zu of them read\n", tried, read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_samples),
        cmocka_unit_test(of_data),
        cmocka_unit_test(of_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
