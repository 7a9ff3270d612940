/* Records leave in the order (time, entity, number): written in event order, sorted within one instant. */
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"
#include "weir/digest.h"

/* From so many records of one instant on, qsort is worth its calls. */
enum { SORT_MANY = 32 };

static const weir_record_head *record_at(const weir_sim *sim, uint32_t i)
{
    return (const weir_record_head *)(const void *)(sim->ctx.rec + (size_t)i * sim->ctx.rec_stride);
}

static int after(const weir_record_head *a, const weir_record_head *b)
{
    if (a->entity != b->entity)
        return a->entity > b->entity;
    return (int32_t)(a->number - b->number) > 0;
}

static int compare(const void *a, const void *b)
{
    return after(a, b) ? 1 : -1; /* no two are equal */
}

/* Sort records [from, to), which share one time; most such runs are a few records, in order already. */
static void sort_instant(weir_sim *sim, uint32_t from, uint32_t to)
{
    const size_t stride = sim->ctx.rec_stride;
    if (to - from >= SORT_MANY) {
        qsort(sim->ctx.rec + from * stride, to - from, stride, compare);
        return;
    }
    unsigned char moved[sizeof(weir_record_head) + WEIR_RECORD_MAX];
    for (uint32_t i = from + 1; i < to; i++) {
        uint32_t k = i;
        while (k > from && after(record_at(sim, k - 1), record_at(sim, i)))
            k--;
        if (k == i)
            continue;
        unsigned char *at = sim->ctx.rec + k * stride;
        memcpy(moved, sim->ctx.rec + i * stride, stride);
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

weir_status wi_records_flush(weir_diag *diag, weir_sim *sim, weir_time before_ps)
{
    weir_ctx *ctx = &sim->ctx;
    uint32_t done = 0;
    while (done < ctx->rec_count && record_at(sim, done)->time_ps < before_ps) {
        uint32_t end = done + 1;
        while (end < ctx->rec_count && record_at(sim, end)->time_ps == record_at(sim, done)->time_ps)
            end++;
        sort_instant(sim, done, end);
        done = end;
    }
    if (done == 0)
        return WEIR_OK;
    for (uint32_t i = 0; i < done; i++)
        digest_record(sim, record_at(sim, i));
    sim->n_records += done;
    weir_status status = WEIR_OK;
    if (sim->setup.sink)
        status = sim->setup.sink(sim->setup.user, record_at(sim, 0), ctx->rec_stride, done);
    memmove(ctx->rec, ctx->rec + (size_t)done * ctx->rec_stride,
            (size_t)(ctx->rec_count - done) * ctx->rec_stride);
    ctx->rec_count -= done;
    if (status != WEIR_OK)
        return weir_fail(diag, status, "records could not be taken at %.9f s", weir_seconds(sim->now_ps));
    return WEIR_OK;
}
