/*
 * The dumbbell of bench_net in ns-3, for comparison: N NewReno flows over one drop-tail bottleneck.
 *
 * ns3_dumbbell FLOWS SECONDS WARMUP_SECONDS prints one line of JSON. A hop is a packet whose transmission
 * over a link has ended. Only Simulator::Run is timed; the span after the warm-up is what goodput and drops
 * are counted over.
 *
 * Settings as in bench_net, and ns-3's defaults where they are not named: SACK, no timestamps, initial window
 * of 10 segments of 1,460 bytes, an ACK for every second segment or after 40 ms, receive window 1 MiB, RTO at
 * least 200 ms, classic fast recovery, no traffic control above the devices, whose queues count bytes. What
 * differs: a frame is two bytes of PPP longer, and a device refuses a packet as soon as one of its MTU would
 * not fit.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

static uint64_t hops, drops, sinks_at_warmup, drops_at_warmup, hops_at_warmup;
static ApplicationContainer sinks;

/* Processor time, as in bench_net. */
static double Clock()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void CountHop(Ptr<const Packet>)
{
    hops++;
}

static void CountDrop(Ptr<const Packet>)
{
    drops++;
}

static uint64_t Received()
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sinks.GetN(); i++)
        sum += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    return sum;
}

static void Warm()
{
    sinks_at_warmup = Received();
    drops_at_warmup = drops;
    hops_at_warmup = hops;
}

static void SetDefaults()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", StringValue("40ms"));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 << 20));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", StringValue("200ms"));
}

/* One link, both directions counted; `queue` is the limit of each device. */
static NetDeviceContainer Link(Ptr<Node> a, Ptr<Node> b, const char *rate, const char *delay,
                               const char *queue_a, const char *queue_b)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(rate));
    link.SetChannelAttribute("Delay", StringValue(delay));
    NetDeviceContainer devices = link.Install(a, b);
    const char *limit[2] = {queue_a, queue_b};
    for (uint32_t i = 0; i < 2; i++) {
        Ptr<PointToPointNetDevice> device = DynamicCast<PointToPointNetDevice>(devices.Get(i));
        Ptr<Queue<Packet>> queue = device->GetQueue();
        queue->SetMaxSize(QueueSize(limit[i]));
        queue->TraceConnectWithoutContext("Drop", MakeCallback(&CountDrop));
        device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&CountHop));
    }
    return devices;
}

int main(int argc, char **argv)
{
    const int flows = argc > 1 ? std::atoi(argv[1]) : 32;
    const double seconds = argc > 2 ? std::atof(argv[2]) : 20.0;
    const double warmup = argc > 3 ? std::atof(argv[3]) : 5.0;
    SetDefaults();

    NodeContainer left, right, routers;
    left.Create(flows);
    right.Create(flows);
    routers.Create(2);
    InternetStackHelper stack;
    stack.Install(left);
    stack.Install(right);
    stack.Install(routers);

    Ipv4AddressHelper address;
    TrafficControlHelper control;
    auto join = [&](NetDeviceContainer devices) {
        Ipv4InterfaceContainer interfaces = address.Assign(devices);
        control.Uninstall(devices);
        address.NewNetwork();
        return interfaces;
    };
    address.SetBase("10.0.0.0", "255.255.255.252");
    join(Link(routers.Get(0), routers.Get(1), "100Mbps", "10ms", "250000B", "250000B"));
    Ptr<UniformRandomVariable> start = CreateObject<UniformRandomVariable>();
    for (int i = 0; i < flows; i++) {
        join(Link(left.Get(i), routers.Get(0), "1Gbps", "1ms", "12500000B", "250000B"));
        Ipv4InterfaceContainer at =
            join(Link(routers.Get(1), right.Get(i), "1Gbps", "1ms", "250000B", "12500000B"));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        sinks.Add(sink.Install(right.Get(i)));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(at.GetAddress(1), 5000));
        bulk.SetAttribute("SendSize", UintegerValue(1460));
        ApplicationContainer sender = bulk.Install(left.Get(i));
        sender.Start(Seconds(start->GetValue(0.0, 1.0)));
    }
    sinks.Start(Seconds(0));
    /* A packet that finds the device's queue full is dropped above it. */
    for (uint32_t i = 0; i < NodeList::GetNNodes(); i++)
        NodeList::GetNode(i)->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext(
            "TcDrop", MakeCallback(&CountDrop));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Simulator::Schedule(Seconds(warmup), &Warm);
    Simulator::Stop(Seconds(seconds));
    const double began = Clock();
    Simulator::Run();
    const double took = Clock() - began;
    std::printf(
        "{\"version\": \"%s\", \"hops\": %llu, \"events\": %llu, \"cpu_s\": %.6f, \"goodput_bps\": %.1f, "
        "\"drops_per_s\": %.3f, \"hops_per_s\": %.1f}\n",
        NS3_VERSION, (unsigned long long)hops, (unsigned long long)Simulator::GetEventCount(), took,
        8.0 * (double)(Received() - sinks_at_warmup) / (seconds - warmup),
        (double)(drops - drops_at_warmup) / (seconds - warmup),
        (double)(hops - hops_at_warmup) / (seconds - warmup));
    Simulator::Destroy();
    return 0;
}
