/* Refusing what this machine has no memory for, before it is asked for. */
#include <unistd.h>

#include "scenario/subject/subject.h"

weir_status wi_memory_check(weir_diag *diag, const char *what, uint64_t bytes, weir_place place)
{
    const double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if ((double)bytes <= has)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_NOMEM, place.file, place.line, place.column,
                        "so many %s take about %.3g GB of memory, and this machine has %.3g GB", what,
                        (double)bytes / 1e9, has / 1e9);
}
