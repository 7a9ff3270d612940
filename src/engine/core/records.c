/* Records leave in the order (time, entity, number): written in event order, sorted within one instant. */
#include <stdlib.h>
#include <string.h>

#include "engine/core/engine.h"
#include "engine/core/event_key.h"
#include "weir/digest.h"

/* From so many records of one instant on, qsort is worth its calls. */
enum { SORT_MANY = 32 };

static const weir_record_head *record_at(const wi_part *part, uint32_t i)
{
    return (const weir_record_head *)(const void *)(part->ctx.rec + (size_t)i * part->ctx.rec_stride);
}

/* Sort records [from, to), which share one time; most such runs are a few records, in order already. */
static void sort_instant(wi_part *part, uint32_t from, uint32_t to)
{
    const size_t stride = part->ctx.rec_stride;
    if (to - from >= SORT_MANY) {
        qsort(part->ctx.rec + from * stride, to - from, stride, wi_record_compare);
        return;
    }
    unsigned char moved[sizeof(weir_record_head) + WEIR_RECORD_MAX];
    for (uint32_t i = from + 1; i < to; i++) {
        uint32_t k = i;
        while (k > from && wi_record_before(record_at(part, i), record_at(part, k - 1)))
            k--;
        if (k == i)
            continue;
        unsigned char *at = part->ctx.rec + k * stride;
        memcpy(moved, part->ctx.rec + i * stride, stride);
        memmove(at + stride, at, (i - k) * stride);
        memcpy(at, moved, stride);
    }
}

static void digest_record(weir_sim *sim, const weir_record_head *record)
{
    uint64_t words[2 + WEIR_RECORD_MAX / 8];
    words[0] = (uint64_t)record->time_ps;
    words[1] = ((uint64_t)record->entity << 32) | record->type;
    memcpy(words + 2, record + 1, record->bytes);
    sim->record_chain = weir_digest_fold(sim->record_chain, words, 2 + record->bytes / 8);
}

uint32_t wi_records_sort(wi_part *part, weir_time before_ps)
{
    const uint32_t n = part->ctx.rec_count;
    uint32_t done = 0;
    while (done < n && record_at(part, done)->time_ps < before_ps) {
        uint32_t end = done + 1;
        while (end < n && record_at(part, end)->time_ps == record_at(part, done)->time_ps)
            end++;
        sort_instant(part, done, end);
        done = end;
    }
    return done;
}

void wi_records_drop(wi_part *part, uint32_t n)
{
    weir_ctx *ctx = &part->ctx;
    ctx->rec_count -= n;
    memmove(ctx->rec, ctx->rec + (size_t)n * ctx->rec_stride, (size_t)ctx->rec_count * ctx->rec_stride);
}

weir_status wi_records_hand_out(weir_diag *diag, weir_sim *sim, const unsigned char *records, size_t n)
{
    const uint32_t stride = sim->main.ctx.rec_stride;
    if (n == 0)
        return WEIR_OK;
    const uint16_t loud = (uint16_t)(sim->setup.model->n_records - sim->setup.model->n_quiet_records);
    for (size_t i = 0; i < n; i++) {
        const weir_record_head *record = (const weir_record_head *)(const void *)(records + i * stride);
        if (record->type >= loud)
            continue;
        digest_record(sim, record);
        sim->n_records++;
    }
    if (!sim->setup.sink)
        return WEIR_OK;
    const size_t errors = weir_diag_errors(diag);
    const weir_status status =
        sim->setup.sink(sim->setup.user, (const weir_record_head *)(const void *)records, stride, n);
    if (status == WEIR_OK || weir_diag_errors(diag) > errors) /* the sink may have left a message */
        return status;
    return weir_fail(diag, status, "records could not be taken at %.9f s", weir_seconds(sim->now_ps));
}

weir_status wi_records_flush(weir_diag *diag, weir_sim *sim, wi_part *part, weir_time before_ps)
{
    const uint32_t n = wi_records_sort(part, before_ps);
    const weir_status status = wi_records_hand_out(diag, sim, part->ctx.rec, n);
    wi_records_drop(part, n);
    return status;
}
