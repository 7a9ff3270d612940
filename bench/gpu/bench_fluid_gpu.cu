/* links: fluid net engine routing topology base
 *
 * Fluid solver on a GPU: campus networks, all flows fluid, single precision, step 0.5 ms. Answers come first:
 * the smallest network has the CPU's digest, and bytes are conserved. The bandwidth of a copy on the device
 * is measured here too. Arguments: numbers of campuses, default 4 16 64 256; "cpu" before them adds the same
 * networks on one core, for their ratio; "kernels" adds time and bytes of each stage of a step.
 */
#include <cuda_runtime.h>

#include "fluid/cuda/device.h"

extern "C" {
#include "fluid/state/internal.h"
}

#include "../campus.h"

enum { WARM_UP = 2560, STEPS = 2560, REPEATS = 3, CPU_STEPS = 320, CHECKED = 16 };

static double copy_bandwidth(void)
{
    const size_t bytes = (size_t)1 << 31;
    void *from = nullptr, *to = nullptr;
    double best = 0.0;
    if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess)
        bench_fail("device memory for a copy");
    for (int repeat = 0; repeat < 6; repeat++) {
        (void)cudaDeviceSynchronize();
        const double start = bench_wall_s();
        for (int i = 0; i < 10; i++)
            (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0);
        if (cudaDeviceSynchronize() != cudaSuccess)
            bench_fail("copy on the device");
        const double rate = 20.0 * (double)bytes / (bench_wall_s() - start);
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

/* Bytes that each stage must move in a step: what it writes, and what it reads, each value once. */
static void stage_bytes(const fluid_tables *t, double *bytes)
{
    const double flows = t->n_flows, prefixes = t->n_prefixes, sets = t->n_series - t->n_flows;
    const double block = t->lookahead, real = 4.0;
    bytes[FLUID_STAGE_FRONTS] = t->n_fronts * (2 * 8 + FLUID_PULL_BYTES(real));
    bytes[FLUID_STAGE_FLOWS] =
        flows * (4 * real + 2 * 8 + (sizeof(fluid_flow) + 2 * (4 * 8 + 16 + 2 * real + 4) + 12) / block);
    bytes[FLUID_STAGE_SETS] = real * (t->n_members + sets) + (4.0 * t->n_members + 12 * sets) / block;
    bytes[FLUID_STAGE_HOPS] = prefixes * (5 * real + 24 / block);
    bytes[FLUID_STAGE_QUEUES] = t->n_ports * (5 * 8 + 2 * 8 + (2 * 7 * 8 + sizeof(fluid_port)) / block);
}

static void print_kernels(const campus_net *net, const weir_fluid_options *o, double copy)
{
    static const char *const name[] = {"fronts", "flows", "sets", "hops", "queues"};
    const weir_fluid_plan plan = campus_plan(net);
    weir_diag *const diag = weir_diag_new();
    weir_fluid *f = nullptr;
    double ms[FLUID_STAGES], bytes[FLUID_STAGES];
    bench_must(diag, weir_fluid_new(diag, &plan, o, &f));
    bench_must(diag, weir_fluid_advance(diag, f, WARM_UP));
    const uint32_t steps = wi_fluid_cuda_profile(f, 64, ms);
    if (steps == 0)
        bench_fail("time of kernels");
    stage_bytes(&f->tables, bytes);
    printf("          %u ports, %u fronts, %u segments, %u series, %u members in %u levels, blocks of %u\n",
           f->tables.n_ports, f->tables.n_fronts, f->tables.n_segments, f->tables.n_series,
           f->tables.n_members, f->tables.n_levels, f->tables.lookahead);
    for (int i = 0; i < FLUID_STAGES; i++) {
        const double us = 1e3 * ms[i] / steps;
        printf("          %-7s %9.2f us a step %10.3f MB a step %8.1f GB/s %5.1f%% of copy\n", name[i], us,
               1e-6 * bytes[i], 1e-3 * bytes[i] / us, 1e8 * bytes[i] / us / copy);
    }
    weir_fluid_free(f);
    weir_diag_free(diag);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"", "4", "16", "64", "256"};
    const int with_cpu = argc > 1 && strcmp(argv[1], "cpu") == 0;
    argc -= with_cpu;
    argv += with_cpu;
    const int with_kernels = argc > 1 && strcmp(argv[1], "kernels") == 0;
    argc -= with_kernels;
    argv += with_kernels;
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
        bench_fail("GPU and CPU have different digests");
    campus_free(small);
    bench_head("one GPU", copy);
    for (int i = 1; i < argc; i++) {
        const uint32_t campuses = (uint32_t)strtoul(argv[i], nullptr, 10);
        campus_net *const net = campus_new(campuses, 42);
        if (!net)
            return 1;
        const fluid_result gpu = bench_campus(net, &o, WARM_UP, STEPS, REPEATS, campuses <= CHECKED);
        bench_row(campuses, &gpu, copy);
        if (with_kernels)
            print_kernels(net, &o, copy);
        if (with_cpu) {
            const fluid_result core = on_one_core(net, &o, CPU_STEPS, 1);
            printf("%9u one core: %.3e hop-steps/s; the GPU is %.0f times faster\n", campuses, core.rate,
                   gpu.rate / core.rate);
        }
        campus_free(net);
    }
    return 0;
}
