#!/usr/bin/env python3
"""Measures how Linux's TCP does over slow links: the figures in LinuxComparisonTests.swift.

Each case has three network namespaces in a row, sender, router and receiver, joined by veth pairs without
offloads. The router's two interfaces have a token bucket (tbf) of the rate with a queue of 256 KiB; the ends
drop incoming packets by chance (nft, numgen random). The sender writes whatever the socket takes. Printed a
line a case: congestion control, rate in kbit/s, loss in percent, goodput in kbit/s as the receiving program
saw it, bytes sent again in percent of the bytes sent (TCP_INFO: bytes_retrans, bytes_sent), both of these.

All cases run at once. Needs root, iproute2, nftables and ethtool. What the test's table was made with:
  linux-tcp.py --seconds 120 --repeats 3 [--windows 204800 | 262144]
"""
import argparse
import ctypes
import os
import select
import socket
import struct
import subprocess
import sys
import time

RATES = [16, 32, 64, 96, 128, 256, 512, 1024]
arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--seconds", type=float, default=120)
arguments.add_argument("--repeats", type=int, default=3)
arguments.add_argument("--congestion", default="reno")
arguments.add_argument("--loss", type=float, nargs="*", default=[0, 1, 10])
arguments.add_argument("--rates", type=int, nargs="*", default=RATES)
arguments.add_argument("--windows", type=int, default=0, help="half of the largest tcp_rmem; 0: the default")
options = arguments.parse_args()
libc = ctypes.CDLL(None, use_errno=True)


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def enter(name):
    with open(f"/run/netns/{name}") as handle:
        if libc.setns(handle.fileno(), 0x40000000) != 0:
            raise OSError(ctypes.get_errno(), "setns")


def set_up(tag, rate, loss):
    a, r, b = tag + "a", tag + "r", tag + "b"
    for name in (a, r, b):
        run("ip", "netns", "add", name)
    # Neighbours are permanent: an ARP reply behind a queue of half a minute comes too late.
    batch = f"""
link add e0 netns {a} address 02:00:00:00:00:01 type veth peer name e1 netns {r} address 02:00:00:00:00:11
link add e0 netns {b} address 02:00:00:00:00:02 type veth peer name e2 netns {r} address 02:00:00:00:00:12
"""
    subprocess.run(["ip", "-batch", "-"], input=batch.encode(), check=True)
    for name, lines in {
        a: ["addr add 10.1.0.2/24 dev e0", "link set e0 up", "route add default via 10.1.0.1", "neigh add 10.1.0.1 lladdr 02:00:00:00:00:11 dev e0 nud permanent"],
        b: ["addr add 10.2.0.2/24 dev e0", "link set e0 up", "route add default via 10.2.0.1", "neigh add 10.2.0.1 lladdr 02:00:00:00:00:12 dev e0 nud permanent"],
        r: ["addr add 10.1.0.1/24 dev e1", "addr add 10.2.0.1/24 dev e2", "link set e1 up", "link set e2 up", "neigh add 10.1.0.2 lladdr 02:00:00:00:00:01 dev e1 nud permanent", "neigh add 10.2.0.2 lladdr 02:00:00:00:00:02 dev e2 nud permanent"],
    }.items():
        plans[name] = "\n".join(lines) + "\n"
    for name in (r, a, b):
        subprocess.run(["ip", "-n", name, "-batch", "-"], input=plans[name].encode(), check=True)
    enter(r)
    open("/proc/sys/net/ipv4/ip_forward", "w").write("1")
    for device in ("e1", "e2"):
        run("ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off")
        run("tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", f"{rate}kbit", "burst", "1600", "limit", "262144")
    for name in (a, b):
        enter(name)
        run("ethtool", "-K", "e0", "tso", "off", "gso", "off", "gro", "off")
        if loss > 0:
            rules = "table inet f { chain in { type filter hook input priority 0; "
            rules += f"numgen random mod 1000 < {int(loss * 10)} drop; }}; }};"
            subprocess.run(["nft", "-f", "-"], input=rules.encode(), check=True)
        if options.windows:
            open("/proc/sys/net/ipv4/tcp_rmem", "w").write(f"4096 131072 {2 * options.windows}")
            open("/proc/sys/net/ipv4/tcp_wmem", "w").write(f"4096 16384 {2 * options.windows}")
    return a, b


plans = {}


def measure(tag, rate, loss, out):
    a, b = set_up(tag, rate, loss)
    enter(b)
    listener = socket.socket()
    listener.bind(("10.2.0.2", 7100))
    listener.listen()
    enter(a)
    client = socket.socket()
    client.setsockopt(socket.IPPROTO_TCP, 13, options.congestion.encode())
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.connect(("10.2.0.2", 7100))
    server, _ = listener.accept()
    client.setblocking(False)
    server.setblocking(False)
    start = time.monotonic()
    received, block = 0, b"x" * 65536
    while (left := start + options.seconds - time.monotonic()) > 0:
        readable, writable, _ = select.select([server], [client], [], min(left, 1))
        if readable:
            received += len(server.recv(1 << 20))
        if writable:
            try:
                client.send(block)
            except BlockingIOError:
                pass
    info = client.getsockopt(socket.IPPROTO_TCP, 11, 256)
    sent, retransmitted = struct.unpack_from("QQ", info, 200)
    goodput = received * 8 / options.seconds / 1000
    os.write(out, f"{options.congestion}\t{rate}\t{loss:g}\t{goodput:.2f}\t{100 * retransmitted / max(1, sent):.2f}\t{sent}\t{retransmitted}\n".encode())


reading, writing = os.pipe()
children, names = [], []
for repeat in range(options.repeats):
    for loss in options.loss:
        for rate in options.rates:
            tag = f"t{os.getpid()}x{len(children)}"
            names += [tag + "a", tag + "r", tag + "b"]
            child = os.fork()
            if child == 0:
                try:
                    measure(tag, rate, loss, writing)
                except BaseException as error:
                    print(tag, rate, loss, error, file=sys.stderr)
                os._exit(0)
            children.append(child)
            time.sleep(0.15)
os.close(writing)
lines = b""
while more := os.read(reading, 65536):
    lines += more
for child in children:
    os.waitpid(child, 0)
for name in names:
    subprocess.run(["ip", "netns", "del", name])
for line in sorted(lines.decode().splitlines(), key=lambda l: (float(l.split("\t")[2]), int(l.split("\t")[1]))):
    print(line)
