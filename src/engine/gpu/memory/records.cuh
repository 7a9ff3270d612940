/* Taking records out of the device. */
#pragma once

#include "engine/gpu/memory/memory.cuh"

/* *records is d's own until the next call; the device's list is empty then. */
static weir_status take_records(weir_diag *diag, wi_gpu_device *d, unsigned char **records, uint32_t *n)
{
    const size_t bytes = (size_t)d->status.n_records * d->g.rec_stride;
    *n = d->status.n_records;
    if (bytes > d->records_bytes) {
        free(d->records);
        d->records_bytes = 0;
        d->records = host_memory<unsigned char>(diag, "records", bytes);
        if (!d->records)
            return WEIR_E_NOMEM;
        d->records_bytes = bytes;
    }
    *records = d->records;
    if (*n == 0)
        return WEIR_OK;
    const uint32_t zero = 0;
    WI_RETURN_IF_FAILED(copy_out(diag, d, "reading records", *records, d->g.records, bytes));
    WI_RETURN_IF_FAILED(copy_in(diag, d, "reading records", &d->g.status->n_records, &zero, sizeof zero));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "reading records"));
    d->status.n_records = 0;
    return WEIR_OK;
}
