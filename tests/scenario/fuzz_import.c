/* What a peer's file is, and configurations of ns-3's RDMA fork: nothing is written past a block, and each error has a place. */
#include <stdint.h>
#include <stdlib.h>

#include "network/import/import.h"
#include "weir/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_diag *diag = weir_diag_new();
    wi_source source = wi_source_memory(diag, "config.txt", (const char *)data, size);
    wi_ns3_config *config = calloc(1, sizeof *config);
    if (config && diag) {
        (void)wi_import_kind_of(&source);
        if (wi_ns3_config_read(&source, config) != WEIR_OK && weir_diag_count(diag) == 0)
            abort();
    }
    (void)wi_source_close(&source);
    free(config);
    weir_diag_free(diag);
    return 0;
}
