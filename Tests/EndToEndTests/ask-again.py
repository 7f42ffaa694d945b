"""Asks for a service by multicast DNS, and at once again whenever it is answered; tells the hop limit of each answer.

usage: ask-again.py ADDRESS SERVICE ask|listen
"""
import socket
import struct
import sys

address, service, mode = sys.argv[1:4]
RECEIVE_HOP_LIMIT = 12  # IP_RECVTTL of Linux, which Python does not name.
group = "224.0.0.251"
labels = [f"_{service}", "_tcp", "local"]
name = b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"
query = struct.pack("!6H", 0, 0, 1, 0, 0, 0) + name + struct.pack("!2H", 12, 1)

shared = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
shared.setsockopt(socket.IPPROTO_IP, RECEIVE_HOP_LIMIT, 1)
shared.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
shared.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
shared.bind(("", 5353))
membership = socket.inet_aton(group) + socket.inet_aton(address)
shared.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
shared.settimeout(0.5)
print("ready", flush=True)
for _ in range(1_000):
    if mode == "ask":
        shared.sendto(query, (group, 5353))
    while True:
        try:
            packet, ancillary, _, _ = shared.recvmsg(9_000, 64)
        except TimeoutError:
            break
        if packet[2] & 0x80 and name[:-1] in packet:
            print("answer, hop limit", struct.unpack("i", ancillary[0][2])[0], flush=True)
            break
