/* docs/results.md names every column that a run writes, of each table and series; and those of the tables with
 * its section. */
#include <hdf5.h>
#include <stdlib.h>

#include "output/scratch.h"
#include "diag.h"
#include "scenario/load.h"
#include "weir/run.h"

static const char text[] =
    "weir: 1\nduration: 100ms\ntopology: {generate: {model: dumbbell}, queue: {type: red, min: 9kB, max: "
    "30kB}}\n"
    "traffic: [{name: a, tcp: {sessions: 4}, from: l0, to: r0, fidelity: {packet: 2, fluid: rest}},\n"
    "  {name: b, tcp: {size: 1kB}, from: l0, to: r0},\n"
    "  {name: c, tcp: {size: 1kB}, collective: {kind: all-to-all, hosts: [l0, r0]}},\n"
    "  {name: v, tcp: {video: {ladder: [100kbps], segment: 20ms}}, from: l0, to: r0}]\n"
    "fluid: {device: cpu}\noutput: {ports: all, cwnd: a, pcap: l0, flow_monitor: {classes: a}, packets: a}\n";

static char *whole(const char *path)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *content = calloc(1, 1 << 20);
    assert_non_null(content);
    assert_true(fread(content, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return content;
}

/* From a heading to the next. */
static char *section(const char *page, const char *heading)
{
    const char *from = strstr(page, heading);
    assert_non_null(from);
    const char *to = strstr(from + strlen(heading), "\n## ");
    return strndup(from, to ? (size_t)(to - from) : strlen(from));
}

static size_t unnamed(const char *in, const char *column, const char *what)
{
    char quoted[1000];
    snprintf(quoted, sizeof quoted, "`%s`", column);
    if (strstr(in, quoted))
        return 0;
    print_message("  docs/results.md does not name %s of %s\n", column, what);
    return 1;
}

static size_t unnamed_in_table(const char *page, const char *folder, const char *name)
{
    char path[600], heading[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(heading, sizeof heading, "\n## %s\n", name);
    char *csv = whole(path), *in = section(page, heading), *save = NULL;
    size_t n = 0;
    csv[strcspn(csv, "\n")] = '\0';
    for (char *c = strtok_r(csv, ",", &save); c; c = strtok_r(NULL, ",", &save))
        n += unnamed(in, c, name);
    free(csv);
    free(in);
    return n;
}

/* The data sets of all groups of a series. */
static size_t unnamed_in_series(const char *page, const char *folder)
{
    static const char *const groups[] = {"/ports", "/flows"};
    char path[600], name[200];
    char *in = section(page, "\n## series.h5\n");
    size_t n = 0;
    snprintf(path, sizeof path, "%s/series.h5", folder);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        H5G_info_t info;
        const hid_t group = H5Gopen2(file, groups[g], H5P_DEFAULT);
        assert_true(group >= 0 && H5Gget_info(group, &info) >= 0 && info.nlinks > 3);
        for (hsize_t i = 0; i < info.nlinks; i++) {
            assert_true(H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                                           H5P_DEFAULT) > 0);
            n += unnamed(in, name, "series.h5");
        }
        H5Gclose(group);
    }
    H5Fclose(file);
    free(in);
    return n;
}

static void every_column_is_named(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = good(text, NULL, 0);
    weir_run_options options;
    weir_run_result result;
    assert_non_null(scratch_make());
    weir_run_options_init(&options);
    options.output_dir = scratch_path("columns");
    expect_ok(diag, weir_run(diag, scenario, &options, &result));
    char *page = whole(WEIR_SOURCE_DIR "/docs/results.md");
    assert_int_equal(unnamed_in_table(page, result.output_dir, "flows.csv") +
                         unnamed_in_table(page, result.output_dir, "ports.csv") +
                         unnamed_in_table(page, result.output_dir, "slowdown.csv") +
                         unnamed_in_table(page, result.output_dir, "rounds.csv") +
                         unnamed_in_table(page, result.output_dir, "players.csv") +
                         unnamed_in_table(page, result.output_dir, "segments.csv") +
                         unnamed_in_table(page, result.output_dir, "histograms.csv") +
                         unnamed_in_table(page, result.output_dir, "captures.csv") +
                         unnamed_in_table(page, result.output_dir, "addresses.csv") +
                         unnamed_in_series(page, result.output_dir),
                     0);
    free(page);
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_column_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
