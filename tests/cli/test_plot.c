/*
 * weir plot: which pictures runs of several kinds have, each well-formed XML whatever names are in it; what the curve of a
 * distribution goes through, of a table whose quantiles are known; the colours of a map; PNG, and its refusal where nothing
 * makes it; and what is no run.
 *
 * label: slow
 */
#include <sys/stat.h>
#include <dirent.h>
#include <libxml/parser.h>

#include "command.h"

#include "report/plots.h"
#include "skip.h"

static const char network[] =
    "weir: 1\nname: \"a <b>&\\\"' \\u202e\"\nduration: 300ms\n"
    "topology: {file: net.csv, format: edges, link: {rate: 20Mbps, delay: 1ms}}\n"
    "output: {ports: all, cwnd: [big]}\n"
    "traffic:\n  - {name: big, tcp: {}, from: \"<script>\", to: \"a&b\"}\n"
    "  - {name: small, tcp: {size: 5kB, arrivals: {poisson: 200/s}}, from: \"a&b\", to: \"<script>\"}\n";

/* The SVG files of a folder, all of them well-formed. */
static int count_pictures(const char *folder)
{
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[600];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        xmlDoc *doc = xmlReadFile(path, NULL, XML_PARSE_NONET);
        if (!doc)
            fail_msg("%s is not well-formed", path);
        xmlFreeDoc(doc);
        n++;
    }
    closedir(dir);
    return n;
}

static void a_network_has_them_all(void **state)
{
    (void)state;
    put_text("net.csv", "<script>,a&b\na&b,c\n");
    put_text("n.yaml", network);
    assert_int_equal(weir("run n.yaml -o r -q"), 0);
    assert_int_equal(weir("plot r/"), 0);
    static const char *const names[] = {"network",
                                        "series-ports-queue_bytes",
                                        "series-ports-utilisation",
                                        "series-flows-cwnd_bytes",
                                        "cdf-queue",
                                        "cdf-flows-completion_s",
                                        "slowdown"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[100];
        snprintf(line, sizeof line, "r-plots/%s.svg\n", names[i]);
        if (!strstr(out_text, line))
            fail_msg("no %s in\n%s", line, out_text);
    }
    assert_true(count_pictures("r-plots") >= 10);
    assert_int_equal(weir("plot r -q"), 0); /* again: replaced */
    assert_string_equal(out_text, "");
}

static void models_have_some(void **state)
{
    (void)state;
    put_text(
        "k.yaml",
        "weir: 1\nname: k\nduration: 20s\noutput: {warmup: 5s}\nmodel: {kademlia: {peers: 60, think: 1s}}\n");
    put_text("j.yaml", "weir: 1\nname: j\nduration: 40ms\nmodel: {jackson: {stations: 30}}\n");
    assert_int_equal(weir("run k.yaml -o k -q"), 0);
    assert_int_equal(weir("run j.yaml -o j -q"), 0);
    assert_int_equal(weir("plot k -o kp"), 0);
    assert_true(count_pictures("kp") >= 1);
    const int code = weir("plot j -o jp");
    if (code == 0)
        assert_true(count_pictures("jp") >= 1);
    else /* says so, and leaves no folder */
        assert_true(code == 2 && strstr(err_text, "nothing to draw") && access("jp", F_OK) != 0);
}

/* Four flows of 1, 2, 3, 4 s: a step each, from the bottom (3000) to the top (350), which ends at the right edge (4450). */
static void a_distribution_is_right(void **state)
{
    (void)state;
    assert_int_equal(system("mkdir -p byhand"), 0);
    put_text("byhand/summary.json", "{\"name\": \"x\"}");
    put_text("byhand/flows.csv", "class,completion_s\nc,4\nc,2\nc,1\nc,3\n");
    assert_int_equal(weir("plot byhand -o byhand/p"), 0);
    assert_string_equal(out_text, "byhand/p/cdf-flows-completion_s.svg\n");
    slurp("byhand/p/cdf-flows-completion_s.svg", out_text, sizeof out_text);
    const char *curve = strstr(out_text, "<path class=\"curve\"");
    assert_non_null(curve);
    assert_non_null(strstr(curve, " d=\"M1638 3000H1638V2337H2575V1675H3513V1012H4450V350\""));
}

