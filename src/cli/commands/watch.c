/* weir watch: a run under way, on one screen; a line now and then where there is no terminal. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/terminal/cli.h"
#include "cli/terminal/screen.h"
#include "scenario/session/status.h"

#define LINE_EVERY_S 10.0
#define PLAIN_COLUMNS 100

/* Stopped by the user: the terminal is put back in order. Set by a handler. */
static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    if (number != SIGWINCH)
        stopped = 1;
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
    const struct sigaction action = {.sa_handler = on_signal}; /* no restart: a sleep ends */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static bool on_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
}

static void wait_a_second(void)
{
    const struct timespec second = {.tv_sec = 1};
    (void)nanosleep(&second, NULL);
}

/* ---- the terminal ---- */

/* Another screen, no cursor, no wrapping of lines; and back. */
static void enter_screen(void)
{
    fputs("\033[?1049h\033[?25l\033[?7l", stdout);
}

static void leave_screen(void)
{
    fputs("\033[?7h\033[?25h\033[?1049l", stdout);
    fflush(stdout);
}

/* Prints lines over the old ones, so that nothing flickers and little is sent. */
static void show(const char *text)
{
    fputs("\033[H", stdout);
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "\n");
        printf("%.*s\033[K", (int)n, at);
        at += n + (at[n] != '\0');
        if (*at)
            fputs("\r\n", stdout);
    }
    fputs("\033[J", stdout);
    fflush(stdout);
}

static void show_screen(const char *path, wi_watched what, const json_t *status)
{
    struct winsize size = {.ws_col = 80, .ws_row = 24};
    char *text = NULL;
    size_t bytes = 0;
    (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    const int columns = size.ws_col > 0 ? size.ws_col : 80, rows = size.ws_row > 2 ? size.ws_row - 2 : 1;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return;
    if (what == WI_WATCHED_RUN)
        cli_screen_write(out, status, columns, rows);
    else
        fprintf(out, "%s: %s\n", path,
                what == WI_WATCHED_SETUP ? "under way; it tells more in a second"
                                         : "waiting for it to begin");
    fputs("\nCtrl-C leaves it alone", out);
    if (fclose(out) == 0)
        show(text);
    free(text);
}

/* ---- one look, or a line now and then ---- */

static void print_line(const char *path, wi_watched what, const json_t *status)
{
    printf("%s: ", path);
    if (what == WI_WATCHED_RUN)
        cli_screen_line(stdout, status);
    else
        fputs(what == WI_WATCHED_SETUP ? "under way" : "waiting for it to begin", stdout);
    putchar('\n');
    fflush(stdout);
}

static int print_end(const char *path, wi_watched what, const json_t *summary)
{
    if (what == WI_WATCHED_DONE) {
        printf("%s: %s at %.6g s of simulated time, after %.3g s\n", path,
               json_is_true(json_object_get(summary, "partial")) ? "stopped" : "done",
               json_number_value(json_object_get(summary, "reached_s")),
               json_number_value(json_object_get(summary, "wall_s")));
        return CLI_OK;
    }
    if (what == WI_WATCHED_LEFT)
        printf("%s: stopped, or killed; weir resume goes on where there is a checkpoint\n", path);
    else
        printf("%s: neither a run under way nor results\n", path);
    return CLI_FAILED;
}

static int look_once(const cli_args *args)
{
    const char *path = args->operands[0];
    json_t *status;
    int code = CLI_OK;
    const wi_watched what = wi_status_read(path, &status);
    if (args->json && status)
        json_dumpf(status, stdout, JSON_INDENT(2)), putchar('\n');
    else if (what == WI_WATCHED_RUN)
        cli_screen_write(stdout, status, PLAIN_COLUMNS, 0);
    else if (what == WI_WATCHED_SETUP)
        print_line(path, what, status);
    else
        code = print_end(path, what, status);
    json_decref(status);
    return code;
}

CLI_COMMAND(watch)
{
    const char *path = args->operands[0];
    const bool terminal = on_terminal();
    bool began = false;
    double line_s = 0.0;
    json_t *status = NULL;
    wi_watched what;
    (void)diag;
    if (args->once || args->json) {
        *code = look_once(args);
        return WEIR_OK;
    }
    catch_signals();
    for (;; wait_a_second()) {
        what = wi_status_read(path, &status);
        const bool runs = what == WI_WATCHED_RUN || what == WI_WATCHED_SETUP;
        if (stopped || ferror(stdout) || what == WI_WATCHED_DONE || what == WI_WATCHED_LEFT ||
            (began && !runs))
            break;
        if (terminal && line_s == 0.0)
            enter_screen();
        if (terminal)
            show_screen(path, what, status);
        else if (line_s == 0.0 || wi_clock_s() - line_s >= LINE_EVERY_S)
            print_line(path, what, status);
        if (terminal || line_s == 0.0 || wi_clock_s() - line_s >= LINE_EVERY_S)
            line_s = wi_clock_s();
        began |= what == WI_WATCHED_RUN;
        json_decref(status);
    }
    if (terminal && line_s > 0.0)
        leave_screen();
    *code = stopped ? CLI_OK : print_end(path, what, status);
    json_decref(status);
    return WEIR_OK;
}
