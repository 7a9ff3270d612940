/* Bit-parallel breadth-first search on the device: 32 threads a node, 1,024 destinations a batch. */
#include <cstdlib>

#include "routing/cuda/device.h"

#include "routing/cuda/bits_step.h"

#define THREADS 256u
#define ALIGN 256u

__global__ static void start(uint32_t n, wi_bits bits, uint32_t dst, uint32_t n_dst)
{
    const uint32_t at = blockIdx.x * THREADS + threadIdx.x;
    if (at / WI_BITS_WORDS < n)
        wi_bits_start(&bits, at / WI_BITS_WORDS, at % WI_BITS_WORDS, dst, n_dst);
}

__global__ static void visit(wi_route_device_net net, wi_bits bits, uint32_t n_dst, uint32_t level,
                             uint32_t *note)
{
    const uint32_t at = blockIdx.x * THREADS + threadIdx.x, i = at / WI_BITS_WORDS, word = at % WI_BITS_WORDS;
    if (i < net.n && wi_bits_visit(&bits, net.first, net.target, net.port, net.role, i, word,
                                   wi_bits_wanted(word, n_dst), level))
        note[WI_NOTE_LAST] = level;
}

__global__ static void write(wi_route_device_net net, wi_bits bits, uint32_t dst, uint32_t n_columns)
{
    const uint32_t at = blockIdx.x * THREADS + threadIdx.x, i = at / WI_BITS_WORDS;
    if (i < net.n)
        wi_bits_write(&bits, net.table, net.row[i], i, at % WI_BITS_WORDS, dst, n_columns);
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static uint32_t planes_of(const wi_route_net *net, uint32_t i)
{
    /* Ports rise along the edges, so the last is the greatest. */
    uint32_t planes = 0;
    for (uint32_t most = net->first[i] < net->first[i + 1] ? net->port[net->first[i + 1] - 1] : 0; most;
         most >>= 1)
        ++planes;
    return planes;
}

static uint64_t block_bytes(uint64_t n)
{
    return n * WI_BITS_WORDS * sizeof(uint32_t);
}

uint64_t wi_bits_device_bytes(const wi_algorithm *algorithm, const wi_core *core)
{
    (void)algorithm;
    uint64_t planes = 0;
    for (uint32_t i = 0; i < core->net.n; ++i)
        planes += planes_of(&core->net, i);
    return aligned(((uint64_t)core->net.n + 1) * 4) + 3 * block_bytes(core->net.n) + block_bytes(planes);
}

static bool lay_out(const wi_route_net *net, wi_route_device *device, wi_bits *bits)
{
    uint32_t *const first = (uint32_t *)malloc(((size_t)net->n + 1) * sizeof *first);
    if (!first)
        return false;
    first[0] = 0;
    for (uint32_t i = 0; i < net->n; ++i)
        first[i + 1] = first[i] + planes_of(net, i);
    (void)cudaMemcpy(device->d_work, first, ((size_t)net->n + 1) * sizeof *first, cudaMemcpyHostToDevice);
    free(first);
    bits->first_plane = (const uint32_t *)device->d_work;
    bits->seen = (uint32_t *)(device->d_work + aligned(((uint64_t)net->n + 1) * 4));
    bits->front[0] = bits->seen + (size_t)net->n * WI_BITS_WORDS;
    bits->front[1] = bits->front[0] + (size_t)net->n * WI_BITS_WORDS;
    bits->plane = bits->front[1] + (size_t)net->n * WI_BITS_WORDS;
    return true;
}

weir_status wi_bits_device(wi_route_device *device)
{
    const wi_fill *const fill = device->fill;
    const uint32_t n = fill->core->net.n;
    const uint32_t n_columns = (n + WI_ROW_PAD - 1) / WI_ROW_PAD * WI_ROW_PAD;
    const uint32_t blocks = (uint32_t)(((uint64_t)n * WI_BITS_WORDS + THREADS - 1) / THREADS);
    uint32_t guess = 4; /* levels to launch before asking whether any found something */
    uint32_t hops = 0;
    wi_bits bits;
    if (!lay_out(&fill->core->net, device, &bits))
        return weir_fail(fill->diag, WEIR_E_NOMEM, "no memory to lay out %u nodes", n);
    for (uint32_t dst = 0; dst < n; dst += WI_BITS_LANES) {
        const uint32_t n_dst = n - dst < WI_BITS_LANES ? n - dst : WI_BITS_LANES;
        uint32_t level = 0;
        if (wi_fill_stopped(fill, dst))
            return weir_fail(fill->diag, WEIR_E_INTERRUPTED, "stopped while computing routes");
        (void)cudaMemsetAsync(device->d_note, 0, WI_NOTES * 4);
        start<<<blocks, THREADS>>>(n, bits, dst, n_dst);
        do {
            for (uint32_t k = 0; k < guess; ++k)
                visit<<<blocks, THREADS>>>(device->net, bits, n_dst, ++level, device->d_note);
            const weir_status status = wi_route_device_wait(device, "bit-parallel search");
            if (status != WEIR_OK)
                return status;
            guess = 1;
        } while (device->h_note[WI_NOTE_LAST] == level);
        const uint32_t last = device->h_note[WI_NOTE_LAST];
        hops = last > hops ? last : hops;
        guess = last + 1;
        write<<<blocks, THREADS>>>(device->net, bits, dst, n_columns);
    }
    const weir_status status = wi_route_device_wait(device, "ports");
    fill->times->distance_s = wi_clock_s() - device->started_s;
    device->h_note[WI_NOTE_OVERFLOW] = !wi_hops_fit(fill->core, hops);
    return status;
}