static void a_map_has_the_load(void **state)
{
    (void)state;
    size_t size;
    json_t *net =
        json_loads("{\"x\": [0, 1000], \"y\": [0, 0], \"names\": [\"a\", \"b\"], \"hosts\": [0, 0], "
                   "\"from\": [0, 1], \"to\": [1, 0], \"values\": {\"utilisation\": [1, 0]}}",
                   0, NULL);
    char *svg = wi_plot_map(net, "t", &(wi_plot_look){0}, &size);
    json_decref(net);
    assert_non_null(svg);
    /* From each node to the middle, full and empty. */
    assert_non_null(strstr(svg, "<path stroke-width=\"80\" stroke=\"#aa0014\" d=\"M700 2800L3700 2800\"/>"));
    assert_non_null(strstr(svg, "<path stroke-width=\"20\" stroke=\"#b0bed0\" d=\"M6700 2800L3700 2800\"/>"));
    free(svg);
}

/* Of one column, in 8 points: 85 mm are 3,614 units of text of 120; black, with no colour but the grid's. */
static void one_figure_for_a_paper(void **state)
{
    (void)state;
    assert_int_equal(weir("plot byhand cdf-flows-completion_s -o one.svg --width 85 --font-size 8 --grey"),
                     0);
    assert_string_equal(out_text, "one.svg\n");
    slurp("one.svg", out_text, sizeof out_text);
    assert_non_null(strstr(out_text, "width=\"85mm\""));
    assert_non_null(strstr(out_text, " viewBox=\"0 0 3614 "));
    assert_non_null(strstr(out_text, "<path class=\"curve\" stroke=\"#000\""));
    assert_null(strstr(out_text, "#1f5fa8"));
    if (system("command -v rsvg-convert >/dev/null") != 0)
        return;
    assert_int_equal(weir("plot byhand cdf-flows-completion_s -o one.pdf --width 85"), 0);
    FILE *f = fopen("one.pdf", "rb");
    char head[5] = "";
    assert_int_equal(fread(head, 1, sizeof head, f), sizeof head);
    fclose(f);
    assert_memory_equal(head, "%PDF-", 5);
}

/* Curves of a picture, and whether a legend names each of these. */
static int curves_of(const char *path, const char *const *names, size_t n)
{
    int curves = 0;
    slurp(path, out_text, sizeof out_text);
    for (size_t i = 0; i < n; i++)
        if (!strstr(out_text, names[i]))
            fail_msg("%s: no %s", path, names[i]);
    for (const char *at = out_text; (at = strstr(at, "<path class=\"curve\"")); at++)
        curves++;
    return curves - (int)n; /* the legend has one each */
}

/*
 * A class in one folder, two in the other: three curves, of which the first needs no more than its folder's name. Of series four
 * ports of each run, in their order, and of those what lies between 100 and 200 ms: an axis from 100 to 200 ms.
 */
