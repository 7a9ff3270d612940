/*
 * What the CUDA algorithms share: the core of a graph and its table in device memory, and the calls that
 * drive kernels. Pointers named d_ are the device's. C files call; the .cu files beside them implement.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include "device/device.h"
#include "routing/algorithm/algorithm.h"

/* The core as kernels read it; all pointers are the device's. Arrays as in wi_route_net and wi_table. */
typedef struct wi_route_device_net {
    uint32_t n, n_edges;
    const uint32_t *first, *target, *cost, *in_first, *in_source, *in_cost;
    const uint16_t *port;
    const uint8_t *role;
    const uint64_t *row;
    uint8_t *table; /* all ones at first: no port */
} wi_route_device_net;

/* A device at work for one table. */
typedef struct wi_route_device {
    const wi_fill *fill;
    wi_device device;
    wi_route_device_net net;
    void *d_arena;    /* the one allocation that everything lies in */
    uint8_t *d_work;  /* what the algorithm asked for, 256-byte aligned */
    uint32_t *d_note; /* [WI_NOTES] words that kernels leave for the host, zero at first */
    uint32_t *h_note; /* pinned copy of them */
    double started_s;
} wi_route_device;

enum { WI_NOTE_OVERFLOW, WI_NOTE_LAST, WI_NOTE_WRONG, WI_NOTES };

/* Bytes that core and table take on the device, for messages; the algorithm's own come on top. */
uint64_t wi_route_device_net_bytes(const wi_core *core, const wi_table *table);
/*
 * Allocate net, table and the algorithm's work space on the current device and send the core there.
 *
 * Returns: WEIR_OK; WEIR_E_UNSUPPORTED without a device; WEIR_E_NOMEM when the device has less memory free
 * than all of it takes: nothing has been allocated then; WEIR_E_DEVICE. Close in every case.
 */
weir_status wi_route_device_open(const wi_fill *fill, wi_route_device *device);
/* Wait for kernels; WEIR_E_DEVICE names `what` failed. Copies the notes. */
weir_status wi_route_device_wait(wi_route_device *device, const char *what);
/* Copy the table to the host and note its time. */
weir_status wi_route_device_fetch(wi_route_device *device);
/* Free what a device took; also one that did not open. */
void wi_route_device_close(wi_route_device *device);

/* Distances in rows of `stride`, for the kernel that turns them into ports. */
typedef struct wi_route_device_dist {
    const void *d_dist;
    bool wide;     /* 32 bits each, else 16 */
    size_t stride; /* distances between rows */
    /* [n]: row of a core node, and its column; null: its own number, columns from dst */
    const uint32_t *d_at;
    uint32_t dst, n_dst; /* columns of the table */
    uint32_t far;        /* no way */
} wi_route_device_dist;
/*
 * Canonical ports of columns dst .. dst + n_dst - 1 into the table. Sets the note WI_NOTE_OVERFLOW where a
 * node has no distance though a neighbour has one: the way was too long for the lanes.
 */
void wi_route_device_ports(wi_route_device *device, const wi_route_device_dist *dist);

/* The algorithms: device_bytes and on_device of wi_algorithm. */
wi_work_bytes wi_floyd_device_bytes, wi_floyd_paper_bytes, wi_bits_device_bytes, wi_relax_device_bytes;
wi_work_on_device wi_floyd_device, wi_floyd_paper_device, wi_bits_device, wi_relax_device;

#ifdef __cplusplus
}
#endif
