/* A scenario of files of ns-3's RDMA fork. */
#ifndef WI_NETWORK_IMPORT_NS3_WRITE_H
#define WI_NETWORK_IMPORT_NS3_WRITE_H

#include <stdio.h>

#include "network/import/import.h"

/* Paths as they stand in the scenario, and as they are opened; null: there is none. */
typedef struct wi_import_path {
    const char *shown, *opened;
} wi_import_path;

typedef struct wi_ns3_files {
    wi_import_path config, topology, flows, trace;
    const wi_ns3_config *values;
} wi_ns3_files;

/* Returns as weir_scenario_import. */
weir_status wi_ns3_write(weir_diag *diag, const wi_ns3_files *files, FILE *out);

#endif
