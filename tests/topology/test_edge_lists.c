/*
 * Pins down what the reader of edge lists takes from small samples, and that broken input of every kind is an error of
 * its own with file and line. Samples cut off at each byte: test_readers.c.
 */
#include "reading.h"

/* ---- edge lists ---- */

static void edges_plain(void **state)
{
    (void)state;
    weir_graph *g = read_text("a.txt", "\xef\xbb\xbf# comment\r\n\r\na b\r\nb\tc\r\n% other\n c   d  \n");
    assert_int_equal(g->n_nodes, 4);
    assert_int_equal(g->n_edges, 6);
    assert_string_equal(g->name[0], "a");
    assert_string_equal(g->name[3], "d");
    assert_false(g->weighted);
    assert_int_equal(g->rate_bps[0], 0);
    assert_true(g->delay_ps[0] < 0);
    weir_graph_free(g);
}

static void edges_separators(void **state)
{
    (void)state;
    const char *const lists[] = {"a,b\nb,c\n",
                                 "a, b\nb, c",
                                 "a|b|-1\nb|c|0\n",
                                 "a\tb\nb\tc\n",
                                 "\"a\",\"b\"\n\"b\",\"c\"",
                                 "source,target\na,b\nb,c\n",
                                 "From\tTo\na\tb\nb\tc\n"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        weir_graph *g = read_text("x.csv", lists[i]);
        assert_int_equal(g->n_nodes, 3);
        edge(g, "a", "b");
        edge(g, "c", "b");
        weir_graph_free(g);
    }
    weir_graph *g = read_text("x.txt", "New+York,+NY1 Paris,+France2\n");
    edge(g, "New+York,+NY1", "Paris,+France2");
    weir_graph_free(g);
}

/* A name in quotes may hold what separates columns elsewhere, and quotes doubled. */
static void edges_quotes(void **state)
{
    (void)state;
    const char *const lists[] = {"\"New York, NY\" \"Den \"\"ver\"\"\"\nx y\n",
                                 "\"New York, NY\",\"Den \"\"ver\"\"\"\nx,y\n",
                                 "\"New York, NY\"|\"Den \"\"ver\"\"\"\nx|y\n",
                                 "source,target,weight\n\"New York, NY\",\"Den \"\"ver\"\"\",1\nx,y,2\n"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        weir_graph *g = read_text("x.csv", lists[i]);
        assert_int_equal(g->n_nodes, 4);
        edge(g, "New York, NY", "Den \"ver\"");
        edge(g, "x", "y");
        weir_graph_free(g);
    }
}

/* The third column is the weight, and what is left out is said. */
static void edges_third_column(void **state)
{
    (void)state;
    weir_topology_options o;
    weir_topology_options_init(&o);
    weir_graph *g = read_text("x.txt", "a b 3\nb c 4\n");
    assert_true(g->weighted && said("the third column is taken as the weight"));
    assert_int_equal(g->weight[edge(g, "a", "b")], 3);
    assert_int_equal(g->weight[edge(g, "c", "b")], 4);
    weir_graph_free(g);
    g = read_text("x.txt", "a b -1\nb c 4\n");
    assert_false(g->weighted);
    assert_true(said("the third column is left out: '-1' is no weight"));
    weir_graph_free(g);
    g = read_text("x.txt", "a b 3 x\nb c 4 y\n");
    assert_true(g->weighted && said("columns beyond the third are left out"));
    weir_graph_free(g);
    g = read_text("x.csv", "source,target,latency_ms\na,b,3\n");
    assert_false(g->weighted);
    assert_int_equal(g->delay_ps[edge(g, "b", "a")], 3 * WEIR_PS_PER_MS);
    weir_graph_free(g);
    g = read_text("x.csv", "node_1,node_2,Weight\na,b,3\nb,c,4\n"); /* was a link, and the weights none */
    assert_int_equal(g->n_nodes, 3);
    assert_int_equal(g->weight[edge(g, "b", "a")], 3);
    weir_graph_free(g);
    g = read_text("x.csv", "source,target,type\na,b,3\n");
    assert_true(!g->weighted && said("the third column, 'type', is left out"));
    weir_graph_free(g);
    o.format = "edges";
    g = read_as("x", "a b 3\nb c\n", 10, &o);
    assert_int_equal(g->weight[edge(g, "b", "c")], 1);
    assert_true(said("1 of 2 links have no weight"));
    weir_graph_free(g);
}

static void edges_duplicates(void **state)
{
    (void)state;
    const char text[] = "a b\nb a\na b\nb c\nc c\nc c\n";
    weir_graph *g = read_text("x.txt", text);
    assert_int_equal(g->n_edges, 4);
    assert_int_equal(g->n_parallel, 0);
    assert_int_equal(g->n_self_loops, 2);
    assert_true(said("2 entries name a pair"));
    weir_graph_free(g);
    weir_topology_options o;
    weir_topology_options_init(&o);
    o.duplicates = WEIR_DUPLICATES_KEEP;
    g = read_as("x.txt", text, strlen(text), &o);
    assert_int_equal(g->n_edges, 8);
    assert_int_equal(g->n_parallel, 2);
    weir_graph_free(g);
}

