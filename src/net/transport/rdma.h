/*
 * The receiving end of RDMA, for classes with NET_CLASS_RDMA: each packet is answered at once.
 *
 * Go-back-N (NET_CLASS_GO_BACK), as RoCE's NICs have it and ns-3's RDMA fork models them (alibaba-edu/
 * High-Precision-Congestion-Control, rdma-hw.cc, ReceiverCheckSeq): what is not expected next is dropped. The first packet beyond a
 * hole is answered by a NACK, and further ones nack_interval later, while the hole is the same; the sender goes back
 * (net_tcp_go_back). Marks are told of at once under DCQCN, which there wait for the NACK. A duplicate is acknowledged, as InfiniBand has it (volume 1, C9-110); there it is not answered, as nothing times out.
 *
 * IRN (NET_CLASS_IRN): R. Mittal and others, "Revisiting Network Support for RDMA", SIGCOMM 2018, section 3. What comes early is kept,
 * in a bitmap at both ends; a NACK names what is expected and the packet that came instead. The sender counts as lost what lies
 * below a packet that has come (net_tcp_lost_boundary), and sends each once again in a recovery, before new data. A retransmission
 * that is lost, and last packets, show by the timer: a short one (RTO_low) while few are in flight, otherwise a long one. No more is in
 * flight than the network holds (BDP-FC). Which packets go after a timeout the paper leaves open: all that the bitmap lacks, as
 * ConWeave's ns-3 has it.
 *
 * Of both, departures: a timeout is never less than SRTT + 4 RTTVAR (RFC 6298), and doubles each time until an ACK comes.
 */
#ifndef WI_NET_TRANSPORT_RDMA_H
#define WI_NET_TRANSPORT_RDMA_H

#include "net/transport/receiver.h"

/* Answer a packet; with `hole` as a NACK, which under IRN names the packet. */
WEIR_FN void net_rdma_answer(weir_ctx *ctx, const net_view *h, net_rx *rx, const net_class *c,
                             const net_packet *p, bool hole)
{
    net_packet ack;
    net_ack_block block;
    const uint8_t flags = (uint8_t)(NET_ACK | (hole ? NET_HOLE : 0) | (rx->flags & NET_RX_ECE ? NET_CE : 0));
    net_packet_init(&ack, rx->flow - 1u, net_dst_of_ack(h->w, rx->sender, rx->first), rx->rcv_nxt,
                    NET_HEADER_TCP, flags);
    block.from = (p->seq - rx->rcv_nxt) / c->mss_bytes;
    block.to = block.from + 1u;
    net_ack_pack(&ack, c, rx->echo_ps, &block, hole && c->flags & NET_CLASS_IRN ? 1u : 0u);
    rx->last_ack = rx->rcv_nxt;
    rx->acks++;
    net_host_enqueue(ctx, h, &ack);
}

/* Whether a packet that go-back-N drops is answered. */
WEIR_FN bool net_rdma_nacks(const weir_ctx *ctx, net_rx *rx, const net_class *c)
{
    if (rx->nack_at_ps != 0 && weir_now(ctx) < rx->nack_at_ps)
        return false;
    rx->nack_at_ps = weir_now(ctx) + c->nack_ps;
    return true;
}

/* Whether a mark is told of by itself: DCQCN's notification point heeds no order (section 3.3). Without, a sender whose packets all come
 * beyond a hole would keep its rate. */
WEIR_FN bool net_rdma_notifies(const net_class *c, const net_packet *p)
{
    return c->congestion == NET_CC_DCQCN && p->flags & NET_CE;
}

/* A packet at its receiver. Returns 1 when it completes the flow. */
NET_RARE int net_rdma_segment(weir_ctx *ctx, const net_view *h, net_rx *rx, const net_packet *p)
{
    const net_class *c = net_class_at(h->w, rx->cls);
    const uint32_t length = p->bytes - NET_HEADER_TCP;
    const bool early = net_seq_before(rx->rcv_nxt, p->seq);
    net_rx_measure(ctx, h->w, rx, c, p);
    if (c->flags & NET_CLASS_ECN)
        net_rx_accept_mark(ctx, h, rx, c, p);
    net_rx_note_time(ctx, rx, c, p);
    if (p->flags & NET_FIN) {
        rx->fin_seq = p->seq + length;
        rx->flags |= NET_RX_HAS_FIN;
    }
    if (early && c->flags & NET_CLASS_GO_BACK) {
        const bool nacks = net_rdma_nacks(ctx, rx, c);
        if (nacks || net_rdma_notifies(c, p))
            net_rdma_answer(ctx, h, rx, c, p, nacks);
        return 0;
    }
    if (net_rx_accept(ctx, rx, c, p->seq, length) != NET_RX_DUPLICATE && c->flags & NET_CLASS_GO_BACK)
        rx->nack_at_ps = 0;
    const bool complete = net_rx_completes(rx);
    net_rdma_answer(ctx, h, rx, c, p, early);
    return complete;
}

#endif
