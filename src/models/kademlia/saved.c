/* What a checkpoint may hold of peers: every index and count that handlers use without looking. */
#include "models/kademlia/kademlia.h"

static bool is_peer(const kad_world *w, uint32_t contact)
{
    return contact < w->n_peers;
}

/* What a peer sends to or keeps of others: never itself, whose distance of 0 has no bucket. */
static bool is_other(const kad_world *w, uint32_t self, uint32_t contact)
{
    return is_peer(w, contact) && contact != self;
}

static bool is_value(const kad_world *w, uint32_t value)
{
    return value == KAD_NONE || value < w->n_values;
}

static bool lookup_fits(const kad_world *w, void *state, uint32_t peer, uint32_t slot)
{
    kad_lookup *l = kad_lookup_at(w, state, slot);
    if (l->tag % KAD_LOOKUPS_MAX != slot || l->n_list > w->list_size || l->n_flight > w->alpha ||
        l->kind >= KAD_LOOKUP_KINDS || (l->active && !is_value(w, l->value)))
        return false;
    for (uint32_t i = 0; i < l->n_flight; i++)
        if (!is_other(w, peer, kad_flights(l)[i].contact))
            return false;
    for (uint32_t i = 0; i < l->n_list; i++)
        if (!is_peer(w, kad_candidates(w, l)[i].contact) || kad_candidates(w, l)[i].state > KAD_FAILED)
            return false;
    return true;
}

static bool peer_fits(const kad_world *w, void *state, uint32_t peer)
{
    const kad_peer *self = state;
    if (self->refresh > w->n_buckets || self->n_values > w->value_slots ||
        self->next_value >= (w->value_slots ? w->value_slots : 1))
        return false;
    for (uint32_t i = 0; i < w->lookups; i++)
        if (!lookup_fits(w, state, peer, i))
            return false;
    for (uint32_t b = 0; b < w->n_buckets; b++) {
        for (uint32_t i = 0; i < w->k; i++)
            if (kad_bucket(w, state, b)[i] != KAD_NONE && !is_other(w, peer, kad_bucket(w, state, b)[i]))
                return false;
        if (w->churn && *kad_cache(w, state, b) != KAD_NONE && !is_other(w, peer, *kad_cache(w, state, b)))
            return false;
    }
    for (uint32_t i = 0; i < self->n_values; i++)
        if (kad_values(w, state)[i] >= w->n_values)
            return false;
    return true;
}

const char *wi_kad_wrong_state(const weir_saved_view *saved)
{
    const kad_world *w = (const kad_world *)saved->world;
    for (uint32_t i = 0; i < w->n_peers; i++)
        if (!peer_fits(w, saved->state[0] + (size_t)i * w->state_bytes, i))
            return "a peer";
    return NULL;
}

static bool response_fits(const kad_world *w, const kad_response *r)
{
    if (r->n > w->k || r->tag % KAD_LOOKUPS_MAX >= w->lookups)
        return false;
    for (uint32_t i = 0; i < r->n; i++)
        if (!is_peer(w, r->contact[i]))
            return false;
    return true;
}

bool wi_kad_event_fits(const weir_saved_view *saved, const weir_event *event)
{
    const kad_world *w = (const kad_world *)saved->world;
    switch (event->type) {
    case KAD_START:
    case KAD_TIMEOUT:
        return WEIR_PAYLOAD(kad_tag, event)->tag % KAD_LOOKUPS_MAX < w->lookups;
    case KAD_REQUEST:
        return event->source != event->target && is_value(w, WEIR_PAYLOAD(kad_request, event)->value);
    case KAD_RESPONSE:
        return event->source != event->target && response_fits(w, WEIR_PAYLOAD(kad_response, event));
    case KAD_KEEP:
        return WEIR_PAYLOAD(kad_keep, event)->value < w->n_values;
    default:
        return true;
    }
}
