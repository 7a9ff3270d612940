/* What sends, receives and requests of a rank come to; see dumpi.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "jobs/read/dumpi.h"

enum { REQUESTS_MAX = 1 << 20 };

weir_status wi_dumpi_append(dumpi_reader *r, job_action action, uint32_t comm)
{
    wi_dumpi *const d = r->d;
    const dumpi_action owed = {{.op = JOB_OP_COMPUTE, .time_ps = r->owed_ps}, DUMPI_SELF, r->call->number};
    if (r->owed_ps > 0)
        WI_READING_PUT(&d->reading, d->action, d->n_actions, owed);
    r->owed_ps = 0;
    action.algorithm = JOB_AUTO;
    WI_READING_PUT(&d->reading, d->action, d->n_actions, (dumpi_action){action, comm, r->call->number});
    return d->reading.status;
}

/* A send's or a receive's action; op COMPUTE: it is nobody's. */
static job_action message(dumpi_reader *r, uint8_t op)
{
    const dumpi_call *const c = r->call;
    const bool receives = op == JOB_OP_RECV || op == JOB_OP_IRECV, other = receives && strchr(c->fields, 'e');
    const int32_t peer = DUMPI_VALUE(c, receives ? 's' : 'd'), tag = DUMPI_VALUE(c, receives ? 'h' : 'g');
    const bool nobody = peer < (receives ? -1 : 0); /* MPI_PROC_NULL */
    if (!nobody && tag < (receives ? -1 : 0))
        (void)DUMPI_WRONG(r, "tag %d", tag);
    return (job_action){.op = nobody ? JOB_OP_COMPUTE : op,
                        .peer = (uint32_t)peer,
                        .key = (uint32_t)tag,
                        .bytes = wi_dumpi_bytes(r, DUMPI_VALUE(c, other ? 'e' : 'c'),
                                                (uint32_t)DUMPI_VALUE(c, other ? 'u' : 't'))};
}

/* What a status says of a receive. */
static void learn(job_action *a, const dumpi_status *status)
{
    if (status->cancelled || (a->peer == JOB_ANY && status->source < 0 && status->bytes == 0))
        *a = (job_action){.op = JOB_OP_COMPUTE};
    if (a->peer == JOB_ANY && status->source >= 0)
        a->peer = (uint32_t)status->source;
    if (a->key == JOB_ANY && status->tag >= 0)
        a->key = (uint32_t)status->tag;
}

/* ---- requests ---- */

static uint32_t take_slot(dumpi_reader *r)
{
    return r->n_free ? r->free_slot[--r->n_free] : r->slots++;
}

static dumpi_request *find_request(dumpi_reader *r, int32_t handle)
{
    if (handle < 0 || handle >= REQUESTS_MAX)
        (void)DUMPI_WRONG(r, "request %d", handle);
    else if (wi_reading_has(&r->d->reading, wi_grow_zeroed(&r->request, &r->request_room, (size_t)handle + 1,
                                                           sizeof *r->request)))
        return &r->request[handle];
    return &r->none;
}

static void begin(dumpi_reader *r, dumpi_request *q, job_action a, uint32_t comm)
{
    q->state = DUMPI_IDLE;
    q->cancelled = false;
    if (a.op == JOB_OP_COMPUTE)
        return;
    a.slot = q->slot = take_slot(r);
    if (wi_dumpi_append(r, a, comm) != WEIR_OK)
        return;
    q->state = DUMPI_OPEN;
    q->action = r->d->n_actions - 1;
}

static void take_request(dumpi_reader *r)
{
    dumpi_request *const q = find_request(r, DUMPI_VALUE(r->call, 'r'));
    const uint32_t comm = wi_dumpi_object(r, 'm');
    const job_action a = message(r, r->call->op);
    if (r->call->what == DUMPI_REQUEST)
        begin(r, q, a, comm);
    else
        *q = (dumpi_request){.state = DUMPI_IDLE, .made = a, .comm = comm};
}

static uint32_t n_listed(const dumpi_reader *r)
{
    return strchr(r->call->fields, 'R') ? DUMPI_LIST(r->call, 'R')->n : 1;
}

/* One request, or those of a list: the i-th. */
static dumpi_request *listed(dumpi_reader *r, uint32_t i)
{
    const int32_t handle = strchr(r->call->fields, 'R') ? wi_dumpi_item(DUMPI_LIST(r->call, 'R'), i, 4)
                                                        : DUMPI_VALUE(r->call, 'r');
    dumpi_request *const q = find_request(r, handle);
    if (q->state == DUMPI_NO_REQUEST && handle != DUMPI_NULL)
        (void)DUMPI_WRONG(r, "request %d is none that the rank has begun", handle);
    return q;
}

