/* DUMPI's traces: files, and what each rank's calls come to. */
#include "jobs/read/dumpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "jobs/read/readers.h"
#include "jobs/uneven.h"

enum { HANDLES = 1 << 16, REQUESTS_MAX = 1 << 20, INDEX_BYTES = 64, NULL_HANDLE = 1, UNKNOWN = -1 };
enum { COMM_WORLD = 2, COMM_SELF = 3, GROUP_EMPTY = 2 };
static const uint8_t magic[8] = {0xff, 0xaa, 0xdd, 'D', 'U', 'M', 'P', 'I'};

/* Bytes of types that MPI has, by DUMPI's numbers, where the file does not say. */
static const int8_t type_bytes[] = {-1, -1, 1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                    8,  16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

typedef struct request {
    enum { NEVER, IDLE, OPEN } state;
    bool cancelled;
    uint32_t slot;
    size_t action;   /* open: its own */
    job_action made; /* of persistent ones */
    uint32_t comm;
} request;

/* What is known of handles. */
typedef struct handles {
    int64_t *at; /* [n] UNKNOWN, too */
    size_t n, room;
} handles;

/* The rank at hand. */
typedef struct rank_reading {
    wi_dumpi *d;
    uint32_t rank, thread;
    const dumpi_call *call;
    bool timed;
    weir_time last_ps, owed_ps; /* when the call before returned; computing that no action has yet */
    handles type, comm, group;  /* bytes of types; objects of the others */
    request *request;
    size_t request_room;
    uint32_t *free_slot, n_free, slots;
} rank_reading;

#define WRONG(r, text, ...)                                                                         \
    weir_fail((r)->d->diag, WEIR_E_FORMAT, "%s: rank %u, call %u (MPI_%s): " text,                  \
              (r)->d->job->programs.file[(r)->rank], (r)->rank, (r)->call->number, (r)->call->name, \
              __VA_ARGS__)

static weir_status no_memory(const rank_reading *r)
{
    return weir_fail(r->d->diag, WEIR_E_NOMEM, "%s: no memory for its calls",
                     r->d->job->programs.file[r->rank]);
}

/* ---- handles ---- */

static int64_t known(const handles *h, uint32_t handle)
{
    return handle < h->n ? h->at[handle] : UNKNOWN;
}

static weir_status know(const rank_reading *r, handles *h, uint32_t handle, int64_t value)
{
    if (!wi_grow(&h->at, &h->room, (size_t)handle + 1, sizeof *h->at))
        return no_memory(r);
    while (h->n <= handle)
        h->at[h->n++] = UNKNOWN;
    h->at[handle] = value;
    return WEIR_OK;
}

/* A communicator or a group by its field. */
static weir_status find_object(const rank_reading *r, const handles *h, char letter, uint32_t *out)
{
    const uint32_t handle = (uint32_t)DUMPI_VALUE(r->call, letter);
    *out = (uint32_t)known(h, handle);
    return known(h, handle) != UNKNOWN ? WEIR_OK
                                       : WRONG(r, "%s %u is none that the trace has made",
                                               h == &r->comm ? "communicator" : "group", handle);
}

static weir_status find_comm(const rank_reading *r, uint32_t *out)
{
    return find_object(r, &r->comm, 'm', out);
}

/* ---- actions ---- */

static weir_status append(rank_reading *r, job_action action, uint32_t comm)
{
    wi_dumpi *const d = r->d;
    if (!wi_grow(&d->action, &d->action_room, d->n_actions + 2, sizeof *d->action))
        return no_memory(r);
    if (r->owed_ps > 0)
        d->action[d->n_actions++] = (dumpi_action){
            {.op = JOB_OP_COMPUTE, .time_ps = r->owed_ps}, DUMPI_SELF, r->call ? r->call->number : 0};
    r->owed_ps = 0;
    action.algorithm = JOB_AUTO;
    d->action[d->n_actions++] = (dumpi_action){action, comm, r->call ? r->call->number : 0};
    return WEIR_OK;
}

static weir_status bytes_of(const rank_reading *r, int32_t count, uint32_t type, uint64_t *out)
{
    if (count < 0)
        return WRONG(r, "%d elements", count);
    const int64_t each = count > 0 ? known(&r->type, type) : 0;
    if (each == UNKNOWN)
        return WRONG(r, "the trace does not say how many bytes datatype %u has", type);
    *out = (uint64_t)count * (uint64_t)each;
    return *out <= UINT64_C(1) << 30
               ? WEIR_OK
               : WRONG(r, "a message of %llu bytes; want at most 1 GiB", (unsigned long long)*out);
}

/* A send's or a receive's action; op COMPUTE: it is nobody's. */
static weir_status message(const rank_reading *r, uint8_t op, char peer, char tag, char count, char type,
                           job_action *out)
{
    const bool receives = op == JOB_OP_RECV || op == JOB_OP_IRECV;
    const int32_t to = DUMPI_VALUE(r->call, peer), key = DUMPI_VALUE(r->call, tag);
    *out = (job_action){.op = op, .peer = (uint32_t)to, .key = (uint32_t)key};
    if (to < (receives ? -1 : 0)) /* from or to MPI_PROC_NULL */
        out->op = JOB_OP_COMPUTE;
    else if (key < (receives ? -1 : 0))
        return WRONG(r, "tag %d", key);
    return bytes_of(r, DUMPI_VALUE(r->call, count), (uint32_t)DUMPI_VALUE(r->call, type), &out->bytes);
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

static uint32_t take_slot(rank_reading *r)
{
    return r->n_free ? r->free_slot[--r->n_free] : r->slots++;
}

static weir_status give_slot(rank_reading *r, uint32_t slot)
{
    if (!wi_grow_one(&r->free_slot, r->n_free, sizeof *r->free_slot))
        return no_memory(r);
    r->free_slot[r->n_free++] = slot;
    return WEIR_OK;
}

static weir_status find_request(rank_reading *r, int32_t handle, request **out)
{
    *out = NULL;
    if (handle < 0 || handle >= REQUESTS_MAX)
        return WRONG(r, "request %d", handle);
    if (!wi_grow_zeroed(&r->request, &r->request_room, (size_t)handle + 1, sizeof *r->request))
        return no_memory(r);
    *out = &r->request[handle];
    return WEIR_OK;
}

static weir_status begin(rank_reading *r, request *q, job_action a, uint32_t comm)
{
    q->state = IDLE;
    q->cancelled = false;
    if (a.op == JOB_OP_COMPUTE)
        return WEIR_OK;
    a.slot = q->slot = take_slot(r);
    q->state = OPEN;
    const weir_status status = append(r, a, comm);
    q->action = r->d->n_actions - 1;
    return status;
}

static weir_status take_request(rank_reading *r)
{
    const bool receives = r->call->what == DUMPI_IRECV || r->call->what == DUMPI_RECV_INIT;
    request *q;
    job_action a;
    uint32_t comm;
    WI_RETURN_IF_FAILED(find_request(r, DUMPI_VALUE(r->call, 'r'), &q));
    WI_RETURN_IF_FAILED(find_comm(r, &comm));
    WI_RETURN_IF_FAILED(
        message(r, receives ? JOB_OP_IRECV : JOB_OP_ISEND, receives ? 's' : 'd', 'g', 'c', 't', &a));
    if (r->call->what == DUMPI_ISEND || r->call->what == DUMPI_IRECV)
        return begin(r, q, a, comm);
    *q = (request){.state = IDLE, .made = a, .comm = comm};
    return WEIR_OK;
}

/* One request, or those of a list: the i-th, null where it is none that goes on. */
static weir_status listed(rank_reading *r, uint32_t i, request **out)
{
    const bool one = !strchr(r->call->fields, 'R');
    const int32_t handle = one ? DUMPI_VALUE(r->call, 'r') : wi_dumpi_item(DUMPI_LIST(r->call, 'R'), i, 4);
    WI_RETURN_IF_FAILED(find_request(r, handle, out));
    if ((*out)->state == NEVER && handle != NULL_HANDLE)
        return WRONG(r, "request %d is none that the rank has begun", handle);
    return WEIR_OK;
}

static weir_status start_requests(rank_reading *r)
{
    const uint32_t n = strchr(r->call->fields, 'R') ? DUMPI_LIST(r->call, 'R')->n : 1;
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < n && status == WEIR_OK; i++) {
        request *q;
        status = listed(r, i, &q);
        if (status == WEIR_OK)
            status = begin(r, q, q->made, q->comm);
    }
    return status;
}

/* A request has ended: what its status says, and whether it is still to be waited for. */
static bool has_ended(rank_reading *r, request *q, uint32_t status_at)
{
    job_action *const a = &r->d->action[q->action].action;
    dumpi_status status;
    if (!wi_dumpi_status(r->call, status_at, &status)) {
        if (q->cancelled && a->op == JOB_OP_IRECV)
            *a = (job_action){.op = JOB_OP_COMPUTE};
    } else if (a->op == JOB_OP_IRECV || (q->cancelled && status.cancelled)) {
        learn(a, &status);
    }
    q->state = IDLE;
    return a->op != JOB_OP_COMPUTE;
}

static weir_status wait_for(rank_reading *r, uint32_t i, uint32_t status_at)
{
    request *q;
    WI_RETURN_IF_FAILED(listed(r, i, &q));
    if (q->state != OPEN)
        return WEIR_OK;
    const uint32_t slot = q->slot;
    if (has_ended(r, q, status_at))
        WI_RETURN_IF_FAILED(append(r, (job_action){.op = JOB_OP_WAIT, .slot = slot}, DUMPI_SELF));
    return give_slot(r, slot);
}

/* One action where these are all that the rank has open. */
static weir_status wait_for_all(rank_reading *r)
{
    const uint32_t n = DUMPI_LIST(r->call, 'R')->n;
    uint32_t open = 0;
    request *q;
    for (uint32_t i = 0; i < n; i++) {
        WI_RETURN_IF_FAILED(listed(r, i, &q));
        open += q->state == OPEN;
    }
    const bool all = open > 1 && open == r->slots - r->n_free;
    for (uint32_t i = 0; i < n && !all; i++)
        WI_RETURN_IF_FAILED(wait_for(r, i, i));
    for (uint32_t i = 0; i < n && all; i++) {
        WI_RETURN_IF_FAILED(listed(r, i, &q));
        if (q->state != OPEN) /* or named twice */
            continue;
        (void)has_ended(r, q, i);
        WI_RETURN_IF_FAILED(give_slot(r, q->slot));
    }
    return all ? append(r, (job_action){.op = JOB_OP_WAITALL}, DUMPI_SELF) : WEIR_OK;
}

/* Those of a list that have ended, by their places there. */
static weir_status wait_for_some(rank_reading *r)
{
    const dumpi_list *const at = DUMPI_LIST(r->call, 'X'), *const requests = DUMPI_LIST(r->call, 'R');
    const bool one = r->call->what == DUMPI_WAIT_ONE;
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < (one ? 1 : at->n) && status == WEIR_OK; i++) {
        const int32_t place = one ? DUMPI_VALUE(r->call, 'x') : wi_dumpi_item(at, i, 4);
        if (place >= 0 && (uint32_t)place >= requests->n && requests->n > 0)
            return WRONG(r, "place %d of %u requests", place, requests->n);
        if (place >= 0 && requests->n > 0) /* else MPI_UNDEFINED */
            status = wait_for(r, (uint32_t)place, i);
    }
    return status;
}

