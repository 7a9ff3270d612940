/* Stopping on request. */
#include "cli/terminal/stop.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "weir/ranks.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static const size_t n_signals = sizeof signals / sizeof *signals;

/* The one mutable global of the command: a handler is given nothing else. Lock-free, which is all that a
 * handler needs. */
static volatile int stop_requested;

/* What is lost if the process ends at once. */
enum { NOTHING_YET, RUNS_UNDER_WAY, RESULTS };
static volatile sig_atomic_t would_lose = NOTHING_YET;

/* A launcher (mpirun) stops all its processes at once: the first speaks for them. */
static volatile sig_atomic_t speaks = 1, launched;

static void say(const char *text)
{
    if (speaks)
        (void)!write(STDERR_FILENO, text, strlen(text));
}

static void on_alarm(int number)
{
    (void)number;
    if (would_lose == RESULTS)
        return;
    say(would_lose == RUNS_UNDER_WAY
            ? "weir: stopped; runs that are over are kept, and the same command goes on\n"
            : "weir: stopped during the set-up; nothing is written\n");
    _exit(1);
}

static void on_signal(int number)
{
    /* Gigabytes take time to free. A launcher kills after a second. */
    const struct itimerval patience = {.it_value = {.tv_sec = !launched, .tv_usec = launched ? 500000 : 0}};
    (void)number;
    stop_requested = 1;
    for (size_t i = 0; i < n_signals; i++)
        signal(signals[i], SIG_DFL);
    if (would_lose != NOTHING_YET)
        say("\nweir: stopping at the next consistent point; once more to stop at once\n");
    if (would_lose != RESULTS)
        setitimer(ITIMER_REAL, &patience, NULL); /* a system call, safe here */
}

const volatile int *cli_stop_on_signals(void)
{
    speaks = weir_rank() == 0;
    launched = weir_ranks() > 1;
    for (size_t i = 0; i < n_signals; i++) {
        struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigaction(signals[i], NULL, &old);
        if (old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    return &stop_requested;
}

void cli_stop_in_order(void)
{
    would_lose = RESULTS;
}

void cli_stop_between_runs(void)
{
    would_lose = RUNS_UNDER_WAY;
}
