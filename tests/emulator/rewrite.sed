# CUDA C++ to what cuda_runtime.h of this folder understands: launches, shared memory that is each block's own, and the few
# instructions that are written in assembly.
s/([A-Za-z_]+\([a-z]+\)|[a-z_]+(<[A-Za-z0-9_]+>)?)<<<(.*)>>>\(/EMULATOR_LAUNCH(\1, \3)(/
s/\(const void \*\)(wi_gpu_kernel<M>)/\1/
s/__shared__ (wi_gpu_(group_|small_)?block<M>) block;/\1 \&block = *emulator::shared<\1>();/
s/extern __shared__ double ([a-z]+)\[\];/double *const \1 = static_cast<double *>(emulator::all_shared());/
s/asm volatile\("mov.u64 %0, %globaltimer;" : "=l"\(now\)\);/now = emulator::clock_ns();/
s/asm volatile\("ld.relaxed.gpu.u32 %0, \[%1\];" : "=r"\(now\) : "l"\(barrier\) : "memory"\);/emulator::yield(), now = *(volatile uint32_t *)barrier;/
s/asm volatile\("atom.release.gpu.add.u32 %0, \[%1\], %2;" : "=r"\(old\) : "l"\(at\), "r"\(n\) : "memory"\);/old = atomicAdd(at, n);/
s/asm volatile\("fence.acq_rel.gpu;" ::: "memory"\);//
s/asm volatile\("prefetch.global.L1 \[%0\];" ::"l"\(state\)\);/(void)state;/
