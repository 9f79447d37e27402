"""The wire form of docs/protocol.md §1, written a second time and from the document alone."""

import hashlib
import zlib
from dataclasses import dataclass

CREATION, DELETION, REGISTER, ANNOTATION = 0, 1, 2, 3
KINDS = {"null": 0, "bool": 1, "int": 2, "double": 3, "text": 4, "bytes": 5, "date": 6, "uuid": 7,
         "reference": 8, "blob": 9}
NAMES = {number: name for name, number in KINDS.items()}


class Malformed(Exception):
    """Bytes that no replica would send."""


@dataclass(frozen=True)
class Cell:
    """One write: a field's value, by whom and when."""
    field: int
    merge: int
    kind: int
    site: bytes
    seq: int
    stamp: int
    replaced: int
    data: bytes

    @property
    def order(self):
        """The later write has the greater order."""
        return (self.stamp, self.site, self.seq, self.kind, self.data, self.replaced)


@dataclass(frozen=True)
class Change:
    """A cell of a record."""
    entity: int
    record: bytes
    cell: Cell


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def vector(entries):
    return varint(len(entries)) + b"".join(
        site + varint(seq) for site, seq in sorted(entries.items()))


def _cell(cell, sites):
    return (varint(cell.field) + bytes([cell.merge, cell.kind]) + varint(sites.index(cell.site))
            + varint(cell.seq) + cell.stamp.to_bytes(8, "big")
            + varint(cell.stamp - cell.replaced if cell.replaced else 0)
            + varint(len(cell.data)) + cell.data)


def message(kind, body):
    return bytes([1, kind]) + body


def hello(space, site, seq, is_leaf=True):
    return message(1, space + site + bytes([is_leaf]) + varint(seq))


def features(*types):
    return message(15, varint(len(types)) + bytes(types))


def pull(position, held, is_beyond=False):
    """What is held of each site, or beyond the position; the sites, by their bytes, get the next numbers of the
    session."""
    return message(18 if is_beyond else 2, varint(len(position)) + position + b"\x01" + vector(held))


def changes(items):
    """One message of changes; those of one record must stand together."""
    sites = list(dict.fromkeys(item.cell.site for item in items))
    out = varint(len(sites)) + b"".join(sites)
    groups = []
    for item in items:
        if not groups or (groups[-1][0].entity, groups[-1][0].record) != (item.entity, item.record):
            groups.append([])
        groups[-1].append(item)
    for group in groups:
        out += varint(group[0].entity) + group[0].record + varint(len(group))
        out += b"".join(_cell(item.cell, sites) for item in group)
    return message(3, out)


def push_end(cursor, raised, numbers=None):
    """The end of a push; `numbers` are the sites that this side has named, in their order."""
    numbers = [] if numbers is None else numbers
    out = varint(cursor) + varint(0) + varint(len(raised))
    for site, seq in sorted(raised.items()):
        if site in numbers:
            out += varint(numbers.index(site) + 1) + varint(seq)
        else:
            numbers.append(site)
            out += varint(0) + site + varint(seq)
    return message(4, out)


def acknowledge(cursor):
    return message(5, varint(cursor))


def pong(number):
    return message(8, number.to_bytes(4, "big"))


def presence(entries, is_whole=False):
    """What a device shows: (key, kind, bytes, whether it is said once) of each."""
    out = bytes([is_whole]) + varint(len(entries))
    for key, kind, data, is_message in entries:
        out += bytes(8) + bytes([is_message]) + varint(len(key)) + key.encode()
        out += bytes([kind]) + varint(len(data)) + data
    return message(20, out)


def standing(acknowledged=0, arrival=0, replicas=()):
    """How far this side has come: (device, changes, blobs, missing hashes, seconds of silence or None)."""
    out = varint(acknowledged) + varint(arrival) + varint(len(replicas))
    for device, changes, blobs, missing, silence in replicas:
        out += device + varint(changes) + varint(blobs) + varint(len(missing)) + b"".join(missing)
        out += varint(0 if silence is None else silence + 1)
    return message(17, out)


def digest(entity, record, cells):
    """The sixteen bytes of a record in an audit (2.26)."""
    out = entity.to_bytes(4, "big") + record
    for cell in sorted(cells, key=lambda cell: (cell.field, cell.merge, cell.site, cell.seq)):
        out += cell.field.to_bytes(4, "big") + bytes([cell.merge, cell.kind]) + cell.site
        out += b"".join(number.to_bytes(8, "big") for number in (cell.seq, cell.stamp, cell.replaced))
        out += len(cell.data).to_bytes(4, "big") + cell.data
    return hashlib.sha256(out).digest()[:16]


