/* The scenario of a run: the study's file as it was read, so that messages have its places, and the run's settings. */
#include <stdlib.h>
#include <string.h>

#include "scenario/document/document.h"
#include "study/plan/study.h"

weir_status wi_study_scenario(const weir_study *s, weir_diag *diag, const char *const *sets, size_t n_sets,
                              weir_scenario **out)
{
    const char **all = malloc((s->n_sets + n_sets + 1) * sizeof *all);
    *out = NULL;
    if (!all)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the settings of a run");
    memcpy(all, s->sets, s->n_sets * sizeof *all);
    memcpy(all + s->n_sets, sets, n_sets * sizeof *all);
    const weir_status status =
        wi_scenario_parse_without(diag, s->file, s->read_text, s->read_length, s->folder_of_files, all,
                                  s->n_sets + n_sets, "study", out);
    free(all);
    return status;
}
