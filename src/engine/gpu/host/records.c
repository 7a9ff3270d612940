/* Keeping and handing out records of a device: see gpu/records.h. */
#ifdef WEIR_HAVE_CUDA

#include "engine/gpu/host/records.h"

#include "engine/core/event_key.h"

#include <stdlib.h>
#include <string.h>

weir_status wi_gpu_keep_record(weir_diag *diag, const weir_sim *sim, wi_gpu_records *records,
                               const unsigned char *record)
{
    const size_t stride = sim->main.ctx.rec_stride;
    if (records->n == records->room) {
        const size_t room = 2 * records->room + 64;
        unsigned char *more = realloc(records->at, room * stride);
        if (!more)
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for %zu records", room);
        records->at = more;
        records->room = room;
    }
    unsigned char *to = records->at + records->n++ * stride;
    memcpy(to, record, stride);
    ((weir_record_head *)(void *)to)->reserved = 0; /* the device's run */
    return WEIR_OK;
}

weir_status wi_gpu_flush_records(weir_diag *diag, weir_sim *sim, wi_gpu_records *records, weir_time before_ps)
{
    const size_t stride = sim->main.ctx.rec_stride;
    weir_status status = wi_records_flush(diag, sim, &sim->main, before_ps); /* of init: before all others */
    if (status != WEIR_OK || records->n == 0)
        return status;
    qsort(records->at, records->n, stride, wi_record_compare);
    size_t done = 0;
    while (done < records->n &&
           ((const weir_record_head *)(const void *)(records->at + done * stride))->time_ps < before_ps)
        done++;
    if (done > 0)
        status = wi_records_hand_out(diag, sim, records->at, done);
    memmove(records->at, records->at + done * stride, (records->n - done) * stride);
    records->n -= done;
    return status;
}

#else
typedef int wi_no_gpu_records; /* ISO C wants a declaration */
#endif
