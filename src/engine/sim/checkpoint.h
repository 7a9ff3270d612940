/*
 * A simulation's state in a file of sections (base/file/saved.h), and back: on any engine, thread count or device.
 *
 * Saved is what every engine keeps alike at a stop point: states of entities, pools, counters, heads (digests, random
 * streams, sequence numbers), pending events in their total order, the digest of records. So one point of one run is
 * the same bytes, whichever engine came there.
 */
#pragma once

#include "base/file/archiver.h"
#include "weir/engine.h"

/* What the model's states, events and records look like in memory, and how many there are: a file of another layout
 * cannot be read. */
uint64_t wi_sim_layout(const weir_setup *setup);

/*
 * At a stop point: append the sections "engine", "states", "pools", "counters", "heads", "pending", "suspended".
 * Collective over MPI ranks, of which those with null for `to` give what is theirs and write nothing.
 *
 * Returns, the same on all ranks: WEIR_OK; WEIR_E_NOMEM; what fetching returns. The simulation goes on afterwards as if
 * nothing had been.
 */
WEIR_NODISCARD weir_status wi_sim_save(weir_diag *diag, weir_sim *sim, wi_saver *to);

/* What a fork has otherwise: called for each pending event, which it may give another time, not before `now_ps`. States
 * have been read back by then. */
typedef struct wi_sim_edit {
    void (*event)(void *user, const weir_sim *sim, weir_event *event);
    void *user;
} wi_sim_edit;

/* As weir_sim_new, from such sections instead of the model's init (null: from that). WEIR_E_FORMAT as well. Every rank
 * reads all of it, and keeps the events of its own entities. */
WEIR_NODISCARD weir_status wi_sim_restore(weir_diag *diag, const weir_setup *setup, const wi_saved *from,
                                          weir_sim **out);
/* The same, with an edit of pending events or null. */
WEIR_NODISCARD weir_status wi_sim_restore_edited(weir_diag *diag, const weir_setup *setup,
                                                 const wi_saved *from, const wi_sim_edit *edit,
                                                 weir_sim **out);
