/*
 * The ports that packets meet, on a device: which they are, and what crosses the bus for them. Values go
 * through memory of the host that the device can reach, so that kernels read and write them in place and a
 * wait for the stream is all that the host does.
 */
#ifndef WI_FLUID_CUDA_EXCHANGE_H
#define WI_FLUID_CUDA_EXCHANGE_H

#include "fluid/device.h"

/* Quantities of a view, in this order. */
enum { FLUID_VIEW_QUEUE, FLUID_VIEW_DROP, FLUID_VIEW_REDUCTION, FLUID_VIEW_FULL, FLUID_VIEWS };

typedef struct fluid_meetings {
    uint32_t n;
    bool resident;             /* packets are on the device too: values stay there, the host's are null */
    uint32_t *ports, *d_ports; /* [n] */
    double *h_left, *d_left;   /* [2][n]: bytes queued, bytes arrived; one memory by both its addresses */
    double *h_views, *d_views; /* [FLUID_VIEWS][n][steps], likewise */
    uint64_t room;             /* of views: n times the steps that fit */
} fluid_meetings;

/* Other ports, n > 0 of them; and room for views of so many steps. What was there is lost: nothing on the
 * device may use it any more. After an error no ports are known, or no views fit. */
cudaError_t fluid_meetings_set(fluid_meetings *m, const uint32_t *ports, uint32_t n, bool resident);
cudaError_t fluid_meetings_reserve(fluid_meetings *m, uint32_t steps);
void fluid_meetings_free(fluid_meetings *m);

/* Launch: take what is left into the ports; put the ends of the last `steps` steps into views. */
cudaError_t fluid_meetings_take(const fluid_device *d, const fluid_meetings *m, cudaStream_t stream);
cudaError_t fluid_meetings_view(const fluid_device *d, const fluid_meetings *m, uint32_t steps,
                                cudaStream_t stream);

#endif