static void edges_header(void **state)
{
    (void)state;
    weir_graph *g = read_text("x.txt", "3 2\n0 1 1\n1 2 1\n");
    assert_int_equal(g->n_nodes, 3);
    assert_int_equal(g->n_edges, 4);
    assert_true(said("line 1 is a header"));
    assert_false(said("states"));
    weir_graph_free(g);
    weir_topology_options o;
    weir_topology_options_init(&o);
    o.format = "edges"; /* without it, this may be Inet's */
    g = read_as("x.txt", "3 7\n0 1 1\n1 2 1\n", 16, &o);
    assert_int_equal(g->n_edges, 4);
    assert_true(said("states 3 nodes and 7 lines; there are 3 and 2"));
    weir_graph_free(g);
    g = read_text("x.txt", "3 2\n0 1\n1 2\n"); /* two columns: nobody can tell, so it is a link */
    assert_int_equal(g->n_nodes, 4);
    weir_graph_free(g);
    g = read_text("x.txt", "11 10\n0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 8\n8 9\n9 10\n");
    assert_int_equal(g->n_edges, 22);
    assert_true(said("'11 10' is taken as a link"));
    weir_graph_free(g);
}

static void edges_weights(void **state)
{
    (void)state;
    weir_graph *g = read_text("1.weights.intra", "A,+x1 B 2.5\nB A,+x1 7\nB C 0\nC B 3\n");
    assert_true(g->weighted);
    assert_int_equal(g->weight[edge(g, "A,+x1", "B")], 5); /* all times two */
    assert_int_equal(g->weight[edge(g, "B", "A,+x1")], 14);
    assert_int_equal(g->weight[edge(g, "B", "C")], 1);
    assert_int_equal(g->weight[edge(g, "C", "B")], 6);
    assert_int_equal(g->weight_scale, 2);
    assert_true(said("multiplied by 2") && said("1 weights are 0"));
    weir_graph_free(g);
    g = read_text("2.weights.intra", "a b 0.3333\nb c 0.0001\nc d 1\n"); /* 0.0001 was taken for 0 */
    assert_int_equal(g->weight_scale, 10000);
    assert_int_equal(g->weight[edge(g, "b", "c")], 1);
    weir_graph_free(g);
    g = read_text("3.weights.intra", "a b 16777216\nb c 2.25\n"); /* no scale takes both */
    assert_int_equal(g->weight_scale, 1);
    assert_int_equal(g->weight[edge(g, "b", "c")], 2);
    assert_true(said("1 weights have more digits than weights of such a range can: they are rounded to 1"));
    weir_graph_free(g);
    g = read_text("4.weights.intra", "a b 16777216\nb c 0.0000001\n"); /* nearly 0, and not whole */
    assert_int_equal(g->weight[edge(g, "b", "c")], 1);
    assert_true(said("1 weights have more digits"));
    weir_graph_free(g);
    weir_topology_options o;
    weir_topology_options_init(&o);
    o.third_column = WEIR_THIRD_WEIGHT;
    o.weight_scale = 10;
    g = read_as("x.txt", "a b 1.26\nb c 0.2\n", 17, &o);
    assert_int_equal(g->weight[edge(g, "a", "b")], 13);
    assert_int_equal(g->weight[edge(g, "b", "a")], 13);
    assert_int_equal(g->weight[edge(g, "c", "b")], 2);
    weir_graph_free(g);
}

static void edges_latencies(void **state)
{
    (void)state;
    weir_graph *g = read_text("1.latencies.intra", "a b 7\nb a 7\nb c 0.5\nc b 2\n");
    assert_int_equal(g->delay_ps[edge(g, "b", "a")], 7 * WEIR_PS_PER_MS);
    assert_int_equal(g->delay_ps[edge(g, "b", "c")], WEIR_PS_PER_MS / 2);
    assert_int_equal(g->delay_ps[edge(g, "c", "b")], 2 * WEIR_PS_PER_MS);
    weir_graph_free(g);
    g = read_text("1.latencies.intra", "a b 7\na b 8\n");
    assert_true(said("1 entries contradict"));
    weir_graph_free(g);
}

static void edges_as_rel(void **state)
{
    (void)state;
    weir_graph *g = read_text("20990101.as-rel2.txt", "# source\n64500|64501|-1|bgp\n64501|64502|0|mlp\n");
    assert_int_equal(g->n_edges, 4);
    assert_int_equal(g->as_number[weir_graph_find(g, "64502")], 64502);
    weir_graph_free(g);
}

static void edges_broken(void **state)
{
    (void)state;
    char longer[600];
    refuse("x.txt", "", 0, "no links: the file is empty");
    refuse("x.txt", "# only\n# comments\n", 2, "holds comments only");
    refuse("x.txt", "source,target\n", 1, "no links after the header");
    refuse("x.txt", "a b\nb c\nd", 3, "one column, 'd'");
    refuse("x.csv", "a,b\nc,\n", 2, "an empty node name");
    refuse("x.weights.intra", "a b 1\na c\n", 2, "2 columns; want a third one");
    refuse("x.weights.intra", "a b -1\n", 1, "the weight is '-1'");
    refuse("x.weights.intra", "a b 1\na c nan\n", 2, "the weight is 'nan'");
    refuse("x.weights.intra", "a b inf\n", 1, "the weight is 'inf'");
    refuse("x.weights.intra", "a b 1e9\n", 1, "the weight is '1e9'");
    refuse("x.latencies.intra", "a b -3\n", 1, "the latency is '-3'");
    refuse_bytes("x.txt", "a b\nb\0c d\n", 10, WEIR_E_FORMAT, 2, "a NUL byte");
    memset(longer, 'n', sizeof longer);
    longer[300] = ' ';
    refuse_bytes("x.txt", longer, sizeof longer, WEIR_E_FORMAT, 1, "a node name of 300 bytes");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(edges_plain),        CASE(edges_separators), CASE(edges_quotes),
                                       CASE(edges_third_column), CASE(edges_duplicates), CASE(edges_header),
                                       CASE(edges_weights),      CASE(edges_latencies),  CASE(edges_as_rel),
                                       CASE(edges_broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
