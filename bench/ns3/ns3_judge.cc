/*
 * A network of TCP flows in ns-3, for comparison with weir case by case (bench/ns3/judge.py writes both sides).
 *
 * ns3_judge KEY=VALUE...  prints one line of JSON. What it simulates is said by its arguments alone:
 *
 *   link=A,B,RATE,DELAY,QUEUE[,LOSS]  both directions of a link between nodes A and B (numbers from 0): bit/s, s, packets that
 *                                     wait in A's queue toward B (0: no limit; B's queue toward A has none), and the share of
 *                                     packets that are lost from A to B
 *   red=A,B,MIN,MAX,MAXP,W,GENTLE     RED instead, in packets, in front of the queue of A toward B; marks with ecn=1
 *   aqm=A,B,TYPE                      codel, fq_codel or pie instead, all as their RFCs have them; marks with ecn=1
 *   below=1                           a device below a discipline keeps a packet waiting, as ns-3's do
 *   pie_burst=S                       PIE's burst allowance (0.15)
 *   flow=A,B,START,SIZE               s, bytes of payload (0: as much as there is time for)
 *   access=RATE,DELAY                 each node that sends or receives has a host of its own behind a link of this kind
 *   mss, iw, delack, delack_timeout, window, rto_min, sack, ecn, recovery=classic|prr
 *   cc=newreno|linux|cubic|dctcp|bbr   cubic: with hystart=1 the HyStart of Linux 3.14, off otherwise
 *   udp=A,B,START,BYTES,GAP,COUNT     so many packets of so many bytes, headers of 28 included, at equal gaps (s)
 *   flowmon=FILE                      FlowMonitor's XML, with histograms
 *   duration, warmup (s), run         counts are those after the warm-up; run is ns-3's RngRun
 *
 * Wire sizes are those of weir: SimpleNetDevice adds no frame, timestamps are off, so that a data segment has 40 bytes of IP and
 * TCP headers; ACKs are longer than weir's by their SACK option (up to 36 bytes). There is no traffic control above a
 * device, but for red and aqm, below which the device takes a packet when its line is free. A queue of N waiting packets and one in transmission
 * is weir's limit_packets: N + 1.
 */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

typedef std::vector<std::string> Words;

static Words Split(const std::string &text)
{
    Words words;
    std::stringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');)
        words.push_back(word);
    return words;
}

static double Number(const std::string &text)
{
    return std::atof(text.c_str());
}

/* What is counted of a flow and of a port; what was counted at the end of the warm-up is taken off. */
struct FlowCounts {
    double received = 0, retransmissions = 0, timeouts = 0, sent = 0;
};

struct PortCounts {
    double drops = 0, early = 0, marks = 0, lost = 0, byteSeconds = 0, sent = 0;
};

struct Flow {
    double start = 0, size = 0, end = -1;
    SequenceNumber32 highest;
    FlowCounts counts, atWarmup;
};

struct Port {
    std::string name;
    double rate = 0, waiting = 0, sending = 0, sendingSince = 0, changed = 0;
    PortCounts counts, atWarmup;

    /* What waits, and what is left of the packet in transmission: weir's backlog. */
    void Integrate()
    {
        const double now = Simulator::Now().GetSeconds(), dt = now - changed;
        double rest = 0;
        if (sending > 0) {
            const double from = sending - (changed - sendingSince) * rate / 8, to = from - dt * rate / 8;
            rest = from <= 0 ? 0 : to >= 0 ? dt * (from + to) / 2 : from * from * 4 / rate;
        }
        counts.byteSeconds += waiting * dt + rest;
        changed = now;
    }

    void Enqueued(uint32_t size)
    {
        Integrate();
        waiting += size;
    }

    void Sending(uint32_t size)
    {
        Integrate();
        waiting -= size;
        sending = size;
        sendingSince = changed;
        counts.sent++;
    }
};

