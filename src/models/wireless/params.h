/* What a user chooses of the wireless model, and what comes of it. */
#pragma once

#include "models/wireless/world.h"
#include "weir/engine.h"

/* CIRCLE: evenly on a circle of diameter size_m. GRID: square, size_m between neighbours. RANDOM: uniform in a
 * square of side size_m, drawn from placement_seed and placement_run. GIVEN: at x_m, y_m. */
enum { WIRELESS_CIRCLE, WIRELESS_GRID, WIRELESS_RANDOM, WIRELESS_GIVEN };

typedef struct wireless_params {
    uint32_t n_nodes;           /* 2 to 32,768; default 5 */
    uint32_t placement;         /* default CIRCLE */
    double size_m;              /* default 60 */
    uint64_t placement_seed;    /* default 1 */
    uint32_t placement_run;     /* default 0 */
    weir_place place;           /* for messages; default none */
    const double *x_m, *y_m;    /* GIVEN: [n_nodes]; not kept */
    double range_m;             /* who is farther hears nothing; default 0: everybody hears everybody */
    double packets_per_s;       /* of each node; default 1 */
    uint32_t poisson;           /* default 0: at equal intervals, from a random start */
    uint32_t packet_bytes;      /* 1 to 4,095; default 1,000 */
    weir_time begin_ps, end_ps; /* packets are made in between; default 0, for ever */
    double speed_m_s;           /* relative, between any two nodes; default 1 */
    double carrier_hz;          /* default 2.4e9 */
    double tx_dbm;              /* default 15 */
    double noise_figure_db;     /* default 7 */
    double path_loss_exponent;  /* default 3 */
    double shadowing_db;        /* standard deviation, of each pair; default 0 */
    double rician_k;            /* default 0: Rayleigh */
    double delay_spread_s;      /* root mean square; default 50e-9; 0: flat */
    uint32_t n_sinusoids;       /* 4 to 64; default 16 */
    uint32_t rate_mbps;         /* of data: 6, 9, 12, 18, 24, 36, 48, 54; default 24 */
    uint32_t reply_mbps;        /* of ACKs and NACKs; default 6 */
    double eesm_beta;           /* of data; default 0: 1, 2, 10, 42 for BPSK, QPSK, 16-QAM, 64-QAM */
    uint32_t replies;           /* default WIRELESS_REPLIES_AT_ONCE */
    uint32_t access;            /* default WIRELESS_IDEAL */
    weir_time slot_ps;          /* SLOTTED: default 0: a data frame and its propagation; CSMA: 9 us */
    uint32_t window;            /* CSMA: slots of back-off; default 16 */
    weir_time stack_ps;         /* between modules; default 10 us */
    uint32_t series;            /* a record of every reception; default 0 */
} wireless_params;

/* Model, world and lookaheads of one set of parameters; immutable, so that many simulations may share it. */
typedef struct wi_wireless wi_wireless;

/* Of parameters within the limits that stand with their keys (scenario/subjects). WEIR_E_ARG for a rate that there is none of, and for
 * slots shorter than a frame; WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_wireless_new(weir_diag *diag, const wireless_params *params, wi_wireless **out);
void wi_wireless_free(wi_wireless *made); /* accepts null */
/* Everything of a set-up that the model decides; `made` must outlive the simulation. */
void wi_wireless_setup(const wi_wireless *made, weir_setup *setup);
/* What all nodes know. */
const wireless_world *wi_wireless_world(const wi_wireless *made);
/* build.c: the world, its lists behind it, in one piece of *bytes; the caller frees it. WEIR_E_ARG; WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_wireless_build(weir_diag *diag, const wireless_params *params,
                                             wireless_world **out, size_t *bytes);
/* wireless.cu: device code; only in builds with CUDA. */
WEIR_EXTERN const struct weir_gpu_program *wi_wireless_gpu(void);
