/* A rumour: who hears it for the first time tells it to `tells` others, each after a second or more. Handlers, for the host and
 * for a GPU. */
#ifndef RUMOUR_H
#define RUMOUR_H

#include <weir/engine.h>
#include <weir/math.h>
#include <weir/model.h>

enum { RUMOUR_HEARD, RUMOUR_TYPES, RUMOUR_TELLS = 3 };

typedef struct rumour_world {
    uint32_t n_people;
    weir_time least_ps; /* from hearing to telling: the lookahead */
    double mean_ps;     /* of what comes on top, exponential */
} rumour_world;

typedef struct rumour_person {
    uint32_t heard, stage; /* how often; how many tellings away from the first one, who counts as 1 */
} rumour_person;

WEIR_FN void rumour_init(weir_ctx *ctx, void *state)
{
    (void)state; /* zero: nothing heard */
    if (ctx->entity == 0)
        *(uint64_t *)weir_schedule(ctx, 0, RUMOUR_HEARD, 1) = 1;
}

WEIR_FN void rumour_hear(weir_ctx *ctx, void *state, const weir_event *event)
{
    const rumour_world *world = (const rumour_world *)(const void *)ctx->world;
    rumour_person *self = (rumour_person *)state;
    weir_touch(ctx, self, sizeof *self);
    if (self->heard++ > 0)
        return;
    const uint64_t stage = *WEIR_PAYLOAD(uint64_t, event);
    self->stage = (uint32_t)stage;
    weir_stream stream = weir_stream_open(ctx);
    for (int i = 0; i < RUMOUR_TELLS; i++) {
        const uint64_t when = weir_draw(&stream);
        const double more_ps = world->mean_ps * -weir_log(weir_unit_open_of_bits(when));
        const uint32_t to = (uint32_t)weir_draw_below(&stream, world->n_people);
        *(uint64_t *)weir_schedule(ctx, to, RUMOUR_HEARD, world->least_ps + (weir_time)(more_ps + 0.5)) =
            stage + 1;
    }
    weir_stream_close(ctx, &stream);
}

#endif
