/* The packet network on the GPU engine once more, with captures, which the usual program is faster without. */
#define NET_WATCHED
#include "net/model/model.cu"
