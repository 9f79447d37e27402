"""Somebody who means harm, in a process of its own, and what was done, as JSON.

attack.py LINK SECONDS ADDRESS [acts…] joins as a guest, and from one address of this machine, which is nobody else's,
does the worst that is allowed; without acts all that one can do to an album, at once. Each act is a function here, and
says what it does. It ends in time, or with standard input.
"""

import contextlib
import functools
import io
import json
import os
import secrets
import socket
import struct
import sys
import threading
import time
import zlib
from collections import Counter
from pathlib import Path

from PIL import Image

import codec
import photos
from member import Member, Refused, Upload
from session import Session, new_id
from wire import Wire

DEVICES = 12
_GROUPS = Path("/sys/fs/cgroup/cpu")
IDLE_GROUP = (_GROUPS if _GROUPS.is_dir() else _GROUPS.parent) / "reunion-attackers"
done = Counter()
_over = threading.Event()
_link = None


def take_what_is_left():
    """Has this process compute only while nobody else wants to: as one of a group that Linux never prefers to anybody,
    which needs an administrator, or else as a session of its own that gets the least (sched(7), autogroups)."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with contextlib.suppress(OSError):
        IDLE_GROUP.mkdir(exist_ok=True)
        (IDLE_GROUP / "cpu.idle").write_text("1")
        return (IDLE_GROUP / "cgroup.procs").write_text(str(os.getpid()))
    share = Path("/proc/self/autogroup")
    # Whoever is no administrator may say it once in a tenth of a second.
    while share.exists() and os.getsid(0) == os.getpid():
        with contextlib.suppress(BlockingIOError):
            return share.write_text("19")


def come_from(address):
    """Has all connections of this process come from an address of this machine."""
    connect = socket.create_connection

    def bound(to, timeout=None, source_address=None, **options):
        return connect(to, timeout, source_address or (address, 0), **options)
    socket.create_connection = bound


def again(act):
    """Does something until the end, whatever the server says to it."""
    def loop():
        while not _over.is_set():
            try:
                act()
            except (OSError, EOFError, Refused, TimeoutError, ConnectionError, AssertionError, ValueError):
                done["refused or ended"] += 1
                _over.wait(0.05)
            except Exception as error:  # noqa: BLE001 - whatever a library makes of a closed socket
                done[type(error).__name__] += 1
                _over.wait(0.05)
    return loop


def by_all(act, members):
    """Does something by each of these members at once, until the end."""
    threads = [threading.Thread(target=again(lambda who=who: act(who)), daemon=True) for who in members]
    for thread in threads:
        thread.start()
    _over.wait()


@functools.cache
def devices():
    """Members that one person has made: devices cost next to nothing."""
    return [Member(_link) for _ in range(DEVICES)]


def flood(member):
    """Pages, the model and health, as fast as one connection asks."""
    for path in ("/", "/model.json", "/health", "/session"):
        member.get(path)
        done["requests"] += 1


def drip(member):
    """A body that never ends, a byte at a time."""
    with Wire(member.port) as wire:
        wire.socket.sendall(
            f"POST /join HTTP/1.1\r\nHost: {member.address}\r\nContent-Length: 4000\r\n\r\n".encode())
        while not _over.is_set():
            wire.socket.sendall(b"x")
            done["bytes dripped"] += 1
            _over.wait(0.1)


def stand(member):
    """Connections that say nothing."""
    with contextlib.ExitStack() as open_ones:
        for _ in range(300):
            open_ones.enter_context(Wire(member.port))
            done["idle connections"] += 1
        _over.wait(5)


def stall(member):
    """Connections that ask for eighty files each, and take no answer."""
    asked = f"GET /reunion/replica/replica.js HTTP/1.1\r\nHost: {member.address}\r\n\r\n".encode() * 80
    with contextlib.ExitStack() as open_ones:
        for _ in range(600):
            wire = open_ones.enter_context(Wire(member.port))
            wire.socket.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                wire.socket.send(asked)
            done["stalled connections"] += 1
        _over.wait(5)


def push_refused(member):
    """Edits of the host's album, two thousand a push: each is looked at, and refused."""
    session = Session(member).connect()
    try:
        while not _over.is_set():
            for _ in range(2_000):
                session.write(("album", member.space, {"name": "mine"}, False))
            session.settle()
            done["refused changes"] += 2_000
    finally:
        session.close()


def push_admitted(member):
    """Records of its own, which everybody is sent."""
    session = Session(member).connect()
    try:
        while not _over.is_set():
            for _ in range(200):
                session.create("heart", {"photo": secrets.token_bytes(16)})
            session.settle()
            done["admitted records"] += 200
    finally:
        session.close()


