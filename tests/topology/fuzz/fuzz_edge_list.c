/* Any bytes as an edge list of each kind: a graph or an error. The first byte chooses. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"edges", "as-rel", "weights", "latencies"};
    if (size == 0)
        return 0;
    fuzz_read(formats[data[0] % 4], data + 1, size - 1,
              data[0] % 8 < 4 ? WEIR_THIRD_DEFAULT : WEIR_THIRD_WEIGHT);
    return 0;
}
