/* Pinned down: `weir routes` says what it did, writes what docs/routing.md promises, and refuses what it
 * cannot do. */
#include "command.h"

/* A square with a tail: 0 - 1 - 2 - 3 - 0, 3 - 4. */
static const char square[] = "0 1\n1 2\n2 3\n3 0\n3 4\n";

static int setup(void **state)
{
    if (enter_scratch(state) != 0)
        return -1;
    put_text("square.txt", square);
    return 0;
}

static void computes_and_checks(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"auto", "trees", "bit-parallel", "batched", "floyd-warshall"};
    for (size_t k = 0; k < 5; ++k) {
        char line[100];
        snprintf(line, sizeof line, "routes square.txt --verify --algorithm %s --threads 1", algorithms[k]);
        assert_says(line, 0, "verified      equal", "");
        assert_non_null(strstr(out_text, "4 of 5 nodes left after pruning"));
    }
    assert_says("routes square.txt --json --verify", 0, "\"verified_against\": \"single trees\"", "");
}

static void prints_paths(void **state)
{
    (void)state;
    /* From 1 the square's far corner 3 is two hops by 0 (port 0) or 2 (port 1); the lower port wins. */
    assert_says("routes square.txt --pairs 1:4,4:4", 0,
                "1 to 4: 3 hops\n   1 -0-> 0 -1-> 3 -2-> 4\n4 to 4: 0 hops", "");
    assert_says("routes square.txt --pairs 1:4,1:9", 2, "", "--pairs 1:9: no node is named '9'");
    assert_string_equal(out_text, "");
    assert_says("routes square.txt --pairs 14", 2, "", "--pairs wants FROM:TO");
    put_text("names.csv", "\"New York, NY\",b:c\nb:c,d\n");
    assert_says("routes names.csv --pair 'New York, NY' b:c --pair d b:c", 0,
                "New York, NY to b:c: 1 hop\n   New York, NY -0-> b:c\nd to b:c: 1 hop", "");
    assert_says("routes names.csv --pairs '\"New York, NY\":\"b:c\",d:d'", 0, "New York, NY to b:c: 1 hop",
                "");
    assert_says("routes names.csv --pairs 'New York, NY:d'", 2, "",
                "stands in double quotes, or take --pair");
    assert_says("routes names.csv --pair d", 2, "", "option '--pair' wants two words");
    assert_says("routes names.csv --pair d e", 2, "", "--pair d e: no node is named 'e'");
}

/* What is given is obeyed or refused, beside pairs too. */
static void pairs_for_programs(void **state)
{
    (void)state;
    assert_says("routes square.txt --pairs 1:4,4:4 --json", 0,
                "\"hops\": 3,\n    \"cost\": 3,\n    \"nodes\": [\n      \"1\",\n      \"0\",\n      "
                "\"3\",\n      \"4\"\n"
                "    ],\n    \"ports\": [\n      0,\n      1,\n      2\n    ]\n  },",
                "");
    put_text("apart.txt", "a b\nc d\n");
    assert_says("routes apart.txt --pair a d --json", 0,
                "\"hops\": null,\n    \"cost\": null,\n    \"nodes\": [],\n    \"ports\": []", "");
    assert_says("routes square.txt --pair 0 1 --json --metric delay", 0, "\"delay_s\": 0.001,", "");
    assert_says("routes square.txt --pair 0 1 --verify", 2, "", "--verify is for the whole table");
    assert_says("routes square.txt --pair 0 1 -o x.npy", 2, "", "--output is for the whole table");
    assert_string_equal(out_text, "");
}

/* What the file does not say is assumed aloud; a third column is the weight. */
static void says_what_is_assumed(void **state)
{
    (void)state;
    put_text("weighted.txt", "a b 3\nb c 4\n");
    assert_says("routes weighted.txt --metric weight --pair a c", 0, "a to c: 2 hops, weight 7", "");
    put_text(
        "fast.graphml",
        "<graphml><key id='r' for='edge' attr.name='rate'/><graph edgedefault='undirected'><node id='a'/>"
        "<node id='b'/><node id='c'/><edge source='a' target='b'><data key='r'>100Gbps</data></edge>"
        "<edge source='a' target='c'><data key='r'>400Gbps</data></edge>"
        "<edge source='c' target='b'><data key='r'>400Gbps</data></edge></graph></graphml>");
    assert_says("routes fast.graphml --metric inverse-rate --pair a b", 0, "a to b: 2 hops, cost 0.5", "");
    put_text("halves.txt", "a b 0.5\nb c 1\n");
    assert_says("routes halves.txt --metric weight --pair a c", 0, "a to c: 2 hops, weight 1.5", "");
    assert_says("topology convert halves.txt -o - --format csv", 0, "a,b,0.5", "");
    assert_says("routes square.txt --metric weight --pair 0 1", 0, "weight 1",
                "the topology has no weights: all links cost 1");
    assert_says("routes square.txt --metric delay --pair 0 1", 0, "delay 1ms",
                "5 of 5 links have no delay, nor places of both ends; 1ms is assumed");
    assert_says("routes square.txt --metric inverse-rate --pair 0 1", 0, "cost 10",
                "5 of 5 links have no rate; 10Gbps is assumed");
    put_text("what.dat", "a b\n");
    assert_says("routes what.dat", 2, "", "say which by --from NAME");
    assert_says("routes what.dat --from edges --pair a b", 0, "1 hop", "");
}

