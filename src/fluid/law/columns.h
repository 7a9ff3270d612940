/* Where histories lie: columns of rings, at a step. */
#ifndef WI_FLUID_LAW_COLUMNS_H
#define WI_FLUID_LAW_COLUMNS_H

#include "fluid/law/carry.h"

WEIR_FN uint32_t fluid_row_now(int64_t now, uint32_t rows)
{
    return (uint32_t)now % rows; /* now is below 2^31, and a division of 32 bits is a quarter of one of 64 */
}

WEIR_FN fluid_column fluid_volume_column(const fluid_tables *t, const fluid_state *s, uint32_t series)
{
    const fluid_ring *const ring = &t->rings[series];
    fluid_column c;
    c.at = (const fluid_real *)s->volume + ring->at;
    c.rows = ring->rows;
    c.now = fluid_row_now(s->now, c.rows);
    return c;
}

WEIR_FN fluid_column fluid_prefix_volume(const fluid_state *s, const fluid_prefix *prefix)
{
    fluid_column c;
    c.at = (const fluid_real *)s->volume + prefix->volume_at;
    c.rows = prefix->volume_rows;
    c.now = fluid_row_now(s->now, c.rows);
    return c;
}

/* The history in `array` (lag, keep or signal) of the prefix at a position of a port. */
WEIR_FN fluid_column fluid_port_column(const fluid_port *port, int64_t now, const void *array,
                                       uint32_t position)
{
    fluid_column c;
    c.at = (const fluid_real *)array + FLUID_APART * (port->at + (uint64_t)position * port->rows);
    c.rows = port->rows;
    c.now = fluid_row_now(now, port->rows);
    return c;
}

WEIR_FN const double *fluid_own(const fluid_tables *t, const double *rings, const fluid_port *port,
                                uint32_t kind)
{
    return rings ? rings + (uint64_t)kind * t->n_own + port->own : rings;
}

#endif
