/* Checkpoints over ranks: arrays are those of one process, whatever rank has what of them. */
#include <stdlib.h>
#include <string.h>

#include "fluid/ghosts/ghosts.h"
#include "fluid/state/arrays.h"

enum { AT_ONCE = 1 << 20 };

/* An array on its way to or from a file. Saving, pieces are gathered until there are so many bytes of them. */
typedef struct stream {
    weir_fluid *f;
    wi_archiver *archiver;
    unsigned char *bytes; /* [AT_ONCE], or room for the longest ring */
    size_t used;
} stream;

static void flush(stream *x)
{
    const size_t words = (x->used + 7) / 8;
    memset(x->bytes + x->used, 0, 8 * words - x->used);
    wi_ghosts_join(x->f, x->bytes, words);
    wi_archive(x->archiver, x->bytes, x->used);
    x->used = 0;
}

/* The next bytes of an array. here: where this rank has them, if it has; saves: it is the one that saves them. */
static void pass(stream *x, unsigned char *here, bool saves, size_t bytes)
{
    if (wi_archiver_reads(x->archiver)) {
        wi_archive(x->archiver, here ? here : x->bytes, bytes);
        return;
    }
    if (x->used + bytes + 8 > AT_ONCE)
        flush(x);
    if (saves)
        memcpy(x->bytes + x->used, here, bytes);
    else
        memset(x->bytes + x->used, 0, bytes);
    x->used += bytes;
}

/* Elements of an array that belong to one thing of the network: a flow, a port, a prefix. */
typedef struct piece {
    uint64_t n, here; /* elements; the first one's place here */
    bool is_here, saves;
} piece;

static piece flow_piece(const weir_fluid *f, uint32_t i)
{
    const uint32_t here = f->ghosts->flow[i];
    return (piece){1, here, here != FLUID_NONE, wi_ghosts_own_flow(f, i) != FLUID_NONE};
}

static piece port_piece(const weir_fluid *f, uint32_t i)
{
    const uint32_t here = f->ghosts->port[i];
    return (piece){1, here, here != FLUID_NONE, wi_ghosts_own_port(f, i) != FLUID_NONE};
}

static piece rows_piece(const weir_fluid *f, uint32_t i)
{
    piece p = port_piece(f, i);
    p.n = f->ghosts->whole.ports[i].rows;
    p.here = p.is_here ? f->tables.ports[p.here].own : 0;
    return p;
}

/* An array of things in their order, or several one behind the other. */
typedef struct axis {
    piece (*piece)(const weir_fluid *f, uint32_t i);
    uint32_t things;
    uint64_t whole, here; /* elements of one */
} axis;

static void pass_array(stream *x, const axis *a, void *array, size_t size, uint64_t n)
{
    if (n == 0)
        return;
    for (uint64_t plane = 0; plane < n / a->whole; plane++)
        for (uint32_t i = 0; i < a->things; i++) {
            const piece p = a->piece(x->f, i);
            unsigned char *const at = (unsigned char *)array + (plane * a->here + p.here) * size;
            pass(x, p.is_here ? at : NULL, p.saves, p.n * size);
        }
    flush(x);
}

/* Of prefixes, by port. */
static void pass_cells(stream *x, void *array, size_t size, uint64_t n)
{
    const wi_fluid_ghosts *const g = x->f->ghosts;
    if (n == 0)
        return;
    for (uint32_t p = 0; p < g->whole.n_ports; p++) {
        const fluid_port *const w = &g->whole.ports[p];
        const fluid_port *const port = g->port[p] == FLUID_NONE ? NULL : &x->f->tables.ports[g->port[p]];
        for (uint32_t i = w->first; i < w->first + w->n_prefixes; i++) {
            const bool is_here = port && g->prefix[i] != FLUID_NONE;
            const uint64_t at = is_here ? port->at + (uint64_t)(g->prefix[i] - port->first) * w->rows : 0;
            pass(x, is_here ? (unsigned char *)array + at * size : NULL,
                 wi_ghosts_own_port(x->f, p) != FLUID_NONE, w->rows * size);
        }
    }
    flush(x);
}

/* A ring that has been read, into one of fewer rows. */
static void shorten(const stream *x, unsigned char *to, uint32_t rows, uint32_t whole, size_t size)
{
    const int64_t now = x->f->state.now;
    for (int64_t step = now > rows ? now - rows : 0; step < now; step++)
        memcpy(to + (size_t)(step % rows) * size, x->bytes + (size_t)(step % whole) * size, size);
}

