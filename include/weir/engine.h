/**
 * Run a model: make a simulation, run it to stop points, read its state there, free it.
 *
 * All engines give the sequential engine's digests. Between calls of weir_sim_run everything before the given
 * time is done and nothing at or after it, so state may be read. A simulation belongs to one thread at a
 * time.
 */
#ifndef WEIR_ENGINE_H
#define WEIR_ENGINE_H

#include <stdbool.h>

#include "weir/model.h"
#include "weir/status.h"

typedef struct weir_sim weir_sim;

typedef enum weir_engine {
    WEIR_ENGINE_SEQUENTIAL,
    WEIR_ENGINE_CHECK,        /**< sequential; rolls each event back, compares, and handles it again */
    WEIR_ENGINE_CONSERVATIVE, /**< threads and MPI ranks, in windows of time that lookahead allows */
    WEIR_ENGINE_GPU,          /**< a CUDA device; needs device code of the model */
    WEIR_ENGINE_OPTIMISTIC    /**< threads and MPI ranks, ahead of each other, with rollback (Time Warp) */
} weir_engine;

/** Device code of a model, made by its .cu file; null where it has none. */
struct weir_gpu_program;

/**
 * Who may schedule events for whom: what partitioning minimises the crossing of, and what bounds a window.
 *
 * Entities of one group stay together (the ports of a router). Each entity states the groups, its own left
 * out or not, that hold the targets of its events; an event for an entity of another group is a fault of the
 * model. Arrays are borrowed until weir_sim_free.
 */
typedef struct weir_comm_graph {
    uint32_t n_groups;
    const uint32_t *group;  /**< [entities] */
    const uint32_t *first;  /**< [entities + 1] slices of `target` */
    const uint32_t *target; /**< groups */
    const uint32_t *weight; /**< [entities] expected events, relative; null: all 1 */
} weir_comm_graph;

/** Receives records in order, in batches: `n` records, each `stride` bytes from the last. Called between
 * events. */
typedef weir_status (*weir_record_sink)(void *user, const weir_record_head *records, uint32_t stride,
                                        size_t n);

/** Called before the first event at or after `horizon` is handled; may block. Returns the next horizon, later;
 * one that is not later ends the run with WEIR_E_ARG, for a hook that has added an error to the run's diag or
 * not. */
typedef weir_time (*weir_time_hook)(void *user, weir_time horizon);

/** Writes what a person calls an entity, such as "r3->r7", to text[size], cut off where it is longer. */
typedef void (*weir_entity_namer)(void *user, uint32_t entity, char *text, size_t size);

/** GPU engine: all zero is what suits most runs. The last five exist for tests: scarce room, many
 * regroupings. */
typedef struct weir_gpu_options {
    int device;             /**< ordinal of the CUDA device */
    bool host_driven;       /**< a kernel launch a step instead of one persistent kernel */
    bool time_steps;        /**< read the clocks of all blocks, for where time goes; costs a little */
    uint32_t slots_percent; /**< room for pending events at the start, in percent of what they take; 0: 150 */
    uint32_t outbox_events; /**< room for scheduled events in each block's outbox; 0: chosen */
    uint32_t records;       /**< room for records on the device; 0: chosen */
    uint64_t regroup_events; /**< LPs that adapt: every size in turn, each for so many events; 0: measured */
    uint32_t watch_events;   /**< events without progress in time until entities are watched; 0: 4,194,304;
                              fewer to test */
} weir_gpu_options;

/** Optimistic engine: all zero is what suits most runs. `stress` exists for tests. */
typedef struct weir_optimistic_options {
    uint64_t memory_bytes; /**< bound of what each rank keeps to take events back, and of events on their way;
                                0: 64 MiB a thread. Near it the engine slows down */
    weir_place memory_place; /**< where that comes from, for messages; may be zero */
    uint64_t gvt_events;     /**< events that thread 0 handles between two rounds of the GVT; 0: 2,048 */
    weir_time window_ps; /**< how far a thread may be ahead of the GVT; 0: as memory and rollbacks allow */
    /** Called whenever the GVT has moved, with it, by the thread that drives it (not always the caller's)
     * while the others go on: everything before gvt_ps is done for good. It may look at what is its own, ask
     * the run to stop, and take its time; for the simulation's state there are stop points and the hook.
     * Null: nobody is told. One partition alone has no GVT and tells nobody. */
    void (*at_gvt)(void *user, weir_time gvt_ps);
    void *at_gvt_user;
    /** seed of random delays, of threads and of messages, that force rollbacks; of an odd seed one thread
     * has all turns, so that it repeats exactly; 0: none */
    uint64_t stress;
} weir_optimistic_options;

