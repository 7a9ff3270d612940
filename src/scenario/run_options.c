/* What a run is asked for when nothing is said. */
#include "weir/run.h"

void weir_run_options_init(weir_run_options *options)
{
    *options = (weir_run_options){0};
}
