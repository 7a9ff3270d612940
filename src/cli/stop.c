/* Stopping on request. */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static const size_t n_signals = sizeof signals / sizeof *signals;

/* The one mutable global of the command: a handler is given nothing else. Lock-free, which is all that a
 * handler needs. */
static volatile int stop_requested;
static volatile sig_atomic_t in_order;

static void say(const char *text, size_t size)
{
    (void)!write(STDERR_FILENO, text, size);
}

static void on_alarm(int number)
{
    static const char text[] = "weir: stopped during the set-up; nothing is written\n";
    (void)number;
    if (in_order)
        return;
    say(text, sizeof text - 1);
    _exit(1);
}

static void on_signal(int number)
{
    static const struct itimerval patience = {.it_value = {.tv_sec = 1, .tv_usec = 700000}};
    static const char text[] = "\nweir: stopping at the next consistent point; once more to stop at once\n";
    (void)number;
    stop_requested = 1;
    for (size_t i = 0; i < n_signals; i++)
        signal(signals[i], SIG_DFL);
    if (in_order)
        say(text, sizeof text - 1);
    else
        setitimer(ITIMER_REAL, &patience, NULL); /* a system call, safe here */
}

const volatile int *cli_stop_on_signals(void)
{
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
    in_order = 1;
}
