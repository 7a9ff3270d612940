/* Segments: taken, filled, freed; see history.h. */
#include "engine/rollback/history.h"

#include <stddef.h>
#include <stdlib.h>

/* What the log of an event takes in most models. */
enum { UNDO_BYTES = 512 };

static size_t whole(const wi_segment *s)
{
    return s->room + sizeof *s;
}

size_t wi_history_least(uint32_t stride, uint32_t max_events)
{
    return sizeof(wi_segment) + sizeof(wi_done) + stride + max_events * sizeof(wi_sent);
}

/* An ordinary segment that was used before, or a new one. */
static wi_segment *take(wi_history *h, size_t room)
{
    wi_segment *s = h->spare;
    if (s && room <= s->room) {
        h->spare = s->next;
    } else {
        room = room > h->segment_room ? room : h->segment_room;
        s = room < UINT32_MAX ? malloc(sizeof *s + room) : NULL;
        if (!s)
            return NULL;
        s->room = (uint32_t)room;
    }
    *s = (wi_segment){.first_ps = WEIR_TIME_MAX, .last_ps = -1, .room = s->room};
    h->bytes += whole(s);
    h->peak = h->bytes > h->peak ? h->bytes : h->peak;
    return s;
}

static void give(wi_history *h, wi_segment *s)
{
    h->bytes -= whole(s);
    h->entries -= s->n_entries;
    if (s->room > h->segment_room) {
        free(s);
        return;
    }
    s->next = h->spare;
    h->spare = s;
}

int wi_history_extend(wi_history *h, size_t bytes)
{
    wi_segment *s = take(h, bytes);
    if (!s)
        return 0;
    if (h->newest)
        h->newest->next = s;
    else
        h->oldest = s;
    h->newest = s;
    return 1;
}

/* The open entry's log needs more than its segment has: the entry moves to another, and the log with it. */
static int more(weir_undo *undo, size_t size)
{
    wi_history *h = (wi_history *)(void *)((unsigned char *)undo - offsetof(wi_history, undo));
    const size_t head = sizeof(wi_done) - sizeof(weir_event) + h->stride;
    const wi_done *from = h->open;
    if (!wi_history_extend(h, head + 2 * (undo->used + size)))
        return 0;
    wi_segment *s = h->newest;
    h->open = (wi_done *)(void *)wi_segment_at(s);
    memcpy(h->open, from, head + undo->used);
    undo->bytes = (unsigned char *)h->open + head;
    undo->capacity = s->room - head;
    return 1;
}

void wi_history_init(wi_history *h, uint32_t stride, uint32_t rec_stride, uint32_t max_events, size_t most)
{
    *h = (wi_history){.stride = stride, .rec_stride = rec_stride, .most = most, .undo = {.more = more}};
    /* Several segments within the bound, so that freeing one helps. */
    const size_t room = most / 8 < WI_SEGMENT_BYTES ? most / 8 : WI_SEGMENT_BYTES;
    const size_t least = wi_history_least(stride, max_events) - sizeof(wi_segment);
    h->segment_room = (uint32_t)((room > least ? room : least) + 7) & ~7u;
    h->entry_room = (uint32_t)(least + UNDO_BYTES < h->segment_room / 2 ? least + UNDO_BYTES : least);
}

static void free_list(wi_segment *s)
{
    while (s) {
        wi_segment *next = s->next;
        free(s);
        s = next;
    }
}

void wi_history_free(wi_history *h)
{
    free_list(h->oldest);
    free_list(h->spare);
    *h = (wi_history){0};
}

void wi_history_fossil_collect(wi_history *h, weir_time gvt_ps,
                               void (*commit)(void *user, const wi_done *done), void *user)
{
    wi_segment *last = NULL, *next;
    for (wi_segment *s = h->oldest; s; s = next) {
        next = s->next;
        if (s->last_ps >= gvt_ps) {
            last = s;
            continue;
        }
        for (uint32_t at = 0; s->n_records > 0 && at < s->used;) {
            const wi_done *done = (const wi_done *)(const void *)(wi_segment_at(s) + at);
            if (!done->undone && done->n_records > 0)
                commit(user, done);
            at += done->bytes;
        }
        if (s == h->oldest)
            h->oldest = next;
        if (last)
            last->next = next;
        if (s == h->newest)
            h->newest = last;
        give(h, s);
    }
}

weir_time wi_history_first(const wi_history *h)
{
    weir_time first_ps = WEIR_TIME_MAX;
    for (const wi_segment *s = h->oldest; s; s = s->next)
        first_ps = s->first_ps < first_ps ? s->first_ps : first_ps;
    return first_ps;
}

void wi_history_visit(wi_history *h, void (*visit)(void *user, wi_done *done), void *user)
{
    for (wi_segment *s = h->oldest; s; s = s->next)
        for (uint32_t at = 0; at < s->used;) {
            wi_done *done = (wi_done *)(void *)(wi_segment_at(s) + at);
            if (!done->undone)
                visit(user, done);
            at += done->bytes;
        }
}