static std::vector<std::unique_ptr<Flow>> flows;
static std::vector<std::unique_ptr<Port>> ports;
static double duration = 10, warmup = 0;

/* ---- what ns-3 tells ---- */

static void Received(Flow *flow, Ptr<const Packet> packet, const Address &)
{
    flow->counts.received += packet->GetSize();
    if (flow->size > 0 && flow->counts.received >= flow->size && flow->end < 0)
        flow->end = Simulator::Now().GetSeconds();
}

static void Transmitted(Flow *flow, Ptr<const Packet> packet, const TcpHeader &header, Ptr<const TcpSocketBase>)
{
    if (header.GetFlags() & TcpHeader::SYN) {
        flow->counts.sent++;
        flow->counts.retransmissions++; /* the first went before anybody watched */
    } else if (packet->GetSize() > 0) {
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        flow->counts.sent++;
        if (end <= flow->highest)
            flow->counts.retransmissions++;
        else
            flow->highest = end;
    }
}

/* ns-3 doubles its timeout where the timer has expired, and nowhere else. */
static void TimeoutChanged(Flow *flow, Time before, Time after)
{
    if (after == before + before)
        flow->counts.timeouts++;
}

static void Watch(Flow *flow, Ptr<BulkSendApplication> sender)
{
    Ptr<TcpSocketBase> socket = DynamicCast<TcpSocketBase>(sender->GetSocket());
    flow->counts.sent = 1; /* the SYN */
    socket->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Transmitted, flow));
    socket->TraceConnectWithoutContext("RTO", MakeBoundCallback(&TimeoutChanged, flow));
}

static void QueueTook(Port *port, Ptr<const Packet> packet)
{
    port->Enqueued(packet->GetSize());
}

static void QueueGave(Port *port, Ptr<const Packet> packet)
{
    port->Sending(packet->GetSize());
}

static void QueueDropped(Port *port, Ptr<const Packet>)
{
    port->counts.drops++;
}

static void LinkLost(Port *port, Ptr<const Packet>)
{
    port->counts.lost++;
}

/* What waits in the discipline; passing it on to the device changes nothing of the sum. */
static void DisciplineTook(Port *port, Ptr<const QueueDiscItem> item)
{
    port->Enqueued(item->GetSize());
}

static void DisciplineGave(Port *port, Ptr<const QueueDiscItem> item)
{
    port->Integrate();
    port->waiting -= item->GetSize();
}

static void DisciplineDropped(Port *port, Ptr<const QueueDiscItem>, const char *reason)
{
    const bool full = std::string(reason) == QueueDisc::INTERNAL_QUEUE_DROP;
    (full ? port->counts.drops : port->counts.early)++;
}

/* FqCoDel tells of its queues' drops after "(Dropped by child queue disc)", and of the fattest queue's as overlimit. */
static void DisciplineDroppedLate(Port *port, Ptr<const QueueDiscItem>, const char *reason)
{
    (std::string(reason).find("verlimit") != std::string::npos ? port->counts.drops : port->counts.early)++;
}

static void DisciplineMarked(Port *port, Ptr<const QueueDiscItem>, const char *)
{
    port->counts.marks++;
}

/* The discipline is stopped while the line sends, and asked again at the moment at which it is free. */
static void LineTaken(Ptr<NetDeviceQueue> line, Ptr<const Packet>)
{
    line->Stop();
}

static void LineBusy(Ptr<NetDeviceQueue> line, DataRate rate, Ptr<const Packet> packet)
{
    Simulator::Schedule(rate.CalculateBytesTxTime(packet->GetSize()), &NetDeviceQueue::Wake, line);
}

static void EndOfWarmup()
{
    for (auto &flow : flows)
        flow->atWarmup = flow->counts;
    for (auto &port : ports) {
        port->Integrate();
        port->atWarmup = port->counts;
    }
}

/* ---- the network ---- */

