/* What a run is asked for when nothing is said, and what it gave when nobody needs it any more. */
#include <stdlib.h>

#include "weir/run.h"

void weir_run_options_init(weir_run_options *options)
{
    *options = (weir_run_options){0};
}

void weir_run_result_free(weir_run_result *result)
{
    free(result->output_dir);
    free(result->checkpoint);
    free(result->summary_json);
    *result = (weir_run_result){0};
}
