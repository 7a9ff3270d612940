/* SNDlib matrices: our sample, each documented error with its place, and the published files where they are
 * at hand. */
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "network/files/demands.h"
#include "scenario/load.h"
#include "skip.h"

#define HEAD "?SNDlib native format; type: network; version: 1.0\n"
#define NODES "NODES (\n a ( 1 2 )\n b\n)\n"
#define DEMANDS(text) HEAD NODES "DEMANDS (\n " text "\n)\n"

static void sample(void **state)
{
    wi_demands *d = NULL;
    weir_diag *diag = weir_diag_new();
    (void)state;
    const weir_status st = wi_demands_load(diag, WEIR_TEST_DATA "/matrix.txt", &d);
    print_messages(diag);
    assert_int_equal(st, WEIR_OK);
    assert_int_equal(weir_diag_count(diag), 0);
    assert_int_equal(d->node.count, 3);
    assert_string_equal(wi_names_text(&d->node, 2), "New York");
    assert_true(d->unit_given);
    assert_int_equal(d->n, 3);
    assert_int_equal(d->n_zero, 1);
    assert_int_equal(d->demand[0].rate_bps, 2500000000);
    assert_int_equal(d->demand[1].source, 1);
    assert_int_equal(d->demand[1].target, 2);
    assert_int_equal(d->demand[1].rate_bps, 2500000); /* routing unit 2 times 1.25e-3 Gb/s */
    assert_int_equal(d->demand[1].line, 21);
    assert_int_equal(d->total_bps, 2602500000);
    wi_demands_free(d);
    weir_diag_free(diag);
}

static void gzipped(void **state)
{
    wi_demands *d = NULL;
    weir_diag *diag = weir_diag_new();
    char folder[] = "/tmp/weir-test-XXXXXX", path[64], text[2100];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.txt.gz", folder);
    gzFile out = gzopen(path, "wb");
    static const char matrix[] = DEMANDS("d1 ( a b ) 1 2.5 UNLIMITED");
    assert_int_equal(gzwrite(out, matrix, sizeof matrix - 1), sizeof matrix - 1);
    gzclose(out);
    const weir_status st = wi_demands_load(diag, path, &d);
    print_messages(diag);
    assert_int_equal(st, WEIR_OK);
    assert_int_equal(d->demand[0].rate_bps, 2500000);
    wi_demands_free(d);
    assert_int_equal(truncate(path, 30), 0);
    weir_diag_clear(diag);
    assert_int_equal(wi_demands_load(diag, path, &d), WEIR_E_FORMAT);
    weir_message_format(weir_diag_get(diag, 0), text, sizeof text);
    assert_non_null(strstr(text, "m.txt.gz: the compressed file breaks off"));
    weir_diag_free(diag);
    unlink(path);
    rmdir(folder);
}

static void expect_complaint(const char *text, size_t length, weir_status status, const char *message)
{
    char got[2100] = "";
    wi_demands *d = NULL;
    weir_diag *diag = weir_diag_new();
    const weir_status st = wi_demands_parse(diag, "m", text, length, &d);
    if (weir_diag_count(diag) > 0)
        weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
    if (st != status || (d != NULL) != (st == WEIR_OK) || strncmp(got, message, strlen(message)) != 0)
        fail_msg("want %s with '%s', got %s with '%s' for:\n%s", weir_status_name(status), message,
                 weir_status_name(st), got, text);
    wi_demands_free(d);
    weir_diag_free(diag);
}

#define BAD(text, message) expect_complaint(text, strlen(text), WEIR_E_FORMAT, message)

