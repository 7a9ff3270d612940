#!/usr/bin/env python3
"""Columns of flows.csv computed another way: from packets.h5, packet by packet. Prints what differs.

    flow_columns.py RESULTS WARMUP_S END_S
"""
import collections
import csv
import os
import sys

import h5py

folder, warm_s, end_s = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
UDP, TCP = 28, 40  # bytes of headers
RECEIVED = 8       # a fate
SLACK = 2 if warm_s else 0  # packets about the end of the warm-up may count on either side of it


def rows_of(name):
    with open(os.path.join(folder, name)) as f:
        return list(csv.DictReader(f))


def text(values):
    return [v.decode() if isinstance(v, bytes) else v for v in values]


class Flow:
    def __init__(self, header):
        self.header = header
        self.hops = []                                  # ports in the order of the way
        self.under_way = collections.defaultdict(list)  # of (seq, SYN or not): [sent at, hops behind] of each copy
        self.seen, self.count = set(), collections.Counter()
        self.delays, self.last, self.jitter = [], None, 0.0
        self.got, self.next, self.bytes_before = {}, 0, 0

    def take(self, time, port, seq, size, fate):
        packet, counts = (seq, size == self.header), time >= warm_s
        copies = self.under_way[packet]
        if port not in self.hops:
            self.hops.append(port)
        hop = self.hops.index(port)
        if hop == 0 and fate != RECEIVED:
            copies.append([time, 0])
            self.count['packets_sent'] += counts
            self.count['retransmissions'] += counts and packet in self.seen
            self.seen.add(packet)
        # Of copies that are as far the first to leave comes first; one that has just left is the last.
        copy = copies[-1] if hop == 0 and fate != RECEIVED else \
            next(c for c in copies if c[1] == (hop + 1 if fate == RECEIVED else hop))
        copy[1] = hop + 1
        self.count['packets_marked'] += counts and fate == 1
        if fate >= 2:
            copies.remove(copy)
            if fate == RECEIVED:
                self.receive(time, time - copy[0], seq, size - self.header, counts)
            else:
                self.count['packets_dropped'] += counts

    def receive(self, time, delay, seq, payload, counts):
        self.count['packets_received'] += counts
        if self.last is not None:
            self.jitter += (abs(delay - self.last) - self.jitter) / 16
        self.last = delay
        if counts:
            self.delays.append(delay)
        if self.header == UDP:
            self.next += payload
        else:
            if payload and seq >= self.next:
                self.got[seq] = payload
            while self.next in self.got:
                self.next += self.got.pop(self.next)
        if not counts:
            self.bytes_before = self.next

    def columns(self, start_s, finish_s):
        received = self.next - self.bytes_before
        out = {name: self.count[name] for name in ('packets_sent', 'packets_received', 'packets_dropped', 'packets_marked')}
        out['received_bytes'] = received
        out['goodput_bps'] = 8 * received / (finish_s - max(start_s, warm_s))
        out['loss'] = self.count['packets_dropped'] / self.count['packets_sent']
        out['delay_mean_s'] = sum(self.delays) / len(self.delays)
        out['delay_min_s'], out['delay_max_s'] = min(self.delays), max(self.delays)
        out['jitter_s'] = self.jitter
        if self.header == TCP:
            out['retransmissions'] = self.count['retransmissions']
        return out


def main():
    listed = rows_of('flows.csv')
    with h5py.File(os.path.join(folder, 'packets.h5')) as f:
        names, of_row = text(f['flows/name'][:]), f['flows/row'][:].ravel()
        columns = [f['packets/' + c][:].ravel() for c in ('time_s', 'flow', 'port', 'seq', 'bytes', 'fate')]
    flows = {}
    for i, name in enumerate(names):
        if name.endswith(' data'):
            row = listed[int(of_row[i])]
            flows[i] = (row, Flow(UDP if row['protocol'] == 'udp' else TCP))
    for time, flow, port, seq, size, fate in zip(*columns):
        if int(flow) in flows:
            flows[int(flow)][1].take(time, int(port), int(seq), int(size), int(fate))
    compared = differ = 0
    for row, flow in flows.values():
        finish = float(row['end_s']) if row['end_s'] else end_s
        for name, want in flow.columns(float(row['start_s']), finish).items():
            got = float(row[name] or 'nan')
            unit = 1 if name.startswith('packets') else 1500 if name == 'received_bytes' else \
                12000 / (finish - warm_s) if name == 'goodput_bps' else \
                1 / flow.count['packets_sent'] if name == 'loss' else 0.01 * want
            compared += 1
            if not abs(got - want) <= SLACK * unit + 1e-8 * (1 + abs(want)):
                print(f"{row['class']}: {name} is {got:.12g}, the packets say {want:.12g}")
                differ += 1
    print(f'{compared} cells compared, {differ} differ')
    return differ != 0 or compared < 11


sys.exit(main())