static weir_status take_wait(rank_reading *r)
{
    const bool tests = strchr(r->call->fields, 'f') != NULL;
    request *q;
    if (tests && !DUMPI_VALUE(r->call, 'f'))
        return WEIR_OK;
    switch (r->call->what) {
    case DUMPI_WAIT:
        return wait_for(r, 0, 0);
    case DUMPI_WAIT_ALL:
        return wait_for_all(r);
    case DUMPI_WAIT_ONE:
    case DUMPI_WAIT_SOME:
        return wait_for_some(r);
    case DUMPI_START:
        return start_requests(r);
    case DUMPI_CANCEL:
        WI_RETURN_IF_FAILED(listed(r, 0, &q));
        q->cancelled = true;
        return WEIR_OK;
    case DUMPI_FREE: /* it ends by itself, and its slot is not another's */
        WI_RETURN_IF_FAILED(listed(r, 0, &q));
        *q = (request){.state = IDLE};
        return WEIR_OK;
    default: /* of a file, or the program's own */
        WI_RETURN_IF_FAILED(find_request(r, DUMPI_VALUE(r->call, 'r'), &q));
        *q = (request){.state = IDLE};
        return WEIR_OK;
    }
}

/* ---- blocking messages ---- */

static weir_status take_send(rank_reading *r)
{
    job_action a;
    uint32_t comm;
    const bool receives = r->call->what == DUMPI_RECV, buffered = r->call->what == DUMPI_BSEND;
    dumpi_status status;
    WI_RETURN_IF_FAILED(find_comm(r, &comm));
    WI_RETURN_IF_FAILED(message(r,
                                receives   ? JOB_OP_RECV
                                : buffered ? JOB_OP_ISEND
                                           : JOB_OP_SEND,
                                receives ? 's' : 'd', 'g', 'c', 't', &a));
    if (receives && a.op == JOB_OP_RECV && wi_dumpi_status(r->call, 0, &status))
        learn(&a, &status);
    a.slot = buffered && a.op != JOB_OP_COMPUTE ? take_slot(r)
                                                : 0; /* of a buffered one nobody knows when it ends */
    return a.op == JOB_OP_COMPUTE ? WEIR_OK : append(r, a, comm);
}

