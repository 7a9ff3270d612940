/* Pinned down: the topology commands generate, convert, draw and measure, the same twice, and refuse by name
 * what they cannot do, leaving no file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/scratch.h"

#define WEIR WEIR_BINARY_DIR "/src/cli/weir"

static char out_text[1 << 16], err_text[1 << 16];

static int setup(void **state)
{
    (void)state;
    return scratch_make() && chdir(scratch_folder) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", scratch_folder);
    return chdir("/") == 0 ? system(line) : -1;
}

static void slurp(const char *name, char *text, size_t size)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
}

static void weir(const char *arguments, int code, const char *out, const char *message)
{
    char line[1024];
    snprintf(line, sizeof line, "'%s' topology %s >.out 2>.err </dev/null", WEIR, arguments);
    const int status = system(line);
    slurp(".out", out_text, sizeof out_text);
    slurp(".err", err_text, sizeof err_text);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != code || !strstr(out_text, out) || !strstr(err_text, message))
        fail_msg("weir topology %s: exit %d, wanted %d with '%s' and '%s'; it said:\n%s\n%s", arguments,
                 WEXITSTATUS(status), code, out, message, out_text, err_text);
}

static void models(void **state)
{
    (void)state;
    weir("models", 0, "barabasi-albert", "");
    weir("models waxman", 0, "GrowthType", "");
    weir("models waxmann", 2, "", "did you mean 'waxman'?");
}

static void generates(void **state)
{
    (void)state;
    weir("generate barabasi-albert --set N=200 --set m=2", 0, "links         397", "");
    weir("generate waxman --set N=50 -o w.brite", 0, "", "");
    weir("generate waxman --set N=50 -o - --format brite", 0, "Topology: ( 50 Nodes, 100 Edges )", "");
    static char first[1 << 16];
    slurp("w.brite", first, sizeof first);
    assert_string_equal(first, out_text);
    weir("generate waxman --set N=50 --seed 2 -o - --format brite", 0, "Topology: ( 50", "");
    assert_string_not_equal(first, out_text);
    weir("info w.brite --json", 0, "\"links\": 100", "");
    weir("generate top-down --plot td.svg", 0, "", "");
    slurp("td.svg", first, sizeof first);
    assert_non_null(strstr(first, "1000 nodes, 2017 links"));
    weir("generate star --set hosts=3 -o star.graphml.gz", 0, "", "");
    weir("info star.graphml.gz", 0, "4: 1 routers, 3 hosts", "");
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
    weir("generate ba.conf -v", 0, "links         197", "BWDist = 4 is taken as heavy-tailed");
    weir("generate ba.conf -v --set codes=java", 0, "links         197",
         "BWDist = 4 is taken as exponential");
    weir("generate ba.conf --set N=5", 2, "", "has its parameters itself");
    weir("generate ba.conf --set codes=C", 2, "", "manual or java");
    weir("generate none.conf", 1, "", "none.conf");
    weir("info ba.conf", 0, "links         197", "");
}

static void converts(void **state)
{
    (void)state;
    FILE *f = fopen("net.txt", "w");
    fputs("3 2\n0 0 0\n1 300 400\n2 600 800\n0 1 500\n1 2 500\n", f);
    fclose(f);
    weir("convert net.txt --from inet -o net.graphml", 0, "", "");
    weir("info net.graphml", 0, "links         2", "");
    weir("convert net.txt --from inet -o - --format dot", 0, "n0 -- n1", "");
    weir("convert net.graphml -o net.svg", 2, "", "does not tell the format");
    weir("convert net.graphml", 2, "", "wants -o FILE");
    weir("convert net.graphml -o net.graphml", 1, "", "--force replaces it");
    weir("convert net.graphml -o net.brite --plot net.svg", 0, "", "");
    assert_int_equal(access("net.svg", R_OK), 0);
}

static void refuses(void **state)
{
    (void)state;
    weir("generate", 2, "", "MODEL|FILE.conf is missing");
    weir("generate waxmann", 2, "", "did you mean 'waxman'?");
    weir("generate waxman --set N=5 --set m=5 -o no.brite", 2, "", "m is 5, but 5 nodes");
    assert_int_equal(access("no.brite", F_OK), -1);
    weir("generate waxman --set size=5", 2, "", "has no parameter 'size'");
    weir("generate waxman --seed x", 2, "", "--seed wants a whole number");
    weir("generate waxman -o none/w.brite", 1, "", "none/w.brite");
    weir("generate waxman -o - ", 2, "", "which format");
    weir("generate waxman -o w.xyz", 2, "", "does not tell the format");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(models, setup, teardown),
        cmocka_unit_test_setup_teardown(generates, setup, teardown),
        cmocka_unit_test_setup_teardown(configurations, setup, teardown),
        cmocka_unit_test_setup_teardown(converts, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
