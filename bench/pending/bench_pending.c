/*
 * Structures for the pending set in the hold model: n keys, and again and again the least leaves and comes
 * back later. links: engine base
 *
 * bench_pending [LARGEST [REPEATS]]. Each structure must first give the same keys in the same order as the
 * engine's heap. Then nanoseconds per hold, the median of REPEATS (default 3) rounds in which all structures
 * take turns, at 10^3, 10^5 and 10^7 (LARGEST) keys; the draw of the increment, about 4 ns, is part of it.
 * Increments: exponential; two kinds (nine in ten a hundredth of the mean, as serialisation beside timers);
 * nearly constant (a mean plus up to 1 %).
 */
#include <math.h>
#include <string.h>

#include "pending/ladder.h"

#include "../bench.h"
#include "pending_binary.h"
#include "pending_calendar.h"
#include "pending_pairing.h"

enum { TABLE = 1 << 16, STRUCTURES = 6, SHAPES = 3 };

typedef struct holder {
    const char *name;
    void *set;
    void (*push)(void *set, wi_heap_key key);
    wi_heap_key (*hold)(void *set, const uint64_t *increments, uint64_t *draws);
} holder;

/* Increments come from a table, so that drawing them costs the same and little everywhere. */
static uint64_t increments[SHAPES][TABLE];

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static wi_heap_key again(wi_heap_key key, const uint64_t *table, uint64_t *draws)
{
    const uint64_t bits = mix(++*draws * UINT64_C(0x9e3779b97f4a7c15));
    return wi_key_make(wi_key_time(key) + (weir_time)table[bits % TABLE], (uint32_t)(bits >> 32),
                       wi_key_handle(key));
}

static void make_increments(void)
{
    const double mean_ps = 1e9;
    for (uint64_t i = 0; i < TABLE; i++) {
        const double u = ((double)i + 0.5) / TABLE, other = (double)(mix(i + 1) >> 11) * 0x1p-53;
        const double e = -log(u) * mean_ps;
        increments[0][i] = (uint64_t)e + 1;
        increments[1][i] = (uint64_t)(other < 0.9 ? e / 100 : e) + 1;
        increments[2][i] = (uint64_t)(mean_ps * (1 + 0.01 * u));
    }
}

/* ---- the structures behind one interface ---- */

static void heap_push(void *set, wi_heap_key key)
{
    wi_heap *h = set;
    if (!wi_heap_reserve(h, h->n + 1))
        abort();
    wi_heap_push(h, key);
}

static wi_heap_key heap_hold(void *set, const uint64_t *table, uint64_t *draws)
{
    wi_heap *h = set;
    const wi_heap_key key = h->a[0];
    wi_heap_pop(h);
    wi_heap_push(h, again(key, table, draws));
    return key;
}

/* As the engine does: the new key takes the place of the one that left. */
static wi_heap_key replace_hold(void *set, const uint64_t *table, uint64_t *draws)
{
    wi_heap *h = set;
    const wi_heap_key key = h->a[0];
    wi_heap_sink(h, again(key, table, draws));
    return key;
}

static void binary_push_(void *set, wi_heap_key key)
{
    binary_push(set, key);
}

static wi_heap_key binary_hold(void *set, const uint64_t *table, uint64_t *draws)
{
    const wi_heap_key key = binary_pop(set);
    binary_push(set, again(key, table, draws));
    return key;
}

static void pairing_push_(void *set, wi_heap_key key)
{
    pairing_push(set, key);
}

static wi_heap_key pairing_hold(void *set, const uint64_t *table, uint64_t *draws)
{
    const wi_heap_key key = pairing_pop(set);
    pairing_push(set, again(key, table, draws));
    return key;
}

static void calendar_push_(void *set, wi_heap_key key)
{
    calendar_push(set, key);
}

static wi_heap_key calendar_hold(void *set, const uint64_t *table, uint64_t *draws)
{
    const wi_heap_key key = calendar_pop(set);
    calendar_push(set, again(key, table, draws));
    return key;
}

static void ladder_push(void *set, wi_heap_key key)
{
    wi_ladder *l = set;
    if (!wi_ladder_has_room(l, 1) && !wi_ladder_reserve(l, 1))
        abort();
    if (wi_key_time(key) < l->near_end_ps)
        wi_heap_push(&l->near, key);
    else
        wi_ladder_push_far(l, key);
}

