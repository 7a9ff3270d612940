/* Tables of a world in the making. */
#include "models/interconnect/world/build.h"

#include <stdarg.h>
#include <stdio.h>

weir_status wi_ic_refuse(weir_diag *diag, const ic_params *params, ic_at about, const char *fmt, ...)
{
    const weir_place nowhere = {0}, at = params->where ? params->where[about] : nowhere;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return weir_fail_at(diag, WEIR_E_ARG, at.file, at.line, at.column, "interconnect: %s", text);
}

bool wi_ic_table(ic_making *m, uint64_t n, size_t size, uint64_t *at)
{
    return wi_image_reserve(&m->image, n * size, WI_IMAGE_ALIGN, at);
}

void *wi_ic_at(const ic_making *m, uint64_t at)
{
    return wi_image_at(&m->image, at);
}
