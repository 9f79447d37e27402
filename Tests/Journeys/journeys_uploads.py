"""An upload goes every way that it can go: cut, given up, refused, failed, and left alone (docs/protocol.md 3.3)."""

import contextlib
import os
import socket
from pathlib import Path

import photos
from album import Album
from journey import PATIENCE, Group, ensure, frozen, until
from member import Member, Upload, refusal
from session import Session


@contextlib.contextmanager
def running():
    with Album() as album:
        yield album


group = Group(running)


def photo(seed):
    return photos.unique(f"upload {seed}", 200, 150)


class Patch:
    """A PATCH whose body is sent as slowly as one likes."""

    def __init__(self, upload, offset, count):
        member = upload.member
        self.socket = socket.create_connection(("127.0.0.1", member.port), timeout=PATIENCE)
        self.socket.sendall(
            f"PATCH {upload.location} HTTP/1.1\r\nHost: {member.address}\r\n"
            f"Cookie: {member.cookie}\r\nUpload-Offset: {offset}\r\nUpload-Complete: ?1\r\n"
            f"Content-Type: application/partial-upload\r\nContent-Length: {count}\r\n\r\n".encode())

    def send(self, data):
        self.socket.sendall(data)

    def status(self):
        return int(self.socket.makefile("rb").readline().split()[1])

    def cut(self):
        self.socket.close()


def give_up(upload):
    status, _, _ = upload.member.request("DELETE", upload.location)
    ensure(status == 204, f"Giving up is answered with {status}")


def is_forgotten(upload):
    return refusal(upload.offset).status == 404


@group.journey("an upload goes on after a part and after a cut, and is stored once it is whole")
def parts(album):
    upload = Upload(Member(album.guests), photo(1))
    third = len(upload.data) // 3
    upload.append(upload.begin(), third)
    patch = Patch(upload, third, len(upload.data) - third)
    patch.send(upload.data[third:2 * third])
    until(lambda: upload.offset() == 2 * third, what="The bytes do not come")
    patch.cut()
    # Until the server has heard of the cut the upload is busy.
    def ended():
        with contextlib.suppress(Exception):
            return upload.append(2 * third)
    ensure(until(ended, "It does not go on after the cut")["hash"] == upload.hash, "It is not what was sent")
    ensure(is_forgotten(upload), "Its files stay")


def moved_bytes(process):
    """How many bytes a process has read and written so far, sockets among them."""
    lines = Path(f"/proc/{process}/io").read_text().splitlines()
    counts = {name: int(count) for name, count in (line.split(": ") for line in lines)}
    return counts["rchar"], counts["wchar"]


@group.journey("the server writes the bytes of a photo once, and reads none of them for that")
def written_once(album):
    member = Member(album.guests)
    member.upload(photo(20))
    large = photos.unique("written once", 400, 300)
    while len(large) < 6_000_000:
        large = photos.commented(large, os.urandom(65_000))
    read, written = moved_bytes(album.process.pid)
    upload = Upload(member, large)
    third = len(large) // 3
    upload.append(upload.begin(), third)
    upload.append(third)
    read, written = (
        now - before for now, before in zip(moved_bytes(album.process.pid), (read, written)))
    # Once from the socket, once to the file; the picture is decoded by another process.
    ensure(written < 1.3 * len(large), f"Of {len(large)} bytes {written} are written")
    ensure(read < 1.3 * len(large), f"Of {len(large)} bytes {read} are read")


@group.journey("others are told of the bytes that a record names, and of no others")
def named(album):
    guest = Member(album.guests)
    unnamed, named = Upload(guest, photo("unnamed")), Upload(guest, photo("named"))
    with (contextlib.closing(Session(guest).connect()) as writer,
          contextlib.closing(Session(Member(album.guests)).connect()) as other):
        writer.create("photo", {"original": (named.hash, len(named.data))})
        writer.settle()
        for upload in (unnamed, named):
            upload.finish()
        other.run(lambda: bytes.fromhex(named.hash) in other.arrived)
        ensure(bytes.fromhex(unnamed.hash) not in other.arrived, "An upload of one guest kept all others busy")


@group.journey("an upload that is given up is forgotten, before, while and after its bytes come")
def given_up(album):
    member = Member(album.guests)
    upload = Upload(member, photo(2))
    upload.begin()
    give_up(upload)
    ensure(is_forgotten(upload), "It stays after it is given up")
    upload.begin()
    half = len(upload.data) // 2
    patch = Patch(upload, 0, len(upload.data))
    patch.send(upload.data[:half])
    until(lambda: upload.offset() == half, what="The bytes do not come")
    give_up(upload)
    patch.send(upload.data[half:])
    ensure(patch.status() == 404, "What came late is taken")
    ensure(is_forgotten(upload), "It stays after its bytes came late")


@group.journey("an upload that is no picture is refused and forgotten")
def refused(album):
    upload = Upload(Member(album.guests), b"Dear all, no picture is in here.\n" * 50)
    ensure(refusal(upload.finish).status == 422, "It is taken")
    ensure(is_forgotten(upload), "It stays after it was refused")


@group.journey("an upload that cannot be kept just now waits whole, and is kept afterwards")
def failed(album):
    upload = Upload(Member(album.guests), photo(3))
    offset = upload.begin()
    away, folder = album.folder / "renditions away", album.folder / "renditions"
    folder.rename(away)
    folder.write_text("in the way")
    ensure(refusal(lambda: upload.append(offset)).status >= 500, "It is kept nevertheless")
    ensure(upload.offset() == len(upload.data), "Its bytes are gone")
    folder.unlink()
    away.rename(folder)
    ensure(upload.append(len(upload.data))["hash"] == upload.hash, "It cannot be kept any more")


def children(process):
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        # A thread may end meanwhile.
        with contextlib.suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found


@group.journey("an upload that is given up while it is looked at is forgotten")
def looked_at(album):
    member = Member(album.guests)
    member.upload(photo(4))
    workers = children(album.process.pid)
    ensure(workers, "Nobody looks at pictures")
    upload = Upload(member, photo(5))
    upload.begin()
    with frozen(*workers):
        patch = Patch(upload, 0, len(upload.data))
        patch.send(upload.data)
        # Its bytes are here a moment before anybody looks at them.
        def is_checked():
            refused = refusal(lambda: upload.append(len(upload.data)))
            return refused.status == 409 and "is being checked" in refused.sentence
        until(is_checked, "Nobody looks at it")
        give_up(upload)
    patch.status()
    ensure(is_forgotten(upload), "It stays after it is given up")
    ensure(Member(album.guests).upload(photo(6))["hash"], "Nobody looks at pictures any more")


@group.journey("an upload that nobody goes on with is forgotten in time")
def left_alone(_):
    with Album() as album:
        album.stop()
        album.environment["REUNION_UPLOAD_SECONDS"] = "1"
        album.start()
        upload = Upload(Member(album.guests), photo(7))
        upload.begin()
        until(lambda: is_gone(upload), what="It stays")
        def left():
            return [file.name for file in (album.folder / "uploads").iterdir()]
        until(lambda: not left(), lambda: f"{left()} stay")


def is_gone(upload):
    status, _, _ = upload.member.request("HEAD", upload.location)
    return status == 404
