/*
 * Waiting for what another process does: for a state, never for a time, as machines differ by a factor of a hundred.
 * Processes that are started here end with the test, so that nothing without an end is left behind by one that fails.
 */
#ifndef TESTS_WAIT_H
#define TESTS_WAIT_H

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { WAIT_MOST_S = 600 }; /* against tests that would hang: no machine is that slow */

static inline void wait_a_little(void)
{
    const struct timespec pause = {.tv_nsec = 500000};
    (void)nanosleep(&pause, NULL);
}

static inline bool wait_is_over(struct timespec since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - since.tv_sec > WAIT_MOST_S;
}

/* Until the condition holds; the test fails after WAIT_MOST_S. */
#define wait_until(condition)                                   \
    do {                                                        \
        struct timespec wait_since;                             \
        clock_gettime(CLOCK_MONOTONIC, &wait_since);            \
        while (!(condition)) {                                  \
            if (wait_is_over(wait_since))                       \
                fail_msg("waited in vain for: %s", #condition); \
            wait_a_little();                                    \
        }                                                       \
    } while (0)

/* `exec LINE` of a shell, in a process group of its own; what it says is in .out and .err of the working folder. */
static inline pid_t start_line(const char *line)
{
    char *text = NULL;
    assert_true(asprintf(&text, "exec %s", line) > 0);
    const pid_t parent = getpid(), pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        const int in = open("/dev/null", O_RDONLY), out = open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0666),
                  err = open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (getppid() == parent && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)
            execl("/bin/sh", "sh", "-c", text, (char *)NULL);
        _exit(127);
    }
    setpgid(pid, pid);
    free(text);
    return pid;
}

/* Has it ended? It is not waited for: its number stays its own until end_of. */
static inline bool has_ended(pid_t pid)
{
    siginfo_t about = {0};
    return waitid(P_PID, (id_t)pid, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid == pid;
}

/* The exit code as a shell has it. */
static inline int end_of(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Resident memory of a process and those below it, MiB; 0 where it is gone. */
static inline long resident_mib(pid_t pid)
{
    char path[64];
    long size, pages = 0, sum = 0, child;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%ld %ld", &size, &pages) == 2)
        sum = pages * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
    fclose(f);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    f = fopen(path, "r");
    while (f && fscanf(f, "%ld", &child) == 1)
        sum += resident_mib((pid_t)child);
    if (f)
        fclose(f);
    return sum;
}

#endif
