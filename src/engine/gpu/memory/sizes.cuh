/* How much memory a run takes on the device, and rooms that are chosen for it. */
#pragma once

#include "engine/gpu/memory/memory.cuh"

static uint32_t lps_of(uint32_t n_entities, uint32_t shift)
{
    return (uint32_t)(((uint64_t)n_entities + (1u << shift) - 1) >> shift);
}

static uint32_t slot_bytes_of(const weir_gpu_program *p)
{
    return WI_GPU_SLOT_BYTES(p->payload_bytes);
}

static uint64_t pending_of(const wi_gpu_host *hosts, uint32_t n_runs)
{
    uint64_t n = 0;
    for (uint32_t r = 0; r < n_runs; r++)
        n += hosts[r].n_pending;
    return n;
}

/* Events in a block's outbox: what its threads may schedule before each looks again how full it is, several
 * times over; and more for large populations and hot LPs, so that one round does one window. */
static uint32_t out_room_of(const weir_gpu_program *p, uint64_t n_pending, uint32_t blocks,
                            const wi_gpu_options *options)
{
    const uint64_t least = 2ull * (p->max_events + 1) * p->threads;
    uint64_t room = options->out_room ? options->out_room : 2 * n_pending / blocks + 2 * least;
    const uint64_t most = 1u << 16;
    if (p->hot && room < most / 4 && !options->out_room)
        room = most / 4;
    if (room > most && !options->out_room)
        room = most;
    return (uint32_t)(room < least ? least : room);
}

/* Records that one handling writes, at most: what a program has room for, or what captures come to. */
static inline uint32_t most_records_of(const weir_gpu_program *p, const wi_gpu_type *types, uint32_t n_types)
{
    uint32_t most = p->max_records;
    for (uint32_t t = 0; t < n_types; t++)
        most = types[t].max_records > most ? types[t].max_records : most;
    return most;
}

static inline uint32_t rec_room_of(const weir_gpu_program *p, uint32_t most_records, uint32_t blocks,
                                   const wi_gpu_options *options)
{
    if (most_records == 0)
        return 1;
    const uint64_t least = 2ull * most_records * p->threads * blocks,
                   chosen = std::min<uint64_t>(4 * least, 1u << 21);
    const uint64_t room = options->rec_room ? options->rec_room : chosen;
    return (uint32_t)(room < least ? least : room);
}

static inline weir_status grid_of(weir_diag *diag, const weir_gpu_program *p, wi_device *device,
                                  uint32_t *blocks)
{
    int per_sm = 0, sms = 0;
    WI_RETURN_IF_CUDA_FAILED(device, "a look at its multiprocessors",
                             cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device->number));
    WI_RETURN_IF_CUDA_FAILED(device, "loading the model's kernels",
                             p->blocks_per_sm((int)p->threads, &per_sm));
    if (per_sm < 1)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "CUDA device %d cannot hold a block of model '%s'",
                         device->number, p->model);
    *blocks = (uint32_t)(per_sm * sms);
    return WEIR_OK;
}

/* Few counters that all entities add to would make threads wait for each other: blocks then have copies. */
static uint32_t counter_copies_of(const wi_gpu_host *h)
{
    return h->n_counters <= 8192 ? 128 : 1;
}

/* Whether events of some type leave their source in rising time: entities then have rings. */
static inline bool has_order(const wi_gpu_type *types, uint32_t n_types)
{
    bool ordered = false;
    for (uint32_t t = 0; t < n_types; t++)
        ordered |= types[t].ordered != 0;
    return ordered;
}

static inline uint64_t need_of(const weir_gpu_program *p, const wi_gpu_host *hosts, uint32_t n_runs,
                               uint32_t blocks, const wi_gpu_options *o, bool rings, uint32_t most_records)
{
    const uint64_t pending = pending_of(hosts, n_runs), slot = slot_bytes_of(p);
    uint64_t need = 0, lps = 0;
    for (uint32_t r = 0; r < n_runs; r++) {
        const wi_gpu_host *h = &hosts[r];
        for (int k = 0; k < WEIR_KINDS_MAX; k++)
            need += h->state_bytes[k];
        for (int i = 0; i < WEIR_POOLS_MAX; i++)
            need += h->pool_bytes[i];
        need +=
            h->world_bytes + h->n_entities * sizeof(weir_entity) + counter_copies_of(h) * h->n_counters * 8;
        lps += lps_of(h->n_entities, o->lp_shift);
        need += rings ? h->n_entities * (sizeof(wi_gpu_ring) + sizeof(weir_time)) : 0;
    }
    need += lps * (sizeof(wi_gpu_lp) + 2 * sizeof(weir_time));
    need += (wi_gpu_least_room(o->lp_shift) * lps + 3 * pending) *
            (slot + (p->hot ? 2 * sizeof(wi_gpu_entry) : 0)); /* regions, about */
    need += pending * slot;                                   /* the list as it comes */
    need += (uint64_t)blocks * out_room_of(p, pending, blocks, o) * (slot + sizeof(wi_gpu_spill));
    const uint64_t rooms =
        most_records > p->max_records ? (uint64_t)blocks * p->threads * (most_records + 1) : 0;
    need += (rec_room_of(p, most_records, blocks, o) + rooms) * (sizeof(weir_record_head) + p->record_bytes);
    return need;
}
