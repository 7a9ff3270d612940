/* Arrays of the fluid, and the error where there is no memory for one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fluid/state/internal.h"

weir_status wi_fluid_no_memory(weir_diag *diag, uint64_t bytes, const char *what)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for %llu bytes of the fluid's %s",
                     (unsigned long long)bytes, what);
}

/* Rows beyond what lags reach: steps that are begun. */
enum { SPARE = 6 };

uint32_t wi_fluid_rows(const fluid_tables *t, double steps)
{
    const uint32_t rows = (uint32_t)ceil(steps) + t->lookahead + SPARE;
    return (rows + FLUID_LINE - 1) / FLUID_LINE * FLUID_LINE;
}

/* At a line of memory, so that rows of a block fill whole ones. */
void *wi_fluid_array(weir_diag *diag, uint64_t n, size_t size, const char *what)
{
    const size_t bytes = n > 0 ? n * size : 1;
    void *const p = n <= SIZE_MAX / size ? wi_new_block(bytes) : NULL;
    if (!p) {
        wi_fluid_no_memory(diag, n * size, what);
        return NULL;
    }
    return memset(p, 0, bytes);
}
