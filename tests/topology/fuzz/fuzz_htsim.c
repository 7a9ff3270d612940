/* Any bytes as a topology of htsim: a graph or an error. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("htsim", data, size, WEIR_THIRD_DEFAULT);
    return 0;
}
