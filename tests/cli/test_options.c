/* Pinned down: which command and options a line means, that short forms become overrides in order, and that
 * each mistake gives one message that names it and the nearest right spelling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/terminal/cli.h"
#include "cli/terminal/options.h"

static weir_diag *diag;
static cli_args args;
static const cli_command *command;

static int setup(void **state)
{
    (void)state;
    diag = weir_diag_new();
    return diag ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    weir_diag_free(diag);
    return 0;
}

/* Takes a line apart that a blank splits; the words stay until the next call. */
static weir_status parse(const char *line)
{
    static char copy[512];
    static char *argv[32];
    int argc = 0, words = 0;
    cli_args_free(&args);
    weir_diag_clear(diag);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    command = cli_find_command(diag, argc - 1, argv + 1, &words);
    return command ? cli_parse(diag, command, argc - words, argv + words, &args) : WEIR_E_ARG;
}

static void assert_fails_with(const char *line, const char *part)
{
    assert_int_equal(parse(line), WEIR_E_ARG);
    assert_int_equal(weir_diag_count(diag), 1);
    if (!strstr(weir_diag_get(diag, 0)->text, part))
        fail_msg("'%s' is not in '%s'", part, weir_diag_get(diag, 0)->text);
    cli_args_free(&args);
}

static void options_and_operands_mix(void **state)
{
    (void)state;
    assert_int_equal(parse("weir run -q a.yaml -o out --force --json --no-progress"), WEIR_OK);
    assert_string_equal(command->name, "run");
    assert_int_equal(args.n_operands, 1);
    assert_string_equal(args.operands[0], "a.yaml");
    assert_string_equal(args.output, "out");
    assert_true(args.force && args.json && args.no_progress);
    assert_int_equal(args.verbosity, -1);
    assert_int_equal(parse("weir run -v --output=b -- -a.yaml"), WEIR_OK);
    assert_string_equal(args.operands[0], "-a.yaml");
    assert_string_equal(args.output, "b");
    assert_int_equal(args.verbosity, 1);
    cli_args_free(&args);
}

static void short_forms_become_overrides_in_order(void **state)
{
    (void)state;
    const char *const want[] = {
        "seed=7", "traffic.bulk.start=1s", "duration=10s", "engine.type=check", "engine.threads=4", "run=2",
        "seed=8"};
    assert_int_equal(
        parse("weir run a.yaml --seed 7 --set traffic.bulk.start=1s --duration=10s --engine check "
              "--threads 4 --run 2 --device auto --seed 8"),
        WEIR_OK);
    assert_int_equal(args.n_sets, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(args.sets[i], want[i]);
    assert_int_equal(parse("weir run a.yaml --seed 18446744073709551615"), WEIR_OK);
    assert_int_equal(parse("weir run a.yaml --threads auto --device cpu"), WEIR_OK);
    assert_int_equal(args.n_sets, 1);
    assert_string_equal(args.sets[0], "engine.threads=auto");
    cli_args_free(&args);
}

static void two_words_and_optional_operands(void **state)
{
    (void)state;
    assert_int_equal(parse("weir topology info x.graphml --json"), WEIR_OK);
    assert_string_equal(command->name, "topology info");
    assert_string_equal(args.operands[0], "x.graphml");
    assert_int_equal(parse("weir check --schema"), WEIR_OK);
    assert_true(args.schema);
    assert_int_equal(parse("weir run --help"), WEIR_OK);
    assert_true(args.help);
    assert_int_equal(parse("weir help topology info"), WEIR_OK);
    cli_args_free(&args);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    assert_fails_with("weir rnu a.yaml", "unknown command 'rnu' (did you mean 'run'?)");
    assert_fails_with("weir survey a.yaml", "unknown command 'survey'");
    assert_fails_with("weir topology inof x",
                      "unknown command 'topology inof' (did you mean 'topology info'?)");
    assert_fails_with("weir topology", "wants a second word");
    assert_fails_with("weir topology reverse x", "unknown command 'topology reverse'");
    assert_fails_with("weir zzzzzz", "weir help");
    assert_fails_with("weir run a.yaml --sed 7", "unknown option '--sed' (did you mean '--seed'?)");
    assert_fails_with("weir run a.yaml --sed=7", "unknown option '--sed' (did you mean '--seed'?)");
    assert_fails_with("weir run a.yaml --xyzzy", "unknown option '--xyzzy'");
    assert_fails_with("weir run a.yaml -x", "unknown option '-x'");
    assert_fails_with("weir run a.yaml --schema", "unknown option '--schema'");
    assert_fails_with("weir check a.yaml --force", "unknown option '--force'");
    assert_fails_with("weir run a.yaml --force=yes", "'--force' takes no value");
    assert_fails_with("weir run a.yaml -o", "'--output' wants a value");
    assert_fails_with("weir run a.yaml --checkpoint 0s", "--checkpoint 0s: want a time above 0");
    assert_fails_with("weir run a.yaml --checkpoint-at 5", "--checkpoint-at: ");
    assert_fails_with("weir study a.yaml --jobs 0", "--jobs 0: want a number above 0");
    assert_fails_with("weir run a.yaml --seed", "'--seed' wants a value");
    assert_fails_with("weir run", "SCENARIO is missing");
    assert_fails_with("weir run a.yaml b.yaml", "'b.yaml' is one argument too many");
    assert_fails_with("weir version x", "one argument too many");
}

static void values_are_checked(void **state)
{
    (void)state;
    assert_fails_with("weir run a.yaml --seed -1", "--seed wants a whole number, not '-1'");
    assert_fails_with("weir run a.yaml --run 1.5", "--run wants a whole number, not '1.5'");
    assert_fails_with("weir run a.yaml --threads all", "whole number or auto, not 'all'");
    assert_fails_with("weir run a.yaml --set seed", "PATH=VALUE");
    assert_fails_with("weir run a.yaml --set =3", "PATH=VALUE");
    assert_fails_with("weir run a.yaml --device cuda:x", "auto, cpu or cuda[:N], not 'cuda:x'");
    assert_fails_with("weir run a.yaml --device tpu", "auto, cpu or cuda[:N], not 'tpu'");
    assert_fails_with("weir run a.yaml --output=", "empty");
    assert_fails_with("weir report run -o -", "--output -: weir report writes a file here");
    assert_fails_with("weir export run --output=-", "--output -: weir export writes a file here");
    assert_fails_with("weir run a.yaml -o -", "--output -: weir run writes a folder here");
    assert_fails_with("weir topology info x.gml --plot -", "--plot -: weir topology info writes a file here");
    assert_int_equal(parse("weir topology convert x.gml -o - --format dot"), WEIR_OK);
    assert_int_equal(parse("weir import a.cm -o -"), WEIR_OK);
    cli_args_free(&args);
}

static void exit_codes(void **state)
{
    (void)state;
    assert_int_equal(cli_exit_code(WEIR_OK), 0);
    assert_int_equal(cli_exit_code(WEIR_E_IO), 1);
    assert_int_equal(cli_exit_code(WEIR_E_CHECK), 1);
    assert_int_equal(cli_exit_code(WEIR_E_INTERRUPTED), 1);
    assert_int_equal(cli_exit_code(WEIR_E_SCENARIO), 2);
    assert_int_equal(cli_exit_code(WEIR_E_FORMAT), 2);
    assert_int_equal(cli_exit_code(WEIR_E_UNSUPPORTED), 2);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(options_and_operands_mix),
        CASE(short_forms_become_overrides_in_order),
        CASE(two_words_and_optional_operands),
        CASE(mistakes_are_named),
        CASE(values_are_checked),
        CASE(exit_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
