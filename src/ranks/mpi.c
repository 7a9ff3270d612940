/*
 * The table of ranks.h over MPI. MPI's handle is the process's own and there is one of it, so what belongs to
 * it is here, at file scope. An error of MPI ends all ranks: that is MPI's default, and nothing can be shared
 * after it.
 */
#ifdef WEIR_HAVE_MPI
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ranks/ranks.h"
#include "base/memory.h"
#include "ranks/watch.h"
#include "weir/ranks.h"

static wi_ranks self;
static int joined;

/* Bytes and numbers of one call, well inside an int. */
enum { BYTES_AT_ONCE = 1 << 30, NUMBERS_AT_ONCE = 1 << 27 };
enum { TAG_MAIL = 2, TAG_HEAD, TAG_EVENTS, TAG_SWAP }; /* message.c has 1 */
enum { LOOKS = 16, SPIN_NS = 50000, NAP_NS = 50000 };

/* Others already wait in the same call: there is no orderly way on. */
static void no_memory(void)
{
    fprintf(stderr, "weir: rank %u: no memory to exchange events\n", self.rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/*
 * MPI waits by looking all the time, and so keeps the rank that it waits for from a core that both want. As threads do (gate.h):
 * look for about as long as falling asleep and being woken cost, then sleep between looks.
 */
static void wait_all(MPI_Request *requests, int n)
{
    static const struct timespec nap = {.tv_nsec = NAP_NS};
    struct timespec began = {0}, now;
    for (int done = 0, looks = 0;; looks++) {
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done)
            return;
        if (looks == 0)
            clock_gettime(CLOCK_MONOTONIC, &began);
        else if (looks % LOOKS == 0) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            if ((now.tv_sec - began.tv_sec) * 1000000000 + now.tv_nsec - began.tv_nsec > SPIN_NS)
                nanosleep(&nap, NULL);
        }
    }
}

static void broadcast(void *data, size_t bytes, uint32_t root)
{
    unsigned char *at = data;
    while (bytes > 0) {
        const size_t n = bytes < BYTES_AT_ONCE ? bytes : BYTES_AT_ONCE;
        MPI_Request request;
        MPI_Ibcast(at, (int)n, MPI_BYTE, (int)root, MPI_COMM_WORLD, &request);
        wait_all(&request, 1);
        at += n;
        bytes -= n;
    }
}

