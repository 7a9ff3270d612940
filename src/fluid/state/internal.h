/* What the files of src/fluid share: the solver's handle, its backends, and the stages of building. */
#ifndef WI_FLUID_STATE_INTERNAL_H
#define WI_FLUID_STATE_INTERNAL_H

#include <stddef.h>

#include "base/memory.h"
#include "fluid/state/tables.h"
#include "weir/fluid.h"

/* Longest block; lookaheads may be longer. A line of each history, and half a warp of the device. */
enum { WI_FLUID_BLOCK = FLUID_LINE };

typedef struct wi_fluid_ghosts wi_fluid_ghosts; /* ghosts/ghosts.h */
typedef struct wi_team wi_team;                 /* team.h, which C++ cannot read */

typedef enum wi_fluid_part {
    WI_FLUID_SMALL, /* all that is per port or per flow, histories of ports included */
    WI_FLUID_ALL    /* and what is per prefix, and volumes */
} wi_fluid_part;

/* Arrays of weir_fluid_history, in its order; null: not wanted. */
enum { WI_FLUID_VIEWS = 5 };

struct weir_fluid_backend {
    const char *name;
    /* Bytes that may be had; 0: not known. */
    uint64_t (*memory)(void);
    /* Takes over a state whose small part is filled in; the rest is the backend's to make
     * (wi_fluid_state_grow). */
    weir_status (*open)(weir_diag *diag, const weir_fluid_options *options, const fluid_tables *tables,
                        fluid_state *host, void **out);
    void (*close)(void *solver);
    /* Moves host->now. A device may put off what it is told by this and by exchange until it must answer, and
     * reports then what went wrong. */
    weir_status (*advance)(weir_diag *diag, void *solver, uint32_t steps);
    /* Changes of the tables that are of one step, now, and of one kind; put off like steps. */
    weir_status (*change)(weir_diag *diag, void *solver, uint32_t first, uint32_t n);
    /* Bring ACKs to the ports that they pass (law/acks.h); put off likewise. */
    weir_status (*acks)(weir_diag *diag, void *solver);
    weir_status (*wait)(weir_diag *diag, void *solver);                      /* until all is done */
    weir_status (*fetch)(weir_diag *diag, void *solver, wi_fluid_part part); /* into the host's state */
    /* Go on from the host's state, all of which has been fetched before; null: that is the solver's own. */
    weir_status (*store)(weir_diag *diag, void *solver);
    /* weir_fluid_exchange and weir_fluid_history, of ports that exist; not through the host's state. */
    weir_status (*exchange)(weir_diag *diag, void *solver, const uint32_t *ports, uint32_t n_ports,
                            const double *queued_bytes, const double *coming_bytes);
    weir_status (*history)(weir_diag *diag, void *solver, const uint32_t *ports, uint32_t n_ports, uint32_t n,
                           double *const of[WI_FLUID_VIEWS]);
};

/* What depends on the real type, once for each: cpu/single.c and cpu/double.c have these tables. */
typedef void wi_fluid_run(const fluid_tables *t, fluid_state *s, uint32_t steps, wi_team *team);
wi_fluid_run wi_fluid_run_single, wi_fluid_run_single_avx2, wi_fluid_run_double, wi_fluid_run_double_avx2;
typedef struct wi_fluid_real {
    size_t bytes;
    wi_fluid_run *run, *run_avx2; /* avx2: the same, to the bit, for processors that have it */
    /* Starting values of flows, and of rows of prefixes. */
    void (*fill_flows)(const fluid_tables *t, const fluid_state *s);
    void (*fill_rows)(const fluid_tables *t, const fluid_state *s);
    /* Bytes of a flow that have arrived by now, not only those whose arrival the source knows. */
    double (*delivered)(const fluid_tables *t, const fluid_state *s, uint32_t flow);
    void (*change)(const fluid_tables *t, const fluid_state *s, uint32_t first, uint32_t n);
    void (*acks)(const fluid_tables *t, const fluid_state *s);
    double (*at)(const void *array, uint32_t i);
} wi_fluid_real;
extern const wi_fluid_real wi_fluid_single, wi_fluid_double;

/* memory.c: memory of a state on the host. Small: zeros and starting values, all but the pointers of ALL. */
WEIR_NODISCARD weir_status wi_fluid_state_new(weir_diag *diag, const fluid_tables *t,
                                              const wi_fluid_real *real, fluid_state *s);
/* Room for what is per prefix, volumes and pulls, with starting values. */
WEIR_NODISCARD weir_status wi_fluid_state_grow(weir_diag *diag, const fluid_tables *t,
                                               const wi_fluid_real *real, fluid_state *s);
void wi_fluid_state_free(fluid_state *s);
uint64_t wi_fluid_state_bytes(const fluid_tables *t, const wi_fluid_real *real);

struct weir_fluid {
    const weir_fluid_backend *backend;
    void *solver;
    fluid_tables tables;
    fluid_state state;
    wi_fluid_ghosts *ghosts;   /* what other ranks solve; null: nothing */
    uint32_t n_ports, n_flows; /* of the network, whoever solves them; flows: merged */
    bool brings_acks; /* they wait in queues, or there are transfers: some flow's, whoever solves it */
    uint32_t lookahead, history;
    const wi_fluid_real *real;
    uint32_t n_plan_flows;
    uint32_t *merged;   /* [n_plan_flows]: flow of the tables */
    double *plan_share; /* [n_plan_flows]: of it */
    uint32_t n_edges;
    uint32_t *port_of_edge; /* [n_edges] */
    uint32_t next_change;   /* of the tables */
    bool has_packets;       /* weir_fluid_add put some into a queue */
};