static weir_status take_exchange(rank_reading *r)
{
    const bool replaces = !strchr(r->call->fields, 'e');
    job_action in, out;
    uint32_t comm;
    dumpi_status status;
    request comes = {0}, goes = {0};
    WI_RETURN_IF_FAILED(find_comm(r, &comm));
    WI_RETURN_IF_FAILED(message(r, JOB_OP_IRECV, 's', 'h', replaces ? 'c' : 'e', replaces ? 't' : 'u', &in));
    WI_RETURN_IF_FAILED(message(r, JOB_OP_ISEND, 'd', 'g', 'c', 't', &out));
    if (in.op == JOB_OP_IRECV && wi_dumpi_status(r->call, 0, &status))
        learn(&in, &status);
    WI_RETURN_IF_FAILED(begin(r, &comes, in, comm));
    WI_RETURN_IF_FAILED(begin(r, &goes, out, comm));
    const request *const both[] = {&goes, &comes};
    weir_status ended = WEIR_OK;
    for (int i = 0; i < 2 && ended == WEIR_OK; i++)
        if (both[i]->state == OPEN)
            ended = append(r, (job_action){.op = JOB_OP_WAIT, .slot = both[i]->slot}, DUMPI_SELF)
                        ?: give_slot(r, both[i]->slot);
    return ended;
}