struct Network {
    NodeContainer nodes;
    std::map<int, Ptr<Node>> routers, hosts;
    std::map<std::string, std::pair<Ptr<SimpleNetDevice>, Port *>> ends;
    InternetStackHelper stack;
    Ipv4AddressHelper address;
    std::map<int, Ipv4Address> addressOf;
    bool keepsOne = false; /* below a discipline */
    double burst = 0.15;   /* PIE's, s */

    Ptr<Node> Router(int name)
    {
        if (!routers[name]) {
            routers[name] = CreateObject<Node>();
            stack.Install(routers[name]);
        }
        return routers[name];
    }

    Ptr<SimpleNetDevice> Device(Ptr<Node> node, Ptr<SimpleChannel> channel, double rate, uint32_t queue)
    {
        Ptr<SimpleNetDevice> device = CreateObject<SimpleNetDevice>();
        Ptr<DropTailQueue<Packet>> tail = CreateObject<DropTailQueue<Packet>>();
        tail->SetMaxSize(QueueSize(PACKETS, queue ? queue : 100000000u));
        device->SetAttribute("PointToPointMode", BooleanValue(true));
        device->SetAttribute("DataRate", DataRateValue(DataRate((uint64_t)rate)));
        device->SetAddress(Mac48Address::Allocate());
        device->SetQueue(tail);
        device->SetChannel(channel);
        node->AddDevice(device);
        return device;
    }

    Ptr<RateErrorModel> Loss(double share)
    {
        Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(share);
        return model;
    }

    /* Both ends; the queue, the loss and the port that counts are those of a toward b. */
    Ipv4InterfaceContainer Link(Ptr<Node> a, Ptr<Node> b, const std::string &name, double rate, double delay, uint32_t queue,
                                double loss)
    {
        Ptr<SimpleChannel> channel = CreateObject<SimpleChannel>();
        channel->SetAttribute("Delay", TimeValue(Seconds(delay)));
        Ptr<SimpleNetDevice> from = Device(a, channel, rate, queue), to = Device(b, channel, rate, 0);
        if (!name.empty()) {
            ports.push_back(std::make_unique<Port>());
            Port *port = ports.back().get();
            port->name = name;
            port->rate = rate;
            ends[name] = {from, port};
            from->GetQueue()->TraceConnectWithoutContext("Enqueue", MakeBoundCallback(&QueueTook, port));
            from->GetQueue()->TraceConnectWithoutContext("Dequeue", MakeBoundCallback(&QueueGave, port));
            from->GetQueue()->TraceConnectWithoutContext("Drop", MakeBoundCallback(&QueueDropped, port));
            if (loss > 0) {
                to->SetReceiveErrorModel(Loss(loss));
                to->TraceConnectWithoutContext("PhyRxDrop", MakeBoundCallback(&LinkLost, port));
            }
        }
        NetDeviceContainer both;
        both.Add(from);
        both.Add(to);
        Ipv4InterfaceContainer interfaces = address.Assign(both);
        address.NewNetwork();
        return interfaces;
    }

    Ptr<Node> Host(int name, double rate, double delay)
    {
        if (!hosts[name]) {
            hosts[name] = CreateObject<Node>();
            stack.Install(hosts[name]);
            addressOf[name] = Link(hosts[name], Router(name), "", rate, delay, 0, 0).GetAddress(0);
        }
        return hosts[name];
    }

    /* A device below a discipline takes a packet when its line is free, or, with below=1, keeps one more waiting, as ns-3's
     * devices do: what waits there is hidden from the discipline. Returns the device's limit before. */
    QueueSize Below(Ptr<SimpleNetDevice> device, const Port *port)
    {
        const QueueSize limit = device->GetQueue()->GetMaxSize();
        device->GetQueue()->SetMaxSize(QueueSize(PACKETS, 1));
        Ptr<NetDeviceQueueInterface> control = CreateObject<NetDeviceQueueInterface>();
        Ptr<NetDeviceQueue> line = control->GetTxQueue(0);
        device->AggregateObject(control);
        if (keepsOne) {
            line->ConnectQueueTraces(device->GetQueue());
            return limit;
        }
        device->GetQueue()->TraceConnectWithoutContext("Enqueue", MakeBoundCallback(&LineTaken, line));
        device->GetQueue()->TraceConnectWithoutContext("Dequeue",
                                                       MakeBoundCallback(&LineBusy, line, DataRate((uint64_t)port->rate)));
        return limit;
    }