static wi_heap_key ladder_hold(void *set, const uint64_t *table, uint64_t *draws)
{
    wi_ladder *l = set;
    if (wi_ladder_least(l) == WI_KEY_MAX)
        wi_ladder_refill(l);
    if (!wi_ladder_has_room(l, 1) && !wi_ladder_reserve(l, 1))
        abort();
    const wi_heap_key key = wi_ladder_least(l), next = again(key, table, draws);
    const int from_run = key == l->run[l->run_at], near = wi_key_time(next) < l->near_end_ps;
    l->run_at += (size_t)from_run;
    if (!near)
        wi_ladder_push_far(l, next);
    else if (from_run)
        wi_heap_push(&l->near, next);
    else
        wi_heap_sink(&l->near, next);
    if (!near && !from_run)
        wi_heap_pop(&l->near);
    return key;
}

typedef struct sets {
    wi_heap heap, replaced;
    binary_heap binary;
    pairing_heap pairing;
    calendar calendar;
    wi_ladder ladder;
    holder holders[STRUCTURES];
} sets;

static void sets_make(sets *s)
{
    memset(s, 0, sizeof *s);
    if (!wi_ladder_init(&s->ladder))
        abort();
    const holder made[STRUCTURES] = {{"4-ary heap", &s->heap, heap_push, heap_hold},
                                     {"replacing", &s->replaced, heap_push, replace_hold},
                                     {"binary", &s->binary, binary_push_, binary_hold},
                                     {"pairing", &s->pairing, pairing_push_, pairing_hold},
                                     {"calendar", &s->calendar, calendar_push_, calendar_hold},
                                     {"ladder", &s->ladder, ladder_push, ladder_hold}};
    memcpy(s->holders, made, sizeof made);
}

static void sets_free(sets *s)
{
    wi_heap_free(&s->heap);
    wi_heap_free(&s->replaced);
    free(s->binary.a);
    free(s->pairing.node);
    free(s->calendar.node);
    free(s->calendar.day);
    wi_ladder_free(&s->ladder);
}

/* ---- measuring ---- */

static void fill(const holder *h, size_t n, const uint64_t *table)
{
    uint64_t draws = 0;
    for (size_t i = 0; i < n; i++)
        h->push(h->set, again(wi_key_make(0, 0, (uint32_t)i), table, &draws));
}

/* Sum over the keys that leave, in their order. */
static uint64_t run(const holder *h, size_t holds, const uint64_t *table, uint64_t *draws)
{
    uint64_t order = 0;
    for (size_t i = 0; i < holds; i++) {
        const wi_heap_key key = h->hold(h->set, table, draws);
        order = order * 31 + (uint64_t)(key >> 64) + wi_key_handle(key);
    }
    return order;
}

static void row(size_t n, int shape, int repeats)
{
    static const char *const shapes[SHAPES] = {"exponential", "two kinds", "nearly constant"};
    const uint64_t *table = increments[shape];
    static sets s;
    double ns[STRUCTURES][BENCH_REPEATS_MAX];
    uint64_t order[STRUCTURES], draws[STRUCTURES];
    const size_t warm = n < 100000 ? 300000 : n, holds = 1000000;
    sets_make(&s);
    for (int k = 0; k < STRUCTURES; k++) {
        fill(&s.holders[k], n, table);
        draws[k] = n;
        order[k] = run(&s.holders[k], warm, table, &draws[k]);
    }
    for (int r = 0; r < repeats; r++)
        for (int k = 0; k < STRUCTURES; k++) {
            const double t0 = bench_wall_s();
            order[k] += run(&s.holders[k], holds, table, &draws[k]);
            ns[k][r] = (bench_wall_s() - t0) / (double)holds * 1e9;
        }
    printf("%10zu  %-16s", n, shapes[shape]);
    for (int k = 0; k < STRUCTURES; k++) {
        if (order[k] != order[0])
            bench_fail("%s gives another order than %s", s.holders[k].name, s.holders[0].name);
        printf(" %10.1f", bench_median(ns[k], repeats));
    }
    printf(" %10.1f\n", (double)wi_ladder_bytes(&s.ladder) / (double)n);
    fflush(stdout);
    sets_free(&s);
}

int main(int argc, char **argv)
{
    const size_t largest = argc > 1 ? (size_t)strtod(argv[1], NULL) : 10000000;
    const int repeats = bench_count(argc, argv, 2, 3, BENCH_REPEATS_MAX);
    make_increments();
    printf("hold model, 16-byte keys, ns per hold\n%10s  %-16s", "pending", "increments");
    sets names;
    sets_make(&names);
    for (int k = 0; k < STRUCTURES; k++)
        printf(" %10s", names.holders[k].name);
    printf(" %10s\n", "ladder B");
    for (size_t n = 1000; n <= largest; n *= 100)
        for (int shape = 0; shape < SHAPES; shape++)
            row(n, shape, repeats);
    return 0;
}