static void errors_have_places(void **state)
{
    (void)state;
    BAD("", "m:1:1: error: there is nothing in this file");
    BAD("<network>", "m:1:1: error: this is XML; SNDlib");
    BAD("network", "m:1:1: error: this is no SNDlib native file");
    BAD("?SNDlib native format; type: model; version: 1.0\n", "m:1:1: error: this is SNDlib's model file");
    BAD(HEAD, "m:2: error: the file ends without a section DEMANDS");
    BAD(HEAD NODES, "m:6: error: the file ends without a section DEMANDS");
    BAD(HEAD "DEMANDS (\n)\n" NODES, "m:2:1: error: DEMANDS comes before NODES");
    BAD(HEAD NODES NODES, "m:6:1: error: a second section of this name");
    BAD(HEAD "NODES (\n a ( 1 2 )\n a\n)\n", "m:4:2: error: node 'a' is given twice");
    BAD(HEAD "NODES (\n a ( 1 2 \n",
        "m:4:1: error: a section has no closing parenthesis before the end of the file");
    BAD(HEAD "NODES ) (", "m:2:1: error: want a section: NAME ( ... )");
    BAD(HEAD "META (\n unit = MBITPERSEC\n", "m:4:1: error: META has no ')' alone in a line");
    BAD(HEAD "META (\n  unit = MBITPERSC\n)\n" NODES,
        "m:3:10: error: unknown unit 'MBITPERSC' (did you mean 'MBITPERSEC'?)");
    BAD(DEMANDS(""), "m:9: error: DEMANDS holds no demand above zero");
    BAD(DEMANDS("d ( a b ) 1 0 UNLIMITED"), "m:9: error: DEMANDS holds no demand above zero");
    BAD(DEMANDS("d a b"), "m:7:4: error: want '( source target )' after a demand's id, not a");
    BAD(DEMANDS("d ( a c ) 1 1 UNLIMITED"), "m:7:8: error: no node 'c' in NODES");
    BAD(DEMANDS("d ( a a ) 1 1 UNLIMITED"), "m:7:6: error: a demand of a node with itself");
    BAD(DEMANDS("d ( a b 1 1 UNLIMITED"), "m:7:10: error: want ')' after source and target, not 1");
    BAD(DEMANDS("d ( a b ) 1 x UNLIMITED"), "m:7:14: error: demand is 'x'; want a number");
    BAD(DEMANDS("d ( a b ) 1 -1 UNLIMITED"), "m:7:14: error: demand is -1; want 0 or more");
    BAD(DEMANDS("d ( a b ) nan 1 UNLIMITED"), "m:7:12: error: routing unit is 'nan'; want a number");
    BAD(DEMANDS("d ( a b ) 1 1e300 UNLIMITED"),
        "m:7: error: this demand, or the sum of all up to it, is beyond");
    BAD(DEMANDS("d ( a b ) 1 1"), "m:8:1: error: want the largest path length or UNLIMITED, not )");
    BAD(HEAD NODES "DEMANDS (\n d ( a b ) 1", "m:7:13: error: want a number, not the end of the file");
    BAD(HEAD NODES "DEMANDS (\n d ( a \"b ) 1\n)\n", "m:7:8: error: a quote that does not end in this line");
    static const char zero[] = HEAD "NODES (\n a\0b\n)\n";
    expect_complaint(zero, sizeof zero - 1, WEIR_E_FORMAT,
                     "m:3:2: error: a zero character in the name of node 'a'");
}

/* Several errors are all told; past the limit their number is. */
static void all_errors(void **state)
{
    char text[4000] = HEAD NODES "DEMANDS (\n";
    wi_demands *d;
    weir_diag *diag = weir_diag_new();
    (void)state;
    for (int i = 0; i < 30; i++)
        strcat(text, "d ( a x ) 1 1 UNLIMITED\n");
    strcat(text, ")\n");
    assert_int_equal(wi_demands_parse(diag, "m", text, strlen(text), &d), WEIR_E_FORMAT);
    assert_int_equal(weir_diag_errors(diag), 20);
    assert_int_equal(weir_diag_count(diag), 21);
    assert_string_equal(weir_diag_get(diag, 20)->text, "m: 10 more errors are not shown");
    weir_diag_free(diag);
}

static void unit_defaults_with_a_warning(void **state)
{
    static const char text[] = DEMANDS("d ( a b ) 1 3 UNLIMITED");
    (void)state;
    expect_complaint(text, sizeof text - 1, WEIR_OK,
                     "m: warning: META gives no unit; demands are taken as Mb/s, 0.003 Gb/s");
    /* line ends of other systems, and a section that follows without a blank line */
    static const char crlf[] =
        "?SNDlib native format; type: network; version: 1.0\r\nMETA (\r\nunit = KBITPERSEC\r\n)\r\n"
        "NODES ( a b )\r\nDEMANDS (\r\n d(a b)1 3 2\r\n)\r\n";
    wi_demands *d = NULL;
    assert_int_equal(wi_demands_parse(NULL, "m", crlf, sizeof crlf - 1, &d), WEIR_OK);
    assert_int_equal(d->total_bps, 3000);
    wi_demands_free(d);
}

/* Counts and totals as shared/data/README.md states them. */
static void published_files(void **state)
{
    static const struct {
        const char *name;
        uint32_t nodes;
        size_t demands;
        double total; /* in the file's unit */
        bool unit;
    } files[] = {
        {"abilene", 12, 132, 3e6, true},
        {"geant", 22, 462, 2.99999e6, true},
        {"germany50", 50, 662, 2365, false},
        {"polska", 12, 66, 9943, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char name[100];
        snprintf(name, sizeof name, "sndlib/%s.native.txt", files[i].name);
        const char *const path = data_path(name);
        wi_demands *d = NULL;
        weir_diag *diag = weir_diag_new();
        assert_int_equal(wi_demands_load(diag, path, &d), WEIR_OK);
        assert_int_equal(d->node.count, files[i].nodes);
        assert_int_equal(d->n + d->n_zero, files[i].demands);
        assert_int_equal(d->unit_given, files[i].unit);
        assert_int_equal(weir_diag_count(diag), files[i].unit ? 0 : 1);
        const double total = (double)d->total_bps * 1e-6;
        if (!(total >= files[i].total * 0.99999 && total <= files[i].total * 1.00001))
            fail_msg("%s: %.17g Mb/s in all, want %.17g", path, total, files[i].total);
        wi_demands_free(d);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample),
        cmocka_unit_test(gzipped),
        cmocka_unit_test(errors_have_places),
        cmocka_unit_test(all_errors),
        cmocka_unit_test(published_files),
        cmocka_unit_test(unit_defaults_with_a_warning),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