    void Trace(Ptr<QueueDisc> disc, Port *port)
    {
        disc->TraceConnectWithoutContext("Enqueue", MakeBoundCallback(&DisciplineTook, port));
        disc->TraceConnectWithoutContext("Dequeue", MakeBoundCallback(&DisciplineGave, port));
        disc->TraceConnectWithoutContext("DropBeforeEnqueue", MakeBoundCallback(&DisciplineDropped, port));
        disc->TraceConnectWithoutContext("Mark", MakeBoundCallback(&DisciplineMarked, port));
    }

    /* words: A,B,TYPE. */
    void Aqm(const Words &words, bool ecn)
    {
        auto [device, port] = ends.at(words[0] + "->" + words[1]);
        const QueueSizeValue limit(Below(device, port));
        TrafficControlHelper helper;
        if (words[2] == "codel")
            helper.SetRootQueueDisc("ns3::CoDelQueueDisc", "MaxSize", limit, "UseEcn", BooleanValue(ecn));
        else if (words[2] == "fq_codel")
            helper.SetRootQueueDisc("ns3::FqCoDelQueueDisc", "MaxSize", limit, "UseEcn", BooleanValue(ecn), "Perturbation",
                                    UintegerValue(RngSeedManager::GetRun()));
        else
            helper.SetRootQueueDisc("ns3::PieQueueDisc", "MaxSize", limit, "UseEcn", BooleanValue(ecn), "MaxBurstAllowance",
                                    TimeValue(Seconds(burst)), "UseDerandomization", BooleanValue(true));
        Ptr<QueueDisc> disc = helper.Install(device).Get(0);
        if (Ptr<FqCoDelQueueDisc> fq = DynamicCast<FqCoDelQueueDisc>(disc))
            fq->SetQuantum(1514); /* unset it is the device's MTU, here 65,535 */
        Trace(disc, port);
        disc->TraceConnectWithoutContext("DropAfterDequeue", MakeBoundCallback(&DisciplineDroppedLate, port));
    }

    /* words: A,B,MIN,MAX,MAXP,W,GENTLE. */
    void Red(const Words &words, double meanPacket, bool ecn)
    {
        auto [device, port] = ends.at(words[0] + "->" + words[1]);
        const QueueSize limit = Below(device, port);
        TrafficControlHelper red;
        red.SetRootQueueDisc("ns3::RedQueueDisc", "MaxSize", QueueSizeValue(limit), "MinTh", DoubleValue(Number(words[2])),
                             "MaxTh", DoubleValue(Number(words[3])), "LInterm", DoubleValue(1 / Number(words[4])), "QW",
                             DoubleValue(Number(words[5])), "Gentle", BooleanValue(Number(words[6]) != 0), "MeanPktSize",
                             UintegerValue((uint32_t)meanPacket), "LinkBandwidth",
                             DataRateValue(DataRate((uint64_t)port->rate)), "UseEcn", BooleanValue(ecn));
        Trace(red.Install(device).Get(0), port);
    }
};

/* ---- arguments ---- */

struct Arguments {
    std::map<std::string, std::string> one;
    std::vector<Words> links, reds, aqms, flows, udps;

