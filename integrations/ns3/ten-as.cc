/*
 * The experiments of paper 002 (docs/papers.md) in ns-3, by any of three ways to route.
 *
 *     weir-ns3-ten-as TOPOLOGY [weir|nix|global] [--paths] [--pairs FILE]
 *
 * TOPOLOGY is any file that weir reads: a BRITE topology, or a BRITE .conf to generate one from. To the first leaf of
 * each AS a node is attached that holds a UDP source and a sink; each source sends one packet of 100 bytes to every
 * other sink. With ten ASes every sink gets 9 packets, 900 bytes; anything else is exit code 1. One line says what was
 * routed, how, and the processor time of routes and simulation. --paths adds a line a pair, the nodes on its packet's way, and
 * "one" where that is the only shortest path.
 *
 * --pairs is the third experiment instead: a line "FROM TO" of FILE is a pair of routers, by their numbers; a sender is
 * attached to the one, a receiver to the other, and sends it one packet of 100 bytes over TCP.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/nix-vector-routing-module.h"
#include "ns3/point-to-point-module.h"

#include "weir-routing.h"

extern "C" {
#include "weir/topology.h"
}

using namespace ns3;

static const uint16_t PORT = 9;
static const uint32_t PACKET_BYTES = 100;

struct Experiment
{
    std::string method;
    weir_graph* graph = nullptr;
    NodeContainer nodes; // the topology's, then the attached ones
    std::vector<uint32_t> attached, routers;
    std::vector<Ipv4Address> address; // of attached nodes
    bool tcp = false;                 // attached node 2k sends to 2k + 1, over TCP
    std::vector<uint64_t> packets, bytes;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> paths; // by addresses
    WeirRoutingHelper weir;
};

static Experiment e;

/* Processor time: on a busy machine nearer to the truth than the clock on the wall. */
static double Clock()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first leaf of each AS: by BRITE's class, else the first node of fewest links. */
static std::vector<uint32_t> FirstLeaves()
{
    const weir_graph* g = e.graph;
    std::map<uint32_t, uint32_t> leaf;
    const auto degree = [g](uint32_t i) { return g->first[i + 1] - g->first[i]; };
    for (uint32_t i = 0; i < g->n_nodes; i++)
    {
        const auto at = leaf.find(g->as_number[i]);
        if (at == leaf.end() || degree(i) < degree(at->second))
            leaf[g->as_number[i]] = i;
    }
    std::vector<uint32_t> out;
    for (const auto& entry : leaf)
        out.push_back(entry.second);
    return out;
}

/* The routers of the pairs in a file, senders and receivers in turn. */
static std::vector<uint32_t> ReadPairs(const char* path)
{
    std::vector<uint32_t> out;
    std::ifstream file(path);
    for (uint32_t router; file >> router;)
        out.push_back(router);
    bool good = file.eof() && !out.empty() && out.size() % 2 == 0;
    for (uint32_t router : out)
        good &= router < e.graph->n_nodes;
    if (!good)
    {
        std::fprintf(stderr, "%s: want lines of two router numbers below %u\n", path, e.graph->n_nodes);
        std::exit(2);
    }
    return out;
}

static void Link(PointToPointHelper& link, Ipv4AddressHelper& addresses, uint32_t a, uint32_t b)
{
    addresses.Assign(link.Install(e.nodes.Get(a), e.nodes.Get(b)));
    addresses.NewNetwork();
}

static void Build()
{
    const weir_graph* g = e.graph;
    PointToPointHelper link;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    InternetStackHelper stack;
    Ipv4NixVectorHelper nix;
    e.nodes.Create(g->n_nodes + e.routers.size());
    if (e.method == "weir")
        stack.SetRoutingHelper(e.weir);
    else if (e.method == "nix")
        stack.SetRoutingHelper(nix);
    stack.SetIpv6StackInstall(false);
    stack.Install(e.nodes);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = g->first[i]; k < g->first[i + 1]; k++)
            if (k < g->reverse[k])
                Link(link, addresses, i, g->target[k]);
    for (uint32_t a = 0; a < e.routers.size(); a++)
    {
        e.attached.push_back(g->n_nodes + a);
        Link(link, addresses, e.routers[a], g->n_nodes + a);
        Ptr<Ipv4> ipv4 = e.nodes.Get(g->n_nodes + a)->GetObject<Ipv4>();
        e.address.push_back(ipv4->GetAddress(1, 0).GetLocal());
    }
}

