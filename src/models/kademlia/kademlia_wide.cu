/* Kademlia on the GPU engine with any parameters. */
#include "models/kademlia/device.cuh"

using kad_wide = kad_device<KAD_K_MAX, KAD_ALPHA_MAX>;

WI_GPU_PROGRAM(kad_wide, kad_wide)
