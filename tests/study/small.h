/* A study of a small scenario in a scratch folder, opened and run with what a test asks for. */
#ifndef TESTS_STUDY_SMALL_H
#define TESTS_STUDY_SMALL_H

#include "diag.h"
#include "output/scratch.h"
#include "weir/study.h"

/* Two classes over a dumbbell; some milliseconds a run. */
#define NETWORK                                                                                         \
    "weir: 1\nname: small\nduration: 300ms\n"                                                           \
    "topology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 5Mbps, bottleneck_delay: 5ms}}\n" \
    "traffic:\n"                                                                                        \
    "  - {name: bulk, from: l0, to: r0, tcp: {sessions: 2}, start: {uniform: [0s, 50ms]}}\n"            \
    "  - {name: noise, from: l1, to: r1, udp: {rate: 1Mbps, pattern: poisson}}\n"
#define PHOLD                                                                                                \
    "weir: 1\nname: small\nduration: 2us\nmodel: {phold: {entities: 16, events: 1, remote: 50%, lookahead: " \
    "10ns, mean: 90ns}}\n"

enum { SETS_MAX = 16 };

static inline void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Options of a run. */
static inline weir_study_options into(const char *dir, uint32_t jobs)
{
    weir_study_options o;
    weir_study_options_init(&o);
    o.output_dir = dir;
    o.jobs = jobs;
    return o;
}

/* Opens `path` with settings up to a null. */
static inline weir_status open_with(weir_diag *diag, const char *path, const char *const *sets,
                                    weir_study **out)
{
    size_t n = 0;
    while (sets && sets[n])
        n++;
    return weir_study_open(diag, path, sets, n, NULL, out);
}

static inline weir_status run_into(weir_diag *diag, const char *path, const char *const *sets,
                                   const weir_study_options *asked, weir_study_result *result)
{
    weir_study *study = NULL;
    weir_study_result mine = {0};
    weir_status status = open_with(diag, path, sets, &study);
    if (status == WEIR_OK)
        status = weir_study_run(study, asked, result ? result : &mine);
    weir_study_result_free(&mine);
    weir_study_free(study);
    return status;
}

static inline int in_scratch(void **state)
{
    (void)state;
    return scratch_make() && chdir(scratch_folder) == 0 ? 0 : -1;
}

static inline int out_of_scratch(void **state)
{
    char line[128];
    (void)state;
    snprintf(line, sizeof line, "rm -rf %s", scratch_folder);
    return chdir("/") == 0 ? system(line) : -1;
}

#endif