static void Receive(uint32_t sink, Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        e.packets[sink]++;
        e.bytes[sink] += packet->GetSize();
    }
}

static void Send(Ptr<Socket> socket, Ipv4Address to)
{
    socket->SendTo(Create<Packet>(PACKET_BYTES), 0, InetSocketAddress(to, PORT));
}

/* A packet leaves a node's IP layer, sent or forwarded. */
static void Note(uint32_t node, const Ipv4Header& header, Ptr<const Packet>, uint32_t)
{
    e.paths[{header.GetSource().Get(), header.GetDestination().Get()}].push_back(node);
}

static void NotePaths()
{
    for (uint32_t i = 0; i < e.nodes.GetN(); i++)
    {
        Ptr<Ipv4L3Protocol> ipv4 = e.nodes.Get(i)->GetObject<Ipv4L3Protocol>();
        ipv4->TraceConnectWithoutContext("SendOutgoing", MakeBoundCallback(&Note, i));
        ipv4->TraceConnectWithoutContext("UnicastForward", MakeBoundCallback(&Note, i));
    }
}

/* Each attached node sends one packet to each other. */
static void UdpTraffic()
{
    for (uint32_t a = 0; a < e.attached.size(); a++)
    {
        Ptr<Node> node = e.nodes.Get(e.attached[a]);
        Ptr<Socket> sink = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        sink->SetRecvCallback(MakeBoundCallback(&Receive, a));
        Ptr<Socket> source = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        for (uint32_t b = 0; b < e.attached.size(); b++)
            if (b != a)
                Simulator::Schedule(Seconds(1.0 + a * 1e-3 + b * 1e-5), &Send, source, e.address[b]);
    }
}

static void Accept(uint32_t sink, Ptr<Socket> socket, const Address&)
{
    socket->SetRecvCallback(MakeBoundCallback(&Receive, sink));
}

static void Connected(Ptr<Socket> socket)
{
    socket->Send(Create<Packet>(PACKET_BYTES));
    socket->Close();
}

/* Each sender opens a connection to its receiver for one packet. */
static void TcpTraffic()
{
    for (uint32_t a = 0; a < e.attached.size(); a += 2)
    {
        Ptr<Socket> sink = Socket::CreateSocket(e.nodes.Get(e.attached[a + 1]), TcpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        sink->Listen();
        sink->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(), MakeBoundCallback(&Accept, a + 1));
        Ptr<Socket> source = Socket::CreateSocket(e.nodes.Get(e.attached[a]), TcpSocketFactory::GetTypeId());
        source->SetConnectCallback(MakeCallback(&Connected), MakeNullCallback<void, Ptr<Socket>>());
        const InetSocketAddress to(e.address[a + 1], PORT);
        Simulator::Schedule(Seconds(1.0 + a * 1e-3), [source, to]() { source->Connect(to); });
    }
}

/* Number of shortest paths by hops between two routers, counted up to 2. */
static uint32_t CountPaths(weir_route_space* space, uint32_t from, uint32_t to)
{
    const weir_graph* g = e.graph;
    std::vector<weir_cost> cost(g->n_edges, 1), dist(g->n_nodes);
    std::vector<uint32_t> count(g->n_nodes, 0);
    if (weir_route_tree(nullptr, g, cost.data(), to, space, dist.data(), nullptr) != WEIR_OK)
        return 0;
    std::vector<std::vector<uint32_t>> level(dist[from] + 1);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (dist[i] <= dist[from])
            level[dist[i]].push_back(i);
    count[to] = 1;
    for (weir_cost d = 1; d <= dist[from]; d++)
        for (uint32_t i : level[d])
            for (uint32_t k = g->first[i]; k < g->first[i + 1]; k++)
                if (dist[g->target[k]] == d - 1)
                    count[i] = std::min(2u, count[i] + count[g->target[k]]);
    return count[from];
}