def audit_sum(number, digests):
    """Asks for a comparison of all records by their sum."""
    total = sum(int.from_bytes(each, "big") for each in digests) % (1 << 128)
    return message(26, bytes([0]) + varint(number) + varint(0) + varint(1)
                   + bytes([0 | 4]) + varint(0) + varint(len(digests)) + total.to_bytes(16, "big"))


def audit_list(number, digests):
    """Asks for a comparison of all records by a list, {(entity, record): digest}."""
    return message(26, bytes([0]) + varint(number) + varint(0) + varint(1)
                   + bytes([1 | 4]) + varint(0) + varint(len(digests))
                   + b"".join(varint(entity) + record + each for (entity, record), each in digests.items()))


class Reader:
    """Reads a message from its front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        if self.at + count > len(self.data):
            raise Malformed("The message ends too early.")
        self.at += count
        return self.data[self.at - count:self.at]

    def integer(self, count):
        return int.from_bytes(self.bytes(count), "big")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.integer(1)
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def vector(self):
        return {self.bytes(16): self.varint() for _ in range(self.varint())}

    def sites(self):
        return [self.bytes(16) for _ in range(self.varint())]

    def audited(self):
        """A part of an audit: (what, count or names); where the ranges are is skipped."""
        kind = self.integer(1)
        for _ in range((kind >> 2 & 1) + (kind >> 3)):
            self.bytes(self.varint())
        match kind & 3:
            case 0:
                return "sum", (self.varint(), self.bytes(16))
            case 1:
                return "records", {(self.varint(), self.bytes(16)): self.bytes(16) for _ in range(self.varint())}
            case _:
                return "differing", [(self.varint(), self.bytes(16)) for _ in range(self.varint())]

    def cell(self, sites):
        field, merge, kind = self.varint(), self.integer(1), self.integer(1)
        site, seq, stamp = sites[self.varint()], self.varint(), self.integer(8)
        distance = self.varint()
        data = self.bytes(self.varint())
        return Cell(field, merge, kind, site, seq, stamp, stamp - distance if distance else 0, data)


def decode(data):
    """A message as (name, parts); unknown types are ("unknown", type)."""
    reader = Reader(data)
    if reader.integer(1) != 1:
        raise Malformed("The message is of another version.")
    kind = reader.integer(1)
    match kind:
        case 1:
            return "hello", (reader.bytes(16), reader.bytes(16), reader.integer(1), reader.varint())
        case 2:
            position, is_whole = reader.bytes(reader.varint()), reader.integer(1)
            return "pull", (position, reader.vector(), bool(is_whole))
        case 3:
            sites, found = reader.sites(), []
            while reader.at < len(data):
                entity, record = reader.varint(), reader.bytes(16)
                found += [Change(entity, record, reader.cell(sites))
                          for _ in range(reader.varint())]
            return "changes", found
        case 4:
            cursor, position, raised = reader.varint(), reader.bytes(reader.varint()), []
            for _ in range(reader.varint()):
                number = reader.varint()
                raised.append((number - 1 if number else reader.bytes(16), reader.varint()))
            return "push_end", (cursor, position, raised)
        case 5:
            return "acknowledge", reader.varint()
        case 6:
            return "refused", [(reader.varint(), reader.bytes(16), reader.vector(),
                                reader.bytes(reader.varint()).decode())
                               for _ in range(reader.varint())]
        case 7 | 8:
            return ("ping", "pong")[kind - 7], reader.integer(4)
        case 12:
            return "have", [reader.bytes(32) for _ in range(reader.varint())]
        case 13:
            return "bye", (reader.integer(2), reader.bytes(reader.varint()).decode())
        case 14:
            return "fragment", (bool(reader.integer(1)), reader.bytes(reader.varint()))
        case 15:
            return "features", list(reader.bytes(reader.varint()))
        case 18:
            position, is_whole = reader.bytes(reader.varint()), reader.integer(1)
            return "pull_beyond", (position, reader.vector(), bool(is_whole))
        case 17:
            acknowledged, arrival, replicas = reader.varint(), reader.varint(), []
            for _ in range(reader.varint()):
                device, changes, blobs = reader.bytes(8), reader.varint(), reader.varint()
                missing = [reader.bytes(32) for _ in range(reader.varint())]
                silence = reader.varint()
                replicas.append((device, changes, blobs, missing, silence - 1 if silence else None))
            return "standing", (acknowledged, arrival, replicas)
        case 19:
            return "name_all", None
        case 20:
            is_whole, entries = bool(reader.integer(1)), []
            for _ in range(reader.varint()):
                device, is_message = reader.bytes(8), bool(reader.integer(1))
                key, kind = reader.bytes(reader.varint()).decode(), reader.integer(1)
                entries.append((device, key, kind, reader.bytes(reader.varint()), is_message))
            return "presence", (is_whole, entries)
        case 21:
            return "part", (reader.varint(), reader.bytes(reader.varint()))
        case 26:
            kind, number, answered = reader.integer(1), reader.varint(), reader.varint()
            return "audit", (kind, number, answered, [reader.audited() for _ in range(reader.varint())])
        case 16:
            return "later", (reader.varint(), reader.bytes(reader.varint()).decode())
    return "unknown", kind


def block(data):
    """A block's server, position, vector and changes (docs/protocol.md 6)."""
    reader = Reader(data)
    head = reader.bytes(56)
    if head[:5] != b"RBLK\x01":
        raise Malformed("The block is of another version.")

    def frame():
        deflated, count = reader.integer(4), reader.integer(4)
        found = zlib.decompress(reader.bytes(deflated))
        if len(found) != count:
            raise Malformed("A part does not have its bytes.")
        return Reader(found)

    found = [change for _ in range(int.from_bytes(head[48:52], "big")) for change in part(frame())]
    end = frame()
    if end.bytes(56) != head or reader.at != len(data):
        raise Malformed("The block is damaged.")
    position = end.bytes(end.integer(4))
    vector = {end.bytes(16): end.integer(8) for _ in range(end.integer(4))}
    return head[24:40], position, vector, found


