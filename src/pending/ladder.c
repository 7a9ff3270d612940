/* Moving keys between heap, rungs and top; see ladder.h. */
#include "pending/ladder.h"
#include "pending/pages.h"

#include <string.h>

static const wi_bucket nothing = {WI_NONE, 0};

/* Room for a run of n keys, what sorting needs, and the end marks. The run must be empty. */
static int run_reserve(wi_ladder *l, size_t n)
{
    if (n > l->run_room) {
        wi_heap_key *run = realloc(l->run, (2 * n + 2) * sizeof *run);
        if (!run)
            return 0;
        l->run = run;
        l->run_room = n;
    }
    l->run_at = l->run_n = 0;
    l->run[0] = l->run[1] = WI_KEY_MAX;
    return 1;
}

int wi_ladder_init(wi_ladder *l)
{
    memset(l, 0, sizeof *l);
    l->near_end_ps = WEIR_TIME_MAX;
    l->top = nothing;
    l->free_head = WI_NONE;
    l->split_at = WI_NEAR_MOST;
    return run_reserve(l, 64) && wi_heap_reserve(&l->near, 64);
}

void wi_ladder_free(wi_ladder *l)
{
    wi_heap_free(&l->near);
    free(l->run);
    for (int r = 0; r < WI_RUNGS_MAX; r++)
        free(l->rung[r].buckets);
    wi_pages_free(l->keys, l->capacity * WI_CHUNK * sizeof(wi_heap_key));
    free(l->next);
    memset(l, 0, sizeof *l);
}

static int chunks_reserve(wi_ladder *l, size_t more)
{
    const size_t wanted = (size_t)l->used + more;
    if (wanted <= l->capacity)
        return 1;
    size_t capacity = l->capacity + l->capacity / 2 + 64;
    if (capacity < wanted)
        capacity = wanted;
    if (capacity >= WI_NONE)
        return 0;
    const size_t chunk_bytes = WI_CHUNK * sizeof(wi_heap_key);
    uint32_t *next = realloc(l->next, capacity * sizeof *next);
    if (next)
        l->next = next;
    wi_heap_key *keys =
        next ? wi_pages_grow(l->keys, l->capacity * chunk_bytes, capacity * chunk_bytes) : NULL;
    if (!keys)
        return 0;
    l->keys = keys;
    l->capacity = (uint32_t)capacity;
    return 1;
}

/* Walks a bucket, newest chunk first. Start with `chunk` and `n` of the bucket; stop when n is 0. */
typedef struct walk {
    uint32_t chunk, n;
} walk;

static const wi_heap_key *walk_keys(const wi_ladder *l, const walk *w, uint32_t *n_here)
{
    *n_here = (w->n - 1) % WI_CHUNK + 1;
    const uint32_t ahead = l->next[w->chunk];
    if (ahead != WI_NONE) {
        const char *at = (const char *)&l->keys[(size_t)ahead * WI_CHUNK];
        __builtin_prefetch(at);
        __builtin_prefetch(at + 64);
        __builtin_prefetch(at + 128);
        __builtin_prefetch(at + 192);
    }
    return &l->keys[(size_t)w->chunk * WI_CHUNK];
}

static void walk_on(const wi_ladder *l, walk *w, uint32_t n_here)
{
    w->n -= n_here;
    w->chunk = l->next[w->chunk];
}

/* Copy out the newest chunk of a bucket and give it back, so that what is added next reuses it. */
static uint32_t bucket_take_chunk(wi_ladder *l, wi_bucket *b, wi_heap_key out[WI_CHUNK])
{
    const walk w = {b->chunk, b->n};
    uint32_t n_here;
    const wi_heap_key *keys = walk_keys(l, &w, &n_here);
    memcpy(out, keys, n_here * sizeof *out);
    b->n -= n_here;
    b->chunk = l->next[w.chunk];
    l->next[w.chunk] = l->free_head;
    l->free_head = w.chunk;
    return n_here;
}

/* Least time, and the mean distance from it. Sums are of distances from the first time: those of times themselves, 2^53 and
 * more, are rounded, and their mean may be before the least. */
typedef struct spread {
    uint64_t first, least;
    double mean;
} spread;

static spread spread_from(wi_heap_key key)
{
    const uint64_t t = (uint64_t)wi_key_time(key);
    return (spread){t, t, 0.0};
}

static void spread_add(spread *s, const wi_heap_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t t = (uint64_t)wi_key_time(keys[i]);
        s->least = t < s->least ? t : s->least;
        s->mean += (double)(int64_t)(t - s->first);
    }
}

