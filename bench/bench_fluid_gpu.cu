/* links: fluid net engine routing topology base
 *
 * Fluid solver on a GPU: campus networks, all flows fluid, single precision, step 0.5 ms. Answers come first:
 * the smallest network has the CPU's digest, and bytes are conserved. The bandwidth of a copy on the device
 * is measured here too. Arguments: numbers of campuses, default 4 16 64 256; "cpu" before them adds the same
 * networks on one core, for their ratio.
 */
#include <cuda_runtime.h>

#include "bench_fluid.h"

enum { WARM_UP = 2560, STEPS = 2560, REPEATS = 3, CPU_STEPS = 320, CHECKED = 16 };

static double copy_bandwidth(void)
{
    const size_t bytes = (size_t)1 << 31;
    void *from = nullptr, *to = nullptr;
    double best = 0.0;
    if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess)
        bench_die("device memory for a copy", nullptr);
    for (int repeat = 0; repeat < 6; repeat++) {
        (void)cudaDeviceSynchronize();
        const double start = bench_now();
        for (int i = 0; i < 10; i++)
            (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0);
        if (cudaDeviceSynchronize() != cudaSuccess)
            bench_die("copy on the device", nullptr);
        const double rate = 20.0 * (double)bytes / (bench_now() - start);
        best = rate > best ? rate : best;
    }
    (void)cudaFree(from);
    (void)cudaFree(to);
    return best;
}

static fluid_result on_one_core(const campus_net *net, const weir_fluid_options *from, uint32_t steps,
                                int repeats)
{
    weir_fluid_options o = *from;
    o.backend = weir_fluid_cpu();
    o.threads = 1;
    return bench_campus(net, &o, WARM_UP, steps, repeats, 0);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"", "4", "16", "64", "256"};
    const int with_cpu = argc > 1 && strcmp(argv[1], "cpu") == 0;
    argc -= with_cpu;
    argv += with_cpu;
    if (argc < 2) {
        argc = 5;
        argv = (char **)usual;
    }
    const double copy = copy_bandwidth();
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.backend = weir_fluid_cuda();
    printf("weir %s, %s\n", WEIR_VERSION, WEIR_BUILD);
    campus_net *const small = campus_new(2, 42);
    if (!small)
        return 1;
    if (bench_campus(small, &o, WARM_UP, STEPS, 1, 1).digest != on_one_core(small, &o, STEPS, 1).digest)
        bench_die("GPU and CPU have different digests", nullptr);
    campus_free(small);
    bench_head("one GPU", copy);
    for (int i = 1; i < argc; i++) {
        const uint32_t campuses = (uint32_t)strtoul(argv[i], nullptr, 10);
        campus_net *const net = campus_new(campuses, 42);
        if (!net)
            return 1;
        const fluid_result gpu = bench_campus(net, &o, WARM_UP, STEPS, REPEATS, campuses <= CHECKED);
        bench_row(campuses, &gpu, copy);
        if (with_cpu) {
            const fluid_result core = on_one_core(net, &o, CPU_STEPS, 1);
            printf("%9u one core: %.3e hop-steps/s; the GPU is %.0f times faster\n", campuses, core.rate,
                   gpu.rate / core.rate);
        }
        campus_free(net);
    }
    return 0;
}
