/* Pinned down: exit codes and output of `weir analyze parallelism` and `weir verify`, as built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/scratch.h"

#define WEIR WEIR_BINARY_DIR "/src/cli/weir"

static char said[1 << 16];

static int setup(void **state)
{
    FILE *f;
    (void)state;
    if (!scratch_make() || chdir(scratch_folder) != 0 || !(f = fopen("p.yaml", "w")))
        return -1;
    fputs("weir: 1\nduration: 30us\nmodel: {phold: {entities: 50, events: 2}}\n", f);
    return fclose(f);
}

static int teardown(void **state)
{
    char line[128];
    (void)state;
    snprintf(line, sizeof line, "rm -rf %s", scratch_folder);
    return chdir("/") == 0 ? system(line) : -1;
}

/* Runs `weir ARGUMENTS`, which must end with this code and say this on stdout or stderr. */
static void assert_weir(const char *arguments, int code, const char *words)
{
    char line[1024];
    snprintf(line, sizeof line, "'%s' %s >.out 2>&1 </dev/null", WEIR, arguments);
    const int status = system(line);
    FILE *f = fopen(".out", "r");
    assert_non_null(f);
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    fclose(f);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code || !strstr(said, words))
        fail_msg("weir %s: status %d, wanted exit %d with '%s'; it said:\n%s", arguments, status, code, words,
                 said);
}

static void parallelism(void **state)
{
    (void)state;
    assert_weir("analyze parallelism p.yaml --lps 1,5,50 --events 1e3", 0, "utilisation");
    assert_non_null(strstr(said, "100.0%"));
    assert_true(exists("results/p-parallelism/parallelism.csv"));
    assert_true(exists("results/p-parallelism/parallelism.svg"));
    assert_weir("analyze parallelism p.yaml", 1, "results/p-parallelism");
    assert_weir("analyze parallelism p.yaml --force --lookahead 100ns", 0, "window 100ns");
    assert_weir("analyze parallelism p.yaml --lps 1,x", 2, "--lps wants");
    assert_weir("analyze parallelism p.yaml --lps 51 -o other", 2, "want 1 to 50");
    assert_weir("analyze parallelism p.yaml --events 1.5", 2, "--events");
    assert_weir("analyze parallelism p.yaml --lookahead 5", 2, "--lookahead wants");
    assert_weir("analyze", 2, "wants a second word");
    assert_false(exists("other"));
}

static void verify(void **state)
{
    (void)state;
    assert_weir("verify p.yaml --against check", 0, "the same events, and the same state");
    assert_weir("verify p.yaml", 2, "against what?");
    assert_weir("verify p.yaml p.yaml --against check", 2, "not both");
    assert_weir("verify p.yaml --against nothing", 2, "nothing");
    assert_weir("verify p.yaml --against check:3", 2, "--against wants");
    assert_weir("run p.yaml -q -o a", 0, "");
    assert_weir("run p.yaml -q -o b --engine check", 0, "");
    assert_weir("run p.yaml -q -o c --seed 2", 0, "");
    assert_weir("verify a b", 0, "both folders have the same digests");
    assert_weir("verify a c", 1, "they part at 0.0000");
    assert_non_null(strstr(said, "hop "));
    /* A folder that tells of a run that its scenario does not give. */
    assert_int_equal(system("sed -i 's/\"event_digest\": \"0x/&f/' b/summary.json"), 0);
    assert_weir("verify a b", 1, "the folders tell of other runs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parallelism, setup, teardown),
        cmocka_unit_test_setup_teardown(verify, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
