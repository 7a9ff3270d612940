/* SHA-256, FIPS 180-4, section 6.2. */
#include "base/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Section 4.2.2: cube roots of the first 64 primes. */
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

typedef struct hash {
    uint32_t h[8];
    uint64_t bytes;
    unsigned char block[64];
} hash;

static uint32_t rotate_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void take_block(hash *s, const unsigned char *at)
{
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++, at += 4)
        w[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    for (int i = 16; i < 64; i++) {
        const uint32_t a = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t b = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        const uint32_t e = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        const uint32_t one = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        const uint32_t a = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        const uint32_t two = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        s->h[i] += v[i];
}

static void begin(hash *s)
{
    /* Section 5.3.3: square roots of the first 8 primes. */
    *s = (hash){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                      0x5be0cd19}};
}

static void add(hash *s, const void *data, size_t size)
{
    const unsigned char *at = data;
    while (size > 0) {
        const size_t used = s->bytes % sizeof s->block, room = sizeof s->block - used;
        const size_t n = size < room ? size : room;
        memcpy(s->block + used, at, n);
        s->bytes += n;
        at += n;
        size -= n;
        if (n == room)
            take_block(s, s->block);
    }
}

static void end(hash *s, char text[WI_SHA256_TEXT])
{
    static const unsigned char padding[64] = {0x80};
    const uint64_t bits = 8 * s->bytes;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    add(s, padding, 1 + (119 - s->bytes % 64) % 64);
    add(s, length, sizeof length);
    for (int i = 0; i < 8; i++)
        snprintf(text + (size_t)8 * (size_t)i, 9, "%08x", s->h[i]);
}

void wi_sha256(const void *data, size_t size, char text[WI_SHA256_TEXT])
{
    hash s;
    begin(&s);
    add(&s, data, size);
    end(&s, text);
}

int wi_sha256_file(const char *path, char text[WI_SHA256_TEXT])
{
    enum { STEP = 1 << 16 };
    hash s;
    text[0] = '\0';
    FILE *f = fopen(path, "rb");
    unsigned char *buffer = f ? malloc(STEP) : NULL;
    if (!buffer) {
        const int error = f ? ENOMEM : errno;
        if (f)
            fclose(f);
        return error;
    }
    begin(&s);
    for (size_t n; (n = fread(buffer, 1, STEP, f)) > 0;)
        add(&s, buffer, n);
    const int error = ferror(f) ? EIO : 0;
    free(buffer);
    fclose(f);
    if (!error)
        end(&s, text);
    return error;
}
