/* See team.h. */
#include "fluid/cpu/team.h"

#include <pthread.h>
#include <stdlib.h>

#include "ranks/gate.h"
#include "fluid/state/internal.h"

/* How long a thread looks before it sleeps: a few times what it takes to wake one. */
enum { SPIN_NS = 20000 };

typedef struct loop {
    _Alignas(64) _Atomic uint32_t next;
} loop;

struct wi_team {
    wi_gate started, met; /* runs and meetings so far */
    _Alignas(64) _Atomic uint32_t here;
    loop loops[WI_TEAM_LOOPS];
    void (*work)(void *arg, wi_team *team);
    void *arg;
    bool over;
    uint32_t threads, n_started;
    pthread_t thread[];
};

/* The last one to come renews the loops before it lets the others go on. */
void wi_team_barrier(wi_team *team)
{
    if (!team)
        return;
    const uint32_t meeting = atomic_load(&team->met.value);
    if (atomic_fetch_add(&team->here, 1) + 1 < team->threads) {
        wi_gate_wait(&team->met, meeting + 1, SPIN_NS);
        return;
    }
    atomic_store(&team->here, 0);
    for (int i = 0; i < WI_TEAM_LOOPS; i++)
        atomic_store(&team->loops[i].next, 0);
    wi_gate_step(&team->met);
}

_Atomic uint32_t *wi_team_loop(wi_team *team, int number)
{
    return team ? &team->loops[number].next : NULL;
}

static void *member(void *arg)
{
    wi_team *const team = arg;
    for (uint32_t run = 1;; run++) {
        wi_gate_wait(&team->started, run, SPIN_NS);
        if (team->over)
            return NULL;
        team->work(team->arg, team);
        wi_team_barrier(team);
    }
}

weir_status wi_team_new(weir_diag *diag, int threads, wi_team **out)
{
    *out = NULL;
    if (threads < 2)
        return WEIR_OK;
    const size_t bytes = sizeof(wi_team) + (size_t)(threads - 1) * sizeof(pthread_t);
    wi_team *const team = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!team)
        return wi_fluid_no_memory(diag, bytes, "threads");
    wi_gate_init(&team->started, 0);
    wi_gate_init(&team->met, 0);
    atomic_init(&team->here, 0);
    for (int i = 0; i < WI_TEAM_LOOPS; i++)
        atomic_init(&team->loops[i].next, 0);
    team->over = false;
    team->threads = (uint32_t)threads;
    for (team->n_started = 0; team->n_started + 1 < team->threads; team->n_started++)
        if (pthread_create(&team->thread[team->n_started], NULL, member, team) != 0) {
            const uint32_t n = team->n_started + 1;
            wi_team_free(team);
            return weir_fail(diag, WEIR_E_NOMEM, "no more than %u of the fluid's %d threads can be started",
                             n, threads);
        }
    *out = team;
    return WEIR_OK;
}

void wi_team_free(wi_team *team)
{
    if (!team)
        return;
    team->over = true;
    wi_gate_step(&team->started);
    for (uint32_t i = 0; i < team->n_started; i++)
        pthread_join(team->thread[i], NULL);
    wi_gate_free(&team->started);
    wi_gate_free(&team->met);
    free(team);
}

void wi_team_run(wi_team *team, void (*work)(void *arg, wi_team *team), void *arg)
{
    if (team) {
        team->work = work;
        team->arg = arg;
        wi_gate_step(&team->started);
    }
    work(arg, team);
    wi_team_barrier(team);
}