def part(reader):
    """The changes of an inflated part of a block."""
    def stream():
        return Reader(reader.bytes(reader.varint()))

    def difference(numbers, base):
        number = numbers.varint()
        return (base + (number >> 1 ^ -(number & 1))) % (1 << 64)

    sites = reader.sites()
    columns = [(reader.varint(), reader.varint(), reader.integer(1), reader.integer(1))
               for _ in range(reader.varint())]
    shapes = [[reader.varint() for _ in range(reader.varint())] for _ in range(reader.varint())]
    numbers, kinds = stream(), []
    while numbers.at < len(numbers.data):
        kinds.append(shapes[numbers.varint()])
    uppers, high, ids = stream(), 0, []
    for _ in kinds:
        high = difference(uppers, high)
        ids.append(high.to_bytes(8, "big") + reader.bytes(8))
    places, seqs, times, counters, replaced, replaced_counters = [stream() for _ in range(6)]
    last, time, counter, distance, clocks = [0] * len(sites), 0, 0, 0, []
    for _ in (column for kind in kinds for column in kind):
        place = places.varint()
        last[place] = difference(seqs, last[place] + 1)
        time, counter = difference(times, time), difference(counters, counter)
        before, between = 0, replaced.varint()
        if between:
            distance = (distance + (between - 1 >> 1 ^ -(between - 1 & 1))) % (1 << 64)
            before = time - distance << 16 | difference(replaced_counters, counter)
        clocks.append((sites[place], last[place], time << 16 | counter, before))
    values = {place: iter(_values(reader, sum(kind.count(place) for kind in kinds)))
              for place in range(len(columns))}
    found, clock = [], iter(clocks)
    for record, kind in zip(ids, kinds):
        for place in kind:
            entity, field, merge, value_kind = columns[place]
            site, seq, stamp, before = next(clock)
            cell = Cell(field, merge, value_kind, site, seq, stamp, before, next(values[place]))
            found.append(Change(entity, record, cell))
    return found


def _values(reader, count):
    match reader.integer(1):
        case 0:
            return [b""] * count
        case 1:
            found, last = [], 0
            for _ in range(count):
                number = reader.varint()
                last = (last + (number >> 1 ^ -(number & 1))) % (1 << 64)
                found.append(last.to_bytes(8, "big"))
            return found
        case 2:
            width = reader.varint()
            return [reader.bytes(width) for _ in range(count)]
        case _:
            lengths = Reader(reader.bytes(reader.varint()))
            return [reader.bytes(lengths.varint()) for _ in range(count)]


def encode_value(kind, value):
    """The (kind number, bytes) of a value; None is null."""
    if value is None:
        return KINDS["null"], b""
    match kind:
        case "bool":
            data = bytes([value])
        case "int" | "date":
            data = value.to_bytes(8, "big", signed=True)
        case "text":
            data = value.encode()
        case "blob" if isinstance(value, bytes):
            # Kept in the record.
            data = value + b"\xff"
        case "blob":
            data = bytes.fromhex(value[0]) + varint(value[1])
        case _:
            data = value
    return KINDS[kind], data


def decode_value(kind, data):
    """The value of a cell's bytes: int, str, bytes, or (hash, size) for a blob."""
    match NAMES.get(kind):
        case "null":
            return None
        case "bool":
            return data[0] != 0
        case "int" | "date":
            return int.from_bytes(data, "big", signed=True)
        case "text":
            return data.decode()
        case "blob" if data.endswith(b"\xff"):
            return data[:-1]
        case "blob":
            return data[:32].hex(), Reader(data[32:]).varint()
    return data