static spread spread_end(spread s, size_t n)
{
    const double mean = s.mean / (double)n + (double)(s.first - s.least);
    s.mean = mean > 0.0 ? mean : 0.0;
    return s;
}

/*
 * Open a rung for n keys that spread like that, up to `end`. Where times thin out (exponentially, say) keys
 * come at n / mean per unit of time at the front; half of that when they are uniform. The rung reaches four
 * times the mean; the few beyond stay behind. False when memory is short.
 */
static int rung_open(wi_ladder *l, size_t n, spread s, uint64_t end)
{
    wi_rung *rung = &l->rung[l->n_rungs];
    const double width = s.mean * WI_BUCKET_WANTED / (double)n;
    uint32_t shift = 0;
    while (shift < 62 && (double)(UINT64_C(1) << shift) < width)
        shift++;
    double buckets = 4.0 * s.mean / (double)(UINT64_C(1) << shift) + 2.0;
    const double most = (double)((end - 1 - s.least) >> shift) + 1.0;
    if (buckets > most)
        buckets = most;
    const uint32_t count = (uint32_t)buckets; /* at most 4 n / WI_BUCKET_WANTED + 2 */
    if (count > rung->room) {
        wi_bucket *room = realloc(rung->buckets, count * sizeof *room);
        if (!room)
            return 0;
        rung->buckets = room;
        rung->room = count;
    }
    if (!chunks_reserve(l, count + n / WI_CHUNK + 2))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        rung->buckets[i] = nothing;
    rung->start = s.least;
    rung->shift = shift;
    rung->n = count;
    rung->current = 0;
    const uint64_t width_ps = UINT64_C(1) << shift;
    rung->end = count > (end - s.least - 1) / width_ps ? end : s.least + count * width_ps;
    l->n_rungs++;
    l->n_buckets_peak = l->n_buckets_peak > count ? l->n_buckets_peak : count;
    return 1;
}

/* Spread `from`, which is not in the ladder any more, over a finer rung that ends at `end` at the latest. */
static int spread_bucket(wi_ladder *l, wi_bucket from, uint64_t end)
{
    const size_t n = from.n;
    uint32_t n_here;
    walk w = {from.chunk, from.n};
    spread s = spread_from(*walk_keys(l, &w, &n_here));
    for (; w.n > 0; walk_on(l, &w, n_here)) {
        const wi_heap_key *keys = walk_keys(l, &w, &n_here);
        spread_add(&s, keys, n_here);
    }
    if (!rung_open(l, n, spread_end(s, n), end))
        return 0;
    while (from.n > 0) {
        wi_heap_key keys[WI_CHUNK];
        n_here = bucket_take_chunk(l, &from, keys);
        for (uint32_t i = 0; i < n_here; i++)
            wi_ladder_push_far(l, keys[i]);
    }
    return 1;
}

/* The heap may grow to what is worth a split, but not beyond what it has room for. */
static void note_near(wi_ladder *l, size_t more)
{
    const size_t n = l->near.n;
    const size_t most = (l->split_at > n ? l->split_at : n) + more;
    l->near_room = most < l->near.capacity ? most : l->near.capacity;
    if (n > l->near_peak)
        l->near_peak = n;
}

/* Add what is left of the run to the heap's array, in no order. */
static int end_run(wi_ladder *l)
{
    const size_t n = l->run_n - l->run_at;
    if (!wi_heap_reserve(&l->near, l->near.n + n))
        return 0;
    memcpy(l->near.a + l->near.n, l->run + l->run_at, n * sizeof *l->run);
    l->near.n += n;
    l->run_at = l->run_n;
    return 1;
}

/* Keys sink far in the heap: keep its first bucket, and move the rest to a finer rung. */
static int split(wi_ladder *l)
{
    if (l->n_rungs == WI_RUNGS_MAX) {
        l->split_at = 2 * l->near.n;
        return 1;
    }
    if (!end_run(l))
        return 0;
    const size_t n = l->near.n;
    wi_heap_key *a = l->near.a;
    spread s = spread_from(a[0]);
    spread_add(&s, a, n);
    if (!rung_open(l, n, spread_end(s, n), (uint64_t)l->near_end_ps)) {
        wi_heap_build(&l->near);
        return 0;
    }
    const wi_rung *rung = &l->rung[l->n_rungs - 1];
    const uint64_t width_ps = UINT64_C(1) << rung->shift;
    const uint64_t near_end = rung->end - rung->start > width_ps ? rung->start + width_ps : rung->end;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const wi_heap_key key = a[i];
        if ((uint64_t)wi_key_time(key) < near_end)
            a[kept++] = key;
        else
            wi_ladder_push_far(l, key);
    }
    for (size_t i = kept; i < n; i++)
        a[i] = WI_KEY_MAX;
    l->near.n = kept;
    l->near_end_ps = (weir_time)near_end;
    wi_heap_build(&l->near);
    /* Keys of one time cannot be split: do not try again at once. */
    l->split_at = kept > WI_NEAR_MOST / 2 ? 2 * kept : WI_NEAR_MOST;
    return 1;
}

