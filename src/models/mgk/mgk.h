/*
 * M/G/k queues, many alike and independent of each other: customers come in a Poisson stream, wait in one line, and are served by one
 * of k servers for a time of which mean and variability are given.
 *
 * Service times have the squared coefficient of variation c2 (variance over squared mean) by the two-moment fits of H. C. Tijms
 * (Stochastic Models, 1994, section 5.3): constant for 0, a mixture of Erlang distributions of m - 1 and m stages below 1,
 * exponential for 1, hyperexponential with balanced means above.
 * Randomness: words of the queue's stream, in the order of use.
 */
#pragma once

#include "models/uniform.h"
#include "weir/math.h"
#include "weir/model.h"

enum { MGK_COMES, MGK_SERVED, MGK_TYPES };
enum { MGK_STAGES_MAX = 50 }; /* so c2 is 0, or at least 0.02 */

typedef struct mgk_world {
    uint32_t servers, stages; /* stages 0: hyperexponential */
    double gap_ps;            /* mean between arrivals */
    double fewer;             /* chance of a stage less; hyperexponential: of the first branch */
    double stage_ps[2];       /* mean of a stage; of both branches */
} mgk_world;

typedef struct mgk_queue {
    uint32_t waiting, busy;         /* customers in line; servers that serve */
    weir_time since_ps;             /* of the last change */
    double waiting_ps, busy_ps;     /* integrals of both until then */
    uint64_t came, delayed, served; /* delayed: found all servers busy */
} mgk_queue;

/* The integrals up to a time. */
WEIR_FN void mgk_integrate(mgk_queue *q, weir_time now_ps)
{
    const double span_ps = (double)(now_ps - q->since_ps);
    q->waiting_ps += (double)q->waiting * span_ps;
    q->busy_ps += (double)q->busy * span_ps;
    q->since_ps = now_ps;
}

WEIR_FN double mgk_exponential(weir_stream *stream, double mean_ps)
{
    return mean_ps * -weir_log(weir_draw_unit_open(stream));
}

WEIR_FN double mgk_service_ps(const mgk_world *w, weir_stream *stream)
{
    double sum_ps = 0.0;
    if (w->stages == 0)
        return mgk_exponential(stream, w->stage_ps[weir_draw_unit(stream) < w->fewer ? 0 : 1]);
    if (w->stages > MGK_STAGES_MAX) /* constant */
        return w->stage_ps[0];
    const uint32_t n = w->stages - (w->fewer > 0.0 && weir_draw_unit(stream) < w->fewer ? 1u : 0u);
    for (uint32_t i = 0; i < n; i++)
        sum_ps += mgk_exponential(stream, w->stage_ps[0]);
    return sum_ps;
}

WEIR_FN void mgk_serve(weir_ctx *ctx, const mgk_world *w, mgk_queue *q, weir_stream *stream)
{
    q->busy++;
    weir_schedule(ctx, ctx->entity, MGK_SERVED, weir_time_after(1, mgk_service_ps(w, stream)));
}

WEIR_FN void mgk_handle(weir_ctx *ctx, void *state, const weir_event *event)
{
    const mgk_world *w = (const mgk_world *)(const void *)ctx->world;
    mgk_queue *q = (mgk_queue *)state;
    weir_touch(ctx, q, sizeof *q);
    weir_stream stream = weir_stream_open(ctx);
    mgk_integrate(q, weir_now(ctx));
    if (event->type == MGK_COMES) {
        q->came++;
        weir_schedule(ctx, ctx->entity, MGK_COMES, weir_time_after(1, mgk_exponential(&stream, w->gap_ps)));
        if (q->busy < w->servers) {
            mgk_serve(ctx, w, q, &stream);
        } else {
            q->delayed++;
            q->waiting++;
        }
    } else {
        q->served++;
        q->busy--;
        if (q->waiting > 0) {
            q->waiting--;
            mgk_serve(ctx, w, q, &stream);
        }
    }
    weir_stream_close(ctx, &stream);
}

WEIR_FN void mgk_init(weir_ctx *ctx, void *state)
{
    const mgk_world *w = (const mgk_world *)(const void *)ctx->world;
    weir_stream stream = weir_stream_open(ctx);
    (void)state;
    weir_schedule(ctx, ctx->entity, MGK_COMES, weir_time_after(1, mgk_exponential(&stream, w->gap_ps)));
    weir_stream_close(ctx, &stream);
}

typedef struct mgk_params {
    uint32_t n_queues, servers; /* at least 1 */
    double load;                /* of a server: above 0, below 1 */
    double variability;         /* c2: 0, or 0.02 to 1000 */
    weir_time service_ps;       /* at least 1 */
} mgk_params;

WI_UNIFORM_MODEL(mgk)

/* What theory says: the chance to wait (Erlang's C), and the mean wait: exact for one server (Pollaczek and Khinchine) and for
 * exponential service (Erlang); else that of exponential service times (1 + c2) / 2 (Lee and Longton, 1959), within some per cent. */
typedef struct mgk_theory {
    double delayed, wait_s;
} mgk_theory;
mgk_theory wi_mgk_theory(const mgk_params *params);
