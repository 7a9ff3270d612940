/* The counts of the watch over progress (engine/core/watch.h), on hosts and devices. */
#pragma once

#include "weir/model.h"

enum {
    WI_WATCH_PATIENCE = 1 << 22, /* events until the next look */
    WI_WATCH_SPAN_PS = 1 << 25,
    WI_WATCH_NEAR_PS = 8,
    WI_WATCH_INSTANTS = 1 << 14
};
#define WI_WATCH_LEAST_LEFT_PS (INT64_C(1) << 37)

typedef struct wi_watch_count {
    uint32_t last;     /* instant counted last, ps from the beginning, plus one */
    uint32_t instants; /* with an event scheduled a few ps ahead */
    uint32_t most;     /* of them; with one more, the run is stopped */
} wi_watch_count;

/* After a handling, while counting, passed_ps (below WI_WATCH_SPAN_PS) after the count began: sets
 * WEIR_FAULT_STUCK. */
WEIR_FN void wi_watch_handled(wi_watch_count *count, weir_ctx *ctx, weir_time passed_ps)
{
    const unsigned char *at = ctx->out;
    uint32_t i = 0;
    if (count->last == (uint32_t)passed_ps + 1)
        return;
    while (i < ctx->out_count &&
           ((const weir_event *)(const void *)at)->time_ps - ctx->now_ps > WI_WATCH_NEAR_PS) {
        at += ctx->stride;
        i++;
    }
    if (i == ctx->out_count)
        return;
    count->last = (uint32_t)passed_ps + 1;
    if (++count->instants % WI_WATCH_INSTANTS == 0 && count->instants >= count->most)
        weir_fault_keep(ctx, WEIR_FAULT_STUCK, count->instants, passed_ps);
}