int wi_ladder_reserve(wi_ladder *l, size_t more)
{
    if (l->near.n >= l->split_at && !split(l))
        return 0;
    if (!wi_heap_reserve(&l->near, l->near.n + more) || !chunks_reserve(l, more + 1))
        return 0;
    note_near(l, more);
    return 1;
}

/* Sort what a bucket holds: it is the run. */
static void load(wi_ladder *l, wi_bucket from, uint64_t end)
{
    if (!run_reserve(l, from.n)) {
        l->failed = 1;
        return;
    }
    while (from.n > 0)
        l->run_n += bucket_take_chunk(l, &from, l->run + l->run_n);
    wi_key_sort(l->run, l->run + l->run_n, l->run_n);
    l->run_peak = l->run_peak > l->run_n ? l->run_peak : l->run_n;
    l->run[l->run_n] = l->run[l->run_n + 1] = WI_KEY_MAX;
    l->near_end_ps = (weir_time)end;
    l->split_at = WI_NEAR_MOST;
    note_near(l, 0);
}

void wi_ladder_run_to_heap(wi_ladder *l)
{
    const wi_heap_key first = l->run[l->run_at];
    while (wi_key_same(l->run[l->run_at], first)) {
        if (!wi_heap_reserve(&l->near, l->near.n + 1)) {
            l->failed = 1;
            return;
        }
        wi_heap_push(&l->near, l->run[l->run_at++]);
    }
    note_near(l, 0);
}

static uint64_t bucket_end(const wi_rung *rung)
{
    const uint64_t end = rung->start + ((uint64_t)(rung->current + 1) << rung->shift);
    return end < rung->end ? end : rung->end;
}

void wi_ladder_refill(wi_ladder *l)
{
    while (l->near.n == 0 && l->run_at == l->run_n && !l->failed) {
        wi_bucket *from = &l->top;
        uint64_t end = (uint64_t)WEIR_TIME_MAX;
        int finest = 0;
        if (l->n_rungs > 0) {
            wi_rung *rung = &l->rung[l->n_rungs - 1];
            while (rung->current < rung->n && rung->buckets[rung->current].n == 0)
                rung->current++;
            if (rung->current == rung->n) {
                l->n_rungs--; /* what was left behind is in the parent's current bucket, or the top */
                continue;
            }
            from = &rung->buckets[rung->current];
            end = bucket_end(rung);
            finest = rung->shift == 0 || l->n_rungs == WI_RUNGS_MAX;
        }
        const wi_bucket taken = *from;
        *from = nothing;
        if (taken.n <= WI_BUCKET_MOST || finest)
            load(l, taken, end);
        else if (!spread_bucket(l, taken, end))
            l->failed = 1;
        if (taken.n == 0)
            return; /* the top was empty: nothing is left */
    }
}

static void visit_bucket(const wi_ladder *l, const wi_bucket *b, void (*visit)(void *user, wi_heap_key key),
                         void *user)
{
    uint32_t n_here;
    for (walk w = {b->chunk, b->n}; w.n > 0; walk_on(l, &w, n_here)) {
        const wi_heap_key *keys = walk_keys(l, &w, &n_here);
        for (uint32_t i = 0; i < n_here; i++)
            visit(user, keys[i]);
    }
}

void wi_ladder_visit(const wi_ladder *l, int skip_root, void (*visit)(void *user, wi_heap_key key),
                     void *user)
{
    for (size_t i = skip_root ? 1 : 0; i < l->near.n; i++)
        visit(user, l->near.a[i]);
    for (size_t i = l->run_at; i < l->run_n; i++)
        visit(user, l->run[i]);
    for (uint32_t r = 0; r < l->n_rungs; r++)
        for (uint32_t k = l->rung[r].current; k < l->rung[r].n; k++)
            visit_bucket(l, &l->rung[r].buckets[k], visit, user);
    visit_bucket(l, &l->top, visit, user);
}

size_t wi_ladder_bytes(const wi_ladder *l)
{
    const size_t near = l->near_peak > l->near.n ? l->near_peak : l->near.n;
    return (near + 2 * l->run_peak) * sizeof(wi_heap_key) +
           (size_t)l->used * (WI_CHUNK * sizeof(wi_heap_key) + 4) + l->n_buckets_peak * sizeof(wi_bucket);
}
