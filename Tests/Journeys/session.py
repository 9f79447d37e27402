"""A leaf: a copy of a space, and the conversation that keeps it equal (docs/protocol.md §2)."""

import json
import os
import queue
import secrets
import threading
import time
import zlib

from websockets.exceptions import WebSocketException

import codec
from codec import ANNOTATION, CREATION, DELETION, REGISTER, Cell, Change
from journey import PATIENCE


PULL_BEYOND, NAME_ALL, PRESENCE, STANDING, PART, AUDIT = 18, 19, 20, 17, 21, 26


class _Line:
    """A socket that answers pings, and says that it is there while much comes in (docs/protocol.md 2.10)."""

    def __init__(self, socket, sizes=None):
        self.socket, self._heard, self._fragments = socket, queue.SimpleQueue(), b""
        self._sizes = sizes
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        said = time.monotonic()
        try:
            while True:
                data = self.socket.recv()
                name, parts = codec.decode(data)
                if self._sizes is not None:
                    self._sizes.append((name, len(data)))
                if name not in ("ping", "pong") and time.monotonic() - said > 5:
                    said = time.monotonic()
                    self.socket.send(codec.pong(0))
                if name == "fragment":
                    is_last, part = parts
                    self._fragments += part
                    if not is_last:
                        continue
                    name, parts = codec.decode(self._fragments)
                    self._fragments = b""
                if name == "ping":
                    self.socket.send(codec.pong(parts))
                else:
                    self._heard.put((name, parts))
        except Exception as error:
            self._heard.put(error)

    def send(self, data):
        self.socket.send(data)

    def recv(self, seconds):
        """The next message; raises what the socket ended with."""
        try:
            heard = self._heard.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError("The server did not answer in time.") from None
        if isinstance(heard, Exception):
            self._heard.put(heard)
            raise heard
        return heard

    def close(self):
        self.socket.close()


