/*
 * Staged execution of many runs: the design of Kunz, Schemmel, Gross and Wehrle (PADS 2012). Pending events and states
 * are the host's; a batch of events, each with its entity's state and room for what it schedules, is copied to the
 * device, handled by a thread an event, and copied back, in one of several streams, so that copying in, handling and
 * copying out overlap. Kept to be compared with runs that stay on the device.
 */
#pragma once

#include "engine/gpu/batch/batch.h"

/* One event on its way there and back; followed by the event, the entity's fixed state, and room for scheduled events
 * and records, at the offsets of the layout. Worlds, pools and counters stay on the device. */
typedef struct wi_gpu_item {
    uint32_t run; /* WI_GPU_NONE: a gap between types */
    uint32_t fault, detail, out_count, rec_count, reserved;
    weir_time value;
    weir_entity head;
} wi_gpu_item;

typedef struct wi_gpu_item_layout {
    uint32_t bytes, event_at, state_at, out_at, rec_at, stride, rec_stride;
} wi_gpu_item_layout;

#ifdef __cplusplus
extern "C" {
#endif

/* A stream, and room for a batch of items here and there. */
typedef struct wi_gpu_stage wi_gpu_stage;

/* The layout of items for a program and states of at most state_bytes. */
void wi_gpu_item_layout_of(const weir_gpu_program *program, uint32_t state_bytes, wi_gpu_item_layout *out);
/* *items: locked memory of the host for n_max items. All stages of a batch are made before threads use them, each one by
 * one thread. */
weir_status wi_gpu_stage_new(weir_diag *diag, wi_gpu_batch *batch, const wi_gpu_item_layout *layout,
                             uint32_t n_max, wi_gpu_stage **out, unsigned char **items);
/* Wait for the stage, and free it. Accepts null. */
void wi_gpu_stage_free(wi_gpu_stage *stage);
/* Copy the first n items in, handle them, copy them out: returns at once. */
weir_status wi_gpu_stage_send(weir_diag *diag, wi_gpu_stage *stage, uint32_t n);
/* Wait until the items are back. */
weir_status wi_gpu_stage_wait(weir_diag *diag, wi_gpu_stage *stage);
/* Make the batch's device the calling thread's. */
weir_status wi_gpu_stage_enter(weir_diag *diag, const wi_gpu_batch *batch);
/* Pools and counters of all runs to the host's arrays; states and heads are the host's own. */
weir_status wi_gpu_stage_fetch(weir_diag *diag, wi_gpu_batch *batch, const wi_gpu_host *hosts);

#ifdef __cplusplus
}
#endif
