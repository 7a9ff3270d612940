/* The part of weir/digest.h that walks memory. */
#include "weir/digest.h"

static uint64_t little_endian(const unsigned char *p, size_t n)
{
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)p[i] << (8 * i); /* compilers make one load of it when n is 8 */
    return word;
}

uint64_t weir_digest_bytes(uint64_t chain, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    size_t left = size;
    uint64_t w[8];
    for (; left >= sizeof w; left -= sizeof w, p += sizeof w) {
        for (int i = 0; i < 8; i++)
            w[i] = little_endian(p + 8 * i, 8);
        chain = weir_digest_mix(chain, weir_digest_block(w, 8));
    }
    uint32_t n = 0;
    for (; left > 0; n++) {
        const size_t take = left < 8 ? left : 8;
        w[n] = little_endian(p, take);
        p += take;
        left -= take;
    }
    chain = weir_digest_fold(chain, w, n);
    return weir_digest_word(chain, size);
}
