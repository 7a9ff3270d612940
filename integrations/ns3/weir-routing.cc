#include "weir-routing.h"

#include <cstdlib>

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-route.h"
#include "ns3/log.h"
#include "ns3/loopback-net-device.h"
#include "ns3/net-device.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/output-stream-wrapper.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeirRouting");
NS_OBJECT_ENSURE_REGISTERED(WeirRouting);

/* ---- the table ---- */

/* weir's first message, or the status' name. */
static std::string Message(const weir_diag* diag, weir_status status)
{
    return weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : weir_status_name(status);
}

WeirRouteTable::~WeirRouteTable()
{
    Clear();
}

void WeirRouteTable::Clear()
{
    weir_routes_free(m_routes);
    weir_graph_free(m_graph);
    m_routes = nullptr;
    m_graph = nullptr;
    m_cost.clear();
    m_metric.clear();
    m_ports.clear();
    m_node.clear();
}

bool WeirRouteTable::Calculated() const
{
    return m_routes != nullptr;
}

/* Links of a node's interfaces with those that come later, so that each pair is met once. Both ends get a port. */
void WeirRouteTable::AddLinks(weir_graph_builder* builder, uint32_t node)
{
    Ptr<Ipv4> ipv4 = NodeList::GetNode(node)->GetObject<Ipv4>();
    for (uint32_t i = 0; ipv4 && i < ipv4->GetNInterfaces(); i++)
    {
        Ptr<NetDevice> device = ipv4->GetNetDevice(i);
        Ptr<Channel> channel = device->GetChannel();
        for (uint32_t a = 0; a < ipv4->GetNAddresses(i); a++)
            if (!ipv4->GetAddress(i, a).GetLocal().IsLocalhost())
                m_node[ipv4->GetAddress(i, a).GetLocal().Get()] = node;
        for (std::size_t d = 0; channel && d < channel->GetNDevices(); d++)
        {
            Ptr<NetDevice> peer = channel->GetDevice(d);
            const uint32_t other = peer->GetNode()->GetId();
            Ptr<Ipv4> otherIpv4 = peer->GetNode()->GetObject<Ipv4>();
            const int32_t back = otherIpv4 ? otherIpv4->GetInterfaceForDevice(peer) : -1;
            const bool later = other > node || (other == node && peer->GetIfIndex() > device->GetIfIndex());
            if (!later || back < 0 || other == node || ipv4->GetNAddresses(i) == 0 ||
                otherIpv4->GetNAddresses(back) == 0)
                continue;
            weir_link link = weir_link_init(node, other);
            link.weight = ipv4->GetMetric(i);
            link.weight_back = otherIpv4->GetMetric(back);
            weir_graph_add_link(builder, link);
            m_ports[node].push_back({i, otherIpv4->GetAddress(back, 0).GetLocal()});
            m_ports[other].push_back({(uint32_t)back, ipv4->GetAddress(i, 0).GetLocal()});
        }
    }
}

void WeirRouteTable::Calculate(weir_route_device device)
{
    const uint32_t n = NodeList::GetNNodes();
    weir_diag* diag = weir_diag_new();
    weir_graph_builder* builder = weir_graph_builder_new();
    weir_routes_options options;
    Clear();
    m_ports.resize(n);
    for (uint32_t i = 0; i < n; i++)
    {
        Ptr<Ipv4> ipv4 = NodeList::GetNode(i)->GetObject<Ipv4>();
        BooleanValue forwards(true);
        if (ipv4)
            ipv4->GetAttribute("IpForward", forwards);
        weir_graph_add_node(builder, nullptr, forwards.Get() ? WEIR_ROUTER : WEIR_HOST);
    }
    for (uint32_t i = 0; i < n; i++)
        AddLinks(builder, i);
    weir_status status = weir_graph_build(diag, builder, &m_graph);
    weir_graph_builder_free(builder);
    weir_cost* cost = nullptr;
    if (status == WEIR_OK)
        status = weir_route_costs(diag, m_graph, WEIR_METRIC_WEIGHT, &cost);
    if (status == WEIR_OK)
        m_metric.assign(cost, cost + m_graph->n_edges);
    free(cost);
    m_cost = m_metric;
    for (uint32_t i = 0; status == WEIR_OK && i < n; i++)
    {
        Ptr<Ipv4> ipv4 = NodeList::GetNode(i)->GetObject<Ipv4>();
        for (uint32_t p = 0; p < m_ports[i].size(); p++)
            if (!ipv4->IsUp(m_ports[i][p].interface))
                m_cost[m_graph->first[i] + p] = WEIR_COST_DOWN;
    }
    weir_routes_options_init(&options);
    options.cost = m_cost.data();
    options.device = device;
    if (status == WEIR_OK)
        status = weir_routes_compute(diag, m_graph, &options, &m_routes);
    NS_ABORT_MSG_IF(status != WEIR_OK, "weir: " << Message(diag, status));
    weir_diag_free(diag);
}