    Arguments(int argc, char **argv)
    {
        for (int i = 1; i < argc; i++) {
            const std::string text = argv[i];
            const size_t at = text.find('=');
            const std::string key = text.substr(0, at), value = at == std::string::npos ? "" : text.substr(at + 1);
            if (key == "link")
                links.push_back(Split(value));
            else if (key == "red")
                reds.push_back(Split(value));
            else if (key == "aqm")
                aqms.push_back(Split(value));
            else if (key == "flow")
                flows.push_back(Split(value));
            else if (key == "udp")
                udps.push_back(Split(value));
            else
                one[key] = value;
        }
    }

    std::string Text(const std::string &key, const std::string &otherwise) const
    {
        const auto found = one.find(key);
        return found == one.end() ? otherwise : found->second;
    }

    double Value(const std::string &key, double otherwise) const
    {
        const auto found = one.find(key);
        return found == one.end() ? otherwise : Number(found->second);
    }
};

static void SetDefaults(const Arguments &a)
{
    const uint32_t window = (uint32_t)a.Value("window", 1 << 20);
    static const std::map<std::string, std::string> controls = {{"newreno", "ns3::TcpNewReno"}, {"linux", "ns3::TcpLinuxReno"},
                                                                {"cubic", "ns3::TcpCubic"}, {"dctcp", "ns3::TcpDctcp"},
                                                                {"bbr", "ns3::TcpBbr"}};
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(controls.at(a.Text("cc", "newreno"))));
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(a.Value("hystart", 0) != 0));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       StringValue(a.Text("recovery", "classic") == "prr" ? "ns3::TcpPrrRecovery" : "ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue((uint32_t)a.Value("mss", 1460)));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue((uint32_t)a.Value("iw", 10)));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue((uint32_t)a.Value("delack", 2)));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(Seconds(a.Value("delack_timeout", 0.04))));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * window));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocket::ConnCount", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(a.Value("sack", 1) != 0));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(a.Value("rto_min", 0.2))));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(a.Value("ecn", 0) != 0 ? "On" : "Off"));
    /* RFC 8289, section 5.6: a queue with no more than an MTU left is not dropped from; ns-3 wants less than MinBytes. */
    Config::SetDefault("ns3::CoDelQueueDisc::MinBytes", UintegerValue((uint32_t)a.Value("mss", 1460) + 41));
    RngSeedManager::SetRun((uint64_t)a.Value("run", 1));
}

/* words: A,B,START,BYTES,GAP,COUNT */
static void Send(const Words &w, const Words &access, Network &net, uint16_t port)
{
    Ptr<Node> source = net.Host(std::atoi(w[0].c_str()), Number(access[0]), Number(access[1]));
    net.Host(std::atoi(w[1].c_str()), Number(access[0]), Number(access[1]));
    UdpServerHelper server(port);
    server.Install(net.hosts[std::atoi(w[1].c_str())]).Start(Seconds(0));
    UdpClientHelper client(net.addressOf[std::atoi(w[1].c_str())], port);
    client.SetAttribute("PacketSize", UintegerValue((uint32_t)Number(w[3]) - 28));
    client.SetAttribute("Interval", TimeValue(Seconds(Number(w[4]))));
    client.SetAttribute("MaxPackets", UintegerValue((uint32_t)Number(w[5])));
    client.Install(source).Start(Seconds(Number(w[2])));
}

