/* Kademlia on the GPU engine with any parameters. */
#include "models/kademlia/device.cuh"

using kad_wide = kad_device<KAD_K_MAX, KAD_ALPHA_MAX>;

WEIR_GPU_PROGRAM(wi_kad_wide_gpu, "kad_wide", kad_wide)
