/* A class's job: where its ranks are. */
#include <stdlib.h>

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
    if (j->per_host == 1 && j->per_server == 1 && (j->local_bps || j->local_delay_ps))
        weir_warn_at(p->diag, WEIR_AT(j->place),
                     "class '%s': local_%s is between ranks of a server, and each rank here is a server of "
                     "its own; want "
                     "ranks_per_host or hosts_per_server",
                     p->c->name.text, j->local_bps ? "rate" : "delay");
    p->placed->plan.rank_node = malloc((size_t)ranks * sizeof *p->placed->plan.rank_node);
    p->placed->plan.rank_server = malloc((size_t)ranks * sizeof *p->placed->plan.rank_server);
    if (!p->placed->plan.rank_node || !p->placed->plan.rank_server)
        return weir_fail(p->diag, WEIR_E_NOMEM, "no memory for %u ranks", ranks);
    if (j->ranks.placement == WEIR_SC_PLACE_RANDOM)
        wi_job_shuffle(random, hosts->item, hosts->n, j->per_server);
    for (uint32_t r = 0; r < ranks; r++) {
        const uint32_t at = wi_job_seat(j->ranks.placement, r, hosts->n, j->per_host) / j->per_host;
        p->placed->plan.rank_node[r] = hosts->item[at];
        p->placed->plan.rank_server[r] = at / j->per_server;
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
    p->placed->plan.processors = 1;
    for (uint32_t i = 0; i < p->job->n_ops; i++)
        if (p->job->op[i].kind == WI_JOB_COMPUTE && p->job->op[i].processor >= p->placed->plan.processors)
            p->placed->plan.processors = p->job->op[i].processor + 1u;
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
    placed->plan.job = job;
    placed->plan.iterations = (uint32_t)c->job.ranks.iterations;
    placed->plan.lasts = c->tcp.connection != WEIR_SC_CONNECTION_NEW;
    placed->plan.start_ps = c->start_ps;
    placed->plan.local_delay_ps = c->job.local_delay_ps;
    placed->plan.local_bps = c->job.local_bps;
    placed->plan.eager_bytes = wi_job_eager(&c->job.ranks);
    /* What a run takes is reckoned by the class's largest flow. */
    n->plan.classes[cls].params.size = weir_dist_constant((double)(p.most_bytes ? p.most_bytes : 1));
    n->plan.classes[cls].params.flags |= NET_CLASS_DYNAMIC | NET_CLASS_JOB;
    for (uint32_t i = 0; i < cls; i++)
        if (n->jobs[i]) {
            placed->first_rank += n->jobs[i]->job->n_ranks;
            placed->first_op += n->jobs[i]->job->n_ops;
        }
    return p.status;
}

void wi_placed_job_free(wi_placed_job *placed)
{
    if (!placed)
        return;
    if (placed->job)
        wi_job_free(placed->job);
    free(placed->job);
    free(placed->plan.rank_node);
    free(placed->plan.rank_server);
    free(placed->plan.collectives);
    free(placed->plan.lists);
    free(placed->plan.near);
    free(placed);
}
