"""The server is killed again and again while three clients write and upload."""

import contextlib
import hashlib
import http.client
import os
import random
import threading

from websockets.exceptions import WebSocketException

import photos
from album import Album, blob_files
from journey import PATIENCE, Group, ensure, pause, until
from member import Member, Upload
from session import Session

FULL = os.environ.get("REUNION_FAULTS") == "full"
KILLS = photos.slices(10, 200)
LOST = (OSError, http.client.HTTPException, WebSocketException)


@contextlib.contextmanager
def running():
    with Album() as album:
        yield album


group = Group(running)


class Writer(threading.Thread):
    """Writes records and uploads photos, and remembers what was acknowledged."""

    def __init__(self, album, number, may_go):
        super().__init__(daemon=True)
        self.may_go = may_go
        self.noise = random.Random(number)
        self.member = Member(album.guests)
        self.session = Session(self.member)
        self.records, self.hashes = {}, set()
        self.is_over, self.problem, self.reconnects = False, None, 0
        self._upload = None
        self._photo = photos.unique(number, 160, 120)
        self._large = photos.half_megabyte().read_bytes()

    def run(self):
        while not self.is_over:
            try:
                self.may_go.wait()
                self.session.connect()
                self.reconnects += 1
                while not self.is_over:
                    self._step()
            except LOST:
                pause(0.01, "the server is on its way back")
            except Exception as error:
                self.problem = error
                return
            finally:
                self.session.close()

    def _step(self):
        if self._upload is None and self.noise.random() < 0.2:
            base = self._large if self.noise.random() < 0.1 else self._photo
            self._upload = Upload(self.member, photos.commented(base, self.noise.randbytes(16)))
        if self._upload:
            answer = self._upload.finish()
            self.hashes.add(answer["hash"])
            self._write({"original": (answer["hash"], answer["bytes"])})
            self._upload = None
        else:
            self._write({"caption": f"No. {len(self.records)} " + "x" * self.noise.randrange(200)})

    def _write(self, values):
        """One record, and now and then an edit of an earlier one; remembered when on disk."""
        written = {self.session.create("photo", values): values}
        if self.records and self.noise.random() < 0.3:
            # Until it is acknowledged it may be there or not, so nothing is expected of it.
            earlier = self.noise.choice(list(self.records))
            before = self.records.pop(earlier)
            values = {"fileName": f"edited {self.session.seq}"}
            self.session.set("photo", earlier, values)
            written[earlier] = before | values
        self.session.settle()
        self.records.update(written)


def check(album, records, hashes):
    """What of all that was acknowledged is not there, in sentences."""
    found = []
    if album.health()["status"] != "ok":
        found.append("The album is not well.")
    reader = Session(Member(album.guests)).connect()
    there = reader.all("photo")
    reader.close()
    for record, values in records.items():
        held = there.get(record)
        if held is None:
            found.append(f"Record {record.hex()} is lost.")
        elif other := {name: held[name] for name, value in values.items() if held[name] != value}:
            found.append(f"Record {record.hex()} has {other}, and not {values}.")
    files = blob_files(album.folder)
    for name, file in files.items():
        if hashlib.sha256(file.read_bytes()).hexdigest() != name:
            found.append(f"The bytes of blob {name} are others.")
    found += [f"Blob {name} is lost." for name in hashes - files.keys()]
    return found


def count(writers):
    """How many records and photos the writers know to be acknowledged."""
    return sum(len(writer.records) + len(writer.hashes) for writer in writers)


def said(writers):
    return f"Of {count(writers)} nothing more is acknowledged: {[each.problem for each in writers]}"


def merged(writers):
    """All that the writers know to be acknowledged, at this moment."""
    records, hashes = {}, set()
    for writer in writers:
        records |= dict(writer.records)
        hashes |= set(writer.hashes)
    return records, hashes


@group.journey(f"after {KILLS} kills every acknowledged record and photo is there")
def kills(album):
    noise = random.Random(2026)
    # While all is counted nobody writes; what was on its way when the kill came waits.
    may_go = threading.Event()
    writers = [Writer(album, number, may_go) for number in range(3)]
    for writer in writers:
        writer.start()
    try:
        for number in range(KILLS):
            may_go.set()
            # Every other time something was acknowledged first, however slow the machine is.
            before = count(writers) if number % 2 else -1
            until(lambda: count(writers) > before, lambda: said(writers))
            pause(noise.uniform(0.02, 0.4), "the kill comes at any moment of the work")
            album.kill()
            may_go.clear()
            expected = merged(writers)
            album.start()
            problems = check(album, *expected)
            ensure(not problems, f"After kill {number + 1}: {len(problems)} losses, {problems[:3]}")
            for writer in writers:
                ensure(writer.problem is None, f"A writer ended: {writer.problem!r}")
        may_go.set()
        # The last edit of each writer may take a record away again: that many more are waited for.
        until(lambda: merged(writers)[1] and len(merged(writers)[0]) >= KILLS // 2 + len(writers),
              lambda: said(writers))
    finally:
        for writer in writers:
            writer.is_over = True
        may_go.set()
        for writer in writers:
            writer.join(PATIENCE)
    records, hashes = expected = merged(writers)
    problems = check(album, *expected)
    ensure(not problems, f"At the end: {problems[:3]}")
    ensure(len(records) >= KILLS // 2, f"Too little was written: {len(records)}")
    reconnects = sum(writer.reconnects for writer in writers)
    print(f"    {KILLS} kills{'' if FULL else ' (a slice; REUNION_FAULTS=full for 200)'}: "
          f"{len(records)} records and {len(hashes)} photos were acknowledged, none lost; "
          f"{reconnects} connections", flush=True)
    album.acknowledged = expected


@group.journey("the checker of the kills notices a lost record, a lost photo and a changed one")
def control(album):
    records, hashes = album.acknowledged
    ensure(check(album, records | {os.urandom(16): {}}, hashes), "A lost record goes unnoticed")
    record, values = next((record, values) for record, values in records.items()
                          if "caption" in values)
    ensure(check(album, records | {record: values | {"caption": "another"}}, hashes),
           "A changed record goes unnoticed")
    name, file = next(iter(blob_files(album.folder).items()))
    data = file.read_bytes()
    file.unlink()
    ensure(check(album, records, hashes | {name}) == [f"Blob {name} is lost."],
           "A lost photo goes unnoticed")
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    ensure(check(album, records, hashes), "A changed photo goes unnoticed")
    file.write_bytes(data)
    ensure(not check(album, records, hashes), "What is whole is reported")
