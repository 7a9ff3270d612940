/* The error of fluid that finds no memory, worded the same everywhere. */
#include "fluid/internal.h"

weir_status wi_fluid_no_memory(weir_diag *diag, uint64_t bytes, const char *what)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for %llu bytes of the fluid's %s",
                     (unsigned long long)bytes, what);
}
