/* What a study would take, without running it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/study.h"

weir_status weir_study_list(weir_study *s, const weir_study_options *options, FILE *out)
{
    char text[1000];
    (void)options;
    for (uint32_t i = 0; i < s->n_points; i++)
        fprintf(out, "%u  %u runs  %s\n", i, s->points[i].want,
                wi_plan_describe(s, &s->points[i], text, sizeof text));
    if (fflush(out) != 0 || ferror(out))
        return weir_fail(s->diag, WEIR_E_IO, "the list of runs cannot be written: %s", strerror(errno));
    return WEIR_OK;
}
