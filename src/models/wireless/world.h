/*
 * What all nodes of the wireless network know: parameters, rates, and who hears whom. docs/wireless.md has the
 * model's equations and sources.
 */
#pragma once

#include "weir/model.h"

enum {
    WIRELESS_SUBCARRIERS = 52, /* 802.11 OFDM, 20 MHz: 48 for data, 4 pilots */
    WIRELESS_FAN = 4, /* receivers that one handling of a transmission reaches; more follow at once */
    WIRELESS_EVERYBODY = -1
};

/* Modules of a node: the entities of node i are i, n + i and 2 n + i. */
enum { WIRELESS_APP, WIRELESS_MAC, WIRELESS_PHY, WIRELESS_MODULES };

// clang-format off
/* Events: X(TYPE, name, handler, module, others that one handling schedules, records that it writes). Seven as in the paper's
 * model, which disregards interference; the eighth where frames collide. */
#define WIRELESS_EVENTS(X)                                                                                                  \
    X(APP_SEND, "app_send", wireless_app_send, APP, 2, 0)              /* make a packet */                                  \
    X(MAC_SEND, "mac_send", wireless_mac_send, MAC, 1, 0)              /* a packet from above */                            \
    X(PHY_SEND, "phy_send", wireless_phy_send, PHY, 2 * WIRELESS_FAN + 1, 0)  /* put a frame on the air */                  \
    X(PHY_RECEIVE, "phy_receive", wireless_phy_receive, PHY, 1, 1)     /* a frame has arrived; what the channel did to it */ \
    X(MAC_RECEIVE, "mac_receive", wireless_mac_receive, MAC, 2, 0)     /* a frame from below; is it intact? */              \
    X(MAC_REPLY, "mac_reply", wireless_mac_send, MAC, 1, 0)            /* it is time for the ACK or NACK */                 \
    X(APP_RECEIVE, "app_receive", wireless_app_receive, APP, 0, 0)     /* a packet from another node */                     \
    X(PHY_HEAR, "phy_hear", wireless_phy_hear, PHY, 0, 0)              /* a frame begins to arrive */
// clang-format on
#define WIRELESS_EVENT(TYPE, name, handler, module, events, records) WIRELESS_##TYPE,
enum { WIRELESS_EVENTS(WIRELESS_EVENT) WIRELESS_TYPES };
#undef WIRELESS_EVENT

enum { WIRELESS_DATA, WIRELESS_ACK, WIRELESS_NACK, WIRELESS_FRAMES };

/* Who may send when. IDEAL: frames do not disturb each other, as in the paper. */
enum { WIRELESS_IDEAL, WIRELESS_ALOHA, WIRELESS_SLOTTED, WIRELESS_CSMA };

enum { WIRELESS_NO_REPLIES, WIRELESS_REPLIES_AT_ONCE, WIRELESS_REPLIES_IN_TURN };

/* The payload of every event. */
typedef struct wireless_frame {
    weir_time made_ps;  /* by the application */
    weir_time start_ps; /* PHY: on the air since; where it arrives: arriving since */
    double snr;         /* effective, as the PHY found it */
    uint32_t origin;    /* node that made the packet */
    uint32_t number;    /* of the packet, at its origin */
    int32_t to;         /* node, or WIRELESS_EVERYBODY */
    uint32_t link;      /* that it came by; PHY_SEND: to be sent by next */
    uint16_t kind;
    uint16_t spoilt; /* by another frame */
    uint32_t place;  /* CSMA: its number among the packets of its node, from 1; 0: it comes */
} wireless_frame;
WEIR_STATIC_ASSERT(sizeof(wireless_frame) == 48, "no padding in payloads");

/* A modulation and coding of 802.11's OFDM PHY. */
typedef struct wireless_rate {
    double beta;          /* of the effective-SNR mapping */
    uint32_t bits;        /* of a subcarrier's symbol: 1, 2, 4, 6 */
    uint32_t code;        /* wireless_code: 1/2, 2/3, 3/4 */
    uint32_t symbol_bits; /* data bits of an OFDM symbol */
    uint32_t rate_mbps;
} wireless_rate;

/* One direction between two nodes: what `to` hears of `from`. Links are sorted by (from, to). */
typedef struct wireless_link {
    uint32_t to;
    uint32_t back;      /* the link of the other direction */
    double snr;         /* mean, of a subcarrier, before fading and shadowing */
    weir_time delay_ps; /* propagation */
} wireless_link;

typedef struct wireless_world {
    uint32_t n_nodes, n_links;
    uint32_t n_sinusoids, access;
    uint32_t replies, poisson;
    uint32_t packet_bytes, reserved;
    weir_time period_ps; /* mean time between a node's packets */
    weir_time stack_ps;  /* a frame's way from one module to the next */
    weir_time sifs_ps, slot_ps, difs_ps;
    weir_time begin_ps, end_ps; /* packets are made in between */
    weir_time air_ps[WIRELESS_FRAMES];
    uint32_t frame_bits[WIRELESS_FRAMES];
    uint32_t window; /* CSMA: slots to choose from */
    uint32_t series; /* records of every reception */
    wireless_rate data_rate, reply_rate;
    double doppler_hz, rician_k, delay_spread_s, shadowing_db;
    uint64_t first_at, link_at; /* bytes from the world's start: first[n_nodes + 1], link[n_links] */
} wireless_world;

WEIR_FN const wireless_world *wireless_world_of(const weir_ctx *ctx)
{
    return (const wireless_world *)(const void *)ctx->world;
}

/* A node's links: from first[node] to before first[node + 1]. */
WEIR_FN const uint32_t *wireless_first(const wireless_world *w)
{
    return (const uint32_t *)(const void *)((const unsigned char *)w + w->first_at);
}

WEIR_FN const wireless_link *wireless_links(const wireless_world *w)
{
    return (const wireless_link *)(const void *)((const unsigned char *)w + w->link_at);
}

WEIR_FN const wireless_rate *wireless_rate_of(const wireless_world *w, uint32_t frame)
{
    return frame == WIRELESS_DATA ? &w->data_rate : &w->reply_rate;
}