/* check.c: options and plan, all but paths. */
WEIR_NODISCARD weir_status wi_fluid_check(weir_diag *diag, const weir_fluid_plan *plan,
                                          const weir_fluid_options *options);

/* laws.c: the law of a class and its parameters; returns the words of its state. */
uint32_t wi_fluid_law_build(const weir_fluid_class *from, double step_s, fluid_class *c);

/* Paths of the plan's flows, as edges; paths.c. */
typedef struct wi_fluid_paths {
    uint64_t *first; /* [n_flows + 1] */
    uint32_t *edge;
} wi_fluid_paths;
WEIR_NODISCARD weir_status wi_fluid_paths_find(weir_diag *diag, const weir_fluid_plan *plan,
                                               const weir_fluid_options *options, wi_fluid_paths *out);
void wi_fluid_paths_free(wi_fluid_paths *paths);

/* The plan's links as the solver has them, [n_edges] each. */
typedef struct wi_fluid_links {
    uint32_t *edge_for, *n_alike; /* the link that stands for it; links that it stands for */
    weir_time *delay_ps;
    uint32_t *wave;  /* in which its port is solved */
    wi_owned memory; /* of all these */
} wi_fluid_links;

/* alike.c: paths over the links of the first of hosts that are alike, where the plan wants that. */
WEIR_NODISCARD weir_status wi_fluid_join_alike(weir_diag *diag, const weir_fluid_plan *plan,
                                               wi_fluid_paths *paths, wi_fluid_links *links);
/* waves.c: delays, and the order of ports whose links are shorter than options->least_delay_ps. */
WEIR_NODISCARD weir_status wi_fluid_order_links(weir_diag *diag, const weir_fluid_plan *plan,
                                                const weir_fluid_options *options,
                                                const wi_fluid_paths *paths, wi_fluid_links *links);

/* Flows of one path and equal parameters become one; merge.c. order: [n_flows] plan flows sorted so that
 * equal ones are neighbours, and those of one destination; merged: [n_flows] number of each plan flow's set;
 * returns the number. */
WEIR_NODISCARD weir_status wi_fluid_merge(weir_diag *diag, const weir_fluid_plan *plan,
                                          const wi_fluid_paths *paths, uint32_t *order, uint32_t *merged,
                                          uint32_t *n_merged);

/* The tree of prefixes, by age: parents come before children; prefixes.c. */
typedef struct wi_fluid_tree {
    uint32_t n;
    uint32_t *parent, *port; /* FLUID_NONE: a source's first port */
    uint8_t *kind;
    uint32_t *leaf;   /* [n_flows]: the prefix that is a flow's whole path */
    uint32_t *series; /* [n]: of each prefix; made by wi_fluid_gather */
} wi_fluid_tree;

/* build.c: everything above. */
WEIR_NODISCARD weir_status wi_fluid_build(weir_diag *diag, const weir_fluid_plan *plan,
                                          const weir_fluid_options *options, weir_fluid *fluid);
void wi_fluid_tables_free(fluid_tables *t);

/* changes.c: failures and relays, once ports and flows are known. */
WEIR_NODISCARD weir_status wi_fluid_build_changes(weir_diag *diag, const weir_fluid_plan *plan,
                                                  const weir_fluid_options *options, weir_fluid *fluid);

/* backs.c: ports on the ways back of ACKs. Marks in port_of_edge those that carry nothing else and may be too slow
 * even so; then, once ports and flows are known, the lists. path_of: as build.c has it. */
void wi_fluid_mark_backs(const weir_fluid_plan *plan, const wi_fluid_paths *paths, const uint32_t *edge_for,
                         uint32_t *port_of_edge);
WEIR_NODISCARD weir_status wi_fluid_build_backs(weir_diag *diag, const weir_fluid_plan *plan,
                                                const wi_fluid_paths *paths, const uint32_t *path_of,
                                                weir_fluid *fluid);

/* prefixes.c: the tree, then tables of prefixes, segments, series. ports: filled in but for prefixes. */
WEIR_NODISCARD weir_status wi_fluid_plant(weir_diag *diag, const weir_fluid *fluid,
                                          const wi_fluid_paths *paths, const uint32_t *path_of,
                                          wi_fluid_tree *tree);
void wi_fluid_tree_free(wi_fluid_tree *tree);
WEIR_NODISCARD weir_status wi_fluid_sort(weir_diag *diag, fluid_tables *t, const wi_fluid_tree *tree,
                                         uint32_t *position);
/* series.c: sets of flows that share prefixes. */
WEIR_NODISCARD weir_status wi_fluid_gather(weir_diag *diag, fluid_tables *t, wi_fluid_tree *tree);

weir_status wi_fluid_no_memory(weir_diag *diag, uint64_t bytes, const char *what);
/* Rows of a ring that reaches so many steps back: whole lines, with room for the steps that are begun. */
uint32_t wi_fluid_rows(const fluid_tables *t, double steps);
/* n elements of zeros, at least one; null and a message when memory is short. */
void *wi_fluid_array(weir_diag *diag, uint64_t n, size_t size, const char *what);

#endif
