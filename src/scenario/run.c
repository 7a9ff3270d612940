/* weir_run and weir_resume: a session straight through. */
#include "weir/run.h"

#include <string.h>
#include <unistd.h>

#include "scenario/session/session.h"
#include "scenario/document/document.h"

/* Stopped, and to go on later: no results, but where the rest begins. */
static weir_status leave(weir_session *s, weir_run_result *result)
{
    WI_RETURN_IF_FAILED(wi_session_measure(s, result));
    result->checkpoint = strdup(s->checkpoint);
    return result->checkpoint ? WEIR_E_INTERRUPTED
                              : weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the name of the checkpoint");
}

/* What is whole needs no checkpoint by the clock. */
static void remove_checkpoint(const weir_session *s)
{
    if (s->saves && !s->options.checkpoint && s->options.checkpoint_at_ps == 0)
        (void)unlink(s->checkpoint);
}

static weir_status complete(weir_session *s, weir_run_result *result)
{
    weir_status status = weir_session_advance(s, weir_session_end(s));
    if (status == WEIR_E_INTERRUPTED && s->left)
        return leave(s, result);
    if (status != WEIR_OK && status != WEIR_E_INTERRUPTED)
        return status;
    const weir_status after = weir_session_finish(s, result);
    if (status == WEIR_OK && (after == WEIR_OK || after == WEIR_E_DEADLOCK))
        remove_checkpoint(s);
    return after == WEIR_OK ? status : after;
}

weir_status weir_run(weir_diag *diag, const weir_scenario *scenario, const weir_run_options *options,
                     weir_run_result *result)
{
    weir_session *session = NULL;
    *result = (weir_run_result){0};
    weir_status status = weir_session_open(diag, scenario, options, &session) ?: complete(session, result);
    weir_session_close(session);
    return status;
}

weir_status weir_resume(weir_diag *diag, const weir_scenario *scenario, const weir_run_options *options,
                        const char *path, weir_run_result *result)
{
    weir_session *session = NULL;
    *result = (weir_run_result){0};
    weir_status status =
        weir_session_restore(diag, scenario, options, path, &session) ?: complete(session, result);
    weir_session_close(session);
    return status;
}

weir_status weir_estimate_scenario(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out)
{
    const wi_subject *subject = wi_subject_of(scenario);
    void *made = NULL;
    *out = (weir_estimate){0};
    weir_status status = subject->entities ? WEIR_OK : wi_subject_build(subject, diag, scenario, &made);
    status = status ?: subject->estimate(subject, diag, scenario, made, out);
    wi_subject_free(subject, made);
    return status;
}