bool WeirRouteTable::FindNode(Ipv4Address address, uint32_t& node) const
{
    const auto at = m_node.find(address.Get());
    if (at == m_node.end())
        return false;
    node = at->second;
    return true;
}

const WeirRouteTable::Port* WeirRouteTable::FindPort(uint32_t node, uint32_t destination) const
{
    const uint16_t port = weir_routes_port(m_routes, node, destination);
    return port == WEIR_NO_PORT ? nullptr : &m_ports[node][port];
}

void WeirRouteTable::SetInterface(uint32_t node, uint32_t interface, bool up)
{
    std::vector<weir_route_change> changes;
    if (!m_routes || node >= m_ports.size())
        return;
    for (uint32_t p = 0; p < m_ports[node].size(); p++)
    {
        const uint32_t edge = m_graph->first[node] + p;
        if (m_ports[node][p].interface == interface)
            changes.push_back({edge, up ? m_metric[edge] : WEIR_COST_DOWN});
    }
    weir_diag* diag = weir_diag_new();
    weir_routes_options options;
    weir_routes_options_init(&options);
    const weir_status status = weir_routes_update(diag, m_routes, m_graph, m_cost.data(), changes.data(),
                                                  (uint32_t)changes.size(), &options, nullptr);
    NS_ABORT_MSG_IF(status != WEIR_OK, "weir: " << Message(diag, status));
    weir_diag_free(diag);
}

std::string WeirRouteTable::How() const
{
    return m_routes ? weir_routes_how(m_routes) : "";
}

const weir_graph* WeirRouteTable::Graph() const
{
    return m_graph;
}

const std::vector<weir_cost>& WeirRouteTable::Costs() const
{
    return m_cost;
}

/* ---- a node ---- */

TypeId WeirRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WeirRouting")
                            .SetParent<Ipv4RoutingProtocol>()
                            .SetGroupName("Internet")
                            .AddConstructor<WeirRouting>();
    return tid;
}

void WeirRouting::SetTable(Ptr<WeirRouteTable> table)
{
    m_table = table;
}

void WeirRouting::SetIpv4(Ptr<Ipv4> ipv4)
{
    m_ipv4 = ipv4;
}

uint32_t WeirRouting::NodeId() const
{
    return m_ipv4->GetObject<Node>()->GetId();
}

Ptr<Ipv4Route> WeirRouting::Lookup(Ipv4Address destination, Ptr<NetDevice> oif) const
{
    uint32_t node = 0;
    if (destination.IsLocalhost())
        node = NodeId();
    else if (!m_table->Calculated() || !m_table->FindNode(destination, node))
        return nullptr;
    uint32_t interface = 0; /* the loopback's, for the node's own addresses */
    Ipv4Address gateway = Ipv4Address::GetZero();
    if (node != NodeId())
    {
        const WeirRouteTable::Port* port = m_table->FindPort(NodeId(), node);
        if (!port)
            return nullptr;
        interface = port->interface;
        gateway = port->gateway;
    }
    if (oif && oif != m_ipv4->GetNetDevice(interface))
        return nullptr;
    Ptr<Ipv4Route> route = ns3::Create<Ipv4Route>();
    route->SetDestination(destination);
    route->SetSource(interface == 0 ? destination : m_ipv4->GetAddress(interface, 0).GetLocal());
    route->SetGateway(gateway);
    route->SetOutputDevice(m_ipv4->GetNetDevice(interface));
    return route;
}

