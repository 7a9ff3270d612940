/*
 * CUDA on the CPU, for tests where there is no device: every thread of a launch is a fiber, which goes on
 * until it must wait for others. Compiled in place of NVIDIA's header by builds with WEIR_EMULATE, whose
 * rewrite.sed turns launches into calls. It knows what weir's kernels use, and no more.
 *
 * What it shows: results, deadlocks, and threads that count on an order that nothing promises them (the
 * fibers of a launch begin in an order that EMULATOR_SEED picks). What it does not: speed, races within a
 * stretch without synchronisation, the memory model.
 */
#ifndef TESTS_EMULATOR_CUDA_RUNTIME_H
#define TESTS_EMULATOR_CUDA_RUNTIME_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <functional>
#include <utility>

#define WEIR_EMULATED 1
#define __CUDACC__ 1
#define CUDART_VERSION 12040
#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __shared__ static /* blocks of a launch go one after the other */
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_assume(x) ((void)0)
#define __isGlobal(p) true

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};
struct __attribute__((aligned(16))) uint4 {
    unsigned x, y, z, w;
};

/* ---- threads ---- */

namespace emulator
{

struct place {
    dim3 thread, block, block_size, grid_size;
};
const place &here();
void yield();                   /* to the other fibers, while waiting for what they do */
void meet_block();              /* __syncthreads */
void meet_warp();               /* __syncwarp */
void *all_shared();             /* dynamic shared memory of the block */
void *own_shared(size_t bytes); /* of a block among blocks that run at once */
uint64_t clock_ns();

/* Whether any thread of the block says yes; all meet. */
bool meet_block_any(bool yes);

/* Each lane leaves a word and finds those of its warp, until it comes here again. */
const uint64_t *exchange(uint64_t word);

struct launch {
    dim3 grid, block;
    size_t shared;
    launch(dim3 g, dim3 b, size_t s = 0, void * = nullptr) : grid(g), block(b), shared(s)
    {
    }
};
/* Runs every thread, or, while a stream is captured, remembers it. at_once: all blocks. */
void run(const launch &l, bool at_once, const std::function<void()> &thread);

template <class F> struct ready {
    launch l;
    F kernel;
    template <class... A> void operator()(const A &...args) const
    {
        const F f = kernel;
        run(l, false, [=]() { f(args...); });
    }
};
template <class F> ready<F> make(const launch &l, F f)
{
    return ready<F>{l, f};
}

template <class T> T *shared()
{
    return static_cast<T *>(own_shared(sizeof(T)));
}

template <class T> uint64_t to_word(T x)
{
    uint64_t word = 0;
    static_assert(sizeof x <= sizeof word, "a word");
    memcpy(&word, &x, sizeof x);
    return word;
}
template <class T> T of_word(uint64_t word)
{
    T x;
    memcpy(&x, &word, sizeof x);
    return x;
}

} // namespace emulator

#define EMULATOR_LAUNCH(kernel, ...) \
    emulator::make(emulator::launch(__VA_ARGS__), [](const auto &...a) { kernel(a...); })

#define threadIdx (emulator::here().thread)
#define blockIdx (emulator::here().block)
#define blockDim (emulator::here().block_size)
#define gridDim (emulator::here().grid_size)
enum { warpSize = 32 };

inline unsigned emulator_lane()
{
    return threadIdx.x % 32;
}
inline void __syncthreads()
{
    emulator::meet_block();
}
inline int __syncthreads_or(int x)
{
    return emulator::meet_block_any(x != 0);
}
inline void __syncwarp(unsigned = 0xffffffffu)
{
    emulator::meet_warp();
}
inline void __threadfence()
{
}

template <class T> T __shfl_sync(unsigned, T x, int lane, int width = 32)
{
    const unsigned first = emulator_lane() / width * width;
    return emulator::of_word<T>(emulator::exchange(emulator::to_word(x))[first + (unsigned)lane % width]);
}
template <class T> T __shfl_up_sync(unsigned, T x, unsigned by, int width = 32)
{
    const unsigned lane = emulator_lane();
    const uint64_t *all = emulator::exchange(emulator::to_word(x));
    return emulator::of_word<T>(all[lane % width >= by ? lane - by : lane]);
}
template <class T> T __shfl_xor_sync(unsigned, T x, int by)
{
    return emulator::of_word<T>(emulator::exchange(emulator::to_word(x))[emulator_lane() ^ (unsigned)by]);
}
inline unsigned __ballot_sync(unsigned, int x)
{
    const uint64_t *all = emulator::exchange(x != 0);
    unsigned bits = 0;
    for (unsigned i = 0; i < 32; i++)
        bits |= (unsigned)all[i] << i;
    return bits;
}
inline int __any_sync(unsigned mask, int x)
{
    return __ballot_sync(mask, x) != 0;
}
inline int __all_sync(unsigned mask, int x)
{
    return __ballot_sync(mask, x) == 0xffffffffu;
}
inline unsigned __reduce_add_sync(unsigned, unsigned x)
{
    const uint64_t *all = emulator::exchange(x);
    unsigned sum = 0;
    for (unsigned i = 0; i < 32; i++)
        sum += (unsigned)all[i];
    return sum;
}

