/*
 * Routing for ns-3 from weir's tables: what "BRITE and CUDA routing in ns-3" (docs/papers.md, paper 002)
 * built, on libweir.
 *
 * The graph is that of ns-3's own nodes, devices and channels. One call computes the ports of all nodes
 * toward all others, by weir's algorithms, on the CPU or a CUDA device; RouteOutput and RouteInput then look
 * them up. An interface that goes down or comes up updates what that affects.
 *
 *     WeirRoutingHelper weir;
 *     InternetStackHelper stack;
 *     stack.SetRoutingHelper(weir);
 *     stack.Install(nodes);
 *     ...                           // devices, addresses
 *     weir.CalculateRoutes();
 *     Simulator::Run();
 *
 * A path is the least sum of the metrics (Ipv4::SetMetric) of the interfaces that it leaves by; of equal
 * ones, the lowest port decides, in the order of nodes and devices. Nodes that do not forward (attribute
 * IpForward) are led to, never through. Devices on one channel are linked each with each.
 */
#ifndef WEIR_ROUTING_H
#define WEIR_ROUTING_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/simple-ref-count.h"

extern "C" {
#include "weir/routes.h"
}

namespace ns3
{

/* The table that all nodes share, and what its ports are in ns-3. */
class WeirRouteTable : public SimpleRefCount<WeirRouteTable>
{
  public:
    /* Where a port leads: an interface, and the address of the interface at the other end. */
    struct Port {
        uint32_t interface;
        Ipv4Address gateway;
    };

    WeirRouteTable() = default;
    WeirRouteTable(const WeirRouteTable &) = delete;
    WeirRouteTable &operator=(const WeirRouteTable &) = delete;
    ~WeirRouteTable();

    /* Compute the table of all nodes there are; an error ends the program with weir's message. */
    void Calculate(weir_route_device device);
    bool Calculated() const;
    /* The node that has an address; false: none has. */
    bool FindNode(Ipv4Address address, uint32_t &node) const;
    /* The port of a node toward another; null: there is no way. */
    const Port *FindPort(uint32_t node, uint32_t destination) const;
    /* An interface went down, or came up. */
    void SetInterface(uint32_t node, uint32_t interface, bool up);
    /* What computed the table, for messages. */
    std::string How() const;
    const weir_graph *Graph() const;
    /* Cost of each of the graph's edges. */
    const std::vector<weir_cost> &Costs() const;

  private:
    void Clear();
    void AddLinks(weir_graph_builder *builder, uint32_t node);

    weir_graph *m_graph = nullptr;
    weir_routes *m_routes = nullptr;
    std::vector<weir_cost> m_cost, m_metric;       // of edges: in force, and as given
    std::vector<std::vector<Port>> m_ports;        // of nodes, in weir's order
    std::unordered_map<uint32_t, uint32_t> m_node; // of addresses
};

/* One node's part: it answers from the shared table. */
class WeirRouting : public Ipv4RoutingProtocol
{
  public:
    static TypeId GetTypeId();

    void SetTable(Ptr<WeirRouteTable> table);

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> p, const Ipv4Header &header, Ptr<NetDevice> oif,
                               Socket::SocketErrno &sockerr) override;
    bool RouteInput(Ptr<const Packet> p, const Ipv4Header &header, Ptr<const NetDevice> idev,
                    UnicastForwardCallback ucb, MulticastForwardCallback mcb, LocalDeliverCallback lcb,
                    ErrorCallback ecb) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit = Time::S) const override;

  protected:
    void DoDispose() override;

  private:
    Ptr<Ipv4Route> Lookup(Ipv4Address destination, Ptr<NetDevice> oif) const;
    uint32_t NodeId() const;

    Ptr<Ipv4> m_ipv4;
    Ptr<WeirRouteTable> m_table;
};

/* Installs WeirRouting; copies share one table. */
class WeirRoutingHelper : public Ipv4RoutingHelper
{
  public:
    WeirRoutingHelper();

    WeirRoutingHelper *Copy() const override;
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override;

    /* Compute routes between all nodes, after addresses are assigned; once more when the topology has
     * changed. */
    void CalculateRoutes(weir_route_device device = WEIR_ROUTE_ON_ANY) const;
    Ptr<const WeirRouteTable> Table() const;

  private:
    Ptr<WeirRouteTable> m_table;
};

} // namespace ns3

#endif
