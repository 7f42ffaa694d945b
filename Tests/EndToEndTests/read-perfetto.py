"""Reads a trace of Perfetto by the rules of Protocol Buffers alone, and says what is in it."""
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    at, found = 0, {}
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at : at + 8], "little"), at + 8
        elif kind == 2:
            count, at = varint(data, at)
            value, at = data[at : at + count], at + count
            assert len(value) == count, "a message ends too early"
        else:
            raise ValueError(f"wire type {kind}")
        found.setdefault(tag >> 3, []).append(value)
    return found


names, tracks, open_slices, flows = {}, {}, {}, {}
lines, unmatched = set(), 0
for packet in map(fields, fields(open(sys.argv[1], "rb").read())[1]):
    for data in map(fields, packet.get(12, [])):
        for entry in map(fields, data.get(2, [])):
            names[entry[1][0]] = entry[2][0].decode()
    for track in map(fields, packet.get(60, [])):
        tracks[track[1][0]] = track[2][0].decode()
        lines.add(f"track {track[2][0].decode()}")
    for event in map(fields, packet.get(11, [])):
        kind, track = event[9][0], event[11][0]
        assert track in tracks, "an event on a track that is not described"
        if kind == 1:
            open_slices[track] = open_slices.get(track, 0) + 1
            lines.add(f"slice {names[event[10][0]]}")
        elif kind == 2:
            open_slices[track] = open_slices.get(track, 0) - 1
            unmatched += open_slices[track] < 0
        elif kind == 3:
            assert event[10][0] in names
        for flow in event.get(47, []):
            flows[flow] = flows.get(flow, 0) + 1
        for flow in event.get(48, []):
            assert flow in flows, "an arrow that begins nowhere"
            flows[flow] -= 1
print("\n".join(sorted(lines)))
print("unmatched slices", unmatched + sum(abs(count) for count in open_slices.values()))
# Packets that are on their way at the end of the run do not arrive.
print("flows without an end", sum(count < 0 for count in flows.values()))
