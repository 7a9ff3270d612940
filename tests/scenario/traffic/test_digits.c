/*
 * Numbers of tables are rounded once: jitter, which is whole picoseconds, has at most twelve decimals, and the utilisation of a
 * port through which everything has passed is the double next to its bits over what it could send, of every port.
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"

static const char text[] =
    "weir: 1\nduration: 700ms\n"
    "topology: {generate: {model: fat-tree, k: 4, rate: 70Mbps, access_rate: 30Mbps}}\n"
    "traffic:\n"
    "  - {name: a, udp: {rate: 1.7Mbps, pattern: poisson, packet: 333B}, pairs: {random: 40}, stop: 500ms}\n"
    "  - {name: b, tcp: {size: 77kB, arrivals: {periodic: 9ms}}, pairs: {random: 5}, stop: 300ms}\n";

static size_t decimals(const char *cell)
{
    const char *point = memchr(cell, '.', strcspn(cell, ",\r\n"));
    return point ? strcspn(point + 1, ",\r\n") : 0;
}

static FILE *open_table(const char *folder, const char *name, char line[CSV_LINE])
{
    char path[CSV_LINE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, CSV_LINE, f));
    return f;
}

static int column_of(const char *line, const char *name)
{
    for (int i = 0; csv_at(line, i); i++)
        if (csv_is(csv_at(line, i), name))
            return i;
    fail_msg("no column %s", name);
    return -1;
}

static void rounded_once(void **state)
{
    (void)state;
    char line[CSV_LINE];
    weir_diag *diag = weir_diag_new();
    weir_run_result result = run_into(diag, text, "digits", NULL, 0);
    FILE *f = open_table(result.output_dir, "flows.csv", line);
    size_t flows = 0, ports = 0;
    for (const int jitter = column_of(line, "jitter_s"); fgets(line, sizeof line, f); flows++)
        if (decimals(csv_at(line, jitter)) > 12)
            fail_msg("a jitter of %.30s", csv_at(line, jitter));
    fclose(f);
    f = open_table(result.output_dir, "ports.csv", line);
    const int rate = column_of(line, "rate_bps"), bytes = column_of(line, "bytes"),
              used = column_of(line, "utilisation");
    for (; fgets(line, sizeof line, f); ports++) {
        const long double could = (long double)csv_number(csv_at(line, rate)) * 7;
        const double want = (double)(80 * (long double)csv_number(csv_at(line, bytes)) / could);
        if (!(csv_number(csv_at(line, used)) == want))
            fail_msg("a utilisation of %.30s, want %.17g", csv_at(line, used), want);
    }
    fclose(f);
    assert_in_range(flows, 60, 1000);
    assert_int_equal(ports, 96);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounded_once)};
    char command[1200];
    assert_non_null(scratch_make());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    return failed + (system(command) != 0);
}
