/* label: slow
 *
 * Pinned down: the JSON Schema takes what the reader takes and refuses what the reader refuses. Scenarios with
 * every key, mutated in one place each (mutate_scenarios.py: values of the wrong type or form, keys dropped,
 * renamed, added, borrowed from another section of the kind), are read by both. The schema may take more only
 * where a schema cannot see: bounds of quantities with units, what two values make together, names that must
 * exist. The messages of those are listed. */
#include "scenario/load.h"
#include "nightly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skip.h"
#include "weir/topology.h"

enum { BY_NIGHT = 3000, BY_DAY = 600 };

/* What only the reader can judge. */
static const char *const of_values[] = {
    "want more than",
    "want at least",
    "want at most",
    "want less than", /* bounds with units */
    "is too large",
    "is not between 0 and",
    "less than half of 1", /* of a unit */
    "must be less than",
    "is not above min",
    "is above limit",
    "grid is '7.0'", /* JSON has no other 7 */
    "so that the thresholds cross",
    "is not above the bitrate",
    "is above interval",
    "is not below limit",
    "is not above ramp_min",
    "is not above good",
    "is not between good",
    "bursts as short as that",
    "is more than the second",
    "is less than",
    "less than one segment",
    "segments (mss)",
    "want 28 B",
    "fidelity divides",
    "stops before it starts",
    "no class '",
    "is UDP, which has no window",
    "is fluid, which has no packets",
    "a second class",
    "from '",
    "two different nodes",
    "more than 100%",
    "nothing to find or store",
    "a single entity",
    "halving is for do: allreduce",
    "has transfers of a size", /* a mix of which one part may be nothing */
};

static bool is_of_values(const char *message)
{
    for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++)
        if (strstr(message, of_values[i]))
            return true;
    return false;
}

/* Parameters of generators are read when the topology is made. */
static weir_status generate(weir_diag *diag, const weir_scenario_topology *t)
{
    weir_generator_arg *args = calloc(t->n_params + 1, sizeof *args);
    weir_graph *graph = NULL;
    for (size_t i = 0; i < t->n_params; i++)
        args[i] = (weir_generator_arg){.name = t->param[i].name.text, .value = t->param[i].value.text};
    const weir_status st = weir_topology_generate(diag, t->model.text, args, t->n_params, 1, &graph);
    weir_graph_free(graph);
    free(args);
    return st;
}

/* One line of the mutator's. Returns whether both refuse; counts in *lenient where the reader alone does, and in *differ
 * where they should not differ. */
static bool judge(char *line, size_t *lenient, size_t *differ)
{
    char *why = strchr(line, '\t'), *text = why ? strchr(why + 1, '\t') : NULL, message[2100] = "";
    assert_non_null(text);
    *why++ = *text++ = '\0';
    const bool valid = strcmp(line, "valid") == 0;
    weir_scenario *s = NULL;
    weir_diag *diag = weir_diag_new();
    weir_status st = weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, NULL, 0, &s);
    if (st == WEIR_OK && s->topology.model.text)
        st = generate(diag, &s->topology);
    bool values = true;
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        weir_message_format(weir_diag_get(diag, i), message, sizeof message);
        values = values && (weir_diag_get(diag, i)->severity != WEIR_ERROR || is_of_values(message));
    }
    if (st == WEIR_OK && !valid)
        print_error("the reader takes this, the schema does not (%s):\n%s", why, text);
    if (st != WEIR_OK && valid && !values)
        print_error("the schema takes this, the reader does not (%s):\n%s", message, text);
    *differ += st == WEIR_OK ? !valid : valid && !values;
    *lenient += st != WEIR_OK && valid;
    weir_scenario_free(s);
    weir_diag_free(diag);
    return st != WEIR_OK && !valid;
}

static void schema_and_reader_agree(void **state)
{
    const size_t mutants = nightly() ? BY_NIGHT : BY_DAY;
    char command[2048], line[1 << 16], schema[] = "/tmp/weir-schema-XXXXXX";
    size_t n = 0, refused = 0, lenient = 0, differ = 0;
    (void)state;
    const int fd = mkstemp(schema);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    char *text = weir_scenario_json_schema();
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    free(text);
    snprintf(command, sizeof command,
             "/usr/bin/env PATH=/usr/bin:$PATH python3 '%s/tests/scenario/mutate_scenarios.py' %s %zu "
             "'%s/everything.yaml' '%s/everything-switch.yaml' "
             "'%s/kademlia.yaml' '%s/phold.yaml' '%s/lcg.yaml' '%s/generated.yaml' "
             "'%s/interconnect.yaml' '%s/wireless.yaml' '%s/jackson.yaml' '%s/mgk.yaml'",
             WEIR_SOURCE_DIR, schema, mutants, WEIR_TEST_DATA, WEIR_TEST_DATA, WEIR_TEST_DATA, WEIR_TEST_DATA,
             WEIR_TEST_DATA, WEIR_TEST_DATA, WEIR_TEST_DATA, WEIR_TEST_DATA, WEIR_TEST_DATA, WEIR_TEST_DATA);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        if (n == 0 && !strchr(line, '\t'))
            break; /* what is missing */
        refused += judge(line, &lenient, &differ);
        n++;
    }
    const int status = pclose(pipe);
    remove(schema);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip_aloud("%s (python3-jsonschema, python3-yaml)", strtok(line, "\n"));
    assert_int_equal(status, 0);
    assert_int_equal(n, mutants + 10);
    print_message("%zu scenarios: %zu refused by both, %zu by the reader alone, %zu by none\n", n, refused,
                  lenient, n - refused - lenient);
    assert_int_equal(differ, 0);
    assert_true(refused > n / 3 && n - refused - lenient > n / 10 && lenient < n / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(schema_and_reader_agree)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
