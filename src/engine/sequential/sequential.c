/* The sequential engine: one part takes all events. The reference for all others. */
#include "engine/sequential/sequential.h"

static weir_status no_memory(weir_diag *diag, const wi_part *part)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for more than %llu pending events, at %.9f s",
                     (unsigned long long)part->pending.count, weir_seconds(part->now_ps));
}

/* Drain the buffer; when all of it belongs to this instant, which may still add to it, let it grow. */
static weir_status make_room_for_records(weir_diag *diag, weir_sim *sim, wi_part *part)
{
    const weir_status status = wi_records_flush(diag, sim, part, part->now_ps);
    if (status == WEIR_OK && !wi_records_reserve(part, sim->max_records))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for more than %u records at one instant, %.12f s",
                         part->ctx.rec_count, weir_seconds(part->now_ps));
    return status;
}

weir_status wi_sequential_ended(weir_diag *diag, weir_sim *sim, wi_part *part, wi_part_end end,
                                weir_time limit_ps)
{
    weir_status status;
    sim->events = part->events;
    sim->now_ps = part->now_ps;
    switch (end) {
    case WI_PART_LIMIT:
        status = wi_records_flush(diag, sim, part, limit_ps);
        if (status == WEIR_OK)
            sim->now_ps = part->now_ps = limit_ps;
        return status;
    case WI_PART_STOPPED:
        return wi_records_flush(diag, sim, part, part->now_ps) ?: WEIR_E_INTERRUPTED;
    case WI_PART_RECORDS:
        return make_room_for_records(diag, sim, part);
    case WI_PART_MEMORY:
        return no_memory(diag, part);
    case WI_PART_REFUSED:
        return WEIR_E_MODEL;
    default:
        return wi_fault_message(diag, part, sim->setup.model->types[part->during.type].name);
    }
}

static weir_status run_until(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    static const wi_part_mode mode = {NULL, NULL};
    return wi_sequential_run(diag, sim, &mode, limit_ps, stop);
}

const wi_engine_ops wi_engine_sequential = {
    .name = "sequential", .run_until = run_until, .part_of = wi_part_main};