static void PrintPaths()
{
    weir_route_space* space = weir_route_space_new(e.graph);
    for (uint32_t a = 0; a < e.attached.size(); a++)
    {
        for (uint32_t b = 0; b < e.attached.size(); b++)
        {
            if (a == b)
                continue;
            std::printf("%u %u %s:", a, b, CountPaths(space, e.routers[a], e.routers[b]) == 1 ? "one" : "several");
            for (uint32_t node : e.paths[{e.address[a].Get(), e.address[b].Get()}])
                std::printf(" %u", node);
            std::printf(" %u\n", e.attached[b]);
        }
    }
    weir_route_space_free(space);
}

static bool AllArrived()
{
    bool good = !e.attached.empty();
    for (uint32_t a = 0; a < e.attached.size(); a++)
    {
        const uint64_t want = e.tcp ? a % 2 : e.attached.size() - 1;
        good &= e.bytes[a] == want * PACKET_BYTES && (e.tcp || e.packets[a] == want);
    }
    return good;
}

int main(int argc, char** argv)
{
    bool paths = false, usage = argc < 2;
    const char* pairs = nullptr;
    e.method = "weir";
    for (int k = 2; k < argc; k++)
    {
        if (std::strcmp(argv[k], "--paths") == 0)
            paths = true;
        else if (std::strcmp(argv[k], "--pairs") == 0 && k + 1 < argc)
            pairs = argv[++k];
        else
            e.method = argv[k];
    }
    usage |= e.method != "weir" && e.method != "nix" && e.method != "global";
    if (usage || (paths && pairs))
    {
        std::fprintf(stderr, "usage: weir-ns3-ten-as TOPOLOGY [weir|nix|global] [--paths | --pairs FILE]\n");
        return 2;
    }
    weir_diag* diag = weir_diag_new();
    if (weir_topology_load(diag, argv[1], nullptr, &e.graph) != WEIR_OK)
    {
        std::fprintf(stderr, "%s\n", weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "cannot be read");
        return 2;
    }
    weir_diag_free(diag);
    if (e.graph->n_one_way > 0)
    {
        std::fprintf(stderr, "%s: %u links lead one way; ns-3's point-to-point links lead both ways\n", argv[1],
                     e.graph->n_one_way);
        return 2;
    }
    e.tcp = pairs != nullptr;
    e.routers = e.tcp ? ReadPairs(pairs) : FirstLeaves();
    Build();
    const double built = Clock();
    if (e.method == "weir")
        e.weir.CalculateRoutes();
    else if (e.method == "global")
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    const double routed = Clock();
    e.packets.assign(e.attached.size(), 0);
    e.bytes.assign(e.attached.size(), 0);
    if (paths)
        NotePaths();
    if (e.tcp)
        TcpTraffic();
    else
        UdpTraffic();
    Simulator::Run();
    const double done = Clock();
    const bool good = AllArrived();
    std::printf("%u nodes, %zu attached, %s%s%s%s: routes %.4f s, simulation %.4f s; %s\n", e.nodes.GetN(),
                e.attached.size(), e.method.c_str(), e.method == "weir" ? " (" : "", e.weir.Table()->How().c_str(),
                e.method == "weir" ? ")" : "", routed - built, done - routed,
                !good   ? "PACKETS ARE MISSING"
                : e.tcp ? "every receiver got its packet"
                        : "every sink got a packet from every other");
    if (good && !e.tcp)
        std::printf("%llu packets, %llu bytes a sink\n", (unsigned long long)e.packets[0], (unsigned long long)e.bytes[0]);
    if (paths)
        PrintPaths();
    Simulator::Destroy();
    weir_graph_free(e.graph);
    return good ? 0 : 1;
}
