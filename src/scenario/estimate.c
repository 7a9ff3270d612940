/* What a scenario would take; its subject knows. */
#include "scenario/document/document.h"

weir_status weir_estimate_scenario(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out)
{
    const wi_subject *subject = wi_subject_of(scenario);
    void *made = NULL;
    *out = (weir_estimate){0};
    if (subject->estimate_unbuilt)
        return subject->estimate_unbuilt(diag, scenario, out);
    weir_status status = subject->build(diag, scenario, &made);
    if (status == WEIR_OK)
        status = subject->estimate(diag, made, out);
    subject->free(made);
    return status;
}
