/*
 * Packets and fluid in the same queues: who advances when, and what each tells the other.
 *
 * Model:   GPU-Assisted Hybrid Network Traffic Model (SIGSIM PADS 2014), sections 3.3 and 4. A batch is
 *          B tau steps. At its start the fluid's queues take in what packets left in them; then the fluid
 * runs through the batch, tau steps at a time, and packets follow behind it, seeing at each port the queue,
 * the chances of loss and the projected reduction of the step that they are in. lockstep: the fluid's steps
 * are done within the time hook. async: a thread of its own does them, and the hook waits only until it is
 * ahead; it hands the packets all steps that are done (on-demand prefetching). Which steps those are depends
 * on the threads' speed, what is in them does not: runs of equal batches give the same results, lockstep or
 * async, however fast either side is. Threads: calls are from the thread that runs the simulation. `sample`
 * is called by whoever advances the fluid; what it leaves is safe to read after the hook has passed that
 * step.
 */
#ifndef WI_FLUID_COUPLING_COUPLING_H
#define WI_FLUID_COUPLING_COUPLING_H

#include "base/file/archiver.h"
#include "fluid/shared/shared.h"
#include "packets/build/build.h"
#include "weir/fluid.h"

typedef struct wi_coupling_options {
    bool async;
    bool on_device;     /* packets are simulated where the fluid is: engine gpu, and a fluid of CUDA */
    uint32_t lookahead; /* tau, steps; at most weir_fluid_lookahead */
    uint32_t batch;     /* B; 0: adapts */
    bool prefetch;      /* hand out all steps that are done, not only tau */
    bool fixup;         /* subtract the projected reduction */
    weir_time end_ps;   /* nothing is asked after it */
    double tolerance;   /* of conservation, a share of the bytes sent; 0: not checked */
    /* Called with the fluid at each step that `next_sample` names (the first after a given step; INT64_MAX:
     * none). A status that is not WEIR_OK ends the run. */
    int64_t (*next_sample)(void *user, int64_t after);
    weir_status (*sample)(void *user, weir_diag *diag, weir_fluid *fluid);
    void (*delay)(void); /* called before each tau steps, where they are done: tests of timing; may be null */
    void *user;
} wi_coupling_options;

typedef struct wi_coupling wi_coupling;

/* What the coupling did, from the start. */
typedef struct wi_coupling_report {
    uint64_t exchanges;      /* batches */
    uint32_t batch;          /* B now */
    double fluid_s;          /* wall clock: the fluid's work */
    double packets_waited_s; /* the simulation waited for the fluid */
    double gathered_s;       /* it gathered what packets had left; the fluid waits meanwhile */
    double fluid_waited_s;   /* async: the fluid's thread waited for the simulation */
    uint64_t exceeded;       /* exchanges at which that was more than a batch: auto aims at, and not B = 1 */
    double largest_difference; /* share of what stands in it in the mean by which a queue differed at a
                                  batch's start from what the fluid had assumed */
} wi_coupling_report;

/*
 * Couple a network that is built with a solver at step 0, which is now the coupling's; `net` and `meetings`
 * are borrowed. step_ps: the solver's. WEIR_E_NOMEM; WEIR_E_SCENARIO for a batch that is longer than the run.
 * *out is null on failure, and the fluid freed.
 */
WEIR_NODISCARD weir_status wi_coupling_new(weir_diag *diag, wi_net *net, weir_fluid *fluid, weir_time step_ps,
                                           const wi_meeting *meetings, uint32_t n_meetings,
                                           const wi_coupling_options *options, wi_coupling **out);
/* Stops the thread, frees the fluid. */
void wi_coupling_free(wi_coupling *c);

/* From time 0 again, with a solver at step 0 in place of the old one, which is freed. */
void wi_coupling_restart(wi_coupling *c, weir_fluid *fluid);

/* The simulation's state is read from here on; before the first event. */
WEIR_NODISCARD weir_status wi_coupling_attach(weir_diag *diag, wi_coupling *c, const weir_sim *sim);

/* For weir_setup.hook, first at 0: lets the fluid get ahead and returns until when it is. Returns `at_ps`
 * itself, which ends the run, after an error; its messages are in `diag`. */
weir_time wi_coupling_hook(wi_coupling *c, weir_diag *diag, weir_time at_ps);

/* At a stop point: bytes in the queue of meeting i, packets and fluid. */
double wi_coupling_queue_bytes(wi_coupling *c, uint32_t i);

/* Save fluid, exchange and what packets see of both, or read them back; attached, at a stop point. */
void wi_coupling_archive(wi_coupling *c, wi_archiver *archiver);

/* Of the fluid's state at the end of the batch under way, which is waited for. */
uint64_t wi_coupling_digest(wi_coupling *c);

/* At the end of a run: that the fluid's bytes add up. WEIR_E_CHECK otherwise. */
WEIR_NODISCARD weir_status wi_coupling_check(weir_diag *diag, wi_coupling *c);
wi_coupling_report wi_coupling_measure(wi_coupling *c);

#endif
