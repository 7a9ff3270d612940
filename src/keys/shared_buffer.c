/* Keys of `topology.shared_buffer`: switches with shared memory, and their pauses. They share the topology's struct. */
#include "keys/keys.h"

typedef weir_scenario_topology topology_t;

static const wi_key pfc_keys[] = {
    WI_KEY("lossless", priorities, topology_t, shared_buffer.pfc.lossless, .unset = "all",
           .also = "priorities classes",
           .doc = "priorities of which nothing is lost: the upper three bits of a class's `dscp`. Others "
                  "find room as without pfc"),
    WI_KEY("xoff", size, topology_t, shared_buffer.pfc.xoff_bytes, .fallback = "auto", .word = "auto",
           .above = "0B", .also = "threshold",
           .doc = "what a port's neighbour may have in the memory, of a priority, before it is paused; "
                  "`auto`: `alpha` times what is free"),
    WI_KEY("xon_offset", size, topology_t, shared_buffer.pfc.xon_offset, .fallback = "3kB",
           .also = "xon hysteresis",
           .doc = "it goes on when it has so much less than the threshold there, or nothing"),
    WI_KEY("headroom", size, topology_t, shared_buffer.pfc.headroom_bytes, .fallback = "auto", .word = "auto",
           .above = "0B",
           .doc = "memory of each port and lossless priority for what comes after a pause; `auto`: what the "
                  "line brings while a pause frame waits for a packet, travels, and is obeyed after another, "
                  "which depends on rate and delay. Less is refused"),
};

static bool pfc_hides(const wi_key *key, const void *at)
{
    return key->kind == &wi_kind_priorities && ((const topology_t *)at)->shared_buffer.pfc.lossless == 0;
}

static void check_pfc(wi_reader *r, const wi_node *node, void *at)
{
    const topology_t *t = at;
    if (t->shared_buffer.pfc.xoff_bytes && t->shared_buffer.pfc.xon_offset > t->shared_buffer.pfc.xoff_bytes)
        wi_complain(r, wi_place_of(node, "xon_offset"),
                    "xon_offset is more than xoff, so that the thresholds cross");
}

static const wi_section pfc_section = WI_SECTION(
    "pfc", pfc_keys, topology_t,
    .doc =
        "Priority flow control (IEEE 802.1Qbb): switches pause their neighbours instead of losing "
        "packets. Hosts obey, priority by priority. Queues have no `limit`, and early drops become marks; a "
        "mark goes by what waits of the packet's own priority.",
    .check = check_pfc, .hides = pfc_hides);

static const wi_key shared_keys[] = {
    WI_KEY("size", size, topology_t, shared_buffer.bytes, .required = true, .above = "0B", .high = "1TB",
           .also = "bytes memory", .doc = "of each router"),
    WI_KEY("alpha", number, topology_t, shared_buffer.alpha, .fallback = "1", .above = "0", .high = "1024",
           .doc = "a packet is taken while its port's queue is shorter than so many times what is free"),
    WI_PART("pfc", pfc_section, .place_offset = offsetof(topology_t, shared_buffer.pfc.place),
            .unset = "switches pause nobody", .also = "lossless pause",
            .doc = "switches pause their neighbours before they lose anything"),
};

const wi_section wi_section_shared_buffer = WI_SECTION(
    "shared_buffer", shared_keys, topology_t,
    .doc =
        "Switches with shared memory and dynamic thresholds (Choudhury and Hahne 1998). The limits of queues "
        "hold besides, and their marks; disciplines are `droptail`, `red` and `threshold`, in bytes.");
