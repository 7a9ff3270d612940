/* What all kinds of flat graphs share: errors at their file and line, and the order of Java's hash tables. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "topology/brite/flat/flat.h"
#include "base/order.h"

weir_status wi_flat_fail(weir_diag *diag, const wi_flat *flat, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return weir_fail_at(diag, flat->file ? WEIR_E_FORMAT : WEIR_E_SCENARIO, flat->file, flat->line, 0, "%s",
                        text);
}

/* ---- the order of Java's hash tables ---- */

uint32_t wi_java_place(uint32_t number, uint32_t most)
{
    uint32_t size = 16;
    while (4 * (uint64_t)most > 3 * (uint64_t)size)
        size *= 2;
    return (number ^ number >> 16) & (size - 1);
}

void wi_java_sort(uint64_t *key, size_t n)
{
    qsort(key, n, sizeof *key, wi_order_u64);
}
