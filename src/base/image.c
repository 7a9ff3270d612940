#include "base/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 4096 };

/* The capacity is always a multiple of WI_IMAGE_ALIGN, and what lies past the size is zero. */
static bool grow(wi_image *image, uint64_t wanted)
{
    if (wanted <= image->capacity)
        return true;
    if (wanted > SIZE_MAX / 2)
        return false;
    /* By half, or to what is wanted where that is more: large arrays that come last leave no room behind them. */
    uint64_t capacity = image->capacity ? image->capacity + image->capacity / 2 : FIRST_CAPACITY;
    capacity =
        ((capacity > wanted ? capacity : wanted) + WI_IMAGE_ALIGN - 1) & ~(uint64_t)(WI_IMAGE_ALIGN - 1);
    unsigned char *bytes = wi_new_block(capacity); /* realloc would lose the alignment */
    if (!bytes)
        return false;
    if (image->size)
        memcpy(bytes, image->bytes, image->size);
    memset(bytes + image->size, 0, capacity - image->size);
    free(image->bytes);
    image->bytes = bytes;
    image->capacity = capacity;
    return true;
}

bool wi_image_reserve(wi_image *image, uint64_t bytes, uint64_t align, uint64_t *offset)
{
    if (align == 0 || align > WI_IMAGE_ALIGN || (align & (align - 1)))
        return false;
    const uint64_t start = (image->size + align - 1) & ~(align - 1);
    uint64_t end;
    if (__builtin_add_overflow(start, bytes, &end) || !grow(image, end))
        return false;
    image->size = end;
    *offset = start;
    return true;
}

bool wi_image_append(wi_image *image, const void *data, uint64_t bytes, uint64_t align, uint64_t *offset)
{
    if (!wi_image_reserve(image, bytes, align, offset))
        return false;
    if (bytes)
        memcpy(image->bytes + *offset, data, bytes);
    return true;
}

void *wi_image_at(const wi_image *image, uint64_t offset)
{
    return image->bytes ? image->bytes + offset : NULL;
}

unsigned char *wi_image_finish(wi_image *image, uint64_t *size)
{
    unsigned char *bytes = image->bytes;
    *size = (image->size + WI_IMAGE_ALIGN - 1) & ~(uint64_t)(WI_IMAGE_ALIGN - 1);
    *image = (wi_image){0};
    return bytes;
}

void wi_image_free(wi_image *image)
{
    if (!image)
        return;
    free(image->bytes);
    *image = (wi_image){0};
}
