/* Plain packet networks (plain.h) on the GPU engine. */
#define NET_PLAIN
#include "net/model/device.cuh"

WEIR_GPU_PROGRAM(wi_net_plain_gpu, "net, plain", net_device)
