/* What several controls check of the keys beside theirs. */
#include "keys/congestion/congestions.h"

#define NAME(number, name, doc) #name,
static const char *const names[NET_CC_TYPES] = {NET_CONGESTIONS(NAME)};

void wi_congestion_needs_ecn(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    if (!tcp->ecn && wi_node_child(node, "ecn"))
        wi_complain(r, wi_place_of(node, "ecn"), "congestion '%s' lives by marks; want ecn: true",
                    names[tcp->congestion]);
    if (!tcp->ecn)
        tcp->ecn = WEIR_SC_ECN_CLASSIC;
}

void wi_congestion_needs_sack(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    if (!tcp->sack)
        wi_complain(r, wi_place_of(node, "sack"), "congestion '%s' needs SACK; want sack: true",
                    names[tcp->congestion]);
}

void wi_congestion_refuses(wi_reader *r, const wi_node *node, const weir_scenario_tcp *tcp, const char *key,
                           bool asked, const char *want)
{
    if (asked && wi_node_child(node, key))
        wi_complain(r, wi_place_of(node, key), "%s: congestion '%s' has no such thing; want %s", key,
                    names[tcp->congestion], want);
}
