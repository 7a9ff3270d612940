/* Keys of output.flow_monitor; fallbacks are those of ns-3's FlowMonitor. */
#include "keys/keys.h"

typedef weir_scenario_output output_t;
static const wi_key keys[] = {
    WI_KEY("classes", names, output_t, flow_monitor.classes, .required = true, .also = "class flows",
           .doc = "of traffic, whose flows are watched; those that travel as packets"),
    WI_KEY("delay_bin", time, output_t, flow_monitor.delay_bin_ps, .fallback = "1ms", .above = "0s",
           .also = "width bin delay_width DelayBinWidth", .doc = "width of a bin of one-way delays"),
    WI_KEY("jitter_bin", time, output_t, flow_monitor.jitter_bin_ps, .fallback = "1ms", .above = "0s",
           .also = "JitterBinWidth",
           .doc = "of differences between the delays of packets that arrive one after the other"),
    WI_KEY("rtt_bin", time, output_t, flow_monitor.rtt_bin_ps, .fallback = "1ms", .above = "0s",
           .doc = "of round trips, TCP's own samples"),
    WI_KEY("size_bin", size32, output_t, flow_monitor.size_bin_bytes, .fallback = "20B", .above = "0B",
           .also = "PacketSizeBinWidth", .doc = "of packets' sizes"),
    WI_KEY(
        "interruption", time, output_t, flow_monitor.interruption_ps, .fallback = "500ms",
        .also = "FlowInterruptionsMinTime",
        .doc =
            "a longer time between packets that arrive one after the other is an interruption of the flow"),
    WI_KEY("interruption_bin", time, output_t, flow_monitor.interruption_bin_ps, .fallback = "250ms",
           .above = "0s", .also = "FlowInterruptionsBinWidth", .doc = "width of a bin of interruptions"),
};

const wi_section wi_section_monitor =
    WI_SECTION("flow_monitor", keys, output_t,
               .doc = "Flows watched packet by packet: `flowmon.xml`, as ns-3's FlowMonitor writes it, and "
                      "`histograms.csv` (docs/results.md).",
               .place_offset = offsetof(output_t, flow_monitor.place));
