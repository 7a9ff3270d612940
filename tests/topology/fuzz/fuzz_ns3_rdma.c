/* Any bytes as a topology of ns-3's RDMA fork: a graph or an error. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("ns3-rdma", data, size, WEIR_THIRD_DEFAULT);
    return 0;
}
