/* Any bytes as GML: a graph or an error. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("gml", data, size, WEIR_THIRD_DEFAULT);
    return 0;
}