/* ---- words ---- */

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
inline int __popcll(long long x)
{
    return __builtin_popcountll((unsigned long long)x);
}
inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a * b) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c)
{
    return a + b < c ? a + b : c;
}
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c)
{
    const unsigned low = (a + b) & 0xffffu, high = ((a >> 16) + (b >> 16)) & 0xffffu;
    const unsigned c_low = c & 0xffffu, c_high = c >> 16;
    return (low < c_low ? low : c_low) | (high < c_high ? high : c_high) << 16;
}
inline unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
inline int min(int a, int b)
{
    return a < b ? a : b;
}

/* Past a cache that there is not. */
template <class T> T __ldcg(const T *at)
{
    return *at;
}

/* ---- atomics: a fiber is not interrupted ---- */

template <class T, class U> T atomicAdd(T *at, U x)
{
    const T before = *at;
    *at = (T)(before + (T)x);
    return before;
}
template <class T, class U> T atomicOr(T *at, U x)
{
    const T before = *at;
    *at = (T)(before | (T)x);
    return before;
}
template <class T, class U> T atomicMin(T *at, U x)
{
    const T before = *at;
    *at = (T)x < before ? (T)x : before;
    return before;
}
template <class T, class U> T atomicMax(T *at, U x)
{
    const T before = *at;
    *at = (T)x > before ? (T)x : before;
    return before;
}
template <class T, class U> T atomicExch(T *at, U x)
{
    const T before = *at;
    *at = (T)x;
    return before;
}
template <class T, class U, class V> T atomicCAS(T *at, U expected, V x)
{
    const T before = *at;
    if (before == (T)expected)
        *at = (T)x;
    return before;
}

/* ---- the host's side: one device, whose memory is the host's, and which is never busy ---- */

enum cudaError_t {
    cudaSuccess,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorInvalidDevice = 101
};
typedef struct emulated_stream *cudaStream_t;
typedef struct emulated_graph *cudaGraph_t, *cudaGraphExec_t;
typedef uint64_t *cudaEvent_t;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum {
    cudaStreamNonBlocking = 1,
    cudaHostAllocDefault = 0,
    cudaHostAllocMapped = 2,
    cudaHostRegisterMapped = 2,
    cudaEventDisableTiming = 2
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrCooperativeLaunch };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    int multiProcessorCount, major, minor;
};

const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
template <typename Kernel> cudaError_t cudaFuncSetAttribute(Kernel *, cudaFuncAttribute, int)
{
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *n); /* as without a driver where EMULATED_DRIVER=none */
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device);
cudaError_t cudaMemGetInfo(size_t *there, size_t *total);
cudaError_t cudaMalloc(void **at, size_t bytes);
cudaError_t cudaFree(void *at);
cudaError_t cudaHostAlloc(void **at, size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void **at, size_t bytes);
cudaError_t cudaFreeHost(void *at);
cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *at);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *at, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end);

template <class T> cudaError_t cudaMalloc(T **at, size_t bytes)
{
    return cudaMalloc((void **)at, bytes);
}
template <class T> cudaError_t cudaMallocHost(T **at, size_t bytes)
{
    return cudaMallocHost((void **)at, bytes);
}
template <class K> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K, int, size_t)
{
    *blocks = 1;
    return cudaSuccess;
}

template <class... A, size_t... I>
cudaError_t emulator_cooperative(void (*kernel)(A...), dim3 grid, dim3 block, void **args,
                                 std::index_sequence<I...>)
{
    emulator::run(emulator::launch(grid, block), true, [=]() {
        kernel(*static_cast<std::remove_cv_t<std::remove_reference_t<A>> *>(args[I])...);
    });
    return cudaSuccess;
}
template <class... A>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(A...), dim3 grid, dim3 block, void **args, size_t,
                                        cudaStream_t)
{
    return emulator_cooperative(kernel, grid, block, args, std::index_sequence_for<A...>());
}

#endif
