/* Fibers, and the runtime's calls. */
#include "cuda_runtime.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

#if !defined(__x86_64__)
#error "the emulator switches fibers on x86-64 only"
#endif

namespace emulator
{

namespace
{

enum { STACK_BYTES = 1 << 18, LANES = 32 };

struct warp {
    uint64_t words[2][LANES];
    uint64_t arrived[2];
};

struct block {
    std::vector<warp> warps;
    std::vector<unsigned char> dynamic;
    void *own; /* own_shared */
    uint32_t alive, waiting;
    uint64_t meetings;
    bool any[2]; /* whether one has said yes at this meeting, by turns */
};

struct fiber {
    void *sp;
    place at;
    block *mine;
    uint64_t exchanges;      /* so far */
    const uint64_t *counter; /* null, or what must be `least` before the fiber is switched to */
    uint64_t least;
    bool done;
};

std::mutex one_launch;
std::vector<void *> stacks;
thread_local fiber *now;
thread_local void *home;
thread_local const std::function<void()> *body;
thread_local std::vector<std::function<void()>> *captured;

} // namespace

extern "C" void emulator_switch(void **save, void *load);
asm(R"(
    .text
    .globl emulator_switch
    .type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulator_switch, .-emulator_switch
)");

void yield()
{
    emulator_switch(&now->sp, home);
}

namespace
{

void wait_for(const uint64_t *counter, uint64_t least)
{
    now->counter = counter;
    now->least = least;
    while (*counter < least)
        yield();
    now->counter = nullptr;
}

void release(block *b)
{
    if (b->waiting == b->alive && b->alive > 0) {
        b->waiting = 0;
        b->any[++b->meetings % 2] = false; /* all have come here since they read it */
    }
}

[[noreturn]] void entry()
{
    (*body)();
    now->done = true;
    now->mine->alive--;
    release(now->mine);
    yield();
    abort();
}

void *stack_number(size_t i)
{
    while (stacks.size() <= i) {
        void *at = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) {
            perror("emulator: no stack");
            exit(1);
        }
        stacks.push_back(at);
    }
    return stacks[i];
}

void prepare(fiber *f, size_t number)
{
    void **top = (void **)((char *)stack_number(number) + STACK_BYTES);
    *--top = nullptr;
    *--top = (void *)entry; /* as if called: the stack is a word off sixteen bytes */
    for (int i = 0; i < 6; i++)
        *--top = nullptr;
    f->sp = top;
}

/* Runs the fibers until all are done; they wait for each other only, so a round in which nobody moves on is
 * a deadlock, which shows as a test that does not end. */
void run_all(std::vector<fiber> &fibers)
{
    static std::mt19937 random(getenv("EMULATOR_SEED") ? (unsigned)atoi(getenv("EMULATOR_SEED")) : 1u);
    std::vector<uint32_t> order(fibers.size());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    while (!order.empty()) {
        size_t left = 0;
        for (const uint32_t i : order) {
            now = &fibers[i];
            if (!now->counter || *now->counter >= now->least)
                emulator_switch(&home, now->sp);
            if (!fibers[i].done)
                order[left++] = i;
        }
        order.resize(left);
    }
    now = nullptr;
}

void add_block(std::vector<fiber> &fibers, block &b, const launch &l, dim3 at)
{
    const uint32_t n = l.block.x * l.block.y * l.block.z;
    b.warps.assign((n + LANES - 1) / LANES, warp());
    b.dynamic.assign(l.shared, 0xcd);
    b.own = nullptr;
    b.alive = n;
    b.waiting = 0;
    b.meetings = 0;
    for (uint32_t i = 0; i < n; i++) {
        fiber f = {};
        f.at.thread = dim3(i % l.block.x, i / l.block.x % l.block.y, i / l.block.x / l.block.y);
        f.at.block = at;
        f.at.block_size = l.block;
        f.at.grid_size = l.grid;
        f.mine = &b;
        prepare(&f, fibers.size());
        fibers.push_back(f);
    }
}

void run_now(const launch &l, bool at_once, const std::function<void()> &thread)
{
    const std::lock_guard<std::mutex> lock(one_launch);
    const uint32_t n = l.grid.x * l.grid.y * l.grid.z;
    std::vector<block> blocks(at_once ? n : 1);
    std::vector<fiber> fibers;
    body = &thread;
    for (uint32_t i = 0; i < n; i++) {
        const dim3 at(i % l.grid.x, i / l.grid.x % l.grid.y, i / l.grid.x / l.grid.y);
        add_block(fibers, blocks[at_once ? i : 0], l, at);
        if (at_once && i + 1 < n)
            continue;
        run_all(fibers);
        fibers.clear();
        for (block &b : blocks)
            free(b.own);
    }
}

} // namespace