/* NumPy's format by hand: 5 x 5 little-endian 16-bit ports behind a header of a multiple of 64 bytes. */
static void writes_arrays(void **state)
{
    (void)state;
    char file[512];
    assert_says("routes square.txt -o ports.npy", 0, "written       ports.npy", "");
    FILE *f = fopen("ports.npy", "rb");
    assert_non_null(f);
    const size_t size = fread(file, 1, sizeof file, f);
    fclose(f);
    assert_memory_equal(file, "\x93NUMPY\x01\x00", 8);
    const size_t start = 10 + (size_t)(unsigned char)file[8] + 256 * (size_t)(unsigned char)file[9];
    assert_int_equal(start % 64, 0);
    assert_int_equal(size, start + 5 * 5 * 2);
    assert_non_null(strstr(file + 10, "'descr': '<u2', 'fortran_order': False, 'shape': (5, 5)"));
    const uint8_t *const port = (const uint8_t *)file + start;
    assert_int_equal(port[2 * (5 * 1 + 4)], 0);    /* node 1 to 4: port 0 */
    assert_int_equal(port[2 * (5 * 3 + 4)], 2);    /* node 3 to 4: port 2 */
    assert_int_equal(port[2 * (5 * 2 + 2)], 0xff); /* to itself: none */
    assert_int_equal(port[2 * (5 * 2 + 2) + 1], 0xff);
    slurp("ports.nodes.csv", out_text, sizeof out_text);
    assert_string_equal(out_text, "node,name\n0,0\n1,1\n2,2\n3,3\n4,4\n");
    assert_says("routes square.txt -o ports.npy", 2, "", "ports.npy is there already; --force replaces it");
    assert_says("routes square.txt -o ports.npy --force", 0, "written", "");
}

static void writes_csv(void **state)
{
    (void)state;
    assert_says("routes square.txt -o ports.csv", 0, "written       ports.csv", "");
    slurp("ports.csv", out_text, sizeof out_text);
    assert_non_null(strstr(out_text, "from,to,port,next,link_cost\n0,1,0,1,1\n"));
    assert_non_null(strstr(out_text, "\n1,4,0,0,1\n"));
    size_t lines = 0;
    for (const char *c = out_text; *c; ++c)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 5 * 4);
}

static void refuses(void **state)
{
    (void)state;
    assert_says("routes ", 2, "", "FILE is missing");
    assert_says("routes none.txt", 2, "", "none.txt");
    assert_says("routes square.txt --metric wait", 2, "",
                "--metric wants one of hops, delay, weight, inverse-rate, not 'wait'");
    assert_says("routes square.txt --algorithm magic", 2, "", "--algorithm wants one of auto");
    assert_says("routes square.txt --device tpu", 2, "", "--device wants one of auto, cpu, cuda");
    assert_says("routes square.txt --device cuda:x", 2, "", "--device wants a number after cuda:, not 'x'");
    assert_says("routes square.txt --device cuda:", 2, "", "--device wants a number after cuda:, not ''");
    assert_says("routes square.txt --algorithm fw-paper --device cpu", 2, "", "runs on a CUDA device only");
    assert_says("routes square.txt -o ports.xls", 2, "", "written as .npy or .csv");
    assert_says("routes square.txt -o none/ports.csv", 1, "",
                "none/ports.csv: error: cannot be created: No such file or directory");
    assert_says("routes square.txt --seed 1", 2, "", "unknown option '--seed'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_and_checks),
        cmocka_unit_test(prints_paths),
        cmocka_unit_test(pairs_for_programs),
        cmocka_unit_test(says_what_is_assumed),
        cmocka_unit_test(writes_arrays),
        cmocka_unit_test(writes_csv),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, setup, leave_scratch);
}
