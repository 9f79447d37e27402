"""The album as people start it: the real program on a folder of its own."""

import contextlib
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from journey import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
# Where the apps are built: `make build`, or as Scripts/test.sh says.
APPS = ROOT / os.environ.get("REUNION_APPS", ".build/apps/release")
PROGRAM = APPS / "Albums"
CLONER = ROOT / ".build/release/reunion"
WEB = ROOT / ".build/web"
# What the servers' uploads go through in a run; see machines.py.
TRACE = ROOT / ".build/journeys/uploads.trace"
# A name that is no localhost: what a browser gives a page on a plain LAN.
LAN = "reunion.lan"
# Each is given once in a run; others who run beside this one begin elsewhere.
_ports = random.sample(range(15_000, 32_000), 10_000)


def take_ports(lane, lanes):
    """Leaves this process the ports of its lane: there are as many shares as lanes."""
    _ports[:] = [port for port in _ports if port % lanes == lane]


def free_port():
    """A port that nobody has, and below those that connections get: it stays free meanwhile."""
    while True:
        port = _ports.pop()
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("", port))
            return port


class Album:
    """A server process on a data folder; `with Album() as album:` ends it and removes both."""

    def __init__(self, folder=None, port=None, name="Summer 2026", host=LAN):
        self._temporary = None if folder else tempfile.mkdtemp(prefix="albums-")
        self.folder = Path(folder or self._temporary) / ("data" if not folder else "")
        self.port, self.name, self.host = port or free_port(), name, host
        # Further arguments of the next start.
        self.options = []
        self.environment = dict(os.environ) | {"REUNION_UPLOAD_TRACE": str(TRACE)}
        self.process = self._host = None
        self.guests = self.here = self.owner = self.wall = None

    def command(self):
        return [PROGRAM, "--port", str(self.port), "--data", self.folder, "--name", self.name,
                "--page", WEB / "page", "--library", WEB / "reunion",
                *(["--host", self.host] if self.host else []), *self.options]

    def start(self):
        """Starts the program, and returns when it has printed its links."""
        began = time.monotonic()
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            self.command(), stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=self.environment)
        lines = []
        while not any(line.startswith("Wall:") for line in lines):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"The album did not start: {self.sentence()}")
            lines.append(line.rstrip("\n"))
            if time.monotonic() - began > PATIENCE:
                raise TimeoutError("The album printed no links in time.")
        self.seconds = time.monotonic() - began
        self.banner = "\n".join(lines)
        self.guests, self.here = self._line("Guests"), self._line("Here")
        self.wall = self._line("Wall")
        self.owner = self._line("Owner") or self.owner
        self.printed_owner = self._line("Owner")
        return self

    def _line(self, word):
        found = re.search(rf"^{word}: (\S+)$", self.banner, re.M)
        return found and found[1]

    def lan(self, link, port=None):
        """A link under the LAN's name, where the browser is in no secure context."""
        return re.sub(r"//[^/]+/", f"//{LAN}:{port or self.port}/", link)

    def sentence(self):
        """What it said on stderr."""
        self.errors.seek(0)
        return self.errors.read().strip()

    def health(self):
        address = f"http://127.0.0.1:{self.port}/health"
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            return json.load(answer)

    def counts(self):
        """Its health with what it holds, as its host is told."""
        from member import Member
        if self._host is None or self._host.port != self.port:
            self._host = Member(self.owner)
        return json.loads(self._host.get("/health"))

    def stop(self):
        """Asks it to end, and returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def kill(self):
        self.process.kill()
        return self._ended()

    def _ended(self):
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.stdout.close()

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def memory_bytes(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.is_running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.stop()
            if self.is_running:
                self.kill()
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)


def run_to_end(*arguments):
    """Runs the program with arguments; exit code and what it said on stderr."""
    done = subprocess.run(
        [PROGRAM, *arguments, "--page", WEB / "page", "--library", WEB / "reunion"],
        capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stderr.strip()


def contents(folder):
    """The hash of every file under a folder, by name; SQLite's shared memory and an empty log are no
    content."""
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(Path(folder).rglob("*"))
            if file.is_file() and not file.name.endswith("-shm")
            and (file.stat().st_size or not file.name.endswith("-wal"))}


def blob_files(folder):
    """The blobs of a data folder: files by the hash that they are named by."""
    found = {}
    for file in Path(folder).rglob("*"):
        if re.fullmatch(r"[0-9a-f]{64}", file.name) and file.is_file():
            found[file.name] = file
    return found