const place &here()
{
    return now->at;
}

void meet_block()
{
    block *const b = now->mine;
    const uint64_t meeting = b->meetings;
    b->waiting++;
    release(b);
    wait_for(&b->meetings, meeting + 1);
}

bool meet_block_any(bool yes)
{
    block *const b = now->mine;
    bool *const any = &b->any[b->meetings % 2];
    *any = *any || yes;
    meet_block();
    return *any;
}

const uint64_t *exchange(uint64_t word)
{
    const uint32_t thread =
        now->at.thread.x +
        now->at.block_size.x * (now->at.thread.y + now->at.block_size.y * now->at.thread.z);
    warp *const w = &now->mine->warps[thread / LANES];
    const uint64_t turn = now->exchanges / 2 + 1, half = now->exchanges % 2;
    now->exchanges++;
    w->words[half][thread % LANES] = word;
    w->arrived[half]++;
    wait_for(&w->arrived[half], turn * LANES);
    return w->words[half];
}

void meet_warp()
{
    exchange(0);
}

void *all_shared()
{
    return now->mine->dynamic.data();
}

void *own_shared(size_t bytes)
{
    block *const b = now->mine;
    if (!b->own)
        b->own = calloc(1, bytes);
    return b->own;
}

uint64_t clock_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void run(const launch &l, bool at_once, const std::function<void()> &thread)
{
    if (captured)
        captured->push_back([=]() { run_now(l, at_once, thread); });
    else
        run_now(l, at_once, thread);
}

} // namespace emulator

/* ---- the runtime ---- */

struct emulated_stream {
    int none;
};
struct emulated_graph {
    std::vector<std::function<void()>> work;
};

static const cudaError_t cudaErrorLaunchTimeout = (cudaError_t)702;

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorLaunchTimeout  ? "the launch timed out and was terminated"
           : error == cudaSuccess             ? "no error"
                                              : "invalid device";
}

/* EMULATOR_WATCHDOG=SECONDS: the device fails when the process has had so much processor time, and stays so. */
static cudaError_t watchdog()
{
    static const char *const limit = getenv("EMULATOR_WATCHDOG");
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return limit && (double)t.tv_sec + 1e-9 * (double)t.tv_nsec > atof(limit) ? cudaErrorLaunchTimeout
                                                                              : cudaSuccess;
}

cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}

static bool has_driver()
{
    const char *const driver = getenv("EMULATED_DRIVER");
    return !driver || strcmp(driver, "none") != 0;
}

cudaError_t cudaGetDeviceCount(int *n)
{
    *n = has_driver();
    return has_driver() ? cudaSuccess : cudaErrorInsufficientDriver;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = has_driver() ? 12040 : 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    *p = cudaDeviceProp();
    snprintf(p->name, sizeof p->name, "emulated device");
    p->totalGlobalMem = (size_t)4 << 30;
    p->multiProcessorCount = 3;
    return cudaSetDevice(device);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int)
{
    *value = what == cudaDevAttrMultiProcessorCount ? 3 : 1;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *there, size_t *total)
{
    *there = *total = (size_t)4 << 30;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **at, size_t bytes)
{
    if (bytes > (size_t)4 << 30)
        return cudaErrorMemoryAllocation;
    if (posix_memalign(at, 256, bytes ? bytes : 1) != 0)
        return cudaErrorMemoryAllocation;
    if (bytes < (size_t)1 << 24)
        memset(*at, 0xcd, bytes); /* nobody may count on zeros */
    return cudaSuccess;
}

cudaError_t cudaFree(void *at)
{
    free(at);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **at, size_t bytes, unsigned)
{
    return cudaMalloc(at, bytes);
}

cudaError_t cudaMallocHost(void **at, size_t bytes)
{
    return cudaMalloc(at, bytes);
}

cudaError_t cudaFreeHost(void *at)
{
    return cudaFree(at);
}

cudaError_t cudaHostRegister(void *, size_t, unsigned)
{
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *)
{
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned)
{
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *at, int value, size_t bytes)
{
    memset(at, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t)
{
    return cudaMemset(at, value, bytes);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = new emulated_stream();
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return watchdog();
}

cudaError_t cudaDeviceSynchronize()
{
    return watchdog();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode)
{
    emulator::captured = new std::vector<std::function<void()>>();
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *graph)
{
    *graph = new emulated_graph{*emulator::captured};
    delete emulator::captured;
    emulator::captured = nullptr;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
    *exec = new emulated_graph(*graph);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t)
{
    for (const auto &work : exec->work)
        work();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    delete exec;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new uint64_t(0);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return cudaEventCreate(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    *event = emulator::clock_ns();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
    *ms = (float)(*end - *begin) * 1e-6f;
    return cudaSuccess;
}
