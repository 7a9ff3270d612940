/*
 * weir watch: the screen of a status (its lines, cut to columns and rows; names that would steer a terminal; figures
 * that are not there), and the command itself beside a run: on a pseudo-terminal until the run is stopped, through a pipe,
 * once, of a run that was killed, of one on several ranks, and of none. A run's results hold no trace of it.
 *
 * label: slow
 */
#include <pty.h>
#include <sys/ioctl.h>

#include "skip.h"
#include "watched.h"

#include "cli/terminal/screen.h"

/* ---- the screen ---- */

static char *screen_of(const char *json, int columns, int rows)
{
    char *text = NULL;
    size_t size = 0;
    json_t *status = json_loads(json, 0, NULL);
    assert_non_null(status);
    FILE *out = open_memstream(&text, &size);
    cli_screen_write(out, status, columns, rows);
    fclose(out);
    json_decref(status);
    return text;
}

#define STATUS                                                                                       \
    "\"name\": \"n\", \"engine\": \"sequential\", \"date_s\": 4e9, \"time_s\": 2.5, \"end_s\": 10, " \
    "\"wall_s\": 5, \"events\": 10000, \"events_per_s\": 4000, \"speed\": 0.25"

static void a_screen_says(void **state)
{
    (void)state;
    char *text =
        screen_of("{" STATUS ", \"classes\": [{\"name\": \"bulk\", \"flows\": 3, \"completed\": 14}], "
                  "\"ports\": [{\"port\": \"a->b\", \"throughput_bps\": 9.5e6, \"utilisation\": 0.95, "
                  "\"queue_bytes\": 12000, \"dropped_packets\": 7}]}",
                  70, 0);
    assert_string_equal(text, "weir: n\n"
                              "[##########..............................]  25 %   2.5 s of 10 s\n"
                              "4.00 k events/s now, 2.00 k on average\n"
                              "0.25 times real time, engine sequential\n"
                              "5 s so far, about 15 s left\n"
                              "\n"
                              "class                                         in progress   completed\n"
                              "bulk                                                    3          14\n"
                              "\n"
                              "hottest ports              throughput    load         queue     drops\n"
                              "a->b                      9.50 Mbit/s  95.0 %       12.0 kB         7\n");
    free(text);
}

static void a_screen_fits(void **state)
{
    (void)state;
    const char *const many = "{" STATUS ", \"classes\": [{\"name\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}, "
                             "{\"name\": \"b\"}, {\"name\": \"c\"}, {\"name\": \"d\"}, {\"name\": \"e\"}], "
                             "\"ports\": [{\"port\": \"a->b\"}, {\"port\": \"b->a\"}]}";
    for (int columns = 1; columns < 90; columns++)
        for (int rows = 1; rows < 20; rows++) {
            char *text = screen_of(many, columns, rows);
            int lines = 0;
            for (char *at = text; *at; at += strcspn(at, "\n") + 1, lines++)
                assert_true((int)strcspn(at, "\n") <= columns);
            assert_true(lines >= 1 && lines <= rows);
            free(text);
        }
}

/* Escape sequences, C1 controls in UTF-8, broken UTF-8, line feeds: one question mark a character. */
static void names_do_not_steer_the_terminal(void **state)
{
    (void)state;
    json_t *status = json_loads("{" STATUS "}", 0, NULL);
    static const char name[] = "\033[2Jx\xc2\x9by\nz\x7f\xc3\xa9";
    char *text = NULL;
    size_t size = 0;
    json_object_set_new(status, "name", json_stringn_nocheck(name, sizeof name - 1));
    FILE *out = open_memstream(&text, &size);
    cli_screen_write(out, status, 60, 1);
    fclose(out);
    json_decref(status);
    assert_string_equal(text, "weir: ?[2Jx?y?z?\xc3\xa9\n");
    free(text);
}

static void figures_may_be_missing(void **state)
{
    (void)state;
    static const char *const broken[] = {"{}", "{\"time_s\": 1, \"end_s\": 0, \"events\": 1}",
                                         "{\"time_s\": 1e300, \"end_s\": 1e300, \"events\": 1}",
                                         "{\"time_s\": \"x\", \"end_s\": 4, \"events\": -1}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char *text = screen_of(broken[i], 80, 0);
        assert_string_equal(text, "its status cannot be read\n");
        free(text);
    }
    char *text = screen_of(
        "{\"time_s\": 0, \"end_s\": 4, \"events\": 0, \"ports\": [1, {}], \"classes\": [null]}", 80, 0);
    assert_non_null(strstr(text, "  0 %   0 s of 4 s"));
    free(text);
}

/* ---- the command ---- */

static const char scenario[] =
    "weir: 1\nname: n\nduration: 100d\noutput: {interval: 1200h}\n"
    "topology: {generate: {model: dumbbell, left: 2}, link: {rate: 20Mbps, delay: 4ms}}\n"
    "traffic: [{name: bulk, tcp: {sessions: 2}, pairs: [[l0, r0], [l1, r1]]}]\n";

/* A run without an end of its own, which has told of itself. */
static pid_t start_run(void)
{
    put_text("n.yaml", scenario);
    const pid_t run = start_weir("run n.yaml -o out/n --no-progress");
    wait_for_run(run, "out/n");
    return run;
}

/* All that comes over the terminal until `part` is seen, or to the end (null). */
static void read_until(int terminal, const char *part)
{
    size_t used = 0;
    for (;;) {
        const ssize_t n = read(terminal, out_text + used, sizeof out_text - 1 - used);
        used += n > 0 ? (size_t)n : 0;
        out_text[used] = '\0';
        if (n <= 0 || (part && strstr(out_text, part)))
            return;
        if (used > sizeof out_text / 2) { /* the last of it */
            memmove(out_text, out_text + used / 2, used - used / 2);
            used -= used / 2;
        }
    }
}

