/* Fuzzes the telling of formats: whatever the bytes are, they are read as one format or refused. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A configuration of BRITE may ask for much. */
    if (!fuzz_asks_for_much("brite-conf", data, size))
        fuzz_read(NULL, data, size, WEIR_THIRD_DEFAULT);
    return 0;
}
