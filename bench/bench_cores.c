/*
 * What the machine's cores can do at once: independent loops on one thread and on two. links: base
 *
 * bench_cores [TURNS]. Parts take from one to some milliseconds, and the best of TURNS (default 400) counts,
 * so that a machine with other work shows its cores and not its load. Loops of a turn must have the same
 * result before anything is printed. No engine scales better than this, unless its memory shrinks.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "bench.h"

enum { THREADS = 2, STEPS_REGISTERS = 400000, STEPS_MEMORY = 300000 };

typedef struct loop {
    _Alignas(128) uint64_t *words; /* null: registers only */
    uint64_t mask, seed, result;
    double seconds;
    _Atomic int *waiting; /* threads that have not come yet: all start together */
} loop;

static uint64_t xorshift(uint64_t x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ (x << 17);
}

static void *run_loop(void *arg)
{
    loop *l = arg;
    uint64_t x = l->seed;
    atomic_fetch_sub(l->waiting, 1);
    while (atomic_load(l->waiting) > 0)
        ;
    const double start = bench_wall_s();
    for (int i = 0; !l->words && i < STEPS_REGISTERS; i++)
        x = xorshift(x);
    for (int i = 0; l->words && i < STEPS_MEMORY; i++) {
        x = xorshift(x);
        l->words[x & l->mask] += x;
    }
    l->seconds = bench_wall_s() - start;
    l->result = x;
    return NULL;
}

/* Seconds of the slowest of n threads. */
static double run_threads(loop *loops, int n, uint64_t seed)
{
    _Atomic int waiting = n;
    pthread_t threads[THREADS];
    double slowest = 0;
    for (int i = 0; i < n; i++) {
        loops[i].waiting = &waiting;
        loops[i].seed = seed;
        if (pthread_create(&threads[i], NULL, run_loop, &loops[i]) != 0)
            bench_fail("no thread");
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        slowest = loops[i].seconds > slowest ? loops[i].seconds : slowest;
    }
    return slowest;
}

static void bench(const char *name, size_t kib, int turns)
{
    loop loops[THREADS] = {0};
    double best[THREADS] = {1e9, 1e9};
    uint64_t expected = 0;
    for (int i = 0; i < THREADS && kib > 0; i++) {
        loops[i].words = malloc(kib * 1024);
        loops[i].mask = kib * 128 - 1;
        if (!loops[i].words)
            bench_fail("no memory");
        memset(loops[i].words, 1, kib * 1024); /* every page is there before the clock runs */
    }
    for (int turn = 0; turn < turns; turn++)
        for (int n = 1; n <= THREADS; n++) {
            /* Other words in every turn, or the cache would know them. */
            const double seconds = run_threads(loops, n, 88172645463325252u + (uint64_t)turn);
            best[n - 1] = seconds < best[n - 1] ? seconds : best[n - 1];
            expected = n == 1 ? loops[0].result : expected;
            for (int i = 0; i < n; i++)
                if (loops[i].result != expected)
                    bench_fail("%s: results differ", name);
        }
    printf("%-32s %10.3f %10.3f %8.2f\n", name, 1e3 * best[0], 1e3 * best[1], 2 * best[0] / best[1]);
    for (int i = 0; i < THREADS; i++)
        free(loops[i].words);
}

int main(int argc, char **argv)
{
    const int turns = bench_count(argc, argv, 1, 400, 1000000);
    printf("%-32s %10s %10s %8s\n", "loop", "1, ms", "2, ms", "scaling");
    bench("registers", 0, turns);
    bench("random words of 256 KiB each", 256, turns);
    bench("random words of 2 MiB each", 2048, turns);
    bench("random words of 8 MiB each", 8192, turns);
    bench("random words of 64 MiB each", 65536, turns);
    return 0;
}
