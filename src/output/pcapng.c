/* pcapng blocks; all numbers are in this machine's order, which the first block tells. */
#include "output/pcapng.h"

#include <string.h>

enum { BLOCK_SECTION = 0x0a0d0d0a, BLOCK_INTERFACE = 1, BLOCK_PACKET = 6, BYTE_ORDER_MAGIC = 0x1a2b3c4d };
enum { OPTION_END = 0, OPTION_APPLICATION = 4, OPTION_NAME = 2, OPTION_SPEED = 8, OPTION_RESOLUTION = 9 };
enum { NANOSECONDS = 9, TEXT_MAX = 256 };

typedef struct block {
    unsigned char at[1024];
    uint32_t n;
} block;

static void add(block *b, const void *data, uint32_t n)
{
    memcpy(b->at + b->n, data, n);
    b->n += n;
}

static void add32(block *b, uint32_t value)
{
    add(b, &value, sizeof value);
}

static void add16(block *b, uint32_t value)
{
    const uint16_t v = (uint16_t)value;
    add(b, &v, sizeof v);
}

static void pad(block *b)
{
    while (b->n % 4)
        b->at[b->n++] = 0;
}

static void add_option(block *b, uint32_t code, const void *value, uint32_t n)
{
    add16(b, code);
    add16(b, n);
    add(b, value, n);
    pad(b);
}

static uint32_t text_bytes(const char *text)
{
    const size_t n = strlen(text);
    return (uint32_t)(n < TEXT_MAX ? n : TEXT_MAX);
}

static block begun(uint32_t type)
{
    block b = {.n = 0};
    add32(&b, type);
    add32(&b, 0); /* its length */
    return b;
}

static void end(wi_out *file, block *b)
{
    add32(b, b->n + 4);
    memcpy(b->at + 4, &b->n, sizeof b->n);
    wi_out_write(file, b->at, b->n);
}

void wi_pcapng_begin(wi_out *file)
{
    static const char application[] = "weir";
    block section = begun(BLOCK_SECTION);
    add32(&section, BYTE_ORDER_MAGIC);
    add16(&section, 1); /* version 1.0 */
    add16(&section, 0);
    add32(&section, UINT32_MAX); /* length of the section: not told */
    add32(&section, UINT32_MAX);
    add_option(&section, OPTION_APPLICATION, application, sizeof application - 1);
    add32(&section, OPTION_END);
    end(file, &section);
}

void wi_pcapng_face(wi_out *file, uint32_t link, const char *name, uint64_t rate_bps, uint32_t snap_bytes)
{
    const unsigned char resolution = NANOSECONDS;
    block face = begun(BLOCK_INTERFACE);
    add16(&face, link);
    add16(&face, 0);
    add32(&face, snap_bytes);
    add_option(&face, OPTION_NAME, name, text_bytes(name));
    add_option(&face, OPTION_SPEED, &rate_bps, sizeof rate_bps);
    add_option(&face, OPTION_RESOLUTION, &resolution, 1);
    add32(&face, OPTION_END);
    end(file, &face);
}

void wi_pcapng_packet(wi_out *file, uint32_t link, weir_time at_ps, const unsigned char *bytes, uint32_t n,
                      uint32_t length)
{
    const unsigned char zeros[4] = {0};
    const uint64_t at_ns = (uint64_t)at_ps / 1000u;
    const uint32_t padding = (0u - n) & 3u, all = 32u + n + padding;
    block b = begun(BLOCK_PACKET);
    memcpy(b.at + 4, &all, sizeof all);
    add32(&b, link == WI_PCAPNG_LINK_ETHERNET); /* the interface */
    add32(&b, (uint32_t)(at_ns >> 32));
    add32(&b, (uint32_t)at_ns);
    add32(&b, n);
    add32(&b, length);
    wi_out_write(file, b.at, b.n);
    wi_out_write(file, bytes, n);
    wi_out_write(file, zeros, padding);
    wi_out_write(file, &all, sizeof all);
}