/**
 * Told of every event after it was handled: the event, and the `n` events that its handler scheduled, each
 * `stride` bytes from the last. It may read them during the call and change nothing.
 */
typedef void (*weir_observer)(void *user, const weir_event *event, const weir_event *scheduled,
                              uint32_t stride, uint32_t n);

/**
 * Describe CUDA device `device` for a person: name, memory. Returns false, with the reason in `text`, where
 * there is no such device or this build has no CUDA.
 */
WEIR_API bool weir_gpu_describe(int device, char *text, size_t size);

/** What a simulation is made of. Arrays and world are borrowed until weir_sim_free. */
typedef struct weir_setup {
    const weir_model *model;
    const void *world; /**< immutable between stop points */
    size_t world_bytes;
    uint32_t kind_count[WEIR_KINDS_MAX]; /**< entities of each kind; ids are contiguous, kind after kind */
    const uint32_t *pool_first[WEIR_POOLS_MAX]; /**< [entities of the kind + 1]: bounds of the slices */
    uint64_t n_counters;
    const weir_time *lookahead_ps; /**< [entities]; at least 1 */
    uint64_t seed;
    uint32_t run;
    weir_engine engine;
    /** of engine CONSERVATIVE: where a border between partitions leaves it no windows, run the optimistic
     * one; weir_sim_engine tells which runs */
    bool optimistic_instead;
    uint32_t threads; /**< conservative and optimistic engine, of each rank; 0: one a core */
    uint32_t lp_size; /**< GPU engine, entities of an LP; 0: adapts */
    const struct weir_gpu_program *gpu; /**< the model's device code; may be null */
    weir_gpu_options gpu_options;
    weir_optimistic_options optimistic;
    const weir_comm_graph *comm;     /**< may be null: every entity may schedule for every other */
    weir_record_sink sink;           /**< may be null: records are digested and lost */
    weir_time_hook hook;             /**< may be null */
    uint64_t (*outside)(void *user); /**< digest of what the model keeps outside of all entities, folded into
                                          the state digest; may be null: there is nothing */
    void *user;                      /**< for sink, hook, outside and name */
    weir_time hook_first_ps;
    bool hook_changes_world; /**< the hook writes to the world: an engine that keeps a copy takes it anew */
    /** so much of it, from its start; 0: all of it. What lies behind that, others write on the engine's
     * copy too */
    size_t hook_world_bytes;
    weir_time end_ps;       /**< where the run is to end, for the watch over its progress; 0: not known */
    weir_entity_namer name; /**< for messages; may be null: they have the entity's number alone */
    weir_observer observer; /**< sequential engine only; may be null, which costs nothing */
    void *observer_user;
} weir_setup;

/** Make a simulation: allocate, zero and initialise all entities. WEIR_E_ARG, WEIR_E_NOMEM, WEIR_E_MODEL. */
WEIR_API WEIR_NODISCARD weir_status weir_sim_new(weir_diag *diag, const weir_setup *setup, weir_sim **out);
/** Free a simulation and all that it allocated; what the set-up lent stays the caller's. Accepts null. */
WEIR_API void weir_sim_free(weir_sim *sim);

/**
 * Handle every event before `until_ps`, and hand out the records written before it.
 *
 * `stop` may be null; when it becomes non-zero the call returns WEIR_E_INTERRUPTED at a consistent point:
 * every event before weir_sim_now is handled, none after. Returns WEIR_E_MODEL when a handler broke the
 * contract.
 */