def push_text(member):
    """Long captions, by sync, past what a guest may bring."""
    session = Session(member).connect()
    try:
        while not _over.is_set():
            for _ in range(50):
                session.create("photo", {"caption": secrets.token_hex(2_000)})
            session.settle()
            done["characters"] += 50 * 4_000
    finally:
        session.close()


def stage(_):
    """Pushes that never end, by all devices: what is staged waits on the disk."""
    def push(member):
        session = Session(member).connect()
        try:
            while not _over.is_set():
                for _ in range(3):
                    session.create("photo", {"caption": secrets.token_hex(2_000)})
                session._socket.send(codec.changes(session.own))
                done["bytes staged"] += 12_000
                session.own = []
        finally:
            session.close()
    by_all(push, devices())


def join_again(member):
    """Joins by one device that is in already."""
    body = json.dumps({"invite": _link.rpartition("=")[2]}).encode()
    status, _, _ = member.request("POST", "/join", body)
    done[f"joins answered {status}"] += 1


def wash(member):
    """Links that are wrong, and devices that join and leave: each would be a line of the log."""
    member.request("POST", "/join", json.dumps({"invite": secrets.token_hex(8)}).encode())
    member.request("DELETE", "/devices/0123456789abcdef")
    done["lines"] += 2
    with contextlib.suppress(Refused):
        Member(_link).request("DELETE", "/session")
        done["lines"] += 2


def junk_pictures(member):
    """Bodies that are no pictures, where strangers show a QR code."""
    with Wire(member.port) as wire:
        status, _ = wire.ask([
            "POST /join/picture HTTP/1.1", f"Host: {member.address}", f"Origin: http://{member.address}",
            "Content-Length: 1000"], secrets.token_bytes(1_000))
        done[f"pictures answered {status}"] += 1


def upload(member):
    data = photos.unique(int.from_bytes(os.urandom(4), "big"))
    Upload(member, data).finish()
    done["uploads"] += 1


@functools.cache
def _png(side, mode):
    out = io.BytesIO()
    Image.new(mode, (side, side), 77).save(out, "PNG")
    return out.getvalue()


def _tagged(png):
    """Another file that shows the same: with a chunk of text after its header."""
    body = b"tEXtComment\0" + secrets.token_hex(8).encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return png[:33] + chunk + png[33:]


def _send_pictures(side, mode):
    def send(member):
        Upload(member, _tagged(_png(side, mode))).finish()
        done["pictures"] += 1
    by_all(send, devices())


def large_pictures(_):
    """Pictures of a hundred megapixels in a small file, from all devices."""
    _send_pictures(9_999, "L")


def slow_pictures(_):
    """Pictures as large as a phone's, and of the slowest kind, from all devices."""
    _send_pictures(3_500, "I;16")


def play(member):
    """Tables of Words at which the bot waits: each is a round for minutes."""
    session = Session(member).connect()
    try:
        while not _over.is_set():
            begin_round(session)
            session.settle()
            done["tables"] += 1
    finally:
        session.close()


def begin_round(session):
    """Opens a table with the bot, and is ready for its first round; the table's id."""
    game = new_id()
    session.write(
        ("game", game, {"openedAt": time.time_ns() // 1_000_000, "list": "en", "hasBot": True}, True),
        ("seat", new_id(), {"game": game, "name": "Me", "ready": 1}, True))
    return game


def drip_pictures(_):
    """Photographs of Sudokus that never end, two from each device."""
    def drip_one(member):
        with Wire(member.port) as wire:
            who = [f"{name}: {value}" for name, value in member._who().items()]
            wire.socket.sendall("\r\n".join([
                "POST /grab HTTP/1.1", f"Host: {member.address}", f"Origin: http://{member.address}",
                "Content-Length: 12000000", *who, "", ""]).encode())
            while not _over.is_set():
                wire.socket.sendall(b"x")
                done["bytes dripped"] += 1
                _over.wait(0.5)
    by_all(drip_one, devices() * 2)


ALBUM = (flood, drip, stand, stall, push_refused, push_admitted, push_text, stage, join_again, wash, junk_pictures,
         upload, large_pictures, slow_pictures)
OF_MANY = (stage, large_pictures, slow_pictures, drip_pictures)
ACTS = {act.__name__: act for act in (*ALBUM, play, drip_pictures)}


def main(link, seconds, address, names):
    global _link
    _link = link
    take_what_is_left()
    come_from(address)
    acts = [ACTS[name] for name in names] or ALBUM
    members = [Member(link) for _ in acts]
    if any(act in OF_MANY for act in acts):
        # Before somebody uses up what one network may join.
        devices()
    threads = [threading.Thread(target=again(lambda act=act, who=who: act(who)), daemon=True)
               for act, who in zip(acts, members)]
    for thread in threads:
        thread.start()
    print("begun", flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), _over.set()), daemon=True).start()
    _over.wait(seconds)
    _over.set()
    print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4:])
