"""Publishes an instance of a service through the Avahi daemon of this system, whose text can change.

usage: avahi-publish-text.py INSTANCE TYPE PORT KEY=VALUE…

What is typed is the instance's next text, KEY=VALUE with spaces between.
"""
import sys

import dbus

ANY, NO_FLAGS = dbus.Int32(-1), dbus.UInt32(0)
instance, kind, port, *words = sys.argv[1:]
bus = dbus.SystemBus()


def interface(path, name):
    return dbus.Interface(bus.get_object("org.freedesktop.Avahi", path), f"org.freedesktop.Avahi.{name}")


def text(words):
    return dbus.Array([dbus.ByteArray(word.encode()) for word in words], signature="ay")


group = interface(interface("/", "Server").EntryGroupNew(), "EntryGroup")
group.AddService(ANY, ANY, NO_FLAGS, instance, kind, "local", "", dbus.UInt16(int(port)), text(words))
group.Commit()
print("committed", flush=True)
for line in sys.stdin:
    group.UpdateServiceTxt(ANY, ANY, NO_FLAGS, instance, kind, "local", text(line.split()))
    print("changed", flush=True)
