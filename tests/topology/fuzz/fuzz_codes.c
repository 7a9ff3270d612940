/* Any bytes as the two link files of CODES: a network or an error. The first byte says where the one ends. */
#include "topology/formats/formats.h"

#include "fuzz_reader.h"

/* A router's number makes a network of as many: what is large, and yet allowed, takes longer than a fuzzer waits. */
static bool asks_for_much(const char *bytes, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t number;
        memcpy(&number, bytes + i, sizeof number);
        if (number >= 4096 && number < WI_NODES_MAX)
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *bytes = (const char *)data + 1;
    const size_t all = size - 1, first = all * data[0] / 255;
    if (asks_for_much(bytes, first) || asks_for_much(bytes + first, all - first))
        return 0;
    weir_topology_options options;
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    weir_topology_options_init(&options);
    wi_source inter = wi_source_memory(diag, "inter", bytes, first),
              intra = wi_source_memory(diag, "intra", bytes + first, all - first);
    wi_reading r = {.source = &inter, .options = &options, .builder = weir_graph_builder_new()};
    wi_codes_read(&r, &intra);
    if (wi_good(&r))
        wi_link_list_finish(&r.links, &inter, 0, r.builder);
    weir_status st = wi_good(&r) ? weir_graph_build(diag, r.builder, &g) : inter.status;
    if ((st == WEIR_OK) != (g != NULL) || (st != WEIR_OK) != (weir_diag_errors(diag) > 0))
        abort();
    if (g && g->n_nodes < 10000)
        fuzz_again(g);
    weir_graph_free(g);
    wi_link_list_free(&r.links);
    weir_graph_builder_free(r.builder);
    weir_diag_free(diag);
    return 0;
}
