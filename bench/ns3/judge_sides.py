"""One run of a case, in ns-3 or in weir, as the same figures."""

import csv
import json
import os
import subprocess

from judge_cases import MSS, PACKET

ACCESS = (100e9, 1e-6)  # bit/s, s: of the host behind each node that sends or receives
TCP = {"sack": 1, "ecn": 0, "delack": 2, "window": 1 << 20, "iw": 10, "delack_timeout": 0.04, "rto_min": 0.2}


class Crash(Exception):
    pass


def run(command, what):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode < 0:
        raise Crash(f"{what}: signal {-done.returncode}")
    if done.returncode != 0:
        raise RuntimeError(f"{what}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


# ---- ns-3 ----


def ns3_command(program, case, links, flows, seed):
    tcp = {**TCP, **case.tcp}
    words = [program, f"run={seed}", f"duration={case.duration!r}", f"warmup={case.warmup!r}", f"mss={MSS}",
             f"access={ACCESS[0]!r},{ACCESS[1]!r}"]
    words += [f"{key}={value}" if isinstance(value, str) else f"{key}={value!r}" for key, value in tcp.items() if key != "weir"]
    for l in links:
        words.append(f"link={l.a},{l.b},{l.rate!r},{l.delay!r},{l.queue},{l.loss!r}")
        if l.red:
            words.append(f"red={l.a},{l.b}," + ",".join(repr(float(x)) for x in l.red) + ",1")
        if l.aqm:
            words.append(f"aqm={l.a},{l.b},{l.aqm}")
    return words + [f"flow={f.a},{f.b},{f.start!r},{f.size}" for f in flows]


def run_ns3(program, case, links, flows, seed, kept):
    """None where ns-3 crashes: 3.37 does on some seeds with random loss (TcpRateLinux::SkbSent, a null pointer).
    kept: what ns-3 said before, by its arguments; it takes a hundred times as long as weir, and does not change."""
    command = ns3_command(program, case, links, flows, seed)
    key = " ".join(command[1:])
    if key not in kept:
        try:
            kept[key] = run(command, f"ns-3, {case.name}")
        except Crash:
            kept[key] = "null"
    out = json.loads(kept[key])
    if out is None:
        return None
    for port in out["ports"].values():
        port["drops"] += port["early"]
    return figures(case, flows, out["flows"], out["ports"])


# ---- weir ----


def weir_scenario(case, links, flows, seed):
    """The text of the scenario. A queue of N waiting packets is a limit of N + 1: weir counts the packet in transmission.
    So RED's thresholds are one higher here."""
    tcp = {**TCP, **case.tcp}
    control = tcp.get("cc", "newreno")
    if control == "cubic":  # ns-3 3.37 has no Reno-friendly region, and HyStart instead of HyStart++
        control = "cubic, hystart: false, reno_friendly: false"
    lines = ["weir: 1", "name: judge", f"duration: {case.duration!r}s", f"seed: {seed}", "topology:", "  file: judge.edges",
             "  queue: {limit: 100MB}", "  host_queue: {limit: 1GB}",
             f"  access: {{rate: {ACCESS[0]:.0f}bps, delay: {ACCESS[1]!r}s, queue: {{limit: 1GB}}}}", "  links:"]
    for l in links:
        lines.append(f'    - {{link: "{l.a}--{l.b}", rate: {l.rate:.0f}bps, delay: {l.delay!r}s}}')
        if l.loss:
            lines.append(f'    - {{link: "{l.a}->{l.b}", loss: {l.loss!r}}}')
    lines.append("  queues:")
    for l in links:
        if l.red:
            low, high, max_p, w = l.red
            lines.append(f'    - {{link: "{l.a}->{l.b}", type: red, limit_packets: {l.queue + 1}, min: {(low + 1) * PACKET}B, '
                         f"max: {(high + 1) * PACKET}B, max_p: {max_p!r}, w: {w!r}, gentle: true, mode: wait, "
                         f"average: packets, mean_packet: {PACKET}B, ecn: {str(bool(tcp['ecn'])).lower()}}}")
        elif l.aqm:
            burst = f", burst: {tcp['pie_burst']!r}s" if l.aqm == "pie" and "pie_burst" in tcp else ""
            lines.append(f'    - {{link: "{l.a}->{l.b}", type: {l.aqm}{burst}, limit_packets: {l.queue}, ecn: {str(bool(tcp["ecn"])).lower()}}}')
        elif l.queue:
            lines.append(f'    - {{link: "{l.a}->{l.b}", limit_packets: {l.queue + 1}}}')
    settings = (f"congestion: {control}, mss: {MSS}B, initial_window: {tcp['iw']}, window: {tcp['window']}B, delayed_ack: {tcp['delack']}, "
                f"delayed_ack_timeout: {tcp['delack_timeout']!r}s, rto_min: {tcp['rto_min']!r}s, "
                f"sack: {str(bool(tcp['sack'])).lower()}, ecn: {str(bool(tcp['ecn'])).lower()}{tcp.get('weir', '')}")
    lines.append("traffic:")
    for i, f in enumerate(flows):
        size = f", size: {f.size}B" if f.size else ""
        lines.append(f'  - {{name: f{i}, tcp: {{{settings}{size}}}, from: "{f.a}", to: "{f.b}", start: {f.start!r}s}}')
    lines += ["output:", f"  warmup: {case.warmup!r}s", "  histograms: false", "  interval: 1s", "  ports: none"]
    return "\n".join(lines) + "\n"


def number(row, column):
    return float(row[column]) if row[column] else 0.0


def run_weir(program, case, links, flows, seed, folder):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/judge.edges", "w") as f:
        f.writelines(f"{l.a} {l.b}\n" for l in links)
    with open(f"{folder}/judge.yaml", "w") as f:
        f.write(weir_scenario(case, links, flows, seed))
    run([program, "run", f"{folder}/judge.yaml", "-o", f"{folder}/out", "--force", "--quiet", "--no-progress"],
        f"weir, {case.name}")
    rows, ports = {}, {}
    with open(f"{folder}/out/flows.csv") as f:
        for row in csv.DictReader(f):
            rows[row["class"]] = {
                "completion_s": float(row["completion_s"]) if row["completion_s"] else None,
                "received": number(row, "received_bytes"), "sent": number(row, "packets_sent"),
                "retransmissions": number(row, "retransmissions"), "timeouts": number(row, "timeouts")}
    with open(f"{folder}/out/ports.csv") as f:
        for row in csv.DictReader(f):
            ports[row["port"]] = {
                "drops": number(row, "dropped_limit") + number(row, "dropped_early"), "lost": number(row, "dropped_loss"),
                "marks": number(row, "marked"), "queue_mean_bytes": number(row, "queue_mean_bytes")}
    assert len(rows) == len(flows), f"{case.name}: {len(rows)} rows for {len(flows)} flows"
    return figures(case, flows, [rows[f"f{i}"] for i in range(len(flows))], ports)


# ---- both ----


def figures(case, flows, of_flows, of_ports):
    """What is compared, of one run."""
    out = {what: sum(f[what] for f in of_flows) for what in ("sent", "retransmissions", "timeouts")}
    out["drops"] = sum(p["drops"] + p["lost"] for p in of_ports.values())
    out["marks"] = sum(p["marks"] for p in of_ports.values())
    if case.sized:
        times = sorted(f["completion_s"] for f in of_flows if f["completion_s"] is not None)
        out["unfinished"] = len(of_flows) - len(times)
        out["completion, s"] = sum(times) / len(times) if times else float("nan")
        if len(times) > 20:
            out["median, s"] = times[len(times) // 2]
            out["p95, s"] = times[int(len(times) * 0.95)]
            out["p99, s"] = times[int(len(times) * 0.99)]
        return out
    span = case.duration - case.warmup
    out["queue, kB"] = of_ports[case.watched]["queue_mean_bytes"] / 1e3
    out["goodput, Mb/s"] = 8e-6 * sum(f["received"] for f in of_flows) / span
    for group in sorted({f.group for f in flows if f.group}):
        out[f"goodput of {group}, Mb/s"] = 8e-6 * sum(r["received"] for f, r in zip(flows, of_flows) if f.group == group) / span
    return out
