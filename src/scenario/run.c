/* weir_run: a session straight through. */
#include "weir/run.h"

#include <stdlib.h>

#include "weir/session.h"

void weir_run_result_free(weir_run_result *result)
{
    free(result->output_dir);
    free(result->summary_json);
    *result = (weir_run_result){0};
}

weir_status weir_run(weir_diag *diag, const weir_scenario *scenario, const weir_run_options *options,
                     weir_run_result *result)
{
    weir_session *session = NULL;
    *result = (weir_run_result){0};
    weir_status status = weir_session_open(diag, scenario, options, &session);
    if (status == WEIR_OK)
        status = weir_session_advance(session, weir_session_end(session));
    if (status == WEIR_OK || status == WEIR_E_INTERRUPTED) {
        const weir_status after = session ? weir_session_finish(session, result) : status;
        status = after == WEIR_OK ? status : after;
    }
    weir_session_close(session);
    return status;
}
