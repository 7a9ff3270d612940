/*
 * The ports that packets meet, on a device: kernels take in what packets left and write the rows that packets
 * read. Both may be memory of the host that the device reaches, so that no copy and no wait comes between.
 */
#ifndef WI_FLUID_CUDA_EXCHANGE_H
#define WI_FLUID_CUDA_EXCHANGE_H

#include "fluid/cuda/device.h"
#include "net/packet/world.h"

/* As kernels reach it; whoever couples packets owns it all (cuda/shared.cu). */
typedef struct fluid_meetings {
    uint32_t n, stride;        /* ports; entries from one row to the next */
    const uint32_t *ports;     /* [n] of the fluid */
    const double *ps_per_byte; /* [n] of the fluid's port: of several links together */
    double *parts;             /* [n] of what the port expects (net_exchange_part) */
    const double *left;        /* [WI_LEFT][n]: what packets left in the batch before */
    int64_t *begin;            /* step at which the batch began; 0 in the first */
    net_background *rows;      /* of the first port */
} fluid_meetings;

/* Launch: a batch begins, and takes in what is left. */
cudaError_t fluid_meetings_take(const fluid_device *d, const fluid_meetings *m, cudaStream_t stream);
/* Launch: the ends of the last `steps` steps into rows. */
cudaError_t fluid_meetings_write(const fluid_device *d, const fluid_meetings *m, uint32_t steps,
                                 cudaStream_t stream);

/* For callers that couple the fluid themselves, all in device memory. left: [2][n], bytes queued and arrived;
 * views: [FLUID_VIEWS][n][steps]. */
enum {
    FLUID_VIEW_QUEUE,
    FLUID_VIEW_DROP,
    FLUID_VIEW_REDUCTION,
    FLUID_VIEW_EXPECTED,
    FLUID_VIEW_FULL,
    FLUID_VIEWS
};
cudaError_t fluid_ports_take(const fluid_device *d, const uint32_t *ports, uint32_t n, const double *left,
                             cudaStream_t stream);
cudaError_t fluid_ports_view(const fluid_device *d, const uint32_t *ports, uint32_t n, uint32_t steps,
                             double *views, cudaStream_t stream);

#endif