static void Build(const Arguments &a, Network &net)
{
    const Words access = Split(a.Text("access", "100e9,1e-6"));
    net.keepsOne = a.Value("below", 0) != 0;
    net.burst = a.Value("pie_burst", 0.15);
    net.address.SetBase("10.0.0.0", "255.255.255.252");
    for (const Words &w : a.links)
        net.Link(net.Router(std::atoi(w[0].c_str())), net.Router(std::atoi(w[1].c_str())), w[0] + "->" + w[1], Number(w[2]),
                 Number(w[3]), (uint32_t)Number(w[4]), w.size() > 5 ? Number(w[5]) : 0);
    for (const Words &w : a.reds)
        net.Red(w, a.Value("mss", 1460) + 40, a.Value("ecn", 0) != 0);
    for (const Words &w : a.aqms)
        net.Aqm(w, a.Value("ecn", 0) != 0);
    uint16_t number = 1000;
    for (const Words &w : a.udps)
        Send(w, access, net, number++);
    for (const Words &w : a.flows) {
        const int from = std::atoi(w[0].c_str()), to = std::atoi(w[1].c_str());
        Ptr<Node> source = net.Host(from, Number(access[0]), Number(access[1]));
        Ptr<Node> target = net.Host(to, Number(access[0]), Number(access[1]));
        flows.push_back(std::make_unique<Flow>());
        Flow *flow = flows.back().get();
        flow->start = Number(w[2]);
        flow->size = Number(w[3]);
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), number));
        ApplicationContainer receiver = sink.Install(target);
        receiver.Start(Seconds(0));
        receiver.Get(0)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Received, flow));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(net.addressOf[to], number++));
        bulk.SetAttribute("SendSize", UintegerValue((uint32_t)a.Value("mss", 1460)));
        bulk.SetAttribute("MaxBytes", UintegerValue((uint64_t)flow->size));
        ApplicationContainer sender = bulk.Install(source);
        sender.Start(Seconds(flow->start));
        /* The socket is there from the start of the application on, and the SYN is on its way. */
        Simulator::Schedule(Seconds(flow->start) + NanoSeconds(1), &Watch, flow,
                            DynamicCast<BulkSendApplication>(sender.Get(0)));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

static void Print()
{
    std::printf("{\"ns3\": \"%s\", \"flows\": [", NS3_VERSION);
    const char *comma = "";
    for (auto &f : flows) {
        const FlowCounts &c = f->counts, &w = f->atWarmup;
        std::printf("%s{\"completion_s\": ", comma);
        f->end < 0 ? std::printf("null") : std::printf("%.9f", f->end - f->start);
        std::printf(", \"received\": %.0f, \"sent\": %.0f, \"retransmissions\": %.0f, \"timeouts\": %.0f}",
                    c.received - w.received, c.sent - w.sent, c.retransmissions - w.retransmissions,
                    c.timeouts - w.timeouts);
        comma = ", ";
    }
    std::printf("], \"ports\": {");
    comma = "";
    for (auto &p : ports) {
        p->Integrate();
        const PortCounts &c = p->counts, &w = p->atWarmup;
        std::printf("%s\"%s\": {\"packets\": %.0f, \"drops\": %.0f, \"early\": %.0f, \"marks\": %.0f, \"lost\": %.0f, "
                    "\"queue_mean_bytes\": %.3f}",
                    comma, p->name.c_str(), c.sent - w.sent, c.drops - w.drops, c.early - w.early, c.marks - w.marks,
                    c.lost - w.lost, (c.byteSeconds - w.byteSeconds) / (duration - warmup));
        comma = ", ";
    }
    std::printf("}}\n");
}

int main(int argc, char **argv)
{
    const Arguments arguments(argc, argv);
    Network net;
    duration = arguments.Value("duration", 10);
    warmup = arguments.Value("warmup", 0);
    if (arguments.links.empty() || (arguments.flows.empty() && arguments.udps.empty())) {
        std::fprintf(stderr, "ns3_judge: want link=A,B,RATE,DELAY,QUEUE and flow=A,B,START,SIZE\n");
        return 2;
    }
    SetDefaults(arguments);
    Build(arguments, net);
    if (warmup > 0)
        Simulator::Schedule(Seconds(warmup), &EndOfWarmup);
    Simulator::Stop(Seconds(duration));
    FlowMonitorHelper monitor;
    const std::string watched = arguments.Text("flowmon", "");
    if (!watched.empty())
        monitor.InstallAll();
    Simulator::Run();
    Print();
    if (!watched.empty())
        monitor.SerializeToXmlFile(watched, true, false);
    Simulator::Destroy();
    return 0;
}