static void on_a_terminal(void **state)
{
    (void)state;
    const struct winsize size = {.ws_row = 16, .ws_col = 70};
    int terminal;
    const pid_t run = start_run();
    const pid_t watch = forkpty(&terminal, NULL, NULL, &size);
    assert_true(watch >= 0);
    if (watch == 0) {
        setenv("TERM", "xterm", 1);
        execl(WEIR, "weir", "watch", "out/n", (char *)NULL);
        _exit(127);
    }
    read_until(terminal, "Ctrl-C");
    assert_non_null(strstr(out_text, "\033[?1049h"));
    assert_non_null(strstr(out_text, "left->right"));
    assert_non_null(strstr(out_text, "in progress"));
    kill(run, SIGTERM);
    read_until(terminal, NULL); /* the screen is given back, and a line says what came of it */
    const char *back = strstr(out_text, "\033[?1049l");
    assert_non_null(back);
    assert_non_null(strstr(back, "out/n: stopped at "));
    assert_int_equal(end_of(watch), 0);
    assert_int_equal(end_of(run), 1);
    close(terminal);
    assert_int_equal(access("out/n/status.json", F_OK), -1);
    slurp("out/n/manifest.json", out_text, sizeof out_text);
    assert_null(strstr(out_text, "status"));
    assert_says("watch out/n", 0, "out/n: stopped at ", "");
    assert_says("watch out/n/ --once", 0, "out/n/: stopped at ", "");
}

static void ctrl_c_leaves_the_run_alone(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf out"), 0);
    int terminal;
    const pid_t run = start_run();
    const pid_t watch = forkpty(&terminal, NULL, NULL, NULL);
    if (watch == 0) {
        setenv("TERM", "xterm", 1);
        execl(WEIR, "weir", "watch", "out/n", (char *)NULL);
        _exit(127);
    }
    read_until(terminal, "Ctrl-C");
    assert_int_equal(write(terminal, "\003", 1), 1);
    read_until(terminal, NULL);
    assert_non_null(strstr(out_text, "\033[?25h\033[?1049l"));
    assert_int_equal(end_of(watch), 0);
    close(terminal);
    assert_false(has_ended(run));
    /* Killed, it leaves a folder that nobody holds. */
    assert_says("watch out/n --json", 0, "\"format\": \"weir status 1\"", "");
    kill(run, SIGKILL);
    wait_until(has_ended(run)); /* its parent has not asked for it: its number still names a process */
    assert_says("watch out/n --once", 1, "out/n: stopped, or killed", "");
    assert_int_equal(end_of(run), 128 + SIGKILL);
    assert_says("watch out/n", 1, "out/n: stopped, or killed", "");
}

static void through_a_pipe(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf out"), 0);
    const pid_t run = start_run();
    assert_says("watch out/n --once", 0, "hottest ports", "");
    assert_null(strchr(out_text, '\033'));
    FILE *watch = popen("'" WEIR "' watch out/n", "r");
    assert_non_null(watch);
    size_t used =
        strlen(fgets(out_text, 1000, watch) ? out_text : ""); /* its first line is of the run under way */
    kill(run, SIGTERM);
    used += fread(out_text + used, 1, sizeof out_text - used - 1, watch);
    out_text[used] = '\0';
    assert_int_equal(pclose(watch), 0);
    assert_int_equal(end_of(run), 1);
    assert_null(strchr(out_text, '\033'));
    assert_non_null(strstr(out_text, "out/n: simulate  "));
    assert_non_null(strstr(out_text, "  4 flows  hottest left->right "));
    assert_non_null(strstr(out_text, "\nout/n: stopped at "));
    assert_says("watch nowhere --once", 1, "nowhere: neither a run under way nor results", "");
    assert_says("watch", 2, "", "RUN is missing");
}

/* Two ranks tell of ports and flows at samples, and say so where none comes; the hottest port and the flows in progress are
 * those of the whole network, whichever rank has them. */
static void on_ranks(void **state)
{
    (void)state;
    if (system("command -v mpirun >/dev/null 2>&1") != 0 || weir("info") != 0 || strstr(out_text, "no MPI"))
        skip_aloud("no MPI here");
    static const char *const interval[] = {"100ms", "1200h"}, *const says[] = {"hottest ports",
                                                                               "not told: ports"};
    for (int i = 0; i < 2; i++) {
        char line[600];
        assert_int_equal(system("rm -rf out"), 0);
        put_text("n.yaml", scenario);
        snprintf(line, sizeof line,
                 "env ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe --bind-to none "
                 "-n 2 '%s' run "
                 "n.yaml -o out/n --no-progress --set output.interval=%s --set engine.type=conservative",
                 WEIR, interval[i]);
        const pid_t ranks = start_line(line);
        wait_for_run(ranks, "out/n");
        wait_until(weir("watch out/n --once") == 0 && strstr(out_text, says[i]));
        if (i == 0) {
            assert_non_null(strstr(out_text, "left->right"));
            assert_non_null(strstr(out_text, "bulk "));
            assert_non_null(strstr(out_text, "    4           0\n"));
        }
        kill(ranks, SIGTERM);
        end_of(ranks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_screen_says),
                                       cmocka_unit_test(a_screen_fits),
                                       cmocka_unit_test(names_do_not_steer_the_terminal),
                                       cmocka_unit_test(figures_may_be_missing),
                                       cmocka_unit_test(on_a_terminal),
                                       cmocka_unit_test(ctrl_c_leaves_the_run_alone),
                                       cmocka_unit_test(through_a_pipe),
                                       cmocka_unit_test(on_ranks)};
    return test_result(cmocka_run_group_tests(tests, enter_scratch, leave_scratch));
}
