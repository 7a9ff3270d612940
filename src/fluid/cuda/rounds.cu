/* Launches, kernel by kernel or as graphs. */
#include <cstring>

#include "fluid/cuda/rounds.h"

/* Capturing costs some hundred microseconds, what a graph saves is some ten: shapes that come again and again
 * are worth one. */
enum { STEADY_BLOCKS = 16, USES_BEFORE_GRAPH = 8 };

static cudaError_t launch_block(const fluid_rounds *r, uint32_t n)
{
    cudaError_t bad = cudaSuccess;
    for (uint32_t stage = 0; stage < FLUID_STAGES && bad == cudaSuccess; stage++)
        bad = r->kernels->stage(&r->device, stage, n, r->stream);
    return bad;
}

static cudaError_t launch_steps(const fluid_rounds *r, uint32_t steps)
{
    const uint32_t whole = r->device.t.lookahead;
    cudaError_t bad = cudaSuccess;
    for (; r->steady && steps / whole >= STEADY_BLOCKS && bad == cudaSuccess; steps -= STEADY_BLOCKS * whole)
        bad = cudaGraphLaunch(r->steady, r->stream);
    while (steps > 0 && bad == cudaSuccess) {
        const uint32_t n = steps < whole ? steps : whole;
        bad = launch_block(r, n);
        steps -= n;
    }
    return bad;
}

static cudaError_t launch_singly(const fluid_rounds *r, const fluid_round *round)
{
    cudaError_t bad = cudaSuccess;
    if (round->take)
        bad = fluid_meetings_take(&r->device, &r->meetings, r->stream);
    if (bad == cudaSuccess)
        bad = launch_steps(r, round->steps);
    if (round->rows > 0 && bad == cudaSuccess)
        bad = fluid_meetings_write(&r->device, &r->meetings, round->rows, r->stream);
    return bad;
}

static cudaError_t capture(const fluid_rounds *r, const fluid_round *round, cudaGraphExec_t *out)
{
    cudaGraph_t graph = nullptr;
    *out = nullptr;
    cudaError_t bad = cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal);
    if (bad != cudaSuccess)
        return bad;
    bad = launch_singly(r, round);
    const cudaError_t end = cudaStreamEndCapture(r->stream, &graph);
    if (bad == cudaSuccess)
        bad = end;
    if (bad == cudaSuccess)
        bad = cudaGraphInstantiate(out, graph, 0);
    if (graph)
        (void)cudaGraphDestroy(graph);
    return bad;
}

cudaError_t fluid_rounds_open(fluid_rounds *r)
{
    const fluid_round many = {0, STEADY_BLOCKS * r->device.t.lookahead, 0};
    return capture(r, &many, &r->steady);
}

/* Graphs refer to meetings as they were. */
static void forget(fluid_rounds *r)
{
    for (uint32_t i = 0; i < r->n_shapes; i++)
        if (r->shape[i].graph)
            (void)cudaGraphExecDestroy(r->shape[i].graph);
    memset(r->shape, 0, sizeof r->shape);
    r->n_shapes = 0;
}

void fluid_rounds_meet(fluid_rounds *r, const fluid_meetings *meetings)
{
    forget(r);
    r->meetings = *meetings;
}

void fluid_rounds_close(fluid_rounds *r)
{
    forget(r);
    if (r->steady)
        (void)cudaGraphExecDestroy(r->steady);
}

static bool is_shape(const fluid_round *a, const fluid_round *b)
{
    return a->take == b->take && a->steps == b->steps && a->rows == b->rows;
}

/* The number of a round's shape; FLUID_ROUND_SHAPES where it is not worth remembering, or there are many. */
static uint32_t find_shape(fluid_rounds *r, const fluid_round *round)
{
    uint32_t i = 0;
    if (round->steps >= STEADY_BLOCKS * r->device.t.lookahead)
        return FLUID_ROUND_SHAPES;
    while (i < r->n_shapes && !is_shape(&r->shape[i].round, round))
        i++;
    if (i == r->n_shapes && i < FLUID_ROUND_SHAPES)
        r->shape[r->n_shapes++].round = *round;
    return i;
}

cudaError_t fluid_rounds_launch(fluid_rounds *r, const fluid_round *round)
{
    const uint32_t i = find_shape(r, round);
    if (i == FLUID_ROUND_SHAPES)
        return launch_singly(r, round);
    if (!r->shape[i].graph && ++r->shape[i].uses > USES_BEFORE_GRAPH) {
        const cudaError_t bad = capture(r, round, &r->shape[i].graph);
        if (bad != cudaSuccess)
            return bad;
    }
    return r->shape[i].graph ? cudaGraphLaunch(r->shape[i].graph, r->stream) : launch_singly(r, round);
}