/* A request has ended: what its status says, and whether it is still to be waited for. */
static bool has_ended(dumpi_reader *r, dumpi_request *q, uint32_t status_at)
{
    job_action *const a = &r->d->action[q->action].action;
    dumpi_status status;
    if (!wi_dumpi_status(r->call, status_at, &status)) {
        if (q->cancelled && a->op == JOB_OP_IRECV)
            *a = (job_action){.op = JOB_OP_COMPUTE};
    } else if (a->op == JOB_OP_IRECV || (q->cancelled && status.cancelled)) {
        learn(a, &status);
    }
    q->state = DUMPI_IDLE;
    return a->op != JOB_OP_COMPUTE;
}

/* Gives a request's slot back. */
static void end(dumpi_reader *r, const dumpi_request *q, bool waits)
{
    if (waits)
        (void)wi_dumpi_append(r, (job_action){.op = JOB_OP_WAIT, .slot = q->slot}, DUMPI_SELF);
    WI_READING_PUT(&r->d->reading, r->free_slot, r->n_free, q->slot);
}

static void wait_for(dumpi_reader *r, uint32_t i, uint32_t status_at, bool alone)
{
    dumpi_request *const q = listed(r, i);
    if (q->state == DUMPI_OPEN)
        end(r, q, has_ended(r, q, status_at) && alone);
}

/* One action where these are all that the rank has open. */
static void wait_for_all(dumpi_reader *r)
{
    const uint32_t n = n_listed(r);
    uint32_t open = 0;
    for (uint32_t i = 0; i < n; i++)
        open += listed(r, i)->state == DUMPI_OPEN;
    const bool all = open > 1 && open == r->slots - r->n_free;
    for (uint32_t i = 0; i < n; i++)
        wait_for(r, i, i, !all);
    if (all)
        (void)wi_dumpi_append(r, (job_action){.op = JOB_OP_WAITALL}, DUMPI_SELF);
}

/* Those of a list that have ended, by their places there. */
static void wait_for_some(dumpi_reader *r)
{
    const dumpi_list *const at = DUMPI_LIST(r->call, 'X');
    const bool one = r->call->what == DUMPI_WAIT_ONE;
    const uint32_t requests = n_listed(r);
    for (uint32_t i = 0; i < (one ? 1 : at->n); i++) {
        const int32_t place = one ? DUMPI_VALUE(r->call, 'x') : wi_dumpi_item(at, i, 4);
        if (place < 0 || requests == 0) /* MPI_UNDEFINED */
            continue;
        if ((uint32_t)place < requests)
            wait_for(r, (uint32_t)place, i, true);
        else
            (void)DUMPI_WRONG(r, "place %d of %u requests", place, requests);
    }
}

/* ---- blocking messages ---- */

static void take_blocking(dumpi_reader *r)
{
    const uint32_t comm = wi_dumpi_object(r, 'm');
    job_action a = message(r, r->call->op);
    dumpi_status status;
    if (a.op == JOB_OP_RECV && wi_dumpi_status(r->call, 0, &status))
        learn(&a, &status);
    if (a.op == JOB_OP_ISEND) /* buffered: nobody knows when it ends */
        a.slot = take_slot(r);
    if (a.op != JOB_OP_COMPUTE)
        (void)wi_dumpi_append(r, a, comm);
}

static void take_exchange(dumpi_reader *r)
{
    const uint32_t comm = wi_dumpi_object(r, 'm');
    job_action in = message(r, JOB_OP_IRECV);
    const job_action out = message(r, JOB_OP_ISEND);
    dumpi_request both[2] = {0};
    dumpi_status status;
    if (in.op == JOB_OP_IRECV && wi_dumpi_status(r->call, 0, &status))
        learn(&in, &status);
    begin(r, &both[0], in, comm);
    begin(r, &both[1], out, comm);
    for (int i = 1; i >= 0; i--)
        if (both[i].state == DUMPI_OPEN)
            end(r, &both[i], true);
}

weir_status wi_dumpi_take_message(dumpi_reader *r)
{
    if (strchr(r->call->fields, 'f') && !DUMPI_VALUE(r->call, 'f')) /* a test that fails */
        return WEIR_OK;
    switch (r->call->what) {
    case DUMPI_MESSAGE:
        take_blocking(r);
        break;
    case DUMPI_EXCHANGE:
        take_exchange(r);
        break;
    case DUMPI_REQUEST:
    case DUMPI_PERSISTENT:
        take_request(r);
        break;
    case DUMPI_START:
        for (uint32_t i = 0; i < n_listed(r); i++) {
            dumpi_request *const q = listed(r, i);
            begin(r, q, q->made, q->comm);
        }
        break;
    case DUMPI_WAIT_ALL:
        wait_for_all(r);
        break;
    case DUMPI_WAIT_ONE:
    case DUMPI_WAIT_SOME:
        wait_for_some(r);
        break;
    case DUMPI_CANCEL:
        listed(r, 0)->cancelled = true;
        break;
    case DUMPI_FREE: /* it ends by itself, and its slot is not another's */
        *listed(r, 0) = (dumpi_request){.state = DUMPI_IDLE};
        break;
    default: /* of a file, or the program's own */
        *find_request(r, DUMPI_VALUE(r->call, 'r')) = (dumpi_request){.state = DUMPI_IDLE};
    }
    return r->d->reading.status;
}
