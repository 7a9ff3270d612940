/* weir verify: are two runs the same, and if not, where do they part? */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal/cli.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/stop.h"
#include "weir/analyze.h"

enum { SETS_MAX = 16, PATH_SIZE = 4096 };

/* A results folder stands for the resolved scenario in it. */
static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static weir_status load(weir_diag *diag, const char *path, char *const *sets, size_t n_sets,
                        weir_scenario **out)
{
    char inside[PATH_SIZE];
    if (is_folder(path)) {
        snprintf(inside, sizeof inside, "%s/scenario.yaml", path);
        path = inside;
    }
    return weir_scenario_load(diag, path, (const char *const *)sets, n_sets, out);
}

/* "conservative:threads=3" as settings of the section `engine`, after those of the command line. */
static weir_status load_against(weir_diag *diag, const cli_args *args, weir_scenario **out)
{
    char text[256], made[SETS_MAX][300];
    char *sets[SETS_MAX + 256];
    size_t n = 0, own = 0;
    *out = NULL;
    if (strlen(args->against) >= sizeof text || args->n_sets > 256)
        return weir_fail(diag, WEIR_E_ARG, "--against or the list of --set is too long");
    strcpy(text, args->against);
    for (; n < args->n_sets; n++)
        sets[n] = args->sets[n];
    char *settings = strchr(text, ':'), *save = NULL;
    if (settings)
        *settings++ = '\0';
    snprintf(made[own], sizeof made[0], "engine.type=%s", text);
    sets[n++] = made[own++];
    for (char *word = settings ? strtok_r(settings, ",", &save) : NULL; word && own < SETS_MAX;
         word = strtok_r(NULL, ",", &save)) {
        snprintf(made[own], sizeof made[0], "engine.%s", word);
        if (!strchr(word, '='))
            return weir_fail(
                diag, WEIR_E_ARG,
                "--against wants ENGINE or ENGINE:KEY=VALUE,..., such as conservative:threads=3, not '%s'",
                args->against);
        sets[n++] = made[own++];
    }
    return load(diag, args->operands[0], sets, n, out);
}

/* The digests that a results folder tells; false where it tells none. */
static bool recorded(const char *folder, char event[32], char state[32])
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/summary.json", folder);
    json_auto_t *root = is_folder(folder) ? json_load_file(path, 0, NULL) : NULL;
    const char *e = json_string_value(json_object_get(root, "event_digest"));
    const char *s = json_string_value(json_object_get(root, "state_digest"));
    const bool good = e && s && !json_is_true(json_object_get(root, "partial"));
    snprintf(event, 32, "%s", good ? e : "");
    snprintf(state, 32, "%s", good ? s : "");
    return good;
}

/* Do two results folders say by themselves that their runs were the same? */
static bool recorded_same(const cli_args *args, bool *both)
{
    char event[2][32], state[2][32];
    *both = args->n_operands == 2 && recorded(args->operands[0], event[0], state[0]) &&
            recorded(args->operands[1], event[1], state[1]);
    return *both && strcmp(event[0], event[1]) == 0 && strcmp(state[0], state[1]) == 0;
}

static weir_status check_operands(weir_diag *diag, const cli_args *args)
{
    if (args->n_operands == 2 && args->against)
        return weir_fail(diag, WEIR_E_ARG, "two runs or --against, not both");
    if (args->n_operands == 1 && !args->against)
        return weir_fail(diag, WEIR_E_ARG,
                         "against what? weir verify RUN_A RUN_B, or weir verify SCENARIO --against ENGINE");
    return WEIR_OK;
}

static weir_status compare(weir_diag *diag, const cli_args *args, const weir_scenario *a,
                           const weir_scenario *b, weir_verify_result *result)
{
    cli_meter meter;
    cli_meter_init(&meter, stderr, !args->no_progress && args->verbosity >= 0);
    const weir_verify_options options = {
        .progress = cli_meter_update, .user = &meter, .stop = cli_stop_on_signals()};
    const weir_status st = weir_verify(diag, a, b, &options, result);
    cli_meter_clear(&meter);
    return st;
}

/* What a run read: the digest that its results state, or that of the file now. */
static const char *digest_read(const weir_scenario_input *input)
{
    return input->stated ? input->stated : input->sha256;
}

/* Names the inputs that the two runs read differently, and counts them. */
static size_t print_inputs(const weir_scenario *a, const weir_scenario *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n_inputs; i++)
        for (size_t k = 0; k < b->n_inputs; k++) {
            const weir_scenario_input *x = &a->inputs[i], *y = &b->inputs[k];
            if (strcmp(x->of, y->of) != 0 || strcmp(digest_read(x), digest_read(y)) == 0)
                continue;
            printf("the runs read different content for %s: %s (SHA-256 %.12s...) and %s (%.12s...)\n", x->of,
                   x->file, digest_read(x), y->file, digest_read(y));
            n++;
        }
    return n;
}

/* `both`: two results folders, whose digests differ whatever running them again says. */
static weir_status print_json(weir_diag *diag, const weir_verify_result *result, bool both)
{
    json_t *const o = json_pack("{s:b, s:s}", "same", result->same, "text", result->text);
    if (both)
        json_object_set_new(o, "recorded_same", json_false());
    return cli_print_json(diag, o);
}

CLI_COMMAND(verify)
{
    weir_scenario *a = NULL, *b = NULL;
    weir_verify_result result = {0};
    bool both = false;
    weir_status st = check_operands(diag, args);
    if (st == WEIR_OK && recorded_same(args, &both)) {
        static const char says[] = "the same events and state: both folders have the same digests";
        if (args->json)
            return cli_print_json(diag, json_pack("{s:b, s:s}", "same", 1, "text", says));
        printf("%s\n", says);
        return WEIR_OK;
    }
    st = st ?: load(diag, args->operands[0], args->sets, args->n_sets, &a);
    if (st == WEIR_OK)
        st = args->against ? load_against(diag, args, &b)
                           : load(diag, args->operands[1], args->sets, args->n_sets, &b);
    if (st != WEIR_OK && st != WEIR_E_NOMEM)
        *code = CLI_USAGE;
    st = st ?: compare(diag, args, a, b, &result);
    cli_print_messages(diag, args->verbosity);
    if (st == WEIR_OK)
        *code = result.same && !both ? CLI_OK : CLI_FAILED;
    if (st == WEIR_OK && args->json) {
        st = print_json(diag, &result, both);
    } else if (st == WEIR_OK) {
        fputs(result.text, stdout);
        const size_t inputs = print_inputs(a, b);
        if (both && result.same)
            printf("but the folders tell of other runs: %s\n",
                   inputs ? "with those files as they are now, they would be the same"
                          : "other versions, builds or machines made them");
    }
    weir_verify_result_free(&result);
    weir_scenario_free(a);
    weir_scenario_free(b);
    return st;
}
