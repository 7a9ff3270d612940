/* Every array of a solver's state, once, for whoever allocates, copies or frees them. */
#ifndef WI_FLUID_STATE_ARRAYS_H
#define WI_FLUID_STATE_ARRAYS_H

#include "fluid/state/internal.h"

/* X(field, bytes of an element, elements, part). In scope: `t`, the tables, and `real`, bytes of the real
 * type. */
#define FLUID_ARRAYS(X) FLUID_PULLS(X) FLUID_KEPT(X)
/* What a checkpoint has. */
#define FLUID_KEPT(X) FLUID_PASTS(X) FLUID_LATER(X)
/* What host and device have alike. */
#define FLUID_OTHERS(X) FLUID_PULLS(X) FLUID_LATER(X)

/* Prefixes' histories, which a device keeps in another way. */
#define FLUID_PASTS(X)                      \
    X(lag, real, t->n_cells, WI_FLUID_ALL)  \
    X(keep, real, t->n_cells, WI_FLUID_ALL) \
    X(signal, real, t->signals ? t->n_cells : 0, WI_FLUID_ALL)

/* Of the block at work alone. */
#define FLUID_PULLS(X) \
    X(pulls, FLUID_PULL_BYTES(real), (uint64_t)t->n_fronts * t->n_kinds * t->lookahead, WI_FLUID_ALL)

#define FLUID_LATER(X) \
    FLUID_VOLUMES(X) FLUID_OF_FLOWS(X) FLUID_OF_PORTS(X) FLUID_OF_FRONTS(X) FLUID_OF_ROWS(X)
#define FLUID_VOLUMES(X) X(volume, real, t->n_volumes, WI_FLUID_ALL)

#define FLUID_OF_FLOWS(X)                                             \
    X(window, real, t->n_flows, WI_FLUID_SMALL)                       \
    X(window_rest, real, t->n_flows, WI_FLUID_SMALL)                  \
    X(slow, real, t->n_flows, WI_FLUID_SMALL)                         \
    X(recovering, real, t->n_flows, WI_FLUID_SMALL)                   \
    X(answered, real, t->n_flows, WI_FLUID_SMALL)                     \
    X(words, real, (uint64_t)t->n_words * t->n_flows, WI_FLUID_SMALL) \
    X(back, real, t->n_flows, WI_FLUID_SMALL)                         \
    X(acked_before, sizeof(double), t->n_flows, WI_FLUID_SMALL)       \
    X(sessions, sizeof(double), t->n_flows, WI_FLUID_SMALL)           \
    X(first, real, t->n_flows, WI_FLUID_SMALL)                        \
    X(rtt, real, t->n_flows, WI_FLUID_SMALL)                          \
    X(sent, sizeof(double), t->n_flows, WI_FLUID_SMALL)               \
    X(acked, sizeof(double), t->n_flows, WI_FLUID_SMALL)              \
    X(lost, sizeof(double), t->n_flows, WI_FLUID_SMALL)               \
    X(ended, sizeof(double), t->n_flows, WI_FLUID_SMALL)              \
    X(exit, sizeof(fluid_place), t->n_flows, WI_FLUID_SMALL)          \
    X(flow_flags, sizeof(uint32_t), t->n_flows, WI_FLUID_SMALL)

#define FLUID_OF_PORTS(X)                                     \
    X(acks, sizeof(double), t->n_ports, WI_FLUID_SMALL)       \
    X(queue, sizeof(double), t->n_ports, WI_FLUID_SMALL)      \
    X(average, sizeof(double), t->n_ports, WI_FLUID_SMALL)    \
    X(reduction, sizeof(double), t->n_ports, WI_FLUID_SMALL)  \
    X(arrived, sizeof(double), t->n_ports, WI_FLUID_SMALL)    \
    X(dropped, sizeof(double), t->n_ports, WI_FLUID_SMALL)    \
    X(accepted, sizeof(double), t->n_ports, WI_FLUID_SMALL)   \
    X(packets, sizeof(double), t->n_ports, WI_FLUID_SMALL)    \
    X(expected, sizeof(double), t->n_ports, WI_FLUID_SMALL)   \
    X(crowd_lost, sizeof(double), t->n_ports, WI_FLUID_SMALL) \
    X(crowd_came, sizeof(double), t->n_ports, WI_FLUID_SMALL) \
    X(taken, sizeof(double), t->n_ports, WI_FLUID_SMALL)      \
    X(queue_sum, sizeof(double), t->n_ports, WI_FLUID_SMALL)  \
    X(queue_most, sizeof(double), t->n_ports, WI_FLUID_SMALL) \
    X(dead_low, sizeof(double), t->n_ports, WI_FLUID_SMALL)   \
    X(dead_high, sizeof(double), t->n_ports, WI_FLUID_SMALL)  \
    X(dead, sizeof(double), t->n_ports, WI_FLUID_SMALL)       \
    X(down, sizeof(uint32_t), t->n_ports, WI_FLUID_SMALL)

#define FLUID_OF_FRONTS(X) X(front, sizeof(fluid_place), t->n_fronts, WI_FLUID_SMALL)

/* Of ports' histories. */
#define FLUID_OF_ROWS(X)                                               \
    X(own_lag, sizeof(double), t->n_own, WI_FLUID_SMALL)               \
    X(own_accepted, sizeof(double), t->n_own, WI_FLUID_SMALL)          \
    X(own_drop, sizeof(double), t->n_own, WI_FLUID_SMALL)              \
    X(own_reduction, sizeof(double), t->n_own, WI_FLUID_SMALL)         \
    X(own_expected, sizeof(double), t->n_own, WI_FLUID_SMALL)          \
    X(own_full, sizeof(double), t->n_own, WI_FLUID_SMALL)              \
    X(own_keep, sizeof(double), t->n_kinds * t->n_own, WI_FLUID_SMALL) \
    X(own_signal, sizeof(double), t->signals ? t->n_kinds * t->n_own : 0, WI_FLUID_SMALL)

/* The tables' arrays likewise: X(field, type, elements). */
#define FLUID_TABLES(X)                                                 \
    X(ports, fluid_port, t->n_ports)                                    \
    X(wave_first, uint32_t, t->n_waves ? (uint64_t)t->n_waves + 1 : 0)  \
    X(queues, fluid_queue, t->n_queues)                                 \
    X(segments, fluid_segment, t->n_segments)                           \
    X(prefixes, fluid_prefix, t->n_prefixes)                            \
    X(base, float, t->n_prefixes)                                       \
    X(classes, fluid_class, t->n_classes)                               \
    X(flows, fluid_flow, t->n_flows)                                    \
    X(rate_from, double, t->n_rates)                                    \
    X(rate_value, double, t->n_rates)                                   \
    X(rings, fluid_ring, t->n_series)                                   \
    X(member_first, uint32_t, (uint64_t)(t->n_series - t->n_flows) + 1) \
    X(member, uint32_t, t->n_members)                                   \
    X(level_first, uint32_t, (uint64_t)t->n_levels + 1)                 \
    X(changes, fluid_change, t->n_changes)                              \
    X(back_first, uint32_t, (uint64_t)t->n_flows + 1)                   \
    X(back_port, uint32_t, t->n_backs)                                  \
    X(ack_first, uint32_t, (uint64_t)t->n_ports + 1)                    \
    X(ack_flow, uint32_t, t->n_backs)

#endif