static void several_runs_in_the_same_axes(void **state)
{
    (void)state;
    static const char *const names[] = {">byhand<", ">b = 2, c<", ">b = 2, d<"},
                             *const ports[] = {">r, a&#38;b-&#62;a&#38;b.host<",
                                               ">slow, a&#38;b-&#62;a&#38;b.host<"};
    assert_int_equal(system("mkdir -p other"), 0);
    put_text("other/summary.json", "{\"name\": \"y\"}");
    put_text("other/flows.csv", "class,completion_s\nc,2\nc,8\nd,3\nd,6\n");
    assert_int_equal(weir("plot byhand/ 'b = 2=other' cdf-flows-completion_s -o both.svg"), 0);
    assert_int_equal(curves_of("both.svg", names, 3), 3);
    assert_int_equal(weir("run n.yaml -o slow -q --set topology.link.rate=10Mbps"), 0);
    assert_int_equal(
        weir("plot r slow=slow series-ports-throughput_bps --since 100ms --until 200ms -o p.svg"), 0);
    assert_int_equal(curves_of("p.svg", ports, 2), 14); /* eight, and eight in the legend */
    assert_non_null(strstr(out_text, ">time (ms)</text>"));
    assert_non_null(strstr(out_text, ">120</text>"));
    assert_null(strstr(out_text, ">0.05</text>"));
    assert_null(strstr(out_text, ">50</text>"));
    assert_int_equal(weir("plot byhand r/flows.csv -o x"), 2);
    assert_int_equal(weir("plot r --since 2s --until 1s -o x"), 2);
    assert_int_equal(weir("plot r series-ports-throughput_bps --since 1h -o x.svg"),
                     2); /* nothing is there */
    assert_int_equal(weir("plot r r r r r r r r r -o x"), 2);
    static const char *const folders[] = {">other, c<", ">other, d<", ">there/other, c<", ">there/other, d<"};
    assert_int_equal(system("mkdir -p there && cp -r other there"), 0);
    assert_int_equal(weir("plot other there/other/ cdf-flows-completion_s -o two.svg"), 0);
    assert_int_equal(curves_of("two.svg", folders, 4), 4);
    assert_weir("plot other other/ -o x", 2, "two runs are called 'other' in the same axes");
    assert_weir("plot a=r a=slow -o x", 2, "two runs are called 'a'");
}

static void png_where_something_makes_it(void **state)
{
    (void)state;
    unsigned char head[8] = {0};
    if (system("command -v rsvg-convert >/dev/null") != 0)
        skip_aloud("there is no rsvg-convert here (librsvg2-bin)");
    assert_int_equal(weir("plot byhand -o png --format png"), 0);
    FILE *f = fopen("png/cdf-flows-completion_s.png", "rb");
    assert_non_null(f);
    assert_int_equal(fread(head, 1, 8, f), 8);
    fclose(f);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
}

static void what_is_refused(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    assert_weir("plot byhand -o refused --format png", 2, "install librsvg2-bin");
    setenv("PATH", path, 1);
    assert_int_equal(access("refused", F_OK), -1);
    assert_weir("plot byhand --format gif", 2, "--format gif: pictures are svg, png or pdf");
    assert_weir("plot byhand cdf-flows-rtt -o no.gif", 2, "--output no.gif: pictures are svg, png or pdf");
    assert_weir("plot byhand -o all.svg", 2, "is a file, which takes one FIGURE");
    assert_weir("plot byhand cdf-flows-rtt -o no.svg", 2, "no such picture");
    assert_weir("plot byhand --width 2001", 2, "at most 2000 mm");
    assert_int_equal(access("no.svg", F_OK), -1);
    assert_weir("plot nowhere", 2, "nowhere is no run");
    assert_int_equal(mkdir("varied", 0777), 0);
    put_text("varied/runs.csv", "");
    assert_weir("plot varied", 2, "varied is a study, not a run");
    put_text("byhand/summary.json", "{");
    assert_weir("plot byhand", 2, "byhand is no run");
    put_text("file", "");
    put_text("byhand/summary.json", "{}");
    assert_weir("plot byhand -o file", 1, "file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_has_them_all),        cmocka_unit_test(models_have_some),
        cmocka_unit_test(a_distribution_is_right),       cmocka_unit_test(a_map_has_the_load),
        cmocka_unit_test(several_runs_in_the_same_axes), cmocka_unit_test(one_figure_for_a_paper),
        cmocka_unit_test(png_where_something_makes_it),  cmocka_unit_test(what_is_refused)};
    return test_result(cmocka_run_group_tests(tests, enter_scratch, leave_scratch));
}
