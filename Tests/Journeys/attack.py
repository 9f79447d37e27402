"""Somebody who means harm, in a process of its own: attack.py LINK SECONDS [acts…] → what was done, as JSON.

Joins as a guest, and from one address does the worst that is allowed, all at once: asks for pages and records in a
loop, drips heads and bodies, opens connections and lets them stand, pushes changes that are refused and changes that
are admitted, and begins uploads.
"""

import contextlib
import json
import os
import secrets
import socket
import sys
import threading
import time
from collections import Counter

import photos
from member import Member, Refused, Upload
from session import Session
from wire import Wire

done = Counter()
_over = threading.Event()


def again(act):
    """Does something until the end, whatever the server says to it."""
    def loop():
        while not _over.is_set():
            try:
                act()
            except (OSError, EOFError, Refused, TimeoutError, ConnectionError, AssertionError, ValueError):
                done["refused or ended"] += 1
                time.sleep(0.05)
            except Exception as error:  # noqa: BLE001 - whatever a library makes of a closed socket
                done[type(error).__name__] += 1
                time.sleep(0.05)
    return loop


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
            time.sleep(0.1)


def stand(member):
    """Connections that say nothing."""
    with contextlib.ExitStack() as open_ones:
        for _ in range(300):
            open_ones.enter_context(Wire(member.port))
            done["idle connections"] += 1
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


def upload(member):
    data = photos.unique(int.from_bytes(os.urandom(4), "big"))
    Upload(member, data).finish()
    done["uploads"] += 1


ACTS = {act.__name__: act for act in (flood, drip, stand, push_refused, push_admitted, upload)}


def main(link, seconds, names):
    os.nice(19)
    acts = [ACTS[name] for name in names or ACTS]
    members = [Member(link) for _ in acts]
    threads = [threading.Thread(target=again(lambda act=act, who=who: act(who)), daemon=True)
               for act, who in zip(acts, members)]
    for thread in threads:
        thread.start()
    print("begun", flush=True)
    time.sleep(seconds)
    _over.set()
    print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
