/* IPv4 headers of simulated packets: RFC 791, 1071, 3168; addresses and ports. */
#include "packets/capture/frame.h"

#include <string.h>

uint32_t wi_wire_address(uint32_t host)
{
    return (UINT32_C(10) << 24) + host + 1u;
}

uint64_t wi_frame_sum16(const unsigned char *at, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i + 1 < n; i += 2)
        sum += (uint64_t)at[i] << 8 | at[i + 1];
    return n % 2 ? sum + ((uint64_t)at[n - 1] << 8) : sum;
}

uint32_t wi_frame_folded(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffffu) + (sum >> 16);
    return (uint32_t)~sum & 0xffffu;
}

uint32_t wi_wire_port(const wi_net *net, uint32_t slot, bool of_sender)
{
    const net_world *w = wi_net_world(net);
    const uint32_t cls = NET_ARRAY(w, uint16_t, tx_class)[slot],
                   sender = NET_ARRAY(w, uint32_t, tx_host)[slot];
    const bool asked = of_sender == ((net_class_at(w, cls)->flags & NET_CLASS_REQUEST) != 0);
    return asked ? 5001u + cls % 27000u : 32768u + (slot - NET_ARRAY(w, uint32_t, tx_first)[sender]) % 28000u;
}

size_t wi_frame_ip(const wi_frame *k, uint32_t length, int protocol, unsigned char *out)
{
    const net_packet *p = k->p;
    const bool marks = (p->flags & NET_ACK) == 0;
    const uint32_t ecn = !marks || !(p->flags & (NET_ECT | NET_CE)) ? 0 : p->flags & NET_CE ? 3 : 2;
    memset(out, 0, 20);
    out[0] = 0x45;
    out[1] = (unsigned char)ecn;
    wi_frame_put16(out + 2, length > 65535 ? 65535 : length);
    wi_frame_put16(out + 4, (p->seq * 2654435761u + p->flow) >>
                                16); /* of a fragment, which there is none of (RFC 6864) */
    wi_frame_put16(out + 6, 0x4000); /* don't fragment */
    out[8] = p->ttl;
    out[9] = (unsigned char)protocol;
    wi_frame_put32(out + 12, wi_wire_address(k->back ? k->receiver : k->sender));
    wi_frame_put32(out + 16, wi_wire_address(k->back ? k->sender : k->receiver));
    wi_frame_put16(out + 10, wi_frame_folded(wi_frame_sum16(out, 20)));
    return 20;
}