/* ---- types ---- */

static weir_status take_type(rank_reading *r)
{
    const dumpi_call *const c = r->call;
    const dumpi_list *const lengths = DUMPI_LIST(c, 'A'), *const sizes = DUMPI_LIST(c, 'B'),
                            *const types = DUMPI_LIST(c, 'T');
    const bool some = strchr(c->fields, 'A'), of_each = strchr(c->fields, 'T'), part = strchr(c->fields, 'B');
    int64_t elements = some ? 0 : 1, bytes = 0;
    bool good = !of_each || types->n == lengths->n;
    if (strchr(c->fields, 'c'))
        elements *= DUMPI_VALUE(c, 'c');
    if (strchr(c->fields, 'e'))
        elements *= DUMPI_VALUE(c, 'e');
    for (uint32_t i = 0; part && i < sizes->n; i++)
        elements = elements >= 0 && elements < INT32_MAX ? elements * wi_dumpi_item(sizes, i, 4) : -1;
    for (uint32_t i = 0; some && i < lengths->n; i++) {
        const int32_t length = wi_dumpi_item(lengths, i, 4);
        const int64_t each = of_each && good ? known(&r->type, (uint16_t)wi_dumpi_item(types, i, 2)) : 0;
        good = good && length >= 0 && each >= 0 && bytes < INT64_C(1) << 40;
        elements += length;
        bytes += good ? length * each : 0;
    }
    if (!of_each) {
        const int64_t each = known(&r->type, (uint32_t)DUMPI_VALUE(c, 't'));
        good = elements >= 0 && elements < INT64_C(1) << 40 && each >= 0 && each < 1 << 20;
        bytes = good ? elements * each : 0;
    }
    return know(r, &r->type, (uint32_t)DUMPI_VALUE(c, 'w'), good ? bytes : UNKNOWN);
}

/* ---- collectives ---- */

static weir_status put_collective(rank_reading *r, uint8_t op, uint64_t bytes, int32_t root)
{
    uint32_t comm;
    WI_RETURN_IF_FAILED(find_comm(r, &comm));
    if (root < 0)
        return WRONG(r, "root %d; inter-communicators are not read", root);
    return append(r, (job_action){.op = op, .peer = (uint32_t)root, .bytes = bytes}, comm);
}

static weir_status push(rank_reading *r, uint32_t number)
{
    wi_dumpi *const d = r->d;
    if (!wi_grow(&d->number, &d->number_room, d->n_numbers + 1, sizeof *d->number))
        return no_memory(r);
    d->number[d->n_numbers++] = number;
    return WEIR_OK;
}

/* Bytes of each of a list of counts, all of one type, or of one each. */
static weir_status push_bytes(rank_reading *r, const dumpi_list *counts, const dumpi_list *types,
                              uint32_t type)
{
    uint64_t bytes = 0;
    if (types && types->n != counts->n)
        return WRONG(r, "%u counts, and %u types", counts->n, types->n);
    for (uint32_t i = 0; i < counts->n; i++) {
        const uint32_t of = types ? (uint16_t)wi_dumpi_item(types, i, 2) : type;
        WI_RETURN_IF_FAILED(bytes_of(r, wi_dumpi_item(counts, i, 4), of, &bytes));
        WI_RETURN_IF_FAILED(push(r, (uint32_t)bytes));
    }
    return WEIR_OK;
}

