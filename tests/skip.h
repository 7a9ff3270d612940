/*
 * Cases that need what this machine or build lacks: skip_aloud("why") in the case, and from main
 * `return test_result(cmocka_run_group_tests(..))`. A program in which a case was skipped, and none failed,
 * ends with SKIP_CODE, which CTest counts apart (SKIP_RETURN_CODE); .ci/run lists the lines that begin with
 * SKIPPED.
 */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { SKIP_CODE = 77 };

static int cases_skipped;

/* Printf's arguments say what is missing. Does not return. */
#define skip_aloud(...)             \
    do {                            \
        fputs("SKIPPED: ", stdout); \
        printf(__VA_ARGS__);        \
        fputs("\n", stdout);        \
        fflush(stdout);             \
        cases_skipped++;            \
        skip();                     \
    } while (0)

/* The exit code of a program with so many failed cases. */
static inline int test_result(int failed)
{
    return failed ? 1 : cases_skipped ? SKIP_CODE : 0;
}

/* Where published data sets are, which the source tree does not hold: WEIR_DATA, by default ../shared/data
 * beside the source. */
static inline const char *data_root(void)
{
    const char *set = getenv("WEIR_DATA");
    return set && *set ? set : WEIR_SOURCE_DIR "/../shared/data";
}

/* The path of a data set's file or folder, in a buffer of the next call; the case is skipped where it is
 * missing. */
static inline const char *data_path(const char *name)
{
    static char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", data_root(), name) >= (int)sizeof path)
        fail_msg("%s: too long", name);
    if (access(path, R_OK) != 0)
        skip_aloud("no data set %s; WEIR_DATA names the folder of data sets", path);
    return path;
}

#endif
