"""Browses for a service, or publishes an instance of it, by python-zeroconf.

usage: zeroconf-peer.py ADDRESS SERVICE browse
       zeroconf-peer.py ADDRESS SERVICE publish INSTANCE PORT KEY=VALUE…

What is seen is printed, a line each. What is typed is the instance's next text, KEY=VALUE with spaces between; the end of
the input is its goodbye.
"""
import socket
import sys

from zeroconf import IPVersion, ServiceBrowser, ServiceInfo, Zeroconf

address, service, mode = sys.argv[1:4]
kind = f"_{service}._tcp.local."
zeroconf = Zeroconf(interfaces=[address], ip_version=IPVersion.V4Only)


def text(words):
    return dict(word.split("=", 1) for word in words)


class Listener:
    def show(self, what, name):
        info = zeroconf.get_service_info(kind, name, 3_000)
        if info is None:
            return print(what, name, "unresolved", flush=True)
        entries = sorted((key.decode(), (value or b"").decode()) for key, value in info.properties.items())
        words = " ".join(f"{key}={value}" for key, value in entries)
        print(what, name, f"{info.parsed_addresses()[0]}:{info.port}", words, flush=True)

    def add_service(self, _, __, name):
        self.show("added", name)

    def update_service(self, _, __, name):
        self.show("updated", name)

    def remove_service(self, _, __, name):
        print("removed", name, flush=True)


def info(words):
    return ServiceInfo(
        kind, f"{instance}.{kind}", port=int(port), addresses=[socket.inet_aton(address)], properties=text(words),
        server=f"z{port}.local.")


if mode == "browse":
    browser = ServiceBrowser(zeroconf, kind, Listener())
    print("browsing", flush=True)
    sys.stdin.read()
else:
    instance, port, *words = sys.argv[4:]
    zeroconf.register_service(info(words), allow_name_change=True)
    print("published", flush=True)
    for line in sys.stdin:
        zeroconf.update_service(info(line.split()))
        print("changed", flush=True)
zeroconf.close()