static weir_status put_uneven(rank_reading *r)
{
    const dumpi_call *const c = r->call;
    const bool is_root = DUMPI_VALUE(c, 'k') == DUMPI_VALUE(c, 'o'), to_all = c->what == DUMPI_ALLTOALLV;
    const bool each = strchr(c->fields, 'T'), gathers = c->what == DUMPI_GATHERV;
    const dumpi_list *const a = DUMPI_LIST(c, 'A'), *const b = DUMPI_LIST(c, 'B'),
                            *const t = DUMPI_LIST(c, 'T'), *const u = DUMPI_LIST(c, 'U');
    const uint32_t type = (uint32_t)DUMPI_VALUE(c, 't'), other = (uint32_t)DUMPI_VALUE(c, 'u');
    const size_t at = r->d->n_numbers;
    uint64_t bytes = 0;
    job_action action = {.peer = (uint32_t)DUMPI_VALUE(c, 'o'),
                         .slot = r->slots == r->n_free,
                         .time_ps = (weir_time)at,
                         .op = (uint8_t)(to_all                        ? JOB_OP_ALLTOALLV
                                         : gathers                     ? JOB_OP_GATHERV
                                         : c->what == DUMPI_SCATTERV   ? JOB_OP_SCATTERV
                                         : c->what == DUMPI_ALLGATHERV ? JOB_OP_ALLGATHERV
                                                                       : JOB_OP_SCAN)};
    uint32_t comm;
    WI_RETURN_IF_FAILED(find_comm(r, &comm));
    if (DUMPI_VALUE(c, 'o') < 0)
        return WRONG(r, "root %d; inter-communicators are not read", DUMPI_VALUE(c, 'o'));
    WI_RETURN_IF_FAILED(push(r, 0));
    WI_RETURN_IF_FAILED(push(r, 0));
    if (to_all) {
        WI_RETURN_IF_FAILED(push_bytes(r, a, each ? t : NULL, type));
        WI_RETURN_IF_FAILED(push_bytes(r, b, each ? u : NULL, other));
        r->d->number[at] = a->n;
    } else if (action.op == JOB_OP_ALLGATHERV || (is_root && gathers)) {
        WI_RETURN_IF_FAILED(push_bytes(r, a, NULL, other));
    } else if (action.op == JOB_OP_SCATTERV && is_root) {
        WI_RETURN_IF_FAILED(push_bytes(r, a, NULL, type));
        r->d->number[at] = a->n;
    } else {
        const bool scatters = action.op == JOB_OP_SCATTERV;
        WI_RETURN_IF_FAILED(
            bytes_of(r, DUMPI_VALUE(c, scatters ? 'e' : 'c'), scatters ? other : type, &bytes));
        WI_RETURN_IF_FAILED(push(r, (uint32_t)bytes));
        r->d->number[at] = gathers;
    }
    r->d->number[at + 1] = (uint32_t)(r->d->n_numbers - at - 2) - r->d->number[at];
    return append(r, action, comm);
}

static weir_status take_collective(rank_reading *r)
{
    static const uint8_t ops[] = {[DUMPI_BARRIER] = JOB_OP_BARRIER,
                                  [DUMPI_BCAST] = JOB_OP_BCAST,
                                  [DUMPI_REDUCE] = JOB_OP_REDUCE,
                                  [DUMPI_ALLREDUCE] = JOB_OP_ALLREDUCE,
                                  [DUMPI_ALLGATHER] = JOB_OP_ALLGATHER,
                                  [DUMPI_ALLTOALL] = JOB_OP_ALLTOALL,
                                  [DUMPI_GATHER] = JOB_OP_GATHER,
                                  [DUMPI_SCATTER] = JOB_OP_SCATTER,
                                  [DUMPI_REDUCE_SCATTER] = JOB_OP_REDUCE_SCATTER};
    const dumpi_call *const c = r->call;
    const bool is_root = DUMPI_VALUE(c, 'k') == DUMPI_VALUE(c, 'o');
    /* What counts with MPI_IN_PLACE, too. */
    const bool other = c->what == DUMPI_ALLGATHER || c->what == DUMPI_ALLTOALL ||
                       (c->what == DUMPI_GATHER && is_root) || (c->what == DUMPI_SCATTER && !is_root);
    uint64_t bytes = 0, part = 0;
    if (c->what >= DUMPI_ALLGATHERV)
        return put_uneven(r);
    for (uint32_t i = 0; c->what == DUMPI_REDUCE_SCATTER && i < DUMPI_LIST(c, 'A')->n; i++) {
        WI_RETURN_IF_FAILED(
            bytes_of(r, wi_dumpi_item(DUMPI_LIST(c, 'A'), i, 4), (uint32_t)DUMPI_VALUE(c, 't'), &part));
        bytes += part;
    }
    if (bytes > UINT64_C(1) << 30)
        return WRONG(r, "%llu bytes; want at most 1 GiB", (unsigned long long)bytes);
    if (c->what != DUMPI_REDUCE_SCATTER && c->what != DUMPI_BARRIER)
        WI_RETURN_IF_FAILED(bytes_of(r, DUMPI_VALUE(c, other ? 'e' : 'c'),
                                     (uint32_t)DUMPI_VALUE(c, other ? 'u' : 't'), &bytes));
    return put_collective(r, ops[c->what], bytes, DUMPI_VALUE(c, 'o'));
}

