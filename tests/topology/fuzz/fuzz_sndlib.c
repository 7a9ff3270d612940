/* Any bytes as an SNDlib network: a graph or an error. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("sndlib", data, size, WEIR_THIRD_DEFAULT);
    return 0;
}
