/*
 * In-band telemetry: how loaded the most loaded line on a packet's way is. Only where a class's control asks for it (HPCC,
 * PowerTCP, NET_CLASS_INT) do ports measure, and then all of them, those of hosts included.
 *
 * Switches of HPCC (Y. Li and others, SIGCOMM 2019) put a record a hop into each packet: queue, bytes sent, time, rate. A packet
 * here has no room for these, and does as PINT's (R. Ben Basat and others, SIGCOMM 2020): each port keeps the utilisation that
 * the sender would reckon, a mean over the base round trip T that follows each packet, and the packet carries the largest. As a
 * packet's transmission begins, tau after the one before it, of which `sent` bytes went since, with `queue` bytes that wait, at
 * the line's rate B:
 *
 *     u = queue / (B T) + sent / (B tau),     U <- (1 - tau / T) U + tau / T u,     tau at most T in the second
 *
 * PowerTCP's (congestion/powertcp.h) have power in its place, ((dq/dt + sent/dt) / B) (queue / (B T) + 1), of which the first factor
 * is a mean in the same way, and 1/2 at least, as in its authors' simulator.
 *
 * What waits is what is behind the packet as it leaves; at a port that decides at arrival, where that is not known yet, what it
 * finds in front of it as it comes: the same in the mean, a queue's wait older. A line whose rate follows a trace measures in
 * times, not in bytes, so that its B is that of the moment.
 *
 * A load travels in 16 bits: a step of 2^-18 below 2^-7, then 2^11 steps an octave, up to 2^24. What is read is within 2^-12 of
 * what was written, relatively (PINT's own has 8 bits and a step of 1 to 5 %). Data carry it above the 48 bits of the time at which
 * they were sent, ACKs in place of their last SACK block.
 */
#pragma once

#include "net/packet/world.h"

typedef struct net_meter {
    double load;       /* U */
    weir_time at_ps;   /* when the last packet's transmission began, */
    weir_time send_ps; /* and how long it took, */
    double queue_ps;   /* and what waited then */
    double current;    /* what comes, as a share of the line */
} net_meter;

enum { NET_METER_WORDS = sizeof(net_meter) / 8, NET_LOAD_BITS = 11, NET_LOAD_MOST = UINT16_MAX };
WEIR_STATIC_ASSERT(sizeof(net_meter) % 8 == 0, "a pool of words holds it");

#define NET_LOAD_UNIT 262144.0 /* 2^18: a load's steps in 1 */

/* A transmission begins. queue_ps: time to send what waits; period_ps: T. */
WEIR_FN void net_meter_take(net_meter *m, weir_time period_ps, weir_time begins_ps, weir_time send_ps,
                            double queue_ps)
{
    const double period = (double)period_ps, since = (double)(begins_ps - m->at_ps);
    const double share = since < period ? since / period : 1.0;
    const double sent = (double)m->send_ps / (since < period ? period : since);
    m->load = (1.0 - share) * m->load + share * (queue_ps / period) + sent;
    m->current = (1.0 - share) * m->current +
                 (queue_ps - m->queue_ps + (double)m->send_ps) / (since < period ? period : since);
    m->queue_ps = queue_ps;
    m->at_ps = begins_ps;
    m->send_ps = send_ps;
}

#define NET_LEAST_CURRENT 0.5

/* The power after net_meter_take: of what comes, as a mean over T, and of what waits now. */
WEIR_FN double net_meter_power(const net_meter *m, weir_time period_ps)
{
    const double current = m->current > NET_LEAST_CURRENT ? m->current : NET_LEAST_CURRENT;
    return current * (1.0 + m->queue_ps / (double)period_ps);
}

/* A load in 16 bits: a larger load never has a smaller code. */
WEIR_FN uint32_t net_load_code(double load)
{
    const double steps = load * NET_LOAD_UNIT;
    if (!(steps >= 1.0))
        return 0;
    if (steps >= 4398046511104.0) /* 2^42 */
        return NET_LOAD_MOST;
    const uint64_t x = (uint64_t)steps;
    if (x < (1u << NET_LOAD_BITS))
        return (uint32_t)x;
    const int top = net_top_bit(x);
    return ((uint32_t)(top - NET_LOAD_BITS + 1) << NET_LOAD_BITS) +
           ((uint32_t)(x >> (top - NET_LOAD_BITS)) & ((1u << NET_LOAD_BITS) - 1u));
}

/* The middle of what has this code; above 0. */
WEIR_FN double net_load_of(uint32_t code)
{
    const uint32_t octave = code >> NET_LOAD_BITS, step = code & ((1u << NET_LOAD_BITS) - 1u);
    if (octave == 0)
        return ((double)step + 0.5) / NET_LOAD_UNIT;
    return ((double)((1u << NET_LOAD_BITS) + step) + 0.5) * (double)(UINT64_C(1) << (octave - 1u)) /
           NET_LOAD_UNIT;
}
