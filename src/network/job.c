/* A class's job: where its ranks are. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "jobs/ranks.h"
#include "jobs/read/readers.h"
#include "network/placing.h"
#include "subject/subject.h"

/* ---- places ---- */

/* For "%u thing%s". */
#define COUNT(n) (n), (n) == 1 ? "" : "s"

static weir_status place_ranks(wi_placing *p, const wi_number_list *hosts, weir_stream *random)
{
    const weir_scenario_job *const j = &p->c->job;
    const uint32_t ranks = p->job->n_ranks;
    if ((uint64_t)hosts->n * j->per_host < ranks)
        return weir_fail_at(
            p->diag, WEIR_E_SCENARIO, WEIR_AT(j->place),
            "class '%s': %u rank%s on %u host%s with %u rank%s each; want more hosts, or ranks_per_host: %u",
            p->c->name.text, COUNT(ranks), COUNT(hosts->n), COUNT(j->per_host),
            hosts->n ? (ranks + hosts->n - 1) / hosts->n : 1);
    if (hosts->n % j->per_server)
        return weir_fail_at(p->diag, WEIR_E_SCENARIO, WEIR_AT(j->place),
                            "class '%s': %u host%s in servers of %u; want a multiple", p->c->name.text,
                            COUNT(hosts->n), j->per_server);
    p->placed->rank_node = malloc((size_t)ranks * sizeof *p->placed->rank_node);
    p->placed->rank_server = malloc((size_t)ranks * sizeof *p->placed->rank_server);
    if (!p->placed->rank_node || !p->placed->rank_server)
        return weir_fail(p->diag, WEIR_E_NOMEM, "no memory for %u ranks", ranks);
    if (j->ranks.placement == WEIR_SC_PLACE_RANDOM)
        wi_job_shuffle(random, hosts->item, hosts->n, j->per_server);
    for (uint32_t r = 0; r < ranks; r++) {
        const uint32_t at = wi_job_seat(j->ranks.placement, r, hosts->n, j->per_host) / j->per_host;
        p->placed->rank_node[r] = hosts->item[at];
        p->placed->rank_server[r] = at / j->per_server;
    }
    return WEIR_OK;
}

/* ---- all of it ---- */

/* What the operations of all iterations surely take, before any is made. */
static weir_status check_memory(const wi_placing *p)
{
    const double each =
        sizeof(net_op) + sizeof(uint64_t) * (NET_OP_WORDS + (double)p->c->job.ranks.iterations);
    return wi_memory_check(p->diag, "the operations of a job", (uint64_t)(each * (double)p->job->n_ops),
                           p->c->job.place);
}

static void count_processors(wi_placing *p)
{
    p->placed->processors = 1;
    for (uint32_t i = 0; i < p->job->n_ops; i++)
        if (p->job->op[i].kind == WI_JOB_COMPUTE && p->job->op[i].processor >= p->placed->processors)
            p->placed->processors = p->job->op[i].processor + 1u;
}

weir_status wi_network_job(weir_diag *diag, wi_network *n, uint32_t cls, weir_stream *random)
{
    const weir_scenario_class *const c = &n->scenario->traffic[cls];
    wi_placed_job *const placed = n->jobs[cls] = calloc(1, sizeof *placed);
    wi_job *const job = placed ? placed->job = calloc(1, sizeof *job) : NULL;
    if (!job)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the job of class '%s'", c->name.text);
    wi_placing p = {.diag = diag, .n = n, .c = c, .cls = cls, .job = job, .placed = placed};
    WI_ENDED(wi_number_list_free) wi_number_list hosts = {0};
    p.status = (c->job.hosts.n ? wi_network_once(diag, n, c, c->job.place, &c->job.hosts, &hosts)
                               : wi_network_hosts(diag, n, &hosts))
                   ?: wi_job_make(diag, &c->job.ranks, (uint64_t)hosts.n * c->job.per_host, false, job);
    wi_job_programs_free(&job->programs);
    if (p.status == WEIR_OK)
        p.status = place_ranks(&p, &hosts, random);
    if (p.status == WEIR_OK)
        p.status = check_memory(&p);
    if (p.status == WEIR_OK) {
        count_processors(&p);
        wi_placing_collectives(&p);
    }
    if (p.status == WEIR_OK)
        wi_placing_messages(&p);
    /* What a run takes is reckoned by the class's largest flow. */
    n->classes[cls].params.size = weir_dist_constant((double)(p.most_bytes ? p.most_bytes : 1));
    n->classes[cls].params.flags |= NET_CLASS_DYNAMIC | NET_CLASS_JOB;
    for (uint32_t i = 0; i < cls; i++)
        if (n->jobs[i]) {
            placed->first_rank += n->jobs[i]->job->n_ranks;
            placed->first_op += n->jobs[i]->job->n_ops;
        }
    return p.status;
}

wi_net_job_plan *wi_network_job_plans(const wi_network *n, uint32_t *count)
{
    wi_net_job_plan *const plans = calloc(n->scenario->n_traffic + 1, sizeof *plans);
    *count = 0;
    for (uint32_t i = 0; plans && i < n->scenario->n_traffic; i++) {
        const wi_placed_job *const j = n->jobs[i];
        const weir_scenario_class *const c = &n->scenario->traffic[i];
        if (!j)
            continue;
        plans[(*count)++] = (wi_net_job_plan){.job = j->job,
                                              .rank_node = j->rank_node,
                                              .rank_server = j->rank_server,
                                              .first_arrivals = j->first_arrivals,
                                              .iterations = (uint32_t)c->job.ranks.iterations,
                                              .processors = j->processors,
                                              .lasts = c->tcp.connection != WEIR_SC_CONNECTION_NEW,
                                              .start_ps = c->start_ps,
                                              .local_delay_ps = c->job.local_delay_ps,
                                              .local_bps = c->job.local_bps,
                                              .eager_bytes = c->job.ranks.eager_bytes,
                                              .near = j->near,
                                              .n_near = j->n_near,
                                              .collectives = j->collectives,
                                              .n_collectives = j->n_collectives,
                                              .lists = j->lists,
                                              .n_lists = j->n_lists};
    }
    return plans;
}

void wi_placed_job_free(wi_placed_job *placed)
{
    if (!placed)
        return;
    if (placed->job)
        wi_job_free(placed->job);
    free(placed->job);
    free(placed->rank_node);
    free(placed->rank_server);
    free(placed->collectives);
    free(placed->lists);
    free(placed->near);
    free(placed);
}
