/* Tables of columns in docs/ are what weir_results_json says; every table of results stands in one of the pages; and runs write the
 * columns that it says. WEIR_UPDATE_DOCS=1 writes the pages anew. */
#include <hdf5.h>
#include <jansson.h>
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
    "  {name: j, tcp: {}, job: {trace: '" WEIR_TEST_DATA "/job.goal', ranks_per_host: 4}},\n"
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

static json_t *described(void)
{
    char *list = weir_results_json();
    assert_non_null(list);
    json_t *tables = json_loads(list, 0, NULL);
    assert_non_null(tables);
    free(list);
    return tables;
}

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* "network flows.csv", "network series.h5 ports". */
static void name_of(const json_t *table, char *out, size_t size)
{
    const char *in = text_of(table, "table");
    snprintf(out, size, "%s %s%s%s", text_of(table, "model"), text_of(table, "file"), in[0] ? " " : "", in);
}

static const json_t *find(const json_t *tables, const char *name)
{
    char of[300];
    for (size_t i = 0; i < json_array_size(tables); i++) {
        name_of(json_array_get(tables, i), of, sizeof of);
        if (strcmp(of, name) == 0)
            return json_array_get(tables, i);
    }
    fail_msg("a page asks for the columns of '%s', which no run writes", name);
    return NULL;
}

/* ---- pages ---- */

static void put_row(FILE *out, const json_t *columns, size_t from, size_t to)
{
    const char *units = text_of(json_array_get(columns, from), "units");
    for (size_t i = from; i < to; i++)
        fprintf(out, "%s`%s`", i == from ? "| " : ", ", text_of(json_array_get(columns, i), "name"));
    fprintf(out, " | %s", units);
    for (size_t i = from + 1; i < to; i++)
        if (strcmp(text_of(json_array_get(columns, i), "units"), units) != 0)
            fprintf(out, ", %s", text_of(json_array_get(columns, i), "units"));
    fprintf(out, " | %s |\n", text_of(json_array_get(columns, from), "meaning"));
}

static void put_table(FILE *out, const json_t *table)
{
    const json_t *columns = json_object_get(table, "columns");
    const size_t n = json_array_size(columns);
    fputs("| column | unit | meaning |\n| --- | --- | --- |\n", out);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n; next++)
            if (!json_is_true(json_object_get(json_array_get(columns, next), "continues")))
                break;
        put_row(out, columns, i, next);
    }
}

/* A page with its tables made anew; `seen` gets a name for each. */
static char *made_anew(const char *page, const json_t *tables, json_t *seen)
{
    static const char begin[] = "<!-- columns: ", end[] = "<!-- end of columns -->";
    char *made = NULL;
    size_t size;
    FILE *out = open_memstream(&made, &size);
    for (const char *at; (at = strstr(page, begin)) != NULL;) {
        char name[300];
        const char *name_end = strstr(at, " -->\n"), *stop = strstr(at, end);
        assert_true(name_end && stop && name_end < stop);
        snprintf(name, sizeof name, "%.*s", (int)(name_end - at - (int)strlen(begin)), at + strlen(begin));
        fwrite(page, 1, (size_t)(name_end + 5 - page), out);
        put_table(out, find(tables, name));
        json_object_set_new(seen, name, json_true());
        fputs(end, out);
        page = stop + strlen(end);
    }
    fputs(page, out);
    assert_int_equal(fclose(out), 0);
    return made;
}

static void pages_are_current(void **state)
{
    static const char *const pages[] = {"results", "kademlia", "interconnects", "wireless",
                                        "jackson", "mgk",      "phold",         "lcg"};
    const char *update = getenv("WEIR_UPDATE_DOCS");
    json_t *tables = described(), *seen = json_object();
    size_t stale = 0;
    (void)state;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/docs/%s.md", WEIR_SOURCE_DIR, pages[i]);
        char *page = whole(path), *made = made_anew(page, tables, seen);
        if (update && strcmp(update, "1") == 0) {
            FILE *f = fopen(path, "w");
            assert_non_null(f);
            fputs(made, f);
            assert_int_equal(fclose(f), 0);
        } else if (strcmp(page, made) != 0) {
            print_message("  docs/%s.md differs from the tables of columns\n", pages[i]);
            stale++;
        }
        free(page);
        free(made);
    }
    if (stale)
        fail_msg("run this test with WEIR_UPDATE_DOCS=1 to write the pages");
    json_decref(seen);
    json_decref(tables);
}

/* ---- runs ---- */

/* What a run wrote to a CSV file is what is said of it. */
static void expect_header(const json_t *table, const char *folder)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, text_of(table, "file"));
    char *csv = whole(path), *save = NULL;
    csv[strcspn(csv, "\n")] = '\0';
    const json_t *columns = json_object_get(table, "columns");
    size_t n = 0;
    for (char *c = strtok_r(csv, ",", &save); c; c = strtok_r(NULL, ",", &save))
        assert_string_equal(c, text_of(json_array_get(columns, n++), "name"));
    assert_int_equal(n, json_array_size(columns));
    free(csv);
}

/* The data sets of a group of a series, name and time_s left out. */
static void expect_group(const json_t *table, hid_t file)
{
    const json_t *columns = json_object_get(table, "columns");
    H5G_info_t info;
    const hid_t group = H5Gopen2(file, text_of(table, "table"), H5P_DEFAULT);
    assert_true(group >= 0 && H5Gget_info(group, &info) >= 0);
    assert_int_equal(info.nlinks, json_array_size(columns) + 2);
    for (size_t i = 0; i < json_array_size(columns); i++)
        assert_true(H5Lexists(group, text_of(json_array_get(columns, i), "name"), H5P_DEFAULT) > 0);
    H5Gclose(group);
}

/* A path in summary.json, "classes.NAME" of the first class that has it all. */
static void expect_figures(const json_t *table, const json_t *summary)
{
    const char *path = text_of(table, "table");
    const json_t *at = strcmp(path, "topology") == 0 ? json_object_get(summary, path) : NULL;
    for (size_t i = 0; at && i < json_array_size(json_object_get(table, "columns")); i++)
        assert_non_null(
            json_object_get(at, text_of(json_array_get(json_object_get(table, "columns"), i), "name")));
}

static void runs_write_what_is_said(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = good(text, NULL, 0);
    weir_run_options options;
    weir_run_result result;
    char path[600];
    size_t tables_seen = 0;
    assert_non_null(scratch_make());
    weir_run_options_init(&options);
    options.output_dir = scratch_path("columns");
    expect_ok(diag, weir_run(diag, scenario, &options, &result));
    json_t *tables = described(), *summary = json_loads(result.summary_json, 0, NULL);
    snprintf(path, sizeof path, "%s/series.h5", result.output_dir);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *table = json_array_get(tables, i);
        if (strcmp(text_of(table, "model"), "network") != 0)
            continue;
        if (strstr(text_of(table, "file"), ".csv"))
            expect_header(table, result.output_dir);
        else if (strcmp(text_of(table, "file"), "series.h5") == 0)
            expect_group(table, file);
        else
            expect_figures(table, summary);
        tables_seen++;
    }
    assert_true(tables_seen > 15);
    H5Fclose(file);
    json_decref(summary);
    json_decref(tables);
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pages_are_current),
                                       cmocka_unit_test(runs_write_what_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