static void pass_volumes(stream *x, size_t size)
{
    const wi_fluid_ghosts *const g = x->f->ghosts;
    const bool reads = wi_archiver_reads(x->archiver);
    for (uint32_t s = 0; s < g->whole.n_series; s++) {
        const uint32_t rows = g->whole.rings[s].rows;
        const fluid_ring *const ring = g->series[s] == FLUID_NONE ? NULL : &x->f->tables.rings[g->series[s]];
        unsigned char *const at = ring ? (unsigned char *)x->f->state.volume + ring->at * size : NULL;
        const bool is_short = ring && ring->rows < rows;
        pass(x, reads && is_short ? NULL : at, g->holder[s] == g->ranks->rank, rows * size);
        if (reads && is_short)
            shorten(x, at, ring->rows, rows, size);
    }
    flush(x);
}

/* In the order of their numbers, which ports have in the order in which others were found to pull from them. */
static void pass_fronts(stream *x, uint32_t *port_of)
{
    const wi_fluid_ghosts *const g = x->f->ghosts;
    for (uint32_t p = 0; p < g->whole.n_ports; p++)
        if (g->whole.ports[p].front != FLUID_NONE)
            port_of[g->whole.ports[p].front] = p;
    for (uint32_t i = 0; i < g->whole.n_fronts; i++) {
        const uint32_t here = g->port[port_of[i]];
        const uint32_t front = here == FLUID_NONE ? FLUID_NONE : x->f->tables.ports[here].front;
        pass(x, front == FLUID_NONE ? NULL : (unsigned char *)&x->f->state.front[front],
             wi_ghosts_own_port(x->f, port_of[i]) != FLUID_NONE, sizeof(fluid_place));
    }
    flush(x);
}

static size_t room_for(const fluid_tables *w, size_t real)
{
    size_t rows = 0;
    for (uint32_t s = 0; s < w->n_series; s++)
        rows = w->rings[s].rows > rows ? w->rings[s].rows : rows;
    for (uint32_t p = 0; p < w->n_ports; p++)
        rows = 2 * w->ports[p].rows > rows ? 2 * w->ports[p].rows : rows;
    return rows * real + 8 > AT_ONCE ? rows * real + 8 : AT_ONCE;
}

static void pass_all(stream *x, uint32_t *port_of)
{
    const fluid_tables *const t = &x->f->ghosts->whole, *const here = &x->f->tables;
    const fluid_state *const s = &x->f->state;
    const size_t real = x->f->ghosts->real;
    const axis flows = {flow_piece, t->n_flows, t->n_flows, here->n_flows},
               ports = {port_piece, t->n_ports, t->n_ports, here->n_ports},
               rows = {rows_piece, t->n_ports, t->n_own, here->n_own};
#define X(field, size, n, part) pass_cells(x, s->field, (size), (n));
    FLUID_PASTS(X)
#undef X
    pass_volumes(x, real);
#define X(field, size, n, part) pass_array(x, &flows, s->field, (size), (n));
    FLUID_OF_FLOWS(X)
#undef X
#define X(field, size, n, part) pass_array(x, &ports, s->field, (size), (n));
    FLUID_OF_PORTS(X)
#undef X
    pass_fronts(x, port_of);
#define X(field, size, n, part) pass_array(x, &rows, s->field, (size), (n));
    FLUID_OF_ROWS(X)
#undef X
}

void wi_ghosts_archive(weir_fluid *f, wi_archiver *k)
{
    wi_fluid_ghosts *const g = f->ghosts;
    WI_FREED uint32_t *const port_of =
        wi_fluid_array(k->diag, g->whole.n_fronts, sizeof *port_of, "checkpoint");
    stream x = {f, k, wi_fluid_array(k->diag, room_for(&g->whole, g->real), 1, "checkpoint"), 0};
    if (port_of && x.bytes) {
        if (!wi_archiver_reads(k)) /* rings of ghosts may be the only whole ones */
            wi_ghosts_swap(g, &f->tables, &f->state, 0);
        pass_all(&x, port_of);
        g->sent_to = f->state.now;
    } else {
        wi_archiver_fail(k, WEIR_E_NOMEM);
    }
    free(x.bytes);
}
