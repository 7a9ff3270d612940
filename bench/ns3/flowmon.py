#!/usr/bin/env python3
"""flowmon.xml of weir beside the file that ns-3's FlowMonitor writes of the same network.

Of TCP, which differs (ns-3 sends a FIN and an ACK of its own, and options), the form: elements and attributes, all that ns-3
writes, in its order, and no others. Of UDP at constant gaps every value too, over a grid of rates, delays, sizes and queues that
overflow: both send the same packets at the same times, so packets, bytes, losses and histograms are equal, and times are within
what the file prints of them.
"""

import argparse
import sys
import tempfile
import xml.etree.ElementTree as xml

from judge_cases import Case, Flow, Link
from judge_sides import ns3_command, run, weir_scenario

TCP = {"sack": 0, "delack": 1}
# rate (bit/s) and delay (s) of the first link, packets that wait there, and flows: start, bytes, rate (bit/s; gaps are whole
# nanoseconds, as ns-3 has them), packets
UDP = [
    (1e6, 0.01, 5000, [(0.1, 500, 400000, 100)]),
    (1e6, 0.01, 5000, [(0.1, 1500, 1250000, 100), (0.2, 100, 100000, 200)]),
    (10e6, 0.1, 5000, [(0.1, 1000, 6400000, 500), (0.1500373, 300, 750000, 300)]),
    (1e9, 0.001, 5000, [(0.1, 1500, 160000000, 500), (0.1003041, 64, 25600000, 500)]),
    (2e6, 0.002, 5000, [(0.1, 1200, 16000, 9), (0.2, 700, 8000, 12)]),  # interruptions
    (1e6, 0.01, 10, [(0.1, 1500, 1250000, 300)]),
    (2e6, 0.02, 8, [(0.1, 1500, 1600000, 400), (0.1300137, 400, 800000, 500)]),
    (5e6, 0.002, 1, [(0.1, 900, 4000000, 500), (0.2000411, 1400, 2000000, 200)]),
]


def ns3_times(e, name):
    text = e.get(name)
    assert text.startswith("+") and text.endswith("ns"), f"{name}={text}"
    return float(text[:-2])


def shape(e):
    """Tags and attributes, in order; of histograms, which bins there are is a value."""
    kids = [] if e.tag.endswith("Histogram") else [shape(k) for k in e if k.tag not in ("packetsDropped", "bytesDropped")]
    return (e.tag, list(e.attrib), kids)


def same_flow(a, b, what, wrong):
    for name in ("txBytes", "rxBytes", "txPackets", "rxPackets", "timesForwarded"):
        if a.get(name) != b.get(name):
            wrong.append(f"{what}: {name} {a.get(name)}, ns-3 {b.get(name)}")
    for name in b.attrib:
        if name.startswith("time") and name.endswith("Packet") or name in ("delaySum", "jitterSum", "lastDelay"):
            # ns-3 prints six digits, and rounds transmission times to nanoseconds
            x, y = ns3_times(a, name), ns3_times(b, name)
            if not abs(x - y) <= 10.0 * int(b.get("rxPackets")) + 1e-5 * abs(y):
                wrong.append(f"{what}: {name} {x}, ns-3 {y}")
    for name in ("delayHistogram", "jitterHistogram", "packetSizeHistogram", "flowInterruptionsHistogram"):
        x, y = ([(k.get("index"), k.get("start"), k.get("width"), k.get("count")) for k in f.find(name)] for f in (a, b))
        if x != y or a.find(name).get("nBins") != b.find(name).get("nBins"):
            wrong.append(f"{what}: {name} {x}, ns-3 {y}")


def both(a, folder, case, links, flows, udps):
    """Roots of the two files."""
    more = [f"udp=0,2,{start!r},{size},{8 * size / rate:.9f},{n}" for start, size, rate, n in udps]
    run(ns3_command(a.ns3, case, links, flows, 1) + more + [f"flowmon={folder}/ns3.xml"], "ns-3")
    with open(f"{folder}/judge.edges", "w") as f:
        f.writelines(f"{l.a} {l.b}\n" for l in links)
    text, output = weir_scenario(case, links, flows, 1).split("output:")
    for i, (start, size, rate, n) in enumerate(udps):
        text += (f"  - {{name: u{i}, udp: {{rate: {rate}bps, packet: {size}B}}, from: \"0\", to: \"2\", "
                 f"start: {start!r}s, stop: {start + (n - 0.5) * 8 * size / rate:.9f}s}}\n")
    names = ", ".join([f"f{i}" for i in range(len(flows))] + [f"u{i}" for i in range(len(udps))])
    with open(f"{folder}/judge.yaml", "w") as f:
        f.write(f"{text}output:{output}  flow_monitor: {{classes: [{names}]}}\n")
    run([a.weir, "run", f"{folder}/judge.yaml", "-o", f"{folder}/out", "--force", "--quiet", "--no-progress"], "weir")
    return xml.parse(f"{folder}/out/flowmon.xml").getroot(), xml.parse(f"{folder}/ns3.xml").getroot()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", required=True)
    parser.add_argument("--ns3", required=True)
    a = parser.parse_args()
    wrong, compared, lost = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        case = Case("flowmon", "TCP", None, duration=20.0, tcp=TCP)
        for queue in (5000, 8):
            links = [Link(0, 1, 2e6, 0.02, queue), Link(1, 2, 20e6, 0.001)]
            ours, theirs = both(a, folder, case, links, [Flow(0, 2, 0.1, 400000), Flow(0, 2, 0.15, 1000)], [])
            if shape(ours) != shape(theirs):
                wrong.append(f"TCP: elements or attributes differ:\n  {shape(ours)}\n  ns-3 {shape(theirs)}")
        for i, (rate, delay, queue, udps) in enumerate(UDP):
            links = [Link(0, 1, rate, delay, queue), Link(1, 2, 10 * rate, 0.001)]
            ours, theirs = both(a, folder, case, links, [], udps)
            if shape(ours) != shape(theirs):
                wrong.append(f"UDP {i}: elements or attributes differ")
            for x, y in zip(ours.find("FlowStats"), theirs.find("FlowStats")):
                same_flow(x, y, f"UDP {i}, flow {x.get('flowId')}", wrong)
                compared += 1
                lost += int(y.get("txPackets")) - int(y.get("rxPackets"))
    print(f"{compared} flows compared, {lost} packets lost, {len(wrong)} differences")
    for text in wrong:
        print(text)
    return 1 if wrong or compared < 13 or lost < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