WEIR_API WEIR_NODISCARD weir_status weir_sim_run(weir_diag *diag, weir_sim *sim, weir_time until_ps,
                                                 const volatile int *stop);

/**
 * Bring all state to this program's arrays, where the engine keeps it elsewhere (a device, other ranks). The
 * readers below do that themselves where it is due; this call can report an error, and under MPI every rank
 * must make it at the same point, since the ranks exchange their states.
 */
WEIR_API WEIR_NODISCARD weir_status weir_sim_fetch(weir_diag *diag, weir_sim *sim);

/** A part of a simulation's state: fixed states of entities, slots of pools, counters. Lists in any order. */
typedef struct weir_sim_want {
    const uint32_t *entity;
    uint32_t n_entities;
    const uint32_t *slot[WEIR_POOLS_MAX];
    uint32_t n_slots[WEIR_POOLS_MAX];
    bool counters;
} weir_sim_want;

/**
 * As weir_sim_fetch, for at least what `want` names, and on rank 0 alone: the cheap way to look at a few
 * things again and again. Until the next run, weir_sim_state, _slot and _counters may be read there for what
 * it names, and give old values for the rest; heads and digests still want weir_sim_fetch. Under MPI every
 * rank must call it at the same point; only rank 0's `want` counts. WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_sim_fetch_some(weir_diag *diag, weir_sim *sim,
                                                        const weir_sim_want *want);

/** Simulated time reached, in picoseconds: all events before it are handled. */
WEIR_API weir_time weir_sim_now(const weir_sim *sim);
/** Events handled so far, over all threads and ranks. */
WEIR_API uint64_t weir_sim_events(const weir_sim *sim);
/** Digest of all events handled, entity by entity in their order: the same on every engine. */
WEIR_API uint64_t weir_sim_event_digest(const weir_sim *sim);
/** Digest of all state: entities, pools, counters, records, streams; the same on every engine. Beside fluid over ranks (weir/ranks.h) all
 * call it. */
WEIR_API uint64_t weir_sim_state_digest(const weir_sim *sim);
/** Number of entities, of all kinds. */
WEIR_API uint32_t weir_sim_entities(const weir_sim *sim);
/** Fixed state of an entity, slot of a pool, counters: valid until the next call of weir_sim_run. */
WEIR_API void *weir_sim_state(const weir_sim *sim, uint32_t entity);
/** The same, of one that this rank has, without anything gathered from others; null where another rank has it.
 * Between runs, and in a time hook. */
WEIR_API void *weir_sim_own_state(const weir_sim *sim, uint32_t entity);
/**
 * A slot of a pool by its number, [slot_bytes of the pool]: valid until the next call of weir_sim_run.
 */
WEIR_API void *weir_sim_slot(const weir_sim *sim, int pool, uint32_t slot);
/** All counters of the set-up, [n_counters]: valid until the next call of weir_sim_run. */
WEIR_API const int64_t *weir_sim_counters(const weir_sim *sim);
/** What the engine keeps for each entity: digest, position of its random stream, events scheduled.
 * [entities] */
WEIR_API const weir_entity *weir_sim_heads(const weir_sim *sim);
/**
 * Call `visit` for each pending event, in no order. Over ranks, all of them call.
 *
 * Returns: WEIR_OK; WEIR_E_NOMEM or WEIR_E_DEVICE where the events could not be brought here: then none was
 * visited.
 */
WEIR_API WEIR_NODISCARD weir_status weir_sim_pending(weir_diag *diag, const weir_sim *sim,
                                                     void (*visit)(void *user, const weir_event *event),
                                                     void *user);

/**
 * Freeze the pending events for which `freeze` is not zero, between runs or in the time hook: they leave the
 * pending sets and keep their remaining delays, their sources and their order. Several suspensions may be under
 * way, each by a number of the caller's; freed with the simulation. Over MPI ranks all of them call this, and the
 * two below, in the same order. Experimental.
 *
 * Returns: WEIR_OK; WEIR_E_UNSUPPORTED where the engine cannot; WEIR_E_ARG where one of that number is under
 * way; WEIR_E_NOMEM, after which the simulation cannot go on. `freeze` sees events in no order and may depend
 * on nothing but the event, so that all engines freeze the same.
 */
