/* Blocked Floyd-Warshall on the device, then ports. The arithmetic of tiles is floyd/tile.h's. */
#include <cstdlib>

#include "routing/cuda/device.h"
#include "routing/floyd/layout.h"

#define KERNEL_NAME wi_floyd16
#define LANE uint16_t
#define LANE_WORDS 4
#define FAR WI_FAR16
#include "routing/floyd/tile.h"
#include "routing/floyd/device.h"
#include "routing/floyd/tile_end.h"
#undef KERNEL_NAME
#undef LANE
#undef LANE_WORDS
#undef FAR
#define KERNEL_NAME wi_floyd32
#define LANE uint32_t
#define LANE_WORDS 8
#define FAR WI_FAR32
#include "routing/floyd/tile.h"
#include "routing/floyd/device.h"
#include "routing/floyd/tile_end.h"

#define MATRIX_ALIGN 256u

static uint64_t matrix_offset(uint32_t n)
{
    return ((uint64_t)n * sizeof(uint32_t) + MATRIX_ALIGN - 1) / MATRIX_ALIGN * MATRIX_ALIGN;
}

uint64_t wi_floyd_device_bytes(const wi_algorithm *algorithm, const wi_core *core)
{
    const uint64_t side = wi_floyd_lay_out(&core->net, WI_TILE, NULL).side;
    return matrix_offset(core->net.n) + side * side * algorithm->lane;
}

weir_status wi_floyd_device(wi_route_device *device)
{
    const wi_fill *const fill = device->fill;
    const bool wide = fill->algorithm->lane == 4;
    const wi_route_net *const net = &fill->core->net;
    uint32_t *const at = (uint32_t *)calloc((size_t)net->n + 1, sizeof *at);
    if (!at)
        return weir_fail(fill->diag, WEIR_E_NOMEM, "no memory to lay out %u nodes", net->n);
    const wi_floyd_layout layout = wi_floyd_lay_out(net, WI_TILE, at);
    uint32_t *const d_at = (uint32_t *)device->d_work;
    void *const matrix = device->d_work + matrix_offset(net->n);
    /* A failure stays with the device until wi_route_device_wait asks. */
    (void)cudaMemcpy(d_at, at, net->n * sizeof *at, cudaMemcpyHostToDevice);
    free(at);
    if (wide)
        wi_floyd32_run(&device->net, d_at, (uint32_t *)matrix, layout);
    else
        wi_floyd16_run(&device->net, d_at, (uint16_t *)matrix, layout);
    const weir_status status = wi_route_device_wait(device, "Floyd-Warshall");
    const double there = wi_clock_s();
    fill->times->distance_s = there - device->started_s;
    if (status != WEIR_OK)
        return status;
    const wi_route_device_dist dist = {
        matrix, wide, layout.side, d_at, 0, net->n, wide ? WI_FAR32 : WI_FAR16};
    wi_route_device_ports(device, &dist);
    const weir_status end = wi_route_device_wait(device, "ports");
    fill->times->port_s = wi_clock_s() - there;
    return end;
}
