/*
 * Grids of many cells: every commit runs a part of them, `make nightly` (WEIR_NIGHTLY in the environment) all. Under a sanitizer, ten
 * times as slow, a part of that part.
 */
#ifndef TESTS_NIGHTLY_H
#define TESTS_NIGHTLY_H

#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* First in main: under the thread sanitizer, which takes thirty times as long, the cases with threads are enough, which have
 * names like this. */
#ifdef __SANITIZE_THREAD__
enum { OF_THREADS = 1 };
#else
enum { OF_THREADS = 0 };
#endif
#define ONLY_THREADS(pattern)                \
    do {                                     \
        if (OF_THREADS)                      \
            cmocka_set_test_filter(pattern); \
    } while (0)

static inline bool nightly(void)
{
    return getenv("WEIR_NIGHTLY") != NULL;
}

/* Is cell `i` run: every one by night, one of `of` by day, the first of which is `first`. */
static inline bool is_run(size_t i, size_t first, size_t of)
{
    return nightly() || i % of == first;
}

#endif
