/* A solver's state in checkpoints; see keep.h. */
#include "fluid/keep.h"

/* Ports are in double whatever the solver's precision. */
typedef double fluid_real;
#include "fluid/cpu/rest.h"
#include "fluid/ghosts/ghosts.h"
#include "fluid/state/arrays.h"

static void archive_arrays(weir_fluid *f, wi_archiver *k)
{
    fluid_state *const s = &f->state;
    const fluid_tables *const t = &f->tables;
    const size_t real = f->real->bytes;
#define X(field, size, n, part) wi_archive(k, s->field, (size_t)((size) * (n)));
    FLUID_KEPT(X)
#undef X
}

void wi_fluid_archive(weir_fluid *f, wi_archiver *k)
{
    fluid_state *const s = &f->state;
    weir_status st = f->backend->fetch(k->diag, f->solver, WI_FLUID_ALL);
    if (st != WEIR_OK) {
        wi_archiver_fail(k, st);
        return;
    }
    wi_archive_section(k, "fluid");
    wi_archive(k, &s->now, sizeof s->now);
    wi_archive(k, &f->next_change, sizeof f->next_change);
    wi_archive_flag(k, &f->has_packets);
    if (f->ghosts)
        wi_ghosts_archive(f, k);
    else
        archive_arrays(f, k);
    if (!wi_archiver_reads(k))
        return;
    if (s->rest)
        wi_fluid_rest_forget(s->rest, &f->tables, s->now);
    st = k->status == WEIR_OK && f->backend->store ? f->backend->store(k->diag, f->solver) : WEIR_OK;
    if (st != WEIR_OK)
        wi_archiver_fail(k, st);
}