class Session:
    """A leaf's copy of a space, and the conversation that keeps it equal to the server's."""

    def __init__(self, member, space=None):
        self.member, self.space = member, space or member.space
        self.site = member.device + secrets.token_bytes(8)
        self.model = {entity["name"]: entity for entity in
                      json.loads(member.get("/model.json"))["entities"]}
        self.records, self.vector, self.positions = {}, {}, {}
        self.seq = self.last = self.pushed = 0
        self.own, self.acknowledged, self.refused, self.byes = [], 0, [], []
        # The blobs that the server has told of.
        self.arrived = set()
        # Where it is a list: the messages that come, by their names, and their bytes.
        self.sizes = None
        # Whether a first push may bring a block.
        self.takes_parts = False
        # Whether it audits, and what it was told so: the answers, and the names of what came whole.
        self.audits, self.answers, self.brought = False, [], []
        # Whether the server answers audits.
        self.is_audited = False
        self._socket = None

    def take(self, block):
        """Takes a block into a copy that holds nothing."""
        server, position, self.vector, changes = codec.block(block)
        self.positions = {server: position}
        for change in changes:
            self._merge(change)

    # What is held.

    def fields(self, entity, record):
        """The values of a record by name; None where it is unknown or deleted."""
        number = self.model[entity]["number"]
        cells = self.records.get((number, record), {})
        if not self._is_alive(cells):
            return None
        names = {field["number"]: field["name"] for field in self.model[entity]["fields"]}
        return {names[cell.field]: codec.decode_value(cell.kind, cell.data)
                for cell in cells.values()
                if cell.merge in (REGISTER, ANNOTATION) and cell.field in names}

    @staticmethod
    def _is_alive(cells):
        seen = {}
        for cell in cells.values():
            if cell.merge == DELETION:
                for site, seq in codec.Reader(cell.data).vector().items():
                    seen[site] = max(seq, seen.get(site, 0))
        return any(cell.merge not in (DELETION, ANNOTATION) and cell.seq > seen.get(cell.site, 0)
                   for cell in cells.values())

    def digests(self):
        """What an audit compares: the digest of each living record by its name."""
        return {name: codec.digest(*name, cells.values())
                for name, cells in self.records.items() if self._is_alive(cells)}

    def all(self, entity):
        """The living records of an entity: values by id."""
        number = self.model[entity]["number"]
        found = {record: self.fields(entity, record)
                 for other, record in list(self.records) if other == number}
        return {record: values for record, values in found.items() if values is not None}

    def _merge(self, change):
        cells = self.records.setdefault((change.entity, change.record), {})
        cell = change.cell
        slot = REGISTER if cell.merge == ANNOTATION else cell.merge
        key = (cell.field, slot) + ((cell.site, cell.seq) if cell.merge == DELETION else ())
        held = cells.get(key)
        if held is None or (held.order < cell.order) == (cell.merge != CREATION):
            cells[key] = cell

    # What is written.

    def write(self, *writes):
        """One transaction of (entity, id, values or None for a delete, creates); not yet sent."""
        now = time.time_ns() // 1_000_000 << 16
        touched = [cell.stamp for entity, record, *_ in writes for cell in
                   self.records.get((self.model[entity]["number"], record), {}).values()]
        stamp = self.last = max(now, max([self.last, *touched]) + 1)
        for entity, record, values, creates in writes:
            number = self.model[entity]["number"]
            held = self.records.get((number, record), {})
            def put(field, merge, kind, data, replaced=0):
                self.seq += 1
                cell = Cell(field, merge, kind, self.site, self.seq, stamp, replaced, data)
                self.own.append(Change(number, record, cell))
                self._merge(self.own[-1])
            if creates:
                put(0, CREATION, 0, b"")
            if values is None:
                seen = {}
                for cell in held.values():
                    seen[cell.site] = max(cell.seq, seen.get(cell.site, 0))
                put(0, DELETION, codec.KINDS["bytes"], codec.vector(seen))
                continue
            for field in self.model[entity]["fields"]:
                if creates or field["name"] in values:
                    kind, data = codec.encode_value(
                        codec.NAMES[field["kind"]], values.get(field["name"]))
                    before = held.get((field["number"], REGISTER))
                    put(field["number"], REGISTER, kind, data, before.stamp if before else 0)
        self.vector[self.site] = self.seq

    def create(self, entity, values, record=None):
        record = record or new_id()
        self.write((entity, record, values, True))
        return record

    def set(self, entity, record, values):
        self.write((entity, record, values, False))

    def delete(self, entity, record):
        self.write((entity, record, None, False))

    # The conversation.

    def connect(self):
        """Connects, and returns when what the server held is here."""
        self._socket = _Line(self.member.websocket(self.space), self.sizes)
        self._staged, self._markers, self._caught_up = [], [], False
        self._server, self._theirs, self._told = None, None, {}
        self._pushes, self._our_numbers, self._their_numbers = {}, [], []
        self._takes_beyond = False
        self.present_others = {}
        self.standing = None
        self._socket.send(codec.features(
            PULL_BEYOND, NAME_ALL, PRESENCE, STANDING, *[PART] * self.takes_parts, *[AUDIT] * self.audits))
        self._socket.send(codec.hello(self.space, self.site, self.seq))
        self.run(lambda: self._caught_up and self._theirs is not None)
        return self

    def close(self):
        if self._socket:
            self._socket.close()
        self._socket = None

    def run(self, until):
        """Answers messages until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not until():
            left = max(0, deadline - time.monotonic())
            try:
                self._perform(*self._socket.recv(left))
            except WebSocketException as error:
                raise ConnectionError(f"{error} {self.byes}") from error

    def present(self, entries, is_whole=False):
        """Shows values, (key, kind, bytes, whether it is said once) of each."""
        self._socket.send(codec.presence(entries, is_whole))

    def ask_standing(self):
        """Asks to be told what stands where (docs/protocol.md 2.23), as a leaf."""
        self._socket.send(codec.standing())

    def reach(self):
        """How many devices have all that was written here and is on the server; None while that is not known."""
        if not self.standing or self._pushes.get(self.standing[0], 0) < self.seq:
            return None
        _, arrival, replicas = self.standing
        return sum(device != bytes(8) and min(changes, blobs) >= arrival and not missing
                   for device, changes, blobs, missing, _ in replicas)

    def audit(self, by_list=False):
        """Compares all records with the server's (docs/protocol.md 2.26); the parts of its answer."""
        number = len(self.answers) + 1
        digests = self.digests()
        self._socket.send(codec.audit_list(number, digests) if by_list
                          else codec.audit_sum(number, digests.values()))
        self.run(lambda: len(self.answers) == number)
        return self.answers[-1]

    def push(self):
        """Sends what the server lacks of what was written here; the cursor that ends it."""
        lacking = [change for change in self.own
                   if change.cell.seq > self._theirs.get(self.site, 0)]
        part, size = [], 0
        for change in lacking:
            part.append(change)
            size += len(change.cell.data) + 60
            if size > 12_000:
                self._socket.send(codec.changes(part))
                part, size = [], 0
        if part:
            self._socket.send(codec.changes(part))
        self.pushed += 1
        self._pushes[self.pushed] = self.seq
        self._socket.send(codec.push_end(
            self.pushed, {self.site: self.seq} if self.seq else {}, self._our_numbers))
        self._theirs = self._theirs | {self.site: self.seq}
        return self.pushed

    def settle(self):
        """Pushes, and returns when the server has all of it on disk."""
        seq = self.seq
        self.push()
        self.run(lambda: self.acknowledged >= seq)
        self.own = [change for change in self.own if change.cell.seq > self.acknowledged]
        return self

    def _perform(self, name, parts):
        match name:
            case "hello":
                self._server = parts[1]
                self._pull(is_beyond=self._takes_beyond)
            case "features":
                self._takes_beyond = {PULL_BEYOND, NAME_ALL} <= set(parts)
                self.is_audited = AUDIT in parts
            case "name_all":
                self._pull()
                # What was pushed so far went for nothing.
                self._theirs = dict(self._told)
                if self.own:
                    self.push()
            case "pull":
                self._told |= parts[1]
                self._their_numbers += sorted(parts[1])
                if not parts[2]:
                    return
                self._theirs = self._told
                self.acknowledged = max(self.acknowledged, self._theirs.get(self.site, 0))
                if self.own:
                    self.push()
            case "changes":
                self._staged += parts
            case "part":
                count, data = parts
                found = zlib.decompress(data)
                if len(found) != count:
                    raise codec.Malformed("A part does not have its bytes.")
                self._staged += codec.part(codec.Reader(found))
            case "refused":
                self._markers += parts
            case "push_end":
                self._apply(*parts)
            case "acknowledge":
                self.acknowledged = max(self.acknowledged, self._pushes.get(parts, 0))
            case "have":
                self.arrived.update(parts)
            case "later":
                self.later = parts
            case "presence":
                self._see(*parts)
            case "standing":
                self.standing = parts
            case "audit":
                kind, number, _, found = parts
                if kind == 3:
                    self.brought += [name for _, names in found for name in names]
                elif number == len(self.answers) + 1:
                    self.answers.append(found if kind == 1 else "busy")
            case "bye":
                self.byes.append(parts)

    def _see(self, is_whole, entries):
        """Notes what others show (docs/protocol.md 2.22)."""
        if is_whole:
            self.present_others = {}
        for device, key, kind, data, is_message in entries:
            values = self.present_others.setdefault(device, {})
            if not is_message:
                values.pop(key, None) if kind == 0 else values.update({key: data})
            if not values:
                del self.present_others[device]

    def _pull(self, is_beyond=False):
        """Says what is held: beyond the server's position, what this device wrote (docs/protocol.md 2.21)."""
        position = self.positions.get(self._server, b"")
        is_beyond = is_beyond and bool(position)
        held = {site: seq for site, seq in self.vector.items() if not is_beyond or site.startswith(self.member.device)}
        self._our_numbers = sorted(held)
        self._socket.send(codec.pull(position, held, is_beyond))

    def _apply(self, cursor, position, raised):
        """Takes in a push: what was refused goes, what it brought stands."""
        for entity, record, sent, _ in self._markers:
            held = self.records.get((entity, record), {})
            self.records[entity, record] = {
                key: cell for key, cell in held.items()
                if not cell.site.startswith(self.member.device)
                or cell.seq > sent.get(cell.site, 0)}
        self.refused += self._markers
        for change in self._staged:
            self._merge(change)
            self.last = max(self.last, change.cell.stamp)
        self._staged, self._markers = [], []
        for name, seq in raised:
            if isinstance(name, bytes):
                self._their_numbers.append(name)
            site = name if isinstance(name, bytes) else self._their_numbers[name]
            self.vector[site] = max(seq, self.vector.get(site, 0))
        self.positions = {self._server: position}
        self._socket.send(codec.acknowledge(cursor))
        self._caught_up = True


def new_id():
    """A record id: 48 bits of milliseconds, then 80 random bits."""
    return (time.time_ns() // 1_000_000).to_bytes(6, "big") + os.urandom(10)
