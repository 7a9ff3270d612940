/* Kademlia on the GPU engine with the usual parameters: an event with its slot's head is 64 bytes then. */
#include "models/kademlia/device.cuh"

using kad_usual = kad_device<KAD_GPU_K_USUAL, KAD_GPU_ALPHA_USUAL>;

WEIR_GPU_PROGRAM(wi_kad_gpu, "kad", kad_usual)
