#!/usr/bin/env python3
"""Connects to a peer again and again from many addresses of this host, and does not behave.

  strangers.py KIND ADDRESS PORT SECONDS FIRST-SOURCE COUNT

idle: says nothing. hello: begins a handshake over TLS, and no more. dribble: says a handshake byte by byte. garbage: says
what nobody understands. reset: leaves at once, rudely.
"""
import os
import selectors
import socket
import ssl
import struct
import sys
import time

kind, address, port, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
first = struct.unpack("!I", socket.inet_aton(sys.argv[5]))[0]
sources = [socket.inet_ntoa(struct.pack("!I", first + number)) for number in range(int(sys.argv[6]))]


def client_hello():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["earshot/1"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


class Stranger:
    def __init__(self, source):
        self.wire = socket.socket()
        self.wire.setblocking(False)
        self.wire.bind((source, 0))
        self.wire.connect_ex((address, port))
        self.rest = hello if kind in ("hello", "dribble") else os.urandom(2_000) if kind == "garbage" else b""
        self.due = 0.0

    def speak(self, now):
        """Says what is due; answers whether it is still of use."""
        if kind == "reset":
            self.wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        try:
            if self.rest and now >= self.due:
                count = 1 if kind == "dribble" else len(self.rest)
                count = self.wire.send(self.rest[:count])
                self.rest, self.due = self.rest[count:], now + 0.2
            return self.wire.recv(4_096) != b""
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False


hello = client_hello()
living = []
print("flooding", flush=True)
start, opened = time.monotonic(), 0
while (now := time.monotonic()) - start < seconds:
    # 2,000 new ones a second, and as many at once as descriptors allow.
    while opened < (now - start) * 2_000 and len(living) < 900:
        living.append(Stranger(sources[opened % len(sources)]))
        opened += 1
    kept = []
    for stranger in living:
        if stranger.speak(now):
            kept.append(stranger)
        else:
            stranger.wire.close()
    living = kept
    time.sleep(0.005)
print(f"opened {opened} connections", flush=True)