/* ---- communicators and groups ---- */

static weir_status add_object(rank_reading *r, dumpi_object object)
{
    wi_dumpi *const d = r->d;
    if (!wi_grow(&d->object, &d->object_room, d->n_objects + 1, sizeof *d->object))
        return no_memory(r);
    object.call = r->call ? r->call->number : 0;
    d->object[d->n_objects++] = object;
    return WEIR_OK;
}

static weir_status take_object(rank_reading *r)
{
    const dumpi_call *const c = r->call;
    const bool makes_comm = strchr(c->fields, 'n'), makes_group = strchr(c->fields, 'y');
    const uint32_t rows = strchr(c->fields, 'L') ? DUMPI_LIST(c, 'L')->n : 0,
                   made = (uint32_t)(r->d->n_objects - r->d->rank[r->rank].first_object);
    dumpi_object o = {.what = (uint8_t)c->what,
                      .none = makes_comm && DUMPI_VALUE(c, 'n') == NULL_HANDLE,
                      .x = DUMPI_VALUE(c, 'l'),
                      .y = DUMPI_VALUE(c, 'j'),
                      .number = r->d->n_numbers};
    if (strchr(c->fields, 'm'))
        WI_RETURN_IF_FAILED(find_comm(r, &o.a));
    if (strchr(c->fields, 'p'))
        WI_RETURN_IF_FAILED(find_object(r, &r->group, 'p', makes_comm ? &o.b : &o.a));
    if (strchr(c->fields, 'q'))
        WI_RETURN_IF_FAILED(find_object(r, &r->group, 'q', &o.b));
    for (uint32_t i = 0; i < DUMPI_LIST(c, 'A')->n; i++)
        WI_RETURN_IF_FAILED(push(r, (uint32_t)wi_dumpi_item(DUMPI_LIST(c, 'A'), i, 4)));
    for (uint32_t i = 0; i < 4 * rows; i++) /* each behind its length */
        if (i % 4)
            WI_RETURN_IF_FAILED(push(r, (uint32_t)wi_dumpi_item(DUMPI_LIST(c, 'L'), i, 4)));
    o.numbers = (uint32_t)(r->d->n_numbers - o.number);
    if (makes_comm && !o.none)
        WI_RETURN_IF_FAILED(know(r, &r->comm, (uint32_t)DUMPI_VALUE(c, 'n'), made));
    if (makes_group)
        WI_RETURN_IF_FAILED(know(r, &r->group, (uint32_t)DUMPI_VALUE(c, 'y'), made));
    if (!makes_comm && !makes_group && o.a == DUMPI_WORLD) { /* size and rank of all */
        const uint32_t is = c->what == DUMPI_COMM_SIZE ? r->d->job->n_ranks : r->rank;
        return (uint32_t)o.x == is ? WEIR_OK : WRONG(r, "it says %d, and by the trace it is %u", o.x, is);
    }
    return add_object(r, o);
}

/* ---- a rank's file ---- */

static weir_status take_call(rank_reading *r)
{
    const dumpi_call *const c = r->call;
    const weir_time day_ps = 65536 * WEIR_PS_PER_S;
    if (c->number > 1 && c->thread != r->thread)
        return WRONG(r, "by thread %u, and others by thread %u; calls of several threads are not read",
                     c->thread, r->thread);
    r->thread = c->thread;
    if (c->timed) {
        const weir_time since_ps = c->start_ps - r->last_ps;
        if (r->timed)
            r->owed_ps += since_ps > 0 ? since_ps : since_ps < -day_ps / 2 ? since_ps + day_ps : 0;
        r->last_ps = c->stop_ps;
        r->timed = true;
    }
    if (c->what == DUMPI_REFUSED)
        return WRONG(r, "%s is not read",
                     strncmp(c->name, "Pcontrol", 8) == 0 ? "it" : "traffic of its kind");
    if (c->what == DUMPI_SEND || c->what == DUMPI_BSEND || c->what == DUMPI_RECV)
        return take_send(r);
    if (c->what == DUMPI_SENDRECV)
        return take_exchange(r);
    if (c->what >= DUMPI_ISEND && c->what <= DUMPI_RECV_INIT)
        return take_request(r);
    if (c->what >= DUMPI_START && c->what <= DUMPI_CANCEL)
        return take_wait(r);
    if (c->what == DUMPI_TYPE)
        return take_type(r);
    if (c->what >= DUMPI_BARRIER && c->what <= DUMPI_SCAN)
        return take_collective(r);
    return c->what >= DUMPI_COMM_SIZE ? take_object(r) : WEIR_OK;
}