static void to_first(void *data, size_t bytes, uint32_t from)
{
    for (unsigned char *at = data; bytes > 0 && (self.rank == from || self.rank == 0);) {
        const size_t n = bytes < BYTES_AT_ONCE ? bytes : BYTES_AT_ONCE;
        if (self.rank == from)
            MPI_Send(at, (int)n, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(at, (int)n, MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        at += n;
        bytes -= n;
    }
}

static void sum(int64_t *data, size_t n)
{
    while (n > 0) {
        const size_t some = n < NUMBERS_AT_ONCE ? n : NUMBERS_AT_ONCE;
        MPI_Request request;
        MPI_Iallreduce(MPI_IN_PLACE, data, (int)some, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
        wait_all(&request, 1);
        data += some;
        n -= some;
    }
}

static void swap(const wi_ranks_letter *letters, uint32_t n)
{
    WI_FREED MPI_Request *const requests = malloc((2 * (size_t)n + 1) * sizeof *requests);
    if (!requests)
        no_memory();
    for (uint32_t i = 0; i < n; i++) {
        const wi_ranks_letter *const l = &letters[i];
        MPI_Irecv(l->in, (int)l->in_room, MPI_BYTE, (int)l->rank, TAG_SWAP, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(l->out, (int)l->out_bytes, MPI_BYTE, (int)l->rank, TAG_SWAP, MPI_COMM_WORLD,
                  &requests[2 * i + 1]);
    }
    wait_all(requests, 2 * (int)n);
}

static int64_t least(int64_t value)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_all(&request, 1);
    return value;
}

static int gather(const void *data, size_t bytes, wi_batch *all, size_t *bytes_of)
{
    uint64_t mine = bytes, *sizes = malloc(self.n_ranks * sizeof *sizes);
    size_t total = 0;
    if (!sizes)
        no_memory();
    MPI_Request request;
    MPI_Iallgather(&mine, 1, MPI_UINT64_T, sizes, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    wait_all(&request, 1);
    for (uint32_t r = 0; r < self.n_ranks; r++)
        total += sizes[r];
    unsigned char *at = wi_batch_more(all, total + 1);
    const int whole = least(at && bytes_of) > 0;
    for (uint32_t r = 0; r < self.n_ranks && whole; r++) {
        bytes_of[r] = (size_t)sizes[r];
        if (r == self.rank && bytes > 0)
            memcpy(at, data, bytes);
        broadcast(at, bytes_of[r], r);
        at += bytes_of[r];
        all->used += bytes_of[r];
    }
    free(sizes);
    return whole;
}

/* ---- without waiting ---- */

static struct {
    MPI_Message message;
    int bytes, has;
} probed;

static MPI_Request *new_request(void)
{
    MPI_Request *request = malloc(sizeof *request);
    if (!request)
        no_memory();
    return request;
}

static void *begin_send(void *data, size_t bytes, uint32_t to)
{
    MPI_Request *request = new_request();
    MPI_Isend(data, (int)bytes, MPI_BYTE, (int)to, TAG_MAIL, MPI_COMM_WORLD, request);
    return request;
}

static void *begin_share(const void *mine, void *all, size_t bytes)
{
    MPI_Request *request = new_request();
    MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD, request);
    return request;
}

static int is_done(void *request)
{
    int flag = 0;
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    if (flag)
        free(request);
    return flag;
}

static size_t mail_waiting(void)
{
    MPI_Status status;
    if (!probed.has) {
        MPI_Improbe(MPI_ANY_SOURCE, TAG_MAIL, MPI_COMM_WORLD, &probed.has, &probed.message, &status);
        if (!probed.has)
            return 0;
        MPI_Get_count(&status, MPI_BYTE, &probed.bytes);
    }
    return (size_t)probed.bytes;
}

static void receive_mail(void *to, size_t bytes)
{
    MPI_Mrecv(to, (int)bytes, MPI_BYTE, &probed.message, MPI_STATUS_IGNORE);
    probed.has = 0;
}

/* ---- the exchange at a window's end ---- */

/* What one rank sends another first: its reduction, and how many events follow for each of the other's threads. */
enum { H_NEXT, H_LBTS, H_EVENTS, H_FLAGS, H_COUNTS };

/* Kept between exchanges, so that rounds allocate nothing. */
static struct {
    wi_owned memory;
    int64_t *heads_out, *heads_in; /* [ranks][H_COUNTS + threads] */
    int *counts_out, *counts_in, *first_out, *first_in;
    MPI_Request *requests; /* [2 ranks] */
    uint32_t threads;
    wi_batch out, in;
    MPI_Datatype event;
    uint32_t stride;
} box;

static void box_free(void)
{
    wi_owned_free(&box.memory);
    free(box.out.at);
    free(box.in.at);
    if (box.stride)
        MPI_Type_free(&box.event);
    memset(&box, 0, sizeof box);
}

static void box_make(const wi_transport *t)
{
    if (box.threads == t->n_threads && box.stride == t->stride)
        return;
    box_free();
    const size_t n = self.n_ranks, words = H_COUNTS + t->n_threads;
    box.threads = t->n_threads;
    box.heads_out = wi_take(&box.memory, n * words, sizeof *box.heads_out);
    box.heads_in = wi_take(&box.memory, n * words, sizeof *box.heads_in);
    box.counts_out = wi_take(&box.memory, n, sizeof(int));
    box.counts_in = wi_take(&box.memory, n, sizeof(int));
    box.first_out = wi_take(&box.memory, n, sizeof(int));
    box.first_in = wi_take(&box.memory, n, sizeof(int));
    box.requests = wi_take(&box.memory, 2 * n, sizeof(MPI_Request));
    if (box.memory.failed)
        no_memory();
    box.stride = t->stride;
    MPI_Type_contiguous((int)t->stride, MPI_BYTE, &box.event);
    MPI_Type_commit(&box.event);
}

/* Copy what all threads have for another rank's thread behind what is in box.out; returns how many events. */
static int pack_for(const wi_transport *t, uint32_t part)
{
    size_t bytes = 0;
    for (uint32_t s = 0; s < t->n_threads; s++) {
        const wi_batch *from = &t->members[s].out[t->members[s].set][part];
        unsigned char *at = from->used ? wi_batch_more(&box.out, from->used) : NULL;
        if (from->used && !at)
            no_memory();
        if (at)
            memcpy(at, from->at, from->used);
        box.out.used += from->used;
        bytes += from->used;
    }
    return (int)(bytes / t->stride);
}

static void pack_all(const wi_transport *t, const wi_reduction *all, size_t words)
{
    int before = 0;
    box.out.used = 0;
    for (uint32_t r = 0; r < self.n_ranks; r++) {
        int64_t *head = box.heads_out + r * words;
        box.first_out[r] = before;
        for (uint32_t d = 0; d < t->n_threads; d++) {
            head[H_COUNTS + d] = r == self.rank ? 0 : pack_for(t, r * t->n_threads + d);
            before += (int)head[H_COUNTS + d];
        }
        box.counts_out[r] = before - box.first_out[r];
    }
    for (uint32_t r = 0; r < self.n_ranks; r++) {
        int64_t *head = box.heads_out + r * words;
        head[H_NEXT] = all->next_ps;
        head[H_LBTS] = all->lbts_ps;
        head[H_EVENTS] = (int64_t)all->events;
        head[H_FLAGS] = all->flags;
    }
}

/* Hand what came, which lies rank by rank and thread by thread, to the threads. */
static void unpack_all(wi_transport *t, size_t words)
{
    const unsigned char *from = box.in.at;
    for (uint32_t r = 0; r < self.n_ranks; r++)
        for (uint32_t d = 0; d < t->n_threads; d++) {
            wi_batch *to = &t->members[d].arrived;
            const size_t bytes = (size_t)box.heads_in[r * words + H_COUNTS + d] * t->stride;
            unsigned char *at = bytes ? wi_batch_more(to, bytes) : NULL;
            if (bytes && !at)
                no_memory();
            if (at)
                memcpy(at, from, bytes);
            to->used += bytes;
            from += bytes;
        }
}

static void swap_heads(int words)
{
    int n = 0;
    for (uint32_t r = 0; r < self.n_ranks; r++) {
        int64_t *const in = box.heads_in + (size_t)r * (size_t)words, *const out = box.heads_out +
                                                                                   (size_t)r * (size_t)words;
        if (r == self.rank) {
            memcpy(in, out, (size_t)words * sizeof *in);
            continue;
        }
        MPI_Irecv(in, words, MPI_INT64_T, (int)r, TAG_HEAD, MPI_COMM_WORLD, &box.requests[n++]);
        MPI_Isend(out, words, MPI_INT64_T, (int)r, TAG_HEAD, MPI_COMM_WORLD, &box.requests[n++]);
    }
    wait_all(box.requests, n);
}

/* Both sides know from the heads which ranks have something for which. */
static void swap_events(size_t stride)
{
    int n = 0;
    for (uint32_t r = 0; r < self.n_ranks; r++) {
        if (box.counts_in[r] > 0)
            MPI_Irecv(box.in.at + (size_t)box.first_in[r] * stride, box.counts_in[r], box.event, (int)r,
                      TAG_EVENTS, MPI_COMM_WORLD, &box.requests[n++]);
        if (box.counts_out[r] > 0)
            MPI_Isend(box.out.at + (size_t)box.first_out[r] * stride, box.counts_out[r], box.event, (int)r,
                      TAG_EVENTS, MPI_COMM_WORLD, &box.requests[n++]);
    }
    wait_all(box.requests, n);
}

static void exchange(wi_transport *t, wi_reduction *all)
{
    const size_t words = H_COUNTS + t->n_threads;
    int total = 0;
    box_make(t);
    pack_all(t, all, words);
    swap_heads((int)words);
    for (uint32_t r = 0; r < self.n_ranks; r++) {
        const int64_t *head = box.heads_in + r * words;
        const wi_reduction one = {head[H_NEXT], head[H_LBTS], (uint64_t)head[H_EVENTS],
                                  (uint32_t)head[H_FLAGS]};
        if (r != self.rank)
            wi_reduction_join(all, &one);
        box.first_in[r] = total;
        for (uint32_t d = 0; d < t->n_threads; d++)
            total += (int)head[H_COUNTS + d];
        box.counts_in[r] = total - box.first_in[r];
    }
    for (uint32_t d = 0; d < t->n_threads; d++)
        t->members[d].arrived.used = 0;
    box.in.used = 0;
    if (!wi_batch_more(&box.in, (size_t)total * t->stride + 1) || !wi_batch_more(&box.out, 1))
        no_memory();
    swap_events(t->stride);
    unpack_all(t, words);
}

/* ---- joining and leaving ---- */

/* Look after the ranks of this machine, whose processes can be seen here: in containers they need not be. */
static void watch_machine(MPI_Comm machine, int here)
{
    wi_peer mine = {.pid = (int32_t)getpid(), .rank = self.rank},
            *peers = malloc((size_t)here * sizeof *peers);
    if (!peers)
        no_memory();
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, peers, sizeof mine, MPI_BYTE, machine);
    uint32_t n = 0;
    for (int i = 0; i < here; i++)
        if (kill(peers[i].pid, 0) == 0)
            peers[n++] = peers[i];
    MPI_Barrier(machine); /* all have looked before any may leave */
    if (n > 1)
        wi_ranks_watch(peers, n, self.rank);
    free(peers);
}

weir_status weir_ranks_begin(weir_diag *diag)
{
    int provided = 0, rank = 0, n = 1, here = 1;
    MPI_Comm machine;
    if (joined || wi_ranks_started() <= 1)
        return WEIR_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "MPI cannot be started with threads");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &here);
    self = (wi_ranks){.rank = (uint32_t)rank,
                      .n_ranks = (uint32_t)n,
                      .on_this_machine = (uint32_t)here,
                      .exchange = exchange,
                      .broadcast = broadcast,
                      .gather = gather,
                      .to_first = to_first,
                      .sum = sum,
                      .swap = swap,
                      .least = least,
                      .send = wi_message_send,
                      .take = wi_message_take,
                      .post = begin_send,
                      .share = begin_share,
                      .done = is_done,
                      .waiting = mail_waiting,
                      .receive = receive_mail};
    joined = 1;
    watch_machine(machine, here);
    MPI_Comm_free(&machine);
    return WEIR_OK;
}

void weir_ranks_end(void)
{
    if (!joined)
        return;
    box_free();
    joined = 0;
    if (weir_ranks_lost() > 0) {
        wi_ranks_watch_end();
        return;
    }
    wi_messages_end();
    MPI_Barrier(MPI_COMM_WORLD); /* no rank leaves while another still watches it */
    wi_ranks_watch_end();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

const wi_ranks *wi_ranks_of_run(void)
{
    return joined && self.n_ranks > 1 && weir_ranks_lost() == 0 && !wi_ranks_are_alone() ? &self : NULL;
}
#endif
