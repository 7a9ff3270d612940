/* Sessions from checkpoints. */
#include <stdlib.h>
#include <string.h>

#include "scenario/session/session.h"
#include "base/memory.h"
#include "weir/ranks.h"

/* The engine that wrote a checkpoint is no part of what it says. Where its options clash with those that are asked for now, or with
 * this process, only the latter count; threads stay where engines of both kinds have them. */
static void drop_clashes(const char *path, const char *text, const char *const *sets, size_t n_sets,
                         weir_scenario **scenario)
{
    weir_diag *quiet = weir_diag_new();
    WI_FREED const char **all = calloc(n_sets + 1, sizeof *all);
    weir_scenario *asked = NULL;
    if (quiet && all && wi_engine_check_choice(quiet, *scenario) != WEIR_OK) {
        all[0] = "engine={}";
        for (size_t i = 0; i < n_sets; i++)
            all[i + 1] = sets[i];
        if (weir_scenario_parse(quiet, path, text, strlen(text), ".", all, n_sets + 1, &asked) == WEIR_OK) {
            const weir_engine engine = wi_engine_of(asked);
            if (asked->engine.threads == 0 &&
                (engine == WEIR_ENGINE_CONSERVATIVE || engine == WEIR_ENGINE_OPTIMISTIC))
                asked->engine.threads = (*scenario)->engine.threads;
            weir_scenario_free(*scenario);
            *scenario = asked;
        }
    }
    weir_diag_free(quiet);
}

weir_status weir_checkpoint_scenario(weir_diag *diag, const char *path, const char *const *sets,
                                     size_t n_sets, weir_scenario **out)
{
    wi_saved *from;
    *out = NULL;
    if (!path)
        return weir_fail(diag, WEIR_E_ARG, "weir_checkpoint_scenario: path is null");
    WI_RETURN_IF_FAILED(wi_saved_open(diag, path, &from));
    char *text;
    weir_status status = wi_checkpoint_text(diag, from, &text)
                             ?: weir_scenario_parse(diag, path, text, strlen(text), ".", sets, n_sets, out);
    if (status == WEIR_OK)
        drop_clashes(path, text, sets, n_sets, out);
    free(text);
    wi_saved_close(from);
    return status;
}

weir_status weir_session_restore(weir_diag *diag, const weir_scenario *scenario,
                                 const weir_run_options *options, const char *path, weir_session **out)
{
    weir_run_options quiet;
    wi_saved *from;
    wi_forked forked = {.is = false};
    *out = NULL;
    weir_run_options_init(&quiet);
    quiet.no_output = true;
    weir_status status = weir_ranks_agree(diag, wi_saved_open(diag, path, &from))
            ?: wi_checkpoint_same(diag, from)
            ?: weir_ranks_agree(diag, wi_checkpoint_fits(diag, scenario, from, &forked))
            ?: weir_ranks_agree(
                diag, wi_session_build(diag, scenario, options ? options : &quiet, true, out));
    if (status == WEIR_OK) {
        (*out)->from = from;
        (*out)->forked = forked;
        status = wi_session_begin(*out);
        (*out)->from = NULL;
    }
    wi_saved_close(from);
    if (status != WEIR_OK) {
        weir_session_close(*out);
        *out = NULL;
    }
    return status;
}
