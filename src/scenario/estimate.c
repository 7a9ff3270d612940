/* What a scenario would take; its subject knows. */
#include "scenario/document/document.h"

weir_status weir_estimate_scenario(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out)
{
    const wi_subject *subject = wi_subject_of(scenario);
    void *made = NULL;
    *out = (weir_estimate){0};
    weir_status status = subject->entities ? WEIR_OK : wi_subject_build(subject, diag, scenario, &made);
    if (status == WEIR_OK)
        status = subject->estimate(diag, scenario, made, out);
    wi_subject_free(subject, made);
    return status;
}
