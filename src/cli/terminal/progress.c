/* Progress: the text, and when it is shown. */
#include "cli/terminal/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units/figures.h"
#include "cli/terminal/stop.h"

#define TERMINAL_EVERY_S 0.2
#define LOG_EVERY_S 10.0

static void add(char *out, const char *format, ...) WEIR_PRINTF(2, 3);
static void add(char *out, const char *format, ...)
{
    va_list list;
    const size_t used = strlen(out);
    va_start(list, format);
    vsnprintf(out + used, CLI_PROGRESS_TEXT - used, format, list);
    va_end(list);
}

static void add_time_left(char *out, double left_s)
{
    const long long s = (long long)ceil(left_s);
    if (left_s > 100 * 24 * 3600.0)
        add(out, "  over 100 days left");
    else if (s >= 3600)
        add(out, "  %lld:%02lld:%02lld left", s / 3600, s / 60 % 60, s % 60);
    else
        add(out, "  %lld:%02lld left", s / 60, s % 60);
}

char *cli_progress_text(const weir_progress *p, char *out)
{
    char events[24];
    snprintf(out, CLI_PROGRESS_TEXT, "%s", p->phase ? p->phase : "simulate");
    if (p->end_ps <= 0 || p->now_ps < 0 || (p->phase && strcmp(p->phase, "simulate") != 0))
        return out;
    const double now_s = weir_seconds(p->now_ps), end_s = weir_seconds(p->end_ps);
    const double share = now_s / end_s;
    add(out, "  %.6g s of %.6g s  %.0f %%", now_s, end_s, floor(100 * share));
    if (p->wall_s <= 0)
        return out;
    add(out, "  %s events/s  %.3gx real time", wi_figure_si(events, (double)p->events / p->wall_s),
        now_s / p->wall_s);
    if (share > 0 && share < 1)
        add_time_left(out, p->wall_s * (1 - share) / share);
    return out;
}

void cli_meter_init(cli_meter *meter, FILE *out, bool show)
{
    const char *term = getenv("TERM");
    *meter = (cli_meter){.out = show ? out : NULL};
    meter->terminal = show && isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
    meter->every_s = meter->terminal ? TERMINAL_EVERY_S : LOG_EVERY_S;
    /* A log gets its first line after ten seconds: short runs say nothing. A terminal at once. */
    meter->last_s = meter->terminal ? 0 : wi_clock_s();
}

static int columns_of(FILE *out)
{
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col - 1; /* the last column would wrap on some terminals */
    return 79;
}

char *cli_study_text(const weir_study_progress *p, char *out)
{
    snprintf(out, CLI_PROGRESS_TEXT, "study  %llu of %llu runs  %.0f %%", (unsigned long long)p->done,
             (unsigned long long)p->total,
             p->total ? floor(100.0 * (double)p->done / (double)p->total) : 0.0);
    if (p->failed)
        add(out, "  %llu failed", (unsigned long long)p->failed);
    if (p->left_s >= 0.0 && p->done < p->total)
        add_time_left(out, p->left_s);
    return out;
}

bool cli_meter_due(cli_meter *meter)
{
    const double now_s = wi_clock_s();
    if (!meter->out || now_s - meter->last_s < meter->every_s)
        return false;
    meter->last_s = now_s;
    return true;
}

void cli_meter_show(cli_meter *meter, const char *text)
{
    if (meter->terminal) {
        fprintf(meter->out, "\r%.*s\033[K", columns_of(meter->out), text);
        meter->shown = true;
    } else {
        fprintf(meter->out, "%s\n", text);
    }
    fflush(meter->out);
}

void cli_meter_update(void *user, const weir_progress *progress)
{
    cli_meter *meter = user;
    char text[CLI_PROGRESS_TEXT];
    if (!progress->phase || strcmp(progress->phase, "routes") != 0)
        cli_stop_in_order();
    if (cli_meter_due(meter))
        cli_meter_show(meter, cli_progress_text(progress, text));
}

void cli_meter_clear(cli_meter *meter)
{
    if (!meter->out || !meter->shown)
        return;
    fprintf(meter->out, "\r\033[K");
    fflush(meter->out);
    meter->shown = false;
}
