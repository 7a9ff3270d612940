/* A hash table with chains in order of addition: of packets that carry the same, the first sent is the first found. */
#include "scenario/results/under_way.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

/* Ports count the TTL down, mark or trim data, and write a load above the time that these carry; all else stays. */
static net_packet key_of(const net_packet *packet)
{
    net_packet key = *packet;
    key.ttl = 0;
    if (!(key.flags & NET_ACK)) {
        key.flags &= (uint8_t)~NET_CE;
        if (key.flags & NET_TRIMS)
            key.flags &= (uint8_t) ~(NET_ECT | NET_TRIMMED | NET_ASKS);
        key.bytes = 0;
        key.u.ack[0] &= NET_SENT_MASK;
    }
    return key;
}

static uint32_t bucket_of(const wi_under_way *u, const net_packet *key)
{
    uint64_t words[sizeof *key / 8], h = 0;
    memcpy(words, key, sizeof *key);
    for (size_t i = 0; i < sizeof *key / 8; i++) {
        h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (uint32_t)h & (u->n_buckets - 1);
}

static void append(wi_under_way *u, uint32_t i)
{
    uint32_t *at = &u->bucket[bucket_of(u, &u->item[i].key)];
    while (*at)
        at = &u->item[*at].next;
    *at = i;
    u->item[i].next = 0;
}

/* All items are in use: twice as many, in as many buckets; the order within equal ones stays. */
static bool grow(wi_under_way *u)
{
    const uint32_t room = u->room ? 2 * u->room : FIRST_ROOM, old_buckets = u->n_buckets;
    wi_on_way *item = realloc(u->item, ((size_t)room + 1) * sizeof *item);
    if (item)
        u->item = item;
    uint32_t *bucket = calloc(room, sizeof *bucket), *old = u->bucket;
    if (!item || !bucket) {
        free(bucket);
        return false;
    }
    u->room = room;
    u->bucket = bucket;
    u->n_buckets = room;
    for (uint32_t b = 0; b < old_buckets; b++)
        for (uint32_t i = old[b], next; i; i = next) {
            next = u->item[i].next;
            append(u, i);
        }
    free(old);
    return true;
}

static bool add(wi_under_way *u, const wi_on_way *one)
{
    if (!u->free && u->used == u->room && !grow(u))
        return false;
    uint32_t i = u->free;
    if (i)
        u->free = u->item[i].next;
    else
        i = ++u->used;
    u->item[i] = *one;
    append(u, i);
    u->n++;
    return true;
}

bool wi_under_way_add(wi_under_way *u, const net_packet *packet, weir_time sent_ps, uint32_t flow,
                      bool counted)
{
    const wi_on_way one = {.key = key_of(packet), .sent_ps = sent_ps, .flow = flow, .counted = counted};
    return add(u, &one);
}

wi_on_way *wi_under_way_find(wi_under_way *u, const net_packet *packet)
{
    const net_packet key = key_of(packet);
    if (u->n == 0)
        return NULL;
    for (uint32_t i = u->bucket[bucket_of(u, &key)]; i; i = u->item[i].next)
        if (memcmp(&u->item[i].key, &key, sizeof key) == 0)
            return &u->item[i];
    return NULL;
}

void wi_under_way_remove(wi_under_way *u, const wi_on_way *found)
{
    const uint32_t i = (uint32_t)(found - u->item);
    uint32_t *at = &u->bucket[bucket_of(u, &found->key)];
    while (*at != i)
        at = &u->item[*at].next;
    *at = u->item[i].next;
    u->item[i].next = u->free;
    u->free = i;
    u->n--;
}

static void archive_one(wi_archiver *k, wi_on_way *one)
{
    wi_archive(k, &one->key, sizeof one->key);
    wi_archive(k, &one->sent_ps, sizeof one->sent_ps);
    wi_archive(k, &one->flow, sizeof one->flow);
    wi_archive(k, &one->hops, sizeof one->hops);
    wi_archive_flag(k, &one->counted);
    wi_archive_flag(k, &one->marked);
}

void wi_under_way_archive(wi_under_way *u, uint32_t n_flows, wi_archiver *k)
{
    const uint64_t n = wi_archive_count(k, u->n, sizeof(net_packet));
    for (uint32_t b = 0; b < u->n_buckets && !wi_archiver_reads(k); b++)
        for (uint32_t i = u->bucket[b]; i; i = u->item[i].next)
            archive_one(k, &u->item[i]);
    for (uint64_t i = 0; i < n && wi_archiver_reads(k) && k->status == WEIR_OK; i++) {
        wi_on_way one = {0};
        archive_one(k, &one);
        if (one.flow >= n_flows)
            wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_FORMAT, "damaged: a packet of no flow"));
        else if (!add(u, &one))
            wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for packets under way"));
    }
}

void wi_under_way_free(wi_under_way *u)
{
    free(u->item);
    free(u->bucket);
    *u = (wi_under_way){0};
}
