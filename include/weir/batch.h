/**
 * Many simulations of one model at once on a CUDA device: what a parameter study runs on.
 *
 * States and pending events of all runs stay on the device (or, to compare, are the host's:
 * WEIR_BATCH_STAGED). Each run has its own world, seed, window of safe events, limit and fault; runs never
 * wait for each other. Any model with device code may be batched as it is, and each run has the digests of
 * the same run alone on any engine.
 *
 * Runs may differ in parameters, also in how many entities they have; they share device code and the sizes of
 * states and slots. A batch and its simulations belong to one thread at a time.
 */
#ifndef WEIR_BATCH_H
#define WEIR_BATCH_H

#include "weir/engine.h"

typedef struct weir_batch weir_batch;

/** Where states and pending events of a batch's runs are. */
typedef enum weir_batch_executor {
    WEIR_BATCH_RESIDENT, /**< all on the device */
    /** The host's: a batch of events is copied to the device with their entities' states, handled, copied
     * back, in several streams in turn. The design of Kunz, Schemmel, Gross and Wehrle (PADS 2012), to
     * compare with. */
    WEIR_BATCH_STAGED
} weir_batch_executor;

/** Which events the lanes of a warp handle side by side. */
typedef enum weir_batch_mapping {
    WEIR_BATCH_MAPPING_CHOSEN, /**< as the model's device code says: sorted where it has several types */
    WEIR_BATCH_MAPPING_NONE,   /**< as they come */
    WEIR_BATCH_MAPPING_SORT,   /**< by event type */
    WEIR_BATCH_MAPPING_PAD     /**< by event type, and no warp has two types */
} weir_batch_mapping;

/** All zero is what suits most batches. */
typedef struct weir_batch_options {
    int device; /**< ordinal of the CUDA device */
    weir_batch_mapping mapping;
    uint32_t runs_a_block;  /**< runs that one block of threads advances, 1 to 256; 0: chosen */
    uint32_t slots_percent; /**< room for pending events at the start, in percent of what they take; 0: 150 */
    uint32_t records;       /**< room for records on the device; 0: chosen */
    weir_batch_executor executor;
    /** staged: batches on their way at once, for each thread, 1 to 16; 0: 3, as in the paper */
    uint32_t streams;
    /** of the host, 1 to 64; 0: 1. Resident: they make the runs and copy their states; staged: each drives
     * its share of the runs (in the paper one does) */
    uint32_t threads;
} weir_batch_options;

/** What a batch has done and taken. */
typedef struct weir_batch_use {
    uint64_t device_bytes;   /**< allocated now */
    uint64_t events, rounds; /**< events of all runs; windows of the run that needed most */
    uint32_t launches, blocks, threads, runs_a_block;
    double kernel_s; /**< in launches, of all weir_batch_run; staged: all of it */
} weir_batch_use;

/**
 * How many runs like `setup` the device holds at once; 0 where it holds none. A study that has more goes in
 * waves: say so before.
 *
 * Errors: WEIR_E_UNSUPPORTED without device or device code; those of weir_sim_new, since a run is made to be
 * measured.
 */
WEIR_API WEIR_NODISCARD weir_status weir_batch_fit(weir_diag *diag, const weir_setup *setup,
                                                   const weir_batch_options *options, uint32_t *at_once);

/**
 * Make `n` simulations, 1 to 65,535, and put them on the device. Their `engine`, `threads`, `lp_size` and
 * `gpu_options` are not looked at; hook and observer must be null. Worlds that several set-ups share are
 * copied once. What set-ups lend is lent until weir_batch_free. `options` may be null.
 *
 * Errors: WEIR_E_ARG; WEIR_E_UNSUPPORTED; WEIR_E_NOMEM with what is needed and what is there; WEIR_E_MODEL.
 */
WEIR_API WEIR_NODISCARD weir_status weir_batch_new(weir_diag *diag, const weir_setup *setups, uint32_t n,
                                                   const weir_batch_options *options, weir_batch **out);
/** Free a batch and its simulations. Accepts null. */
WEIR_API void weir_batch_free(weir_batch *batch);

/**
 * Bring run i to until_ps[i], each on its own; records before that go to the runs' sinks, run by run.
 *
 * A run whose handler breaks the contract stops where it is, and the others go on: weir_batch_status tells.
 * WEIR_E_INTERRUPTED when `stop` (may be null) becomes non-zero: each run is then at a consistent point, its
 * weir_sim_now. WEIR_E_DEVICE: the batch can only be freed. A sink's error ends the call.
 */
WEIR_API WEIR_NODISCARD weir_status weir_batch_run(weir_diag *diag, weir_batch *batch,
                                                   const weir_time *until_ps, const volatile int *stop);

/**
 * Run i as a simulation: to be read (state, digests, counters, events, time), not run or freed. Valid until
 * weir_batch_free; what it points to, until the next weir_batch_run.
 */
WEIR_API weir_sim *weir_batch_sim(const weir_batch *batch, uint32_t i);

/** WEIR_OK, or why run i broke off; then *message, which may be null, has the words. */
WEIR_API weir_status weir_batch_status(const weir_batch *batch, uint32_t i, const char **message);

/** Memory and time so far. */
WEIR_API void weir_batch_used(const weir_batch *batch, weir_batch_use *out);

#endif
