/*
 * Builder of relocatable images: one contiguous block in which everything is found by its offset from the
 * start.
 *
 * A world, or the state of a run, is built in an image, so that the same bytes work on the host, on the
 * device and in a checkpoint. Offsets stay valid when the block grows; pointers do not. Not thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WI_IMAGE_ALIGN 64 /* of the block itself, and the largest that a part may ask for */

/* {0} is an empty image. */
typedef struct wi_image {
    unsigned char *bytes; /* null while empty */
    uint64_t size, capacity;
} wi_image;

/*
 * Append `bytes` zeroed bytes at a multiple of `align` (a power of two, at most WI_IMAGE_ALIGN).
 * False when memory is short or the size overflows; the image and *offset are then as before.
 */
bool wi_image_reserve(wi_image *image, uint64_t bytes, uint64_t align, uint64_t *offset);

/* Append a copy of `data`, which may be null when bytes is 0 and must not lie in the image. */
bool wi_image_append(wi_image *image, const void *data, uint64_t bytes, uint64_t align, uint64_t *offset);

/* The address of an offset until the image grows next; null while the image is empty. */
void *wi_image_at(const wi_image *image, uint64_t offset);

/* The finished block, now the caller's (free), its size padded to WI_IMAGE_ALIGN with zeros; leaves an empty
 * image. Null when the image is empty. */
unsigned char *wi_image_finish(wi_image *image, uint64_t *size);

/* Free the block. Accepts null. */
void wi_image_free(wi_image *image);
