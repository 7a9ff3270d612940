/* The simulation of a fork: from a checkpoint, with the events that its own scenario has otherwise. */
#include <stdlib.h>

#include "engine/sim/checkpoint.h"
#include "base/memory.h"
#include "base/order.h"
#include "scenario/session/session.h"
#include "weir/ranks.h"

/* What that scenario has pending at its start. */
typedef struct first_events {
    weir_event *at; /* [n], in order of source and number; without payloads */
    size_t n;
    bool failed;
} first_events;

static void add(void *user, const weir_event *event)
{
    first_events *e = user;
    if (!wi_grow_one(&e->at, e->n, sizeof *e->at)) {
        e->failed = true;
        return;
    }
    e->at[e->n++] = *event;
}

WI_ORDER_BY(by_source, weir_event, WI_ORDER(x->source, y->source) ?: WI_ORDER(x->seq, y->seq))

static weir_status list_first(weir_diag *diag, const weir_setup *setup, first_events *out)
{
    weir_sim *sim = NULL;
    weir_setup plain = *setup;
    plain.engine = WEIR_ENGINE_SEQUENTIAL;
    weir_status status = weir_sim_new(diag, &plain, &sim) ?: weir_sim_pending(diag, sim, add, out);
    weir_sim_free(sim);
    if (status == WEIR_OK && out->failed)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for the events of a fork");
    if (status == WEIR_OK && out->n > 0)
        qsort(out->at, out->n, sizeof *out->at, by_source);
    return status;
}

typedef struct forking {
    const weir_session *session;
    first_events first;
} forking;

static void edit_event(void *user, const weir_sim *sim, weir_event *event)
{
    const forking *f = user;
    const first_events *e = &f->first;
    const weir_event *first = e->n > 0 ? bsearch(event, e->at, e->n, sizeof *e->at, by_source) : NULL;
    f->session->run.fork(f->session->made, sim, first, event);
}

weir_status wi_fork_restore(weir_session *s, const weir_setup *setup, weir_sim **out)
{
    forking f = {.session = s};
    const wi_sim_edit edit = {edit_event, &f};
    weir_status status = weir_ranks_agree(s->diag, list_first(s->diag, setup, &f.first))
                             ?: wi_sim_restore_edited(s->diag, setup, s->from, &edit, out);
    free(f.first.at);
    return status;
}
