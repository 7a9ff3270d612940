/*
 * One CUDA device: choosing it, its memory, copies, and errors in words. Everything of weir that computes on
 * a device goes through here: the GPU engine, the fluid's solver, routes.
 *
 * Plain C, so that C files may ask and allocate; a CUDA error is an int here, as C has no cudaError_t. All
 * calls for one device object belong to one thread. In a build without CUDA every call that can fail does,
 * with WEIR_E_UNSUPPORTED; the others answer that there is no device.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "weir/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open device and all memory that its user has allocated there. */
typedef struct wi_device {
    int number;
    const char *user;   /* who computes, for messages: "the GPU engine" */
    const char *remedy; /* what else there is, for messages: "use --engine conservative" */
    bool lost;          /* a call has failed: everything there is gone, close is all that is left */
    uint64_t bytes;     /* allocated now */
    struct wi_device_block *blocks;
    size_t n_blocks, block_room;
} wi_device;

/* ---- which there are ---- */

/* Whether CUDA finds a device that it can use; if not, the reason is in `why`. */
bool wi_device_present(char *why, size_t size);
/* Make a device the thread's current one; if it cannot be, the reason is in `why`. */
bool wi_device_select(int number, char *why, size_t size);
/* Name, multiprocessors, memory and compute capability, or "none: " and why. Returns whether it is there. */
bool wi_device_describe(int number, char *text, size_t size);
/* Bytes free on the thread's current device; 0 where it cannot be asked. *total: its memory; may be null. */
uint64_t wi_device_free_bytes(uint64_t *total);

/* ---- opening and closing ---- */

/*
 * Open a device and make it the thread's current one. The texts are kept, not copied.
 *
 * Returns: WEIR_OK; WEIR_E_UNSUPPORTED without such a device. Close in every case.
 */
weir_status wi_device_open(weir_diag *diag, wi_device *device, int number, const char *user,
                           const char *remedy);
/* Free all that was allocated. A device of zeros may be closed. */
void wi_device_close(wi_device *device);

/* ---- errors ---- */

/* The status of a CUDA call, cudaError_t `error`: WEIR_OK, WEIR_E_NOMEM, or WEIR_E_DEVICE, after which the
 * device counts as lost. `what` was being done. */
weir_status wi_device_status(weir_diag *diag, wi_device *device, const char *what, int error);

/* ---- memory ---- */

/*
 * Allocate `bytes` (at least one) of device memory; freed by wi_device_release or wi_device_close.
 *
 * Returns: WEIR_OK; WEIR_E_NOMEM, with what is needed and what is free; WEIR_E_DEVICE. *at is null then.
 */
weir_status wi_device_allocate(weir_diag *diag, wi_device *device, const char *what, uint64_t bytes,
                               void **at);
/* The same of the host's memory, locked, and reachable for kernels where `mapped`. */
weir_status wi_device_allocate_locked(weir_diag *diag, wi_device *device, const char *what, uint64_t bytes,
                                      bool mapped, void **at);
/* Allocate, and copy from the host: before the call returns where `stream` (a cudaStream_t) is null, else in
 * that stream. */
weir_status wi_device_upload(weir_diag *diag, wi_device *device, const char *what, const void *from,
                             uint64_t bytes, void *stream, void **at);
/* Allocate, and set to zero. */
weir_status wi_device_allocate_zeroed(weir_diag *diag, wi_device *device, const char *what, uint64_t bytes,
                                      void **at);
/* Free one allocation of either kind; null is ignored. */
void wi_device_release(wi_device *device, void *at);

#ifdef __cplusplus
}
#endif

/* WI_RETURN_IF_FAILED for a CUDA call; `diag` is the calling function's. */
#define WI_RETURN_IF_CUDA_FAILED(device, what, call) \
    WI_RETURN_IF_FAILED(wi_device_status(diag, device, what, (int)(call)))