WEIR_API WEIR_NODISCARD weir_status weir_sim_suspend(weir_diag *diag, weir_sim *sim, uint32_t number,
                                                     int (*freeze)(void *user, const weir_event *event),
                                                     void *user);
/**
 * Wake what is suspended by that number, each event later by the time that has passed since. `change`, which may be null,
 * may alter payloads, and nothing else. WEIR_E_ARG where there is none; WEIR_E_NOMEM. Experimental.
 */
WEIR_API WEIR_NODISCARD weir_status weir_sim_resume(weir_diag *diag, weir_sim *sim, uint32_t number,
                                                    void (*change)(void *user, weir_event *event),
                                                    void *user);
/**
 * Bring states, slots and counters to the host's arrays, between runs or in the time hook, to change them there: the next
 * run goes on from what stands in them. As weir_sim_fetch otherwise. Experimental.
 */
WEIR_API WEIR_NODISCARD weir_status weir_sim_hold(weir_diag *diag, weir_sim *sim);
/** Call `visit` for each suspended event, in no order; its times are those before the suspension. */
WEIR_API void weir_sim_suspended(const weir_sim *sim, void (*visit)(void *user, const weir_event *event),
                                 void *user);
/**
 * Add an event between runs, or in the time hook, as if entity `source` had scheduled it: it takes the
 * source's next sequence number, so posts in one order give one result. `payload` is copied, as many bytes as
 * the type states; lookahead does not bind it. WEIR_E_ARG for a type, target or time (before now) that cannot
 * be; WEIR_E_UNSUPPORTED as above; WEIR_E_NOMEM. Experimental.
 */
WEIR_API WEIR_NODISCARD weir_status weir_sim_post(weir_diag *diag, weir_sim *sim, uint32_t source,
                                                  uint32_t target, uint16_t type, weir_time time_ps,
                                                  const void *payload);

typedef struct weir_sim_memory {
    uint64_t state_bytes;        /**< fixed parts, pools, counters, entity heads */
    uint64_t pending_events;     /**< now */
    uint64_t pending_peak;       /**< most at any time */
    uint64_t pending_peak_bytes; /**< bytes that held them, unused room of grown arrays left out */
    uint64_t stream_bytes;       /**< heads of the ordered streams */
    uint64_t device_bytes;       /**< GPU engine: taken on the device, state and pending events included */
} weir_sim_memory;
/** The name of the engine that runs. `why`, unless null, gets the reason where the set-up left the choice,
 * else "". */
WEIR_API const char *weir_sim_engine(const weir_sim *sim, const char **why);

/** What the optimistic engine did, over the whole run and all threads; named as ROSS's users know it. */
typedef struct weir_optimistic_statistics {
    uint64_t handled;             /**< events, those taken back included */
    uint64_t rolled_back;         /**< events taken back; handled - rolled_back are the net events */
    uint64_t rollbacks_primary;   /**< of an entity, by an event that came too late */
    uint64_t rollbacks_secondary; /**< of an entity, by a cancelling event */
    uint64_t cancelled;           /**< events that were sent and taken back */
    uint64_t sent_remote;         /**< events and cancelling ones to other threads */
    uint64_t safe;                /**< events handled without a copy, as nothing could reach them any more */
    uint64_t gvt_rounds;
    uint64_t throttled;         /**< times that a thread stopped for lack of memory or by the window */
    uint64_t faults_undone;     /**< faults of handlers that were taken back */
    uint64_t memory_peak_bytes; /**< most that histories and events on their way took, summed over threads */
    uint64_t memory_bytes;      /**< their bound */
} weir_optimistic_statistics;
/** False, and all zero, on other engines, and where one thread has all entities. */
WEIR_API bool weir_sim_optimistic(const weir_sim *sim, weir_optimistic_statistics *out);
/** Memory that the simulation has now, in bytes, and had at most. */
WEIR_API void weir_sim_memory_use(const weir_sim *sim, weir_sim_memory *out);

#endif
