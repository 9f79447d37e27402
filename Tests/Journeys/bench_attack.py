"""A caption's way to 200 guests, quiet and beside somebody who does the worst that is allowed (attack.py).

bench_attack.py [ROUNDS [acts…]] prints the p50 and p95 of both in milliseconds, and the ratio, and writes
.build/bench/attack.json. The attacker runs at nice 19, so that what is measured is what the server gives it, and
not the processor that it takes by itself.
"""

import json
import selectors
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import codec
from album import ROOT, Album
from journey import PATIENCE
from member import Member
from session import Session, new_id
from wire import Wire

RESULT = ROOT / ".build" / "bench" / "attack.json"
GUESTS, ATTACKERS = 200, 2
PUSH_END, PING, BYE = 4, 7, 13
CLOSE_FRAME = 0x88


class Guest:
    """A page that looks on: it says what it holds, acknowledges, and notes what it sees when."""

    def __init__(self, member):
        self.wire, self.buffer = Wire(member.port), b""
        status = self.wire.upgrade(member)
        assert status == 101, status
        self.wire.send(codec.hello(member.space, member.device + bytes(8), 0))
        self.wire.send(codec.pull(b"", {}))

    def receive(self, wanted):
        """Takes what has come; whether the wanted text is in it."""
        data = self.wire.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("A guest was put out.")
        self.buffer += data
        seen = False
        while len(self.buffer) >= 2:
            length, head = self.buffer[1] & 127, 2
            if length > 125:
                head = 4 if length == 126 else 10
                length = int.from_bytes(self.buffer[2:head], "big")
            if len(self.buffer) < head + length:
                break
            message = self.buffer[head:head + length]
            if self.buffer[0] == CLOSE_FRAME or message[1:2] == bytes([BYE]):
                raise ConnectionError(f"A guest was put out: {message!r}")
            self.buffer = self.buffer[head + length:]
            seen = seen or wanted in message
            if message[1:2] == bytes([PUSH_END]) or message[1:2] == bytes([PING]):
                name, parts = codec.decode(message)
                self.wire.send(codec.pong(parts) if name == "ping" else codec.acknowledge(parts[0]))
        return seen


class Party:
    """Guests on one thread, which tells when all have seen a text."""

    def __init__(self, link):
        # All join first: who is connected and says nothing for twenty seconds is put out.
        members = [Member(link) for _ in range(GUESTS)]
        self.guests = [Guest(member) for member in members]
        self._selector = selectors.DefaultSelector()
        for guest in self.guests:
            self._selector.register(guest.wire.socket, selectors.EVENT_READ, guest)
        self._wanted, self._left, self._last = b"\0none", 0, 0.0
        self._all, self.error = threading.Event(), None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            while True:
                for key, _ in self._selector.select():
                    if key.data.receive(self._wanted):
                        self._left -= 1
                        self._last = time.monotonic()
                        if self._left == 0:
                            self._all.set()
        except Exception as error:  # noqa: BLE001 - told where it is waited for
            self.error = error
            self._all.set()

    def expect(self, text):
        self._all.clear()
        self._wanted, self._left = text, GUESTS

    def last(self):
        """When the last guest saw it."""
        if not self._all.wait(PATIENCE) or self.error:
            raise AssertionError(f"Not all guests saw it: {self._left} are left. {self.error or ''}")
        return self._last


def captions(host, photo, party, rounds, name):
    """From a caption's leaving to its last delivery, in milliseconds."""
    times = []
    for number in range(rounds + 5):
        text = f"{name} caption {number} of {rounds}"
        party.expect(text.encode())
        host.set("photo", photo, {"caption": text})
        began = time.monotonic()
        host.settle()
        times.append((party.last() - began) * 1000)
        time.sleep(0.02)
    return times[5:]


def attackers(link, seconds, acts):
    program = Path(__file__).with_name("attack.py")
    started = [subprocess.Popen([sys.executable, program, link, str(seconds), *acts], text=True,
                                stdout=subprocess.PIPE) for _ in range(ATTACKERS)]
    for each in started:
        assert each.stdout.readline() == "begun\n"
    # Until it is in full swing.
    time.sleep(3)
    return started


def main(rounds, acts):
    with Album() as album:
        host = Session(Member(album.owner)).connect()
        photo = host.create("photo", {"caption": "first"}, new_id())
        host.settle()
        party = Party(album.guests)
        time.sleep(2)
        quiet = captions(host, photo, party, rounds, "quiet")
        started = attackers(album.guests, 600, acts)
        loud = captions(host, photo, party, rounds, "loud")
        for each in started:
            each.terminate()
            each.wait()
        memory = album.memory_bytes() >> 20
    p95 = [statistics.quantiles(times, n=100, method="inclusive")[94] for times in (loud, quiet)]
    p50 = [statistics.median(times) for times in (loud, quiet)]
    row = {"name": "caption-200-attacked", "ours": round(p95[0], 1), "peer": round(p95[1], 1),
           "peerName": "the same, quiet", "ratio": round(p95[0] / p95[1], 2), "unit": "ms",
           "medians": [round(each, 1) for each in p50], "rounds": rounds, "serverMiB": memory}
    print(f"caption to 200 guests, p95: {row['ours']} ms attacked, {row['peer']} ms quiet, ratio "
          f"{row['ratio']}; medians {p50[0]:.1f} and {p50[1]:.1f} ms; the server holds {memory} MiB")
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(row, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, sys.argv[2:])
