/* Any bytes as an SNDlib network in XML: a graph or an error. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("sndlib-xml", data, size, WEIR_THIRD_DEFAULT);
    return 0;
}
