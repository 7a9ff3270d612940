/*
 * Most networks use little of what there is: drop-tail ports, TCP and UDP, nothing that fails. Handlers are compiled twice from
 * the one source: for any network (model.c, model.cu), and with NET_PLAIN defined for plain ones (plain.c, plain.cu), which
 * wi_net_choose_handlers (build/handlers.c) tells. In the second everything that NET_MAY guards is known to be absent, so that
 * the compiler leaves it out: 5 % of the instructions of a FIFO port, and half of a device's code.
 *
 * What a plain network has not must be looked for in build/handlers.c as well; tests/net has both kinds end alike.
 */
#ifndef WI_NET_PACKET_PLAIN_H
#define WI_NET_PACKET_PLAIN_H

#ifdef NET_PLAIN
#define NET_MAY(what) ((what) && 0)
#define NET_EVENTS_HERE(X) NET_PLAIN_EVENTS(X)
#define NET_CONGESTIONS_HERE(X) NET_PLAIN_CONGESTIONS(X)
#else
#define NET_MAY(what) (what)
#define NET_EVENTS_HERE(X) NET_EVENTS(X)
#define NET_CONGESTIONS_HERE(X) NET_CONGESTIONS(X)
#endif

#endif
