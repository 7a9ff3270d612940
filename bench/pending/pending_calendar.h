/*
 * For bench_pending: a calendar queue (Brown 1988): an array of days, each a sorted list, doubled or halved
 * with the number of keys. The day's length comes from the mean gap of the first keys.
 */
#ifndef BENCH_PENDING_CALENDAR_H
#define BENCH_PENDING_CALENDAR_H

#include "pending/heap.h"

typedef struct calendar_node {
    wi_heap_key key;
    uint32_t next; /* 0: none */
} calendar_node;

typedef struct calendar {
    calendar_node *node;
    uint32_t *day; /* [n_days]: first node of each, sorted */
    uint32_t free, used, capacity, n_days, now_day;
    uint64_t width, day_end; /* of a day; end of the current day in this year */
    size_t n;
} calendar;

static uint32_t calendar_day(const calendar *c, wi_heap_key key)
{
    return (uint32_t)(((uint64_t)wi_key_time(key) / c->width) & (c->n_days - 1));
}

static void calendar_insert(calendar *c, uint32_t i)
{
    const wi_heap_key key = c->node[i].key;
    uint32_t *at = &c->day[calendar_day(c, key)];
    while (*at && c->node[*at].key < key)
        at = &c->node[*at].next;
    c->node[i].next = *at;
    *at = i;
}

static void calendar_stand_at(calendar *c, uint64_t t)
{
    c->now_day = (uint32_t)((t / c->width) & (c->n_days - 1));
    c->day_end = (t / c->width + 1) * c->width;
}

static uint32_t calendar_unlink_least(calendar *c)
{
    for (uint32_t looked = 0; looked < c->n_days; looked++) {
        const uint32_t i = c->day[c->now_day];
        if (i && (uint64_t)wi_key_time(c->node[i].key) < c->day_end) {
            c->day[c->now_day] = c->node[i].next;
            return i;
        }
        c->now_day = (c->now_day + 1) & (c->n_days - 1);
        c->day_end += c->width;
    }
    uint32_t least = 0; /* a year without keys: look at all days */
    for (uint32_t d = 0; d < c->n_days; d++)
        if (c->day[d] && (!least || c->node[c->day[d]].key < c->node[least].key))
            least = c->day[d];
    calendar_stand_at(c, (uint64_t)wi_key_time(c->node[least].key));
    c->day[c->now_day] = c->node[least].next;
    return least;
}

static void calendar_resize(calendar *c, uint32_t n_days, uint64_t now)
{
    enum { SAMPLE = 64 };
    uint32_t sample[SAMPLE], n = 0;
    calendar old = *c;
    if (c->n > SAMPLE) {
        while (n < SAMPLE)
            sample[n++] = calendar_unlink_least(&old);
        const uint64_t span =
            (uint64_t)wi_key_time(c->node[sample[n - 1]].key) - (uint64_t)wi_key_time(c->node[sample[0]].key);
        c->width = 1 + 3 * span / SAMPLE;
    }
    c->day = calloc(n_days, sizeof *c->day);
    if (!c->day)
        abort();
    c->n_days = n_days;
    for (uint32_t d = 0; d < old.n_days; d++)
        for (uint32_t i = old.day[d], next; i; i = next) {
            next = c->node[i].next;
            calendar_insert(c, i);
        }
    for (uint32_t k = 0; k < n; k++)
        calendar_insert(c, sample[k]);
    free(old.day);
    calendar_stand_at(c, now);
}

static void calendar_push(calendar *c, wi_heap_key key)
{
    if (c->n_days == 0) {
        c->width = 1;
        calendar_resize(c, 16, 0);
    }
    uint32_t i = c->free;
    if (i) {
        c->free = c->node[i].next;
    } else {
        if (c->used + 2 > c->capacity) {
            c->capacity = 2 * c->capacity + 1024;
            c->node = realloc(c->node, c->capacity * sizeof *c->node);
            if (!c->node)
                abort();
        }
        i = ++c->used;
    }
    c->node[i].key = key;
    calendar_insert(c, i);
    if (++c->n > 2 * (size_t)c->n_days)
        calendar_resize(c, 2 * c->n_days, c->day_end - c->width);
}

static wi_heap_key calendar_pop(calendar *c)
{
    const uint32_t i = calendar_unlink_least(c);
    const wi_heap_key key = c->node[i].key;
    c->node[i].next = c->free;
    c->free = i;
    if (--c->n < c->n_days / 2 && c->n_days > 16)
        calendar_resize(c, c->n_days / 2, c->day_end - c->width);
    return key;
}

#endif