Ptr<Ipv4Route> WeirRouting::RouteOutput(Ptr<Packet>, const Ipv4Header& header, Ptr<NetDevice> oif,
                                        Socket::SocketErrno& sockerr)
{
    Ptr<Ipv4Route> route;
    if (!header.GetDestination().IsMulticast())
        route = Lookup(header.GetDestination(), oif);
    sockerr = route ? Socket::ERROR_NOTERROR : Socket::ERROR_NOROUTETOHOST;
    return route;
}

bool WeirRouting::RouteInput(Ptr<const Packet> p, const Ipv4Header& header, Ptr<const NetDevice> idev,
                             UnicastForwardCallback ucb, MulticastForwardCallback, LocalDeliverCallback lcb,
                             ErrorCallback ecb)
{
    const uint32_t in = m_ipv4->GetInterfaceForDevice(idev);
    if (m_ipv4->IsDestinationAddress(header.GetDestination(), in))
    {
        if (lcb.IsNull())
            return false; /* another protocol delivers */
        lcb(p, header, in);
        return true;
    }
    if (header.GetDestination().IsMulticast())
        return false;
    if (!m_ipv4->IsForwarding(in))
    {
        ecb(p, header, Socket::ERROR_NOROUTETOHOST);
        return true;
    }
    Ptr<Ipv4Route> route = Lookup(header.GetDestination(), nullptr);
    if (!route)
        return false; /* another protocol may know a way */
    ucb(route, p, header);
    return true;
}

void WeirRouting::NotifyInterfaceUp(uint32_t interface)
{
    if (m_table && m_table->Calculated())
        m_table->SetInterface(NodeId(), interface, true);
}

void WeirRouting::NotifyInterfaceDown(uint32_t interface)
{
    if (m_table && m_table->Calculated())
        m_table->SetInterface(NodeId(), interface, false);
}

/* Addresses are read by CalculateRoutes. */
void WeirRouting::NotifyAddAddress(uint32_t, Ipv4InterfaceAddress)
{
}

void WeirRouting::NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress)
{
}

void WeirRouting::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit) const
{
    std::ostream& out = *stream->GetStream();
    if (!m_table->Calculated())
        return;
    out << "Node " << NodeId() << ", weir's routes: destination node, gateway, interface\n";
    for (uint32_t to = 0; to < m_table->Graph()->n_nodes; to++)
        if (const WeirRouteTable::Port* port = m_table->FindPort(NodeId(), to))
            out << to << "\t" << port->gateway << "\t" << port->interface << "\n";
}

void WeirRouting::DoDispose()
{
    m_ipv4 = nullptr;
    m_table = nullptr;
    Ipv4RoutingProtocol::DoDispose();
}

/* ---- the helper ---- */

WeirRoutingHelper::WeirRoutingHelper()
    : m_table(ns3::Create<WeirRouteTable>())
{
}

WeirRoutingHelper* WeirRoutingHelper::Copy() const
{
    return new WeirRoutingHelper(*this);
}

Ptr<Ipv4RoutingProtocol> WeirRoutingHelper::Create(Ptr<Node>) const
{
    Ptr<WeirRouting> routing = CreateObject<WeirRouting>();
    routing->SetTable(m_table);
    return routing;
}

void WeirRoutingHelper::CalculateRoutes(weir_route_device device) const
{
    m_table->Calculate(device);
}

Ptr<const WeirRouteTable> WeirRoutingHelper::Table() const
{
    return m_table;
}

} // namespace ns3
