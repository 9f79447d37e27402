"""A caption from one replica to another over a link of a megabyte a second, while a photo is on its way or without."""

import contextlib
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from album import CLONER, ROOT
from serve import Served

BENCHMARKS = ROOT / "Benchmarks" / ".build" / "release" / "StoreBenchmarks"
NEAR, FAR = "10.98.61.1", "10.98.61.2"
RATE = "8mbit"
PHOTO_BYTES = 40 << 20


class SlowLink:
    """`with SlowLink() as link:` two rooms of the network (namespaces) and a slow cable; needs an administrator."""

    def __init__(self):
        self.near, self.far = f"reunion-near-{os.getpid()}", f"reunion-far-{os.getpid()}"

    def __enter__(self):
        def ip(*words):
            subprocess.run(["ip", *words], check=True)
        for room in (self.near, self.far):
            ip("netns", "add", room)
        ip("-n", self.near, "link", "add", "slow", "type", "veth", "peer", "name", "slow", "netns", self.far)
        for room, address in ((self.near, NEAR), (self.far, FAR)):
            ip("-n", room, "address", "add", f"{address}/24", "dev", "slow")
            for device in ("lo", "slow"):
                ip("-n", room, "link", "set", device, "up")
            # What waits longer than 50 ms is lost, as with a small router.
            subprocess.run(inside(room, "tc", "qdisc", "add", "dev", "slow", "root", "tbf", "rate", RATE,
                                  "burst", "4kb", "latency", "50ms"), check=True)
        return self

    def __exit__(self, *_):
        for room in (self.near, self.far):
            subprocess.run(["ip", "netns", "del", room], check=False)


def inside(room, *command):
    return ["ip", "netns", "exec", room, *map(str, command)]


def caption_p95(link, is_upload, photo_bytes):
    """In milliseconds, from the write to the other's store. The server is at the near end."""
    rooms = {"write": link.far, "read": link.near} if is_upload else {"write": link.near, "read": link.far}
    with tempfile.TemporaryDirectory(prefix="captions-") as folder, contextlib.ExitStack() as ends:
        served = Served(Path(folder) / "server", inside(link.near, CLONER, "serve"))
        ends.enter_context(served.started("--address", NEAR))

        def begin(act):
            words = ["--captions", act, served.invite("edit"), Path(folder) / act, photo_bytes]
            process = subprocess.Popen(
                inside(rooms[act], BENCHMARKS, *words),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            ends.callback(process.wait)
            ends.callback(process.kill)
            return process
        reader = begin("read")
        if (said := reader.stdout.readline()) != "ready\n":
            raise RuntimeError(f"The reader says {said!r}.")
        last = int(begin("write").stdout.readline())
        times = []
        for line in reader.stdout:
            nanoseconds, is_carried, written = map(int, line.split())
            if bool(is_carried) == bool(photo_bytes):
                times.append(nanoseconds / 1e6)
            if written == last:
                break
    print(f"  {len(times)} captions, median {statistics.median(times):.1f} ms", flush=True)
    return statistics.quantiles(times, n=100, method="inclusive")[94]


def measured():
    """`(is_upload, p95 behind a photo, p95 without)` of both ways."""
    with SlowLink() as link:
        return [(is_upload, caption_p95(link, is_upload, PHOTO_BYTES), caption_p95(link, is_upload, 0))
                for is_upload in (False, True)]
