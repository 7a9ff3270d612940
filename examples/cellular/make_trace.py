"""Makes a packet-delivery trace of a link whose rate wanders as that of a mobile phone does, in Mahimahi's format.

  make_trace.py MEAN_MBPS SECONDS SEED [CORRELATION_S] > down.trace

Each millisecond has a Poisson number of delivery opportunities of 1504 bytes. The logarithm of their rate is an
Ornstein-Uhlenbeck process, one second long unless said otherwise and with a deviation of 0.6, and is stopped for 0.3 s on the mean each 8 s (both
exponential), as by a handover. Nothing of it is measured: for measured traces see docs/packet-network.md.
"""
import math
import random
import sys

DEVIATION, UP_S, DOWN_S, BYTES = 0.6, 8.0, 0.3, 1504


def opportunities(mean_mbps, seconds, seed, correlation_s=1.0):
    rng = random.Random(seed)
    keep = math.exp(-1e-3 / correlation_s)
    step = DEVIATION * math.sqrt(1.0 - keep * keep)
    x, up, left = 0.0, True, rng.expovariate(1.0 / UP_S)
    for ms in range(1, int(1000 * seconds) + 1):
        x = keep * x + step * rng.gauss(0.0, 1.0)
        left -= 1e-3
        if left <= 0.0:
            up = not up
            left = rng.expovariate(1.0 / (UP_S if up else DOWN_S))
        per_ms = mean_mbps * 1e3 / (8 * BYTES) * math.exp(x - DEVIATION * DEVIATION / 2)
        due = rng.expovariate(1.0)
        while up and due < per_ms:
            yield ms
            due += rng.expovariate(1.0)
    yield ms  # ends, and repeats, here


if __name__ == "__main__":
    for at in opportunities(float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), *map(float, sys.argv[4:])):
        print(at)
