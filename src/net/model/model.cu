/* Any packet network on the GPU engine. */
#include "net/model/device.cuh"

WEIR_GPU_PROGRAM(wi_net_gpu, "net", net_device)
