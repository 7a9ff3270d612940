/*
 * Scenarios made of other simulators' files: of ns-3's RDMA fork (config.txt, topology.txt, flow.txt, trace.txt) and of htsim
 * (`.topo`, `.cm`, `.tm`). The files are named in the scenario, and read by it, as they are.
 */
#ifndef WI_NETWORK_IMPORT_IMPORT_H
#define WI_NETWORK_IMPORT_IMPORT_H

#include "base/file/slice.h"

/* What a file is, by its content. */
typedef enum wi_import_kind {
    WI_IMPORT_CONFIG,
    WI_IMPORT_TOPOLOGY,
    WI_IMPORT_FLOWS,
    WI_IMPORT_TRACE,
    WI_IMPORT_HTSIM_TOPOLOGY,
    WI_IMPORT_HTSIM_FLOWS,
    WI_IMPORT_KINDS
} wi_import_kind;

/* Keys of config.txt: X(NAME, fields, what stands in them). */
enum { WI_NS3_FIELDS = 64 };
// clang-format off
#define WI_NS3_KEYS(X)                                                                                     \
    X(ENABLE_QCN, 1) X(USE_DYNAMIC_PFC_THRESHOLD, 1) X(PACKET_PAYLOAD_SIZE, 1) X(TOPOLOGY_FILE, 1)         \
    X(FLOW_FILE, 1) X(TRACE_FILE, 1) X(TRACE_OUTPUT_FILE, 1) X(FCT_OUTPUT_FILE, 1) X(PFC_OUTPUT_FILE, 1)   \
    X(SIMULATOR_STOP_TIME, 1) X(CC_MODE, 1) X(ALPHA_RESUME_INTERVAL, 1) X(RATE_DECREASE_INTERVAL, 1)       \
    X(CLAMP_TARGET_RATE, 1) X(RP_TIMER, 1) X(EWMA_GAIN, 1) X(FAST_RECOVERY_TIMES, 1) X(RATE_AI, 1)         \
    X(RATE_HAI, 1) X(MIN_RATE, 1) X(DCTCP_RATE_AI, 1) X(ERROR_RATE_PER_LINK, 1) X(L2_CHUNK_SIZE, 1)        \
    X(L2_ACK_INTERVAL, 1) X(L2_BACK_TO_ZERO, 1) X(HAS_WIN, 1) X(GLOBAL_T, 1) X(VAR_WIN, 1) X(FAST_REACT, 1) \
    X(U_TARGET, 1) X(MI_THRESH, 1) X(INT_MULTI, 1) X(MULTI_RATE, 1) X(SAMPLE_FEEDBACK, 1)                  \
    X(PINT_LOG_BASE, 1) X(PINT_PROB, 1) X(RATE_BOUND, 1) X(ACK_HIGH_PRIO, 1) X(LINK_DOWN, 3)               \
    X(ENABLE_TRACE, 1) X(KMAX_MAP, 0) X(KMIN_MAP, 0) X(PMAX_MAP, 0) X(BUFFER_SIZE, 1) X(QLEN_MON_FILE, 1)  \
    X(QLEN_MON_START, 1) X(QLEN_MON_END, 1)                                                                \
    X(MAX_RATE, 1) X(FIXED_WIN, 1) X(BASE_RTT, 1) X(FLOW_ON_PATH_FILE, 1) X(FLOW_PATH_MAP_FILE, 1) /* m3's */
// clang-format on
typedef enum wi_ns3_key {
#define X(name, fields) WI_NS3_##name,
    WI_NS3_KEYS(X)
#undef X
        WI_NS3_N_KEYS
} wi_ns3_key;

/* A key's fields: words, and numbers where they are some (NaN: not). */
typedef struct wi_ns3_value {
    int line, column; /* of the key; line 0: it is not given */
    size_t n;
    char text[256]; /* the first field */
    double number[WI_NS3_FIELDS];
} wi_ns3_value;

typedef struct wi_ns3_config {
    wi_ns3_value value[WI_NS3_N_KEYS];
} wi_ns3_config;

const char *wi_ns3_key_name(wi_ns3_key key);
bool wi_ns3_key_of(wi_slice word, wi_ns3_key *key);
/* Read a config.txt into one that is all zero. Returns the source's status; unknown keys are errors at their place. */
weir_status wi_ns3_config_read(wi_source *source, wi_ns3_config *out);

/* What a source is, without consuming it. Returns WI_IMPORT_KINDS where it is none of them. */
wi_import_kind wi_import_kind_of(const wi_source *source);

#endif
