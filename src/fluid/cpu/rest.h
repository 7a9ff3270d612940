/*
 * What stands still is not reckoned again: constant streams, once queues have filled. A step that reads what the step before read
 * leaves what that has left, to the bit; so a prefix or a flow whose inputs have not changed since it last came out the same gets
 * the same rows, sums and counts. Nothing of this is state: it is found anew after a restart, and is wrong of nothing that other
 * engines do.
 *
 * Of each ring it is known from which row on all are alike. A reader that is a lag behind sees a change of a source that much
 * later: so the rows before the first change count as well.
 */
#ifndef WI_FLUID_CPU_REST_H
#define WI_FLUID_CPU_REST_H

#include "fluid/law/blocks.h"
#include "fluid/state/internal.h"

/* What a prefix or flow had read when it last came out the same in a whole block: since when the port before it and the
 * volume stood still (rest_changes), and how many steps back its volume lies. */
typedef struct rest_reader {
    int32_t port, volume, reach;
} rest_reader;

/* When a series of volumes has changed: rows since - 1 and before `first` are alike among themselves, those between are not. */
typedef struct rest_changes {
    int32_t first, since, before; /* before: `since` of what was before first */
} rest_changes;

/* Flows that are done together and rest, where everything does: of what `latest` was then, and until which step. */
typedef struct rest_group {
    int32_t at, until;
} rest_group;

/* What a queue does in each step while it stands still (gain.same), how many of them have not been counted, and the same of
 * the port's front, of a port that has stood still since front_at. */
typedef struct rest_port {
    fluid_gain gain;
    double packets, acks;
    int32_t owed, front_at, front_owed;
} rest_port;

typedef struct wi_fluid_rest {
    rest_changes *series;        /* [n_series] */
    int32_t *prefix, *port;      /* rows of lag and survival: since when all are alike */
    rest_reader *hop, *flow;     /* [n_prefixes], [n_flows] */
    double *arrived;             /* [n_prefixes] bytes a step */
    double *acked, *lost, *sent; /* [n_flows] in a step */
    int32_t *until;              /* [n_flows] step in which a flow may send otherwise */
    rest_port *queue;            /* [n_ports] */
    int32_t *owed;               /* [n_flows], whole groups: steps that have not been counted */
    rest_group *group;           /* [n_flows / REST_GROUP] */
    int32_t *segment_at;         /* [n_segments] likewise, with what their prefixes bring a step */
    double *segment;
    int32_t latest, longest; /* change of all; rows */
} wi_fluid_rest;

enum { REST_NEVER = INT32_MIN, REST_EVER = INT32_MIN / 2, REST_GROUP = WI_FLUID_BLOCK };

enum { REST_OWED = 64 }; /* steps after which a group is counted */

/* Sums of REST_GROUP flows side by side. Nothing added often is nothing. */
static inline void rest_add_often(double *to, const double *more, int32_t n)
{
    double sum[REST_GROUP], any = 0.0;
    for (uint32_t l = 0; l < REST_GROUP; l++) {
        sum[l] = to[l];
        any += more[l];
    }
    for (int32_t i = 0; i < n && any > 0.0; i++)
        for (uint32_t l = 0; l < REST_GROUP; l++)
            sum[l] += more[l];
    for (uint32_t l = 0; l < REST_GROUP; l++)
        to[l] = sum[l];
}

/* The steps that all flows of a group are owed. Here, as solvers are faster at it that are compiled for more than any x86-64. */
static inline void rest_count_group(const fluid_state *s, uint32_t first)
{
    wi_fluid_rest *const r = s->rest;
    int32_t owed = r->owed[first];
    for (uint32_t f = first; f < first + REST_GROUP; f++)
        owed = r->owed[f] < owed ? r->owed[f] : owed;
    rest_add_often(s->acked + first, r->acked + first, owed);
    rest_add_often(s->lost + first, r->lost + first, owed);
    rest_add_often(s->sent + first, r->sent + first, owed);
    for (uint32_t f = first; f < first + REST_GROUP; f++) {
        s->exit[f].step += owed;
        r->owed[f] -= owed;
    }
}

/* *out is null where nothing could rest: no stream has a constant rate. */
WEIR_NODISCARD weir_status wi_fluid_rest_new(weir_diag *diag, const fluid_tables *t, wi_fluid_rest **out);
void wi_fluid_rest_free(wi_fluid_rest *r);
/* Counts of a flow, which is owed some steps. */
void wi_fluid_rest_count_flow(const fluid_state *s, uint32_t flow);
/* Of a queue and its front, which owe the steps before `now`. */
void wi_fluid_rest_count_port(const fluid_tables *t, const fluid_state *s, uint32_t port, int64_t now);
void wi_fluid_rest_count_front(const fluid_tables *t, const fluid_state *s, uint32_t port);
/* Counts of all. */
void wi_fluid_rest_settle(const fluid_tables *t, const fluid_state *s);
/* All that is known is forgotten, as rows have been written by others. */
void wi_fluid_rest_forget(wi_fluid_rest *r, const fluid_tables *t, int64_t now);
/* Rows of a port have been written by others. */
void wi_fluid_rest_disturb(wi_fluid_rest *r, uint32_t port, int64_t now);

#endif
