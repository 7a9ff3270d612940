/* A solver's state in checkpoints; see keep.h. */
#include "fluid/keep.h"

#include <math.h>

/* Ports are in double whatever the solver's precision. */
typedef double fluid_real;
#include "fluid/cpu/rest.h"
#include "fluid/ghosts/ghosts.h"
#include "fluid/state/arrays.h"

bool wi_fluid_can_archive(const weir_fluid *f)
{
    return f->backend == weir_fluid_cpu();
}

/* Numbers of a file, each finite: of `size` bytes, where that is a real type's. */
static bool are_finite(const void *at, uint64_t n, size_t size, size_t real)
{
    bool all = true;
    for (uint64_t i = 0; size == sizeof(double) && i < n; i++)
        all &= isfinite(((const double *)at)[i]) != 0;
    for (uint64_t i = 0; size == sizeof(float) && real == size && i < n; i++)
        all &= isfinite(((const float *)at)[i]) != 0;
    return all;
}

/* A step that lies behind now, as far as a port's ring reaches. */
static bool is_past(const fluid_port *port, int64_t now, const fluid_place *place)
{
    return place->step <= now && now - place->step <= port->rows && place->part >= 0.0 && place->part <= 1.0;
}

static bool places_fit(const fluid_state *s, const fluid_tables *t)
{
    bool all = true;
    for (uint32_t f = 0; f < t->n_flows - t->n_ghost_flows; f++)
        all &= is_past(&t->ports[t->flows[f].port], s->now, &s->exit[f]);
    for (uint32_t p = 0; p < t->n_ports; p++)
        if (t->ports[p].front != FLUID_NONE)
            all &= is_past(&t->ports[p], s->now, &s->front[t->ports[p].front]);
    return all;
}

/* Could a solver have left what was read? */
static bool is_sound(const weir_fluid *f)
{
    const fluid_state *const s = &f->state;
    const fluid_tables *const t = &f->tables;
    const size_t real = f->double_precision ? sizeof(double) : sizeof(float);
    bool good = s->now >= 0 && s->now < INT32_MAX && f->next_change <= t->n_changes;
#define X(field, size, n, part)                                      \
    if ((const void *)s->field != (const void *)s->flow_flags &&     \
        (const void *)s->field != (const void *)s->down && s->field) \
        good = good && are_finite(s->field, (uint64_t)(n), (size), real);
    FLUID_ARRAYS(X)
#undef X
    return good && places_fit(s, t);
}

static void archive_arrays(weir_fluid *f, wi_archiver *k)
{
    fluid_state *const s = &f->state;
    const fluid_tables *const t = &f->tables;
    const size_t real = f->double_precision ? sizeof(double) : sizeof(float);
#define X(field, size, n, part)                         \
    if (wi_archive_size(k, (size_t)((size) * (n))) > 0) \
        wi_archive(k, s->field, (size_t)((size) * (n)));
    FLUID_KEPT(X)
#undef X
}

void wi_fluid_archive(weir_fluid *f, wi_archiver *k)
{
    fluid_state *const s = &f->state;
    wi_archive_section(k, "fluid");
    wi_archive(k, &s->now, sizeof s->now);
    wi_archive(k, &f->next_change, sizeof f->next_change);
    uint32_t has_packets = f->has_packets;
    wi_archive(k, &has_packets, sizeof has_packets);
    f->has_packets = has_packets != 0;
    wi_fluid_rest_settle(&f->tables, s);
    if (f->ghosts)
        wi_ghosts_archive(f, k);
    else
        archive_arrays(f, k);
    if (wi_archiver_reads(k) && s->rest)
        wi_fluid_rest_forget(s->rest, &f->tables, s->now);
    if (wi_archiver_reads(k) && k->status == WEIR_OK && !is_sound(f))
        k->status = weir_fail_at(k->diag, WEIR_E_FORMAT, wi_saved_path(k->from), 0, 0,
                                 "damaged: section 'fluid' is as no solver leaves it");
}
