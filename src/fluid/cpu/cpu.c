/* The CPU as a backend: state and solver share the host's memory. */
#include <stdlib.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/cpu_features.h"
#include "fluid/state/internal.h"
#include "fluid/cpu/team.h"
/* Ports are in double whatever the solver's precision. */
typedef double fluid_real;
#include "fluid/cpu/rest.h"
#include "fluid/law/exchange.h"

typedef struct cpu {
    const fluid_tables *tables;
    fluid_state *state;
    const wi_fluid_real *real;
    wi_fluid_run *run;
    wi_team *team; /* null: one thread */
} cpu;

static uint64_t memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages / 4 * 3 * (uint64_t)size : 0;
}

/* Threads meet several times in a block; a thread that has less to do than PER_THREAD is not worth that. */
enum { PER_THREAD = 2048 };

static int threads_for(int wanted, const fluid_tables *t)
{
#ifdef _OPENMP
    const uint64_t useful = 1 + ((uint64_t)t->n_prefixes + t->n_flows) / PER_THREAD;
    const int most = omp_get_max_threads();
    if (wanted > 0)
        return wanted;
    return useful < (uint64_t)most ? (int)useful : most;
#else
    (void)wanted;
    (void)t;
    return 1;
#endif
}

static weir_status open_cpu(weir_diag *diag, const weir_fluid_options *options, const fluid_tables *tables,
                            fluid_state *host, void **out)
{
    const wi_fluid_real *const real = options->double_precision ? &wi_fluid_double : &wi_fluid_single;
    *out = NULL;
    WI_RETURN_IF_FAILED(wi_fluid_state_grow(diag, tables, real, host));
    cpu *const c = wi_fluid_array(diag, 1, sizeof *c, "solver");
    if (!c)
        return WEIR_E_NOMEM;
    c->tables = tables;
    c->state = host;
    c->real = real;
    c->run = wi_have_avx2() ? real->run_avx2 : real->run;
    const weir_status status = (host->ghosts ? WEIR_OK : wi_fluid_rest_new(diag, tables, &host->rest))
                                   ?: wi_team_new(diag, threads_for(options->threads, tables), &c->team);
    if (status == WEIR_OK)
        *out = c;
    else
        free(c);
    return status;
}

static void close_cpu(void *solver)
{
    cpu *const c = solver;
    wi_team_free(c->team);
    wi_fluid_rest_free(c->state->rest);
    free(c);
}

static weir_status advance(weir_diag *diag, void *solver, uint32_t steps)
{
    cpu *const c = solver;
    (void)diag;
    c->run(c->tables, c->state, steps, c->team);
    return WEIR_OK;
}

static weir_status change(weir_diag *diag, void *solver, uint32_t first, uint32_t n)
{
    cpu *const c = solver;
    (void)diag;
    wi_fluid_rest_settle(c->tables, c->state);
    c->real->change(c->tables, c->state, first, n);
    if (c->state->rest)
        wi_fluid_rest_forget(c->state->rest, c->tables, c->state->now);
    return WEIR_OK;
}

static weir_status acks(weir_diag *diag, void *solver)
{
    cpu *const c = solver;
    (void)diag;
    wi_fluid_rest_settle(c->tables, c->state);
    c->real->acks(c->tables, c->state);
    return WEIR_OK;
}

static weir_status fetch(weir_diag *diag, void *solver, wi_fluid_part part)
{
    const cpu *const c = solver;
    (void)diag;
    (void)part;
    wi_fluid_rest_settle(c->tables, c->state);
    return WEIR_OK;
}

static weir_status wait_for_nothing(weir_diag *diag, void *solver)
{
    (void)diag;
    (void)solver;
    return WEIR_OK;
}

static weir_status exchange(weir_diag *diag, void *solver, const uint32_t *ports, uint32_t n_ports,
                            const double *queued_bytes, const double *coming_bytes)
{
    const cpu *const c = solver;
    (void)diag;
    const fluid_left left = {n_ports, ports, queued_bytes, coming_bytes};
    for (uint32_t i = 0; i < n_ports; i++) {
        if (c->state->rest)
            wi_fluid_rest_count_port(c->tables, c->state, ports[i], c->state->now);
        const double *const lag =
            &c->state->own_lag[fluid_own_slot(&c->tables->ports[ports[i]], c->state->now, 1)];
        const double before = *lag, accepted = c->state->accepted[ports[i]];
        fluid_take_left(c->tables, c->state, &left, i, NULL);
        if (c->state->rest && (*lag != before || c->state->accepted[ports[i]] != accepted))
            wi_fluid_rest_disturb(c->state->rest, ports[i], c->state->now);
    }
    return WEIR_OK;
}

static weir_status history(weir_diag *diag, void *solver, const uint32_t *ports, uint32_t n_ports, uint32_t n,
                           double *const of[WI_FLUID_VIEWS])
{
    const cpu *const c = solver;
    (void)diag;
    wi_fluid_rest_settle(c->tables, c->state);
    for (uint32_t i = 0; i < n_ports; i++)
        for (uint32_t k = 0; k < n; k++) {
            const fluid_view v = fluid_look_back(c->tables, c->state, ports[i], n - k);
            const double views[] = {v.queue, v.drop, v.reduction, v.expected, v.full};
            for (uint32_t view = 0; view < WI_FLUID_VIEWS; view++)
                if (of[view])
                    of[view][(size_t)i * n + k] = views[view];
        }
    return WEIR_OK;
}

const weir_fluid_backend *weir_fluid_cpu(void)
{
    static const weir_fluid_backend backend = {"cpu",   memory, open_cpu, close_cpu,
                                               advance, change, acks,     wait_for_nothing,
                                               fetch,   NULL,   exchange, history};
    return &backend;
}