static weir_status read_calls(rank_reading *r, dumpi_bytes b, const uint8_t *begin)
{
    dumpi_call call = {.name = "?"};
    weir_status status = WEIR_OK;
    r->call = &call;
    (void)wi_dumpi_take(&b, 8); /* what seconds begin at */
    for (dumpi_next next; status == WEIR_OK;) {
        const long long at = b.at - begin;
        next = wi_dumpi_next(&b, &call);
        if (next == DUMPI_END)
            break;
        if (next == DUMPI_CUT)
            return WRONG(r, "it is cut, or damaged, at byte %lld", at);
        if (next == DUMPI_UNKNOWN)
            return weir_fail(r->d->diag, WEIR_E_FORMAT,
                             "%s: rank %u, behind call %u: no function at byte %lld",
                             r->d->job->programs.file[r->rank], r->rank, call.number, at);
        if (next == DUMPI_CALL)
            status = take_call(r);
    }
    if (status == WEIR_OK && (r->owed_ps > 0 || r->d->n_actions == r->d->rank[r->rank].first_action))
        status = append(r, (job_action){.op = JOB_OP_COMPUTE}, DUMPI_SELF);
    return status;
}

/* MPI's own types, and the sizes that the file has. */
static weir_status read_types(rank_reading *r, dumpi_bytes b)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < WI_N_OF(type_bytes) && status == WEIR_OK; i++)
        status = know(r, &r->type, i, type_bytes[i]);
    const uint32_t n = (uint32_t)wi_dumpi_take(&b, 4);
    for (uint32_t i = 0; i < n && i < HANDLES && status == WEIR_OK; i++) {
        const int32_t bytes = (int32_t)(uint32_t)wi_dumpi_take(&b, 4);
        if (b.cut)
            break;
        if (bytes > 0)
            status = know(r, &r->type, i, bytes);
    }
    return status;
}

static weir_status read_file(rank_reading *r, const uint8_t *text, size_t size)
{
    enum { TYPES, FUNCTIONS, COUNTERS, HEADER, STREAM, FOOTER, KEYS, PARTS };
    const char *const file = r->d->job->programs.file[r->rank];
    uint64_t part[PARTS];
    if (size < sizeof magic + INDEX_BYTES || memcmp(text, magic, sizeof magic) != 0)
        return weir_fail(r->d->diag, WEIR_E_FORMAT, "%s: no trace of DUMPI", file);
    dumpi_bytes b = {text + size - INDEX_BYTES, text + size, false};
    const bool whole = memcmp(b.at, magic, sizeof magic) == 0;
    b.at += sizeof magic;
    for (int i = 0; i < PARTS; i++)
        part[i] = wi_dumpi_take(&b, 8);
    if (!whole || part[HEADER] > size || part[STREAM] > part[HEADER] || part[TYPES] > size)
        return weir_fail(
            r->d->diag, WEIR_E_FORMAT,
            "%s: it does not end with an index of its parts: it is cut, or older than version 0.6.9", file);
    b.at = text + part[HEADER];
    const uint32_t version = (uint32_t)wi_dumpi_take(&b, 3);
    if (b.cut || version < 0x000609 || version > 0x01ffff)
        return weir_fail(r->d->diag, WEIR_E_FORMAT, "%s: version %u.%u.%u; read are 0.6.9 to 1", file,
                         version >> 16, version >> 8 & 255, version & 255);
    return read_types(r, (dumpi_bytes){part[TYPES] ? text + part[TYPES] : text + size, text + size, false})
               ?: read_calls(r, (dumpi_bytes){text + part[STREAM], text + part[HEADER], false}, text);
}

