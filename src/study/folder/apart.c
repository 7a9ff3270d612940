/* Processes of a study's own; see apart.h. */
#include "study/folder/apart.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "study/folder/folder.h"

pid_t wi_apart_fork(const weir_study *s, void (*work)(void *user), void *user, void (*on_fault)(int number))
{
    static const int keyboard[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaddset(&held, faults[i]);
    /* A handler of this process that takes locks must not run in the fork, where nobody would ever give them
     * back. */
    pthread_sigmask(SIG_BLOCK, &held, &before);
    const pid_t parent = getpid(), pid = fork();
    for (size_t i = 0; pid == 0 && i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], on_fault);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (size_t i = 0; i < sizeof keyboard / sizeof *keyboard; i++)
        signal(keyboard[i], SIG_IGN);
    wi_folder_leave(s->folder);
    work(user);
    _exit(0);
}

typedef struct task {
    void (*work)(void *user);
    void *user, *out, *shared;
    size_t bytes;
} task;

static void *do_task(void *user)
{
    const task *t = user;
    t->work(t->user);
    memcpy(t->shared, t->out, t->bytes);
    return NULL;
}

/* Runs on a new thread: OpenMP believes that the thread of the fork still has a team of workers. */
static void do_it(void *user)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_task, user) == 0)
        pthread_join(thread, NULL);
}

static bool in_time(pid_t pid, const weir_study_options *o)
{
    const double from_s = wi_clock_s();
    int how = 0;
    for (pid_t ended = 0; ended == 0;) {
        const double for_s = wi_clock_s() - from_s;
        if ((o->stop && *o->stop) || (o->run_timeout_s > 0.0 && for_s > o->run_timeout_s))
            kill(pid, SIGKILL);
        const struct timespec t = {.tv_nsec = for_s < 0.01 ? 200000 : 5000000};
        nanosleep(&t, NULL);
        ended = waitpid(pid, &how, WNOHANG);
    }
    return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

bool wi_apart(const weir_study *s, void (*work)(void *user), void *user, void *out, size_t bytes,
              const weir_study_options *options)
{
    if (!WI_APART) {
        work(user);
        return true;
    }
    task t = {work, user, out, mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
              bytes};
    if (t.shared == MAP_FAILED)
        return false;
    const pid_t pid = wi_apart_fork(s, do_it, &t, SIG_DFL);
    const bool good = pid > 0 && in_time(pid, options);
    if (good)
        memcpy(out, t.shared, bytes);
    munmap(t.shared, bytes);
    return good;
}
