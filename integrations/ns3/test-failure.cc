/*
 * A ring of four nodes, 0 - 1 - 2 - 3: a packet from 0 to 2 goes by 1 (the lower port), by 3 while 1's interface toward 0 is
 * down, not at all while 3's is down too, and by 1 again after repair. Exit 0: so it was.
 */
#include <cstdio>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include "weir-routing.h"

using namespace ns3;

static const uint16_t PORT = 9;
static std::vector<uint32_t> forwarders; // of each packet; 99: it arrived

static void Forwarded(uint32_t node, const Ipv4Header&, Ptr<const Packet>, uint32_t)
{
    forwarders.push_back(node);
}

static void Arrived(Ptr<Socket> socket)
{
    while (socket->Recv())
        forwarders.push_back(99);
}

static void Send(Ptr<Socket> socket, Ipv4Address to)
{
    socket->SendTo(Create<Packet>(100), 0, InetSocketAddress(to, PORT));
}

int main()
{
    NodeContainer nodes(4);
    PointToPointHelper link;
    InternetStackHelper stack;
    WeirRoutingHelper weir;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    stack.SetRoutingHelper(weir);
    stack.Install(nodes);
    Ipv4Address to;
    for (uint32_t i = 0; i < 4; i++)
    {
        Ipv4InterfaceContainer ends = addresses.Assign(link.Install(nodes.Get(i), nodes.Get((i + 1) % 4)));
        if (i == 2)
            to = ends.GetAddress(0);
        addresses.NewNetwork();
    }
    weir.CalculateRoutes(WEIR_ROUTE_ON_CPU);
    for (uint32_t i = 0; i < 4; i++)
        nodes.Get(i)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext("UnicastForward",
                                                                             MakeBoundCallback(&Forwarded, i));
    Ptr<Socket> sink = Socket::CreateSocket(nodes.Get(2), UdpSocketFactory::GetTypeId());
    sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    sink->SetRecvCallback(MakeCallback(&Arrived));
    Ptr<Socket> source = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
    Ptr<Ipv4> one = nodes.Get(1)->GetObject<Ipv4>(), three = nodes.Get(3)->GetObject<Ipv4>();
    for (uint32_t s = 1; s <= 7; s += 2)
        Simulator::Schedule(Seconds(s), &Send, source, to);
    Simulator::Schedule(Seconds(2), &Ipv4::SetDown, one, 1);
    Simulator::Schedule(Seconds(4), &Ipv4::SetDown, three, 1);
    Simulator::Schedule(Seconds(6), &Ipv4::SetUp, one, 1);
    Simulator::Run();
    Simulator::Destroy();
    const std::vector<uint32_t> want = {1, 99, 3, 99, 1, 99};
    std::printf("forwarded by:");
    for (uint32_t node : forwarders)
        node == 99 ? std::printf(" arrived;") : std::printf(" %u,", node);
    std::printf("\n");
    return forwarders == want ? 0 : 1;
}
