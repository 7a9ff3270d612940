/* Any bytes as an Orbis topology: a graph or an error. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("orbis", data, size, WEIR_THIRD_DEFAULT);
    return 0;
}