static weir_status read_rank(wi_dumpi *d, uint32_t rank, const uint8_t *text, size_t size)
{
    rank_reading r = {.d = d, .rank = rank};
    d->rank[rank] = (dumpi_rank){d->n_actions, d->n_objects, 0};
    weir_status status = know(&r, &r.comm, COMM_WORLD, DUMPI_WORLD) ?: know(&r, &r.comm, COMM_SELF, DUMPI_SELF)
                         ?: know(&r, &r.group, GROUP_EMPTY, DUMPI_EMPTY);
    for (uint32_t i = 0; i < DUMPI_OBJECTS && status == WEIR_OK; i++)
        status = add_object(&r, (dumpi_object){.what = DUMPI_NEVER, .comm = i, .listed = i == DUMPI_EMPTY});
    if (status == WEIR_OK)
        status = read_file(&r, text, size);
    d->rank[rank].slots = r.slots;
    free(r.type.at);
    free(r.comm.at);
    free(r.group.at);
    free(r.request);
    free(r.free_slot);
    return status;
}

weir_status wi_dumpi_read(weir_diag *diag, wi_job *job, wi_dumpi_bring bring, void *from)
{
    wi_dumpi d = {.diag = diag, .job = job};
    d.rank = calloc((size_t)job->n_ranks + 1, sizeof *d.rank);
    weir_status status =
        d.rank ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for %u ranks", job->file, job->n_ranks);
    job->what = "call";
    job->any_or_nobody = true;
    for (uint32_t rank = 0; rank < job->n_ranks && status == WEIR_OK; rank++) {
        WI_FREED char *text = NULL;
        size_t size = 0;
        status = bring(from, rank, &text, &size);
        if (status == WEIR_OK)
            status = read_rank(&d, rank, (const uint8_t *)text, size);
    }
    if (status == WEIR_OK) {
        d.rank[job->n_ranks] = (dumpi_rank){d.n_actions, d.n_objects, 0};
        status = wi_dumpi_settle(&d);
    }
    free(d.action);
    free(d.object);
    free(d.number);
    free(d.rank);
    return status;
}

/* ---- files ---- */

/* What stands behind a key, to the line's end; null: it is not there. */
static const char *value_of(const char *text, const char *key, size_t *length)
{
    const size_t n = strlen(key);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, key, n) == 0 && line[n] == '=') {
            *length = strcspn(line + n + 1, "\r\n");
            return line + n + 1;
        }
    return NULL;
}

bool wi_job_is_dumpi(const char *text)
{
    size_t length;
    return value_of(text, "numprocs", &length) && value_of(text, "fileprefix", &length);
}

bool wi_job_is_dumpi_rank(const char *text, size_t size)
{
    return size >= sizeof magic && memcmp(text, magic, sizeof magic) == 0;
}

static weir_status bring_file(void *from, uint32_t rank, char **text, size_t *size)
{
    const wi_dumpi *const d = from;
    return wi_file_read(d->diag, d->job->programs.file[rank], SIZE_MAX / 2, text, size);
}

/* Names of all ranks' files: their numbers have four digits, or as many as the first one has. */
static bool name_files(wi_job *job, int folder, const char *prefix, int length)
{
    wi_job_programs *const p = &job->programs;
    const size_t room = strlen(job->file) + (size_t)length + 32;
    int digits = 4;
    p->file = calloc(job->n_ranks, sizeof *p->file);
    while (p->file && p->n_files < job->n_ranks) {
        char *const name = p->file[p->n_files] = malloc(room);
        if (!name)
            return false;
        for (int tried = 0; tried < 10; tried++) {
            snprintf(name, room, "%.*s%.*s-%0*zu.bin", folder, job->file, length, prefix, digits, p->n_files);
            if (p->n_files > 0 || access(name, R_OK) == 0)
                break;
            digits = digits % 9 + 1; /* 4 again after nine others */
        }
        p->n_files++;
    }
    return p->file != NULL;
}

weir_status wi_job_read_dumpi(weir_diag *diag, wi_job *job, const char *text)
{
    size_t length = 0, number_length = 0;
    const char *const prefix = value_of(text, "fileprefix", &length), *const number = value_of(
                                                                          text, "numprocs", &number_length);
    const char *const slash = strrchr(job->file, '/'), *last = prefix + length;
    char *end;
    const unsigned long ranks = strtoul(number, &end, 10);
    if (end != number + number_length || ranks < 1 || ranks > WI_JOB_RANKS_MAX || *number == '-')
        return weir_fail(diag, WEIR_E_FORMAT, "%s: numprocs is '%.*s'; want 1 to %d", job->file,
                         (int)number_length, number, WI_JOB_RANKS_MAX);
    while (last > prefix && last[-1] != '/') /* a folder of the machine that was traced means nothing here */
        last--;
    job->n_ranks = (uint32_t)ranks;
    if (!name_files(job, slash ? (int)(slash - job->file) + 1 : 0, last, (int)(prefix + length - last)))
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for names of %lu files", job->file, ranks);
    return wi_dumpi_read(diag, job, bring_file, &(wi_dumpi){.diag = diag, .job = job});
}
