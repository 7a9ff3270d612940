/* Pinned down: the topology commands generate, convert, draw and measure, the same twice, and refuse by name
 * what they cannot do, leaving no file. */
#include "command.h"

static void models(void **state)
{
    (void)state;
    assert_says("topology models", 0, "barabasi-albert", "");
    assert_says("topology models waxman", 0, "GrowthType", "");
    assert_says("topology models waxmann", 2, "", "did you mean 'waxman'?");
}

static void names(void **state)
{
    (void)state;
    assert_says("topology names star --set hosts=2", 0, "h0\thost\t1\nh1\thost\t1\nhub\trouter\t2\n", "");
    assert_says("topology names grid --json", 0, "\"name\": \"r0_1\"", "");
    assert_says("topology models fat-tree", 0, "names: hosts h0, h1, ...", "");
    assert_says("topology names strar", 2, "", "did you mean 'star'?");
    put_text("net.txt", "a b\nb c\n");
    assert_says("topology names net.txt --from edges", 0, "b\trouter\t2\n", "");
    assert_says("topology info net.txt --from edges --links", 0, "a--b\t-\t-\nb--c\t-\t-\n", "");
    assert_says("topology names dumbbell --links --set bottleneck_rate=1Gbps", 0,
                "l0--left\t10Gbps\t1ms\nr0--right\t10Gbps\t1ms\nleft--right\t1Gbps\t20ms\n", "");
    assert_says("topology names ring --links --json --set routers=3 --set hosts=0 --set one_way=yes", 0,
                "\"link\": \"r0->r1\"", "");
}

static void generates(void **state)
{
    (void)state;
    assert_says("topology generate barabasi-albert --set N=200 --set m=2", 0, "links         397", "");
    assert_says("topology generate waxman --set N=50 -o w.brite", 0, "", "");
    assert_says("topology generate waxman --set N=50 -o - --format brite", 0,
                "Topology: ( 50 Nodes, 100 Edges )", "");
    static char first[1 << 16];
    slurp("w.brite", first, sizeof first);
    assert_string_equal(first, out_text);
    assert_says("topology generate waxman --set N=50 --seed 2 -o - --format brite", 0, "Topology: ( 50", "");
    assert_string_not_equal(first, out_text);
    assert_says("topology info w.brite --json", 0, "\"links\": 100", "");
    assert_says("topology generate top-down --plot td.svg", 0, "", "");
    slurp("td.svg", first, sizeof first);
    assert_non_null(strstr(first, "1000 nodes, 2017 links"));
    assert_says("topology generate star --set hosts=3 -o star.graphml.gz", 0, "", "");
    assert_says("topology info star.graphml.gz", 0, "4: 1 routers, 3 hosts", "");
}

static void configurations(void **state)
{
    (void)state;
    FILE *f = fopen("ba.conf", "w");
    fputs("BriteConfig\nBeginModel\nName = 2\nN = 100\nHS = 1000\nLS = 100\nNodePlacement = 1\nm = 2\nBWDist "
          "= 4\n"
          "BWMin = 10\nBWMax = 1024\nEndModel\n",
          f);
    fclose(f);
    assert_says("topology generate ba.conf -v", 0, "links         197",
                "BWDist = 4 is taken as heavy-tailed");
    assert_says("topology generate ba.conf -v --set codes=java", 0, "links         197",
                "BWDist = 4 is taken as exponential");
    assert_says("topology generate ba.conf --set N=5", 2, "", "has its parameters itself");
    assert_says("topology generate ba.conf --set codes=C", 2, "", "manual or java");
    assert_says("topology generate none.conf", 1, "", "none.conf");
    assert_says("topology info ba.conf", 0, "links         197", "");
}

static void converts(void **state)
{
    (void)state;
    FILE *f = fopen("net.txt", "w");
    fputs("3 2\n0 0 0\n1 300 400\n2 600 800\n0 1 500\n1 2 500\n", f);
    fclose(f);
    assert_says("topology convert net.txt --from inet -o net.graphml", 0, "", "");
    assert_says("topology info net.graphml", 0, "links         2", "");
    assert_says("topology convert net.txt --from inet -o - --format dot", 0, "n0 -- n1", "");
    assert_says("topology convert net.graphml -o net.svg", 2, "", "does not tell the format");
    assert_says("topology convert net.graphml", 2, "", "wants -o FILE");
    assert_says("topology convert net.graphml -o net.graphml", 1, "", "--force replaces it");
    assert_says("topology convert net.graphml -o net.brite --plot net.svg", 0, "", "");
    assert_int_equal(access("net.svg", R_OK), 0);
}

static void refuses(void **state)
{
    (void)state;
    assert_says("topology generate", 2, "", "MODEL|FILE.conf is missing");
    assert_says("topology generate waxmann", 2, "", "did you mean 'waxman'?");
    assert_says("topology generate waxman --set N=5 --set m=5 -o no.brite", 2, "", "m is 5, but 5 nodes");
    assert_int_equal(access("no.brite", F_OK), -1);
    assert_says("topology generate waxman --set size=5", 2, "", "has no parameter 'size'");
    assert_says("topology generate waxman --seed x", 2, "", "--seed wants a whole number");
    assert_says("topology generate waxman -o none/w.brite", 1, "", "none/w.brite");
    assert_says("topology generate waxman -o - ", 2, "", "which format");
    assert_says("topology generate waxman -o w.xyz", 2, "", "does not tell the format");
    /* Found out before anything is made: these would take minutes. */
    assert_says("topology generate waxman --set N=16000000 -o w.xyz", 2, "", "which by --format");
    assert_says("topology convert none.graphml -o w.xyz", 2, "", "which by --format");
}

/* What a conversion drops is said without -v. */
static void says_losses(void **state)
{
    (void)state;
    FILE *f = fopen("one.graphml", "w");
    fputs("<graphml><key id='c' for='node' attr.name='Country'/><graph edgedefault='directed'><node id='a'>"
          "<data key='c'>X</data></node><node id='b'/><edge source='a' target='b'/><edge source='b' "
          "target='b'/>"
          "</graph></graphml>",
          f);
    fclose(f);
    assert_says("topology convert one.graphml -o one.brite", 0, "",
                "written as BRITE, the topology loses: names (2), nodes without coordinates, which are put "
                "at 0 0 (2), "
                "links from a node to itself (1)");
    assert_non_null(strstr(err_text, "1 attributes are left out: Country"));
    assert_says("topology info one.graphml", 0, "links         1, directed: 1 lead one way only", "");
    assert_says("topology convert one.graphml -o one.csv", 0, "",
                "as an edge list, the topology loses: links from");
    assert_says("topology info one.csv", 0, "directed: 1 lead one way only", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(models, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(names, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(generates, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(configurations, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(converts, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(says_losses, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(refuses, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
