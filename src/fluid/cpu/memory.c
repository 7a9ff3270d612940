/* Memory of a solver's state on the host. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fluid/state/arrays.h"

uint64_t wi_fluid_state_bytes(const fluid_tables *t, const wi_fluid_real *of)
{
    const size_t real = of->bytes;
    uint64_t bytes = 0;
#define X(field, size, n, part) bytes += (size) * (uint64_t)(n);
    FLUID_ARRAYS(X)
#undef X
#define X(field, type, n) bytes += sizeof(type) * (uint64_t)(n);
    FLUID_TABLES(X)
#undef X
    return bytes;
}

static weir_status allocate(weir_diag *diag, const fluid_tables *t, const wi_fluid_real *of,
                            wi_fluid_part wanted, fluid_state *s)
{
    const size_t real = of->bytes;
    bool whole = true;
#define X(field, size, n, part)                               \
    if (wanted == (part) && (n) > 0 && !s->field) {           \
        s->field = wi_fluid_array(diag, (n), (size), #field); \
        whole = whole && s->field;                            \
    }
    FLUID_ARRAYS(X)
#undef X
    return whole ? WEIR_OK : WEIR_E_NOMEM;
}

static fluid_place place_at(double steps)
{
    /* The step (j, j + 1] that holds -steps. */
    const double back = (double)(int64_t)steps;
    const fluid_place p = {-(int32_t)back - 1, 0, 1.0 - (steps - back)};
    return p;
}

weir_status wi_fluid_state_new(weir_diag *diag, const fluid_tables *t, const wi_fluid_real *real,
                               fluid_state *s)
{
    memset(s, 0, sizeof *s);
    const weir_status st = allocate(diag, t, real, WI_FLUID_SMALL, s);
    if (st != WEIR_OK) {
        wi_fluid_state_free(s);
        return st;
    }
    for (uint64_t i = 0; i < t->n_kinds * t->n_own; i++)
        s->own_keep[i] = 1.0;
    for (uint32_t p = 0; p < t->n_ports; p++)
        if (t->ports[p].front != FLUID_NONE)
            s->front[t->ports[p].front] = place_at(t->ports[p].delay);
    for (uint32_t f = 0; f < t->n_flows; f++) {
        s->exit[f] = place_at(t->flows[f].delay);
        s->ended[f] = -1.0;
    }
    real->fill_flows(t, s);
    return WEIR_OK;
}

weir_status wi_fluid_state_grow(weir_diag *diag, const fluid_tables *t, const wi_fluid_real *real,
                                fluid_state *s)
{
    WI_RETURN_IF_FAILED(allocate(diag, t, real, WI_FLUID_ALL, s));
    real->fill_rows(t, s);
    return WEIR_OK;
}

void wi_fluid_state_free(fluid_state *s)
{
#define X(field, size, n, part) free(s->field);
    FLUID_ARRAYS(X)
#undef X
    memset(s, 0, sizeof *s);
}

void wi_fluid_tables_free(fluid_tables *t)
{
#define X(field, type, n) free(t->field);
    FLUID_TABLES(X)
#undef X
    memset(t, 0, sizeof *t);
}
