"""Speaks multicast DNS packet by packet: tells all that is heard on an interface, and sends what it is told to.

usage: mdns-wire.py INTERFACE ADDRESS

Each packet is a line: when it came, from where, its hop limit, its identifier, what it is, and its records, such as
  1700000000.123456 10.77.0.1:5353 hop-limit=255 id=0 query ?ANY:QU:name !SRV:name:120
with ? before questions, = answers, ! authorities and + additional records; a lifetime stands behind each, and "flush".
Names are in lower case with _ for spaces. What is typed, as to a shell, is sent to the group, a line each:
  ask PORT TYPE NAME [HOST]        a question, from that port; what comes back to another port than 5353 is told, too;
                                   with an address, to that host alone
  say PORT SOURCE NAME ID HOST     that a peer of that name is there, from that port and address of this host
  claim NAME PORT                  a service record for NAME, which contradicts who has it
Each line that was obeyed is followed by "sent" and when.
"""
import select
import shlex
import socket
import struct
import sys
import time

interface, address = sys.argv[1:3]
index = socket.if_nametoindex(interface)
TYPES = {"A": 1, "PTR": 12, "TXT": 16, "AAAA": 28, "SRV": 33, "NSEC": 47, "ANY": 255}
NAMES = {number: name for name, number in TYPES.items()}
GROUP, GROUP6, PORT = "224.0.0.251", "ff02::fb", 5353
TIMESTAMP, RECEIVE_HOP_LIMIT = 35, 12  # SO_TIMESTAMPNS and IP_RECVTTL of Linux, which Python does not name.


def encode(name):
    labels = [label.encode() for label in name.split(".")]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def decode(packet, offset):
    """A name, what follows it, and whether it is compressed."""
    labels, end = [], None
    while packet[offset]:
        if packet[offset] >= 0xC0:
            end = end or offset + 2
            offset = struct.unpack_from("!H", packet, offset)[0] & 0x3FFF
        else:
            labels.append(packet[offset + 1:offset + 1 + packet[offset]].decode())
            offset += 1 + packet[offset]
    return ".".join(labels).lower().replace(" ", "_"), end or offset + 1, end is not None


def describe(packet):
    number, flags, *counts = struct.unpack_from("!6H", packet)
    words = [f"id={number}", "response" if flags & 0x8000 else "query"]
    offset = 12
    if flags & 0x0200:
        words.append("truncated")
    for _ in range(counts[0]):
        name, offset, _ = decode(packet, offset)
        kind, group = struct.unpack_from("!2H", packet, offset)
        offset += 4
        words.append(f"?{NAMES.get(kind, kind)}:{'QU' if group & 0x8000 else 'QM'}:{name}")
    for sign, count in zip("=!+", counts[1:]):
        for _ in range(count):
            name, offset, _ = decode(packet, offset)
            kind, group, seconds, length = struct.unpack_from("!2HIH", packet, offset)
            offset += 10
            word = f"{sign}{NAMES.get(kind, kind)}:{name}:{seconds}"
            if group & 0x8000:
                word += ":flush"
            if kind == TYPES["SRV"] and decode(packet, offset + 6)[2]:
                word += ":compressed"
            offset += length
            words.append(word)
    return " ".join(words)


def record(name, kind, seconds, data, unique=True):
    return encode(name) + struct.pack("!2HIH", TYPES[kind], 0x8001 if unique else 1, seconds, len(data)) + data


def response(*records):
    return struct.pack("!6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def service(host, port):
    return struct.pack("!3H", 0, 0, port) + encode(host)


def say(name, identifier, host):
    kind = name.split(".", 1)[1]
    text = b"".join(bytes([len(entry)]) + entry.encode() for entry in ["_v=1", f"_id={identifier}"])
    return response(
        record(kind, "PTR", 4_500, encode(name), unique=False), record(name, "TXT", 4_500, text),
        record(name, "SRV", 120, service(f"{host}.local", 4711)), record(f"{host}.local", "A", 120, socket.inet_aton(address)))


def opened(port, source="", family=socket.AF_INET):
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.setsockopt(socket.SOL_SOCKET, TIMESTAMP, 1)
    if family == socket.AF_INET:
        made.setsockopt(socket.IPPROTO_IP, RECEIVE_HOP_LIMIT, 1)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, struct.pack("4s4si", b"", b"", index))
    else:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT, 1)
    made.bind((source, port))
    return made


def tell(listener):
    packet, ancillary, _, source = listener.recvmsg(9_000, 512)
    stamp = hop_limit = None
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == TIMESTAMP:
            seconds, nanoseconds = struct.unpack("2q", data)
            stamp = f"{seconds}.{nanoseconds:09}"
        if level in (socket.IPPROTO_IP, socket.IPPROTO_IPV6):
            hop_limit = struct.unpack("i", data)[0]
    place = f"{source[0].split('%')[0]}:{source[1]}"
    print(stamp, place, f"hop-limit={hop_limit}", describe(packet), flush=True)


def sender(port, source=""):
    """The socket of a port; one that is not that of multicast DNS hears what is sent to it alone."""
    if (port, source) not in senders:
        senders[port, source] = opened(port, source)
        if port != PORT:
            listeners.append(senders[port, source])
    return senders[port, source]


senders, listeners = {}, [opened(PORT)]
listeners[0].setsockopt(
    socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack("4s4si", socket.inet_aton(GROUP), b"", index))
senders[PORT, ""] = listeners[0]
with open(f"/proc/sys/net/ipv6/conf/{interface}/disable_ipv6") as setting:
    if setting.read().strip() == "0":
        listeners.append(opened(PORT, family=socket.AF_INET6))
        group = socket.inet_pton(socket.AF_INET6, GROUP6) + struct.pack("i", index)
        listeners[1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group)
print("ready", flush=True)
while True:
    for ready in select.select([sys.stdin.buffer.raw, *listeners], [], [])[0]:
        if ready is not sys.stdin.buffer.raw:
            tell(ready)
            continue
        line = shlex.split(ready.readline().decode())
        if not line:
            sys.exit()
        if line[0] == "ask":
            port, kind, name = int(line[1]), line[2], line[3]
            number = 0 if port == PORT else 4711
            head = struct.pack("!6H", number, 0, 1, 0, 0, 0)
            packet, out = head + encode(name) + struct.pack("!2H", TYPES[kind], 1), sender(port)
        elif line[0] == "say":
            packet, out = say(*line[3:]), sender(int(line[1]), line[2])
        else:
            packet, out = response(record(line[1], "SRV", 120, service("other.local", int(line[2])))), sender(PORT)
        before = time.time()
        target = line[4] if line[0] == "ask" and len(line) > 4 else GROUP
        out.sendto(packet, (target, PORT))
        print("sent", f"{before:.9f}", flush=True)
