/* Watching the other ranks of this machine; see watch.h. */
#include <stdbool.h>

#include "ranks/watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { LOOK_NS = 200 * 1000 * 1000, EXIT_LOST = 1 };

/* One process has one set of peers, as it has one MPI. */
static struct {
    wi_peer *peers;
    uint32_t n, rank;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int running, end, forgives;
    uint32_t *lost; /* [n] ranks that have ended, of which wi_ranks_watch_lost has returned `taken` */
    uint32_t n_lost, taken;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

/* Killed, though its parent may not have taken notice yet. */
static bool is_gone(int32_t pid)
{
    char path[32], text[256] = "";
    if (kill(pid, 0) != 0 && errno == ESRCH)
        return true;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return false; /* no /proc, or gone this moment: the next look finds out */
    const size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X');
}

/* Note and print once that a rank has ended. */
static void forgive(const wi_peer *peer)
{
    for (uint32_t i = 0; i < watch.n_lost; i++)
        if (watch.lost[i] == peer->rank)
            return;
    watch.lost[watch.n_lost++] = peer->rank;
    fprintf(stderr,
            "weir: rank %u (process %d) has ended before the study did: killed, or out of memory? The others "
            "go on, with the runs that it had not finished\n",
            peer->rank, (int)peer->pid);
}

static void look(void)
{
    const wi_peer *lost = NULL; /* the lowest */
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < watch.n; i++)
        if (is_gone(watch.peers[i].pid))
            lost = lost && lost->rank < watch.peers[i].rank ? lost : &watch.peers[i];
        else if (watch.peers[i].rank < lowest)
            lowest = watch.peers[i].rank;
    if (!lost)
        return;
    if (watch.forgives && lost->rank > 0) {
        for (uint32_t i = 0; i < watch.n && lowest == watch.rank; i++)
            if (is_gone(watch.peers[i].pid))
                forgive(&watch.peers[i]);
        return;
    }
    if (lowest == watch.rank) {
        fprintf(stderr,
                "weir: error: rank %u (process %d) has ended before the run did: killed, or out of memory? "
                "The other ranks cannot go on; nothing is written\n",
                lost->rank, (int)lost->pid);
        const struct timespec others_have_looked = {.tv_nsec = 2 * LOOK_NS};
        nanosleep(&others_have_looked, NULL);
    }
    _exit(EXIT_LOST); /* the main thread waits in MPI for what never comes */
}

static void *watch_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&watch.lock);
    while (!watch.end) {
        wi_clock_wait(&watch.ended, &watch.lock, LOOK_NS);
        if (!watch.end)
            look();
    }
    pthread_mutex_unlock(&watch.lock);
    return NULL;
}

void wi_ranks_watch(const wi_peer *peers, uint32_t n, uint32_t rank)
{
    sigset_t all, before;
    watch.peers = malloc((n + 1) * sizeof *peers);
    watch.lost = malloc((n + 1) * sizeof *watch.lost);
    if (!watch.peers || !watch.lost)
        return;
    watch.n_lost = watch.taken = 0;
    watch.forgives = 0;
    memcpy(watch.peers, peers, n * sizeof *peers);
    watch.n = n;
    watch.rank = rank;
    watch.end = 0;
    sigfillset(&all); /* signals are for the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watch.running = pthread_create(&watch.thread, NULL, watch_main, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void wi_ranks_watch_end(void)
{
    if (watch.running) {
        pthread_mutex_lock(&watch.lock);
        watch.end = 1;
        pthread_cond_signal(&watch.ended);
        pthread_mutex_unlock(&watch.lock);
        pthread_join(watch.thread, NULL);
    }
    watch.running = 0;
    free(watch.peers);
    free(watch.lost);
    watch.peers = NULL;
    watch.lost = NULL;
    watch.n_lost = watch.taken = 0;
}

void wi_ranks_watch_forgive(int forgives)
{
    pthread_mutex_lock(&watch.lock);
    watch.forgives = forgives;
    pthread_mutex_unlock(&watch.lock);
}

uint32_t wi_ranks_watch_lost(void)
{
    pthread_mutex_lock(&watch.lock);
    const uint32_t rank = watch.taken < watch.n_lost ? watch.lost[watch.taken++] : UINT32_MAX;
    pthread_mutex_unlock(&watch.lock);
    return rank;
}
