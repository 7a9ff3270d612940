/* A build without CUDA has no device; see device.h. */
#include "device/device.h"

#ifndef WEIR_HAVE_CUDA

#include <stdio.h>
#include <string.h>

static const char *const none = "weir was built without CUDA";

bool wi_device_present(char *why, size_t size)
{
    snprintf(why, size, "%s", none);
    return false;
}

bool wi_device_select(int number, char *why, size_t size)
{
    (void)number;
    return wi_device_present(why, size);
}

bool wi_device_describe(int number, char *text, size_t size)
{
    (void)number;
    snprintf(text, size, "none is used: %s", none);
    return false;
}

uint64_t wi_device_free_bytes(uint64_t *total)
{
    if (total)
        *total = 0;
    return 0;
}

weir_status wi_device_open(weir_diag *diag, wi_device *device, int number, const char *user,
                           const char *remedy)
{
    memset(device, 0, sizeof *device);
    device->number = number;
    return weir_fail(diag, WEIR_E_UNSUPPORTED, "%s: %s; %s", user, none, remedy);
}

void wi_device_close(wi_device *device)
{
    memset(device, 0, sizeof *device);
}

static weir_status refuse(weir_diag *diag, const char *what)
{
    return weir_fail(diag, WEIR_E_UNSUPPORTED, "%s: %s", what, none);
}

weir_status wi_device_status(weir_diag *diag, wi_device *device, const char *what, int error)
{
    (void)device, (void)error;
    return refuse(diag, what);
}

weir_status wi_device_allocate(weir_diag *diag, wi_device *device, const char *what, uint64_t bytes,
                               void **at)
{
    (void)device, (void)bytes;
    *at = NULL;
    return refuse(diag, what);
}

weir_status wi_device_allocate_locked(weir_diag *diag, wi_device *device, const char *what, uint64_t bytes,
                                      bool mapped, void **at)
{
    (void)mapped;
    return wi_device_allocate(diag, device, what, bytes, at);
}

weir_status wi_device_upload(weir_diag *diag, wi_device *device, const char *what, const void *from,
                             uint64_t bytes, void *stream, void **at)
{
    (void)from, (void)stream;
    return wi_device_allocate(diag, device, what, bytes, at);
}

weir_status wi_device_allocate_zeroed(weir_diag *diag, wi_device *device, const char *what, uint64_t bytes,
                                      void **at)
{
    return wi_device_allocate(diag, device, what, bytes, at);
}

void wi_device_release(wi_device *device, void *at)
{
    (void)device, (void)at;
}

#endif
